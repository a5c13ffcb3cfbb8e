//! Conversations of agents, for `toolwire.agent`: what comes next, requests, what is kept.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::types::{PyDict, PyType};
use serde_json::{Map, Value};
use toolwire::agent::{
    AgentError, AgentEvent, AgentGrammar, AgentLimit, AgentLimits, Conversation, Conversations,
    Hearing, ModelError, NextStep,
};
use toolwire::provider::{AnswerOptions, AnsweredCall, Ending, Provider, ToolAnswer};
use toolwire::store::StoreError;

use super::clock::now;
use super::store;
use super::store_error;
use crate::class::answer::ending;
use crate::class::detector::Detector;
use crate::host::error;
use crate::host::json;
use crate::host::value::{sent_json, to_json};

/// The place of a call: the number of its message, and its number there.
type Place = (usize, usize);

/// An event: its kind, and what is known of it.
type Told<'py> = (&'static str, Bound<'py, PyAny>);

/// The conversations of a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct AgentConversations {
    core: Conversations,
}

#[pymethods]
impl AgentConversations {
    #[new]
    fn new(store: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { core: Conversations::new(store::core(store)?) })
    }

    /// Finds a conversation that was held with this model.
    fn find(
        &self,
        py: Python<'_>,
        id: &str,
        settings: &AgentSettings,
    ) -> PyResult<Option<AgentConversation>> {
        let (provider, model) = (settings.core.provider.slug(), &*settings.core.model);
        let found = py.detach(|| self.core.find(id, provider, model, now()));
        Ok(found.map_err(|error| raise(py, error))?.map(AgentConversation::new))
    }

    /// Begins a conversation with this model.
    fn begin(
        &self,
        py: Python<'_>,
        id: &str,
        settings: &AgentSettings,
    ) -> PyResult<AgentConversation> {
        let (provider, model) = (settings.core.provider.slug(), &*settings.core.model);
        let begun = py.detach(|| self.core.begin(id, provider, model, now()));
        begun.map(AgentConversation::new).map_err(|error| raise(py, error))
    }

    /// Keeps what was added to a conversation.
    fn save(&self, py: Python<'_>, conversation: &AgentConversation) -> PyResult<()> {
        let mut held = conversation.lock(py).clone();
        let saved = py.detach(|| {
            let saved = self.core.save(&mut held, now());
            (held, saved)
        });
        let (held, saved) = saved;
        *conversation.lock(py) = held;
        saved.map_err(|error| raise(py, error))
    }

    /// The ids of conversations, in the order of their keys.
    #[pyo3(signature = (limit, after=None))]
    fn list(&self, py: Python<'_>, limit: usize, after: Option<&str>) -> PyResult<Vec<String>> {
        let ids = py.detach(|| self.core.list(after, limit, now()));
        ids.map_err(|error| store_error::raise(py, error))
    }

    /// Deletes a conversation, and says whether there was one.
    fn forget(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        let forgotten = py.detach(|| self.core.forget(id, now()));
        forgotten.map_err(|error| store_error::raise(py, error))
    }
}

/// Which model is asked, and how.
#[pyclass(frozen, module = "toolwire._native")]
pub struct AgentSettings {
    core: toolwire::agent::AgentSettings,
}

#[pymethods]
impl AgentSettings {
    #[new]
    #[pyo3(signature = (api, model, system, options, detector, limits, constrain=None))]
    fn new(
        api: &str,
        model: String,
        system: String,
        options: &Bound<'_, PyDict>,
        detector: Option<&Bound<'_, Detector>>,
        limits: (usize, usize, Option<u64>, u64, usize, usize),
        constrain: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = options.py();
        let options = match sent_json("options", options)? {
            Value::Object(options) => options,
            _ => Map::new(),
        };
        let (turns, calls, tokens, seconds, repairs, same_call) = limits;
        let provider = Provider::talking(api).map_err(|error| error::raise(py, &error))?;
        let grammar = constrain.map(|given| {
            let given = match to_json("constrain", given)? {
                Value::Object(given) => given,
                _ => Map::new(),
            };
            let grammar = AgentGrammar::new(provider, &model, &given);
            grammar.map_err(|error| error::raise(py, &error))
        });
        let core = toolwire::agent::AgentSettings {
            provider,
            grammar: grammar.transpose()?,
            model,
            system,
            options,
            detector: detector.map(|detector| detector.get().core().clone()),
            streams: false,
            limits: AgentLimits { turns, calls, tokens, seconds, repairs, same_call },
        };
        Ok(Self { core })
    }

    /// The same settings with another reader of texts.
    fn read_by(&self, detector: &Bound<'_, Detector>) -> Self {
        let detector = Some(detector.get().core().clone());
        let core = toolwire::agent::AgentSettings { detector, ..self.core.clone() };
        Self { core }
    }

    /// The same settings with responses that come as streams.
    fn streamed(&self) -> Self {
        let core = toolwire::agent::AgentSettings { streams: true, ..self.core.clone() };
        Self { core }
    }
}

/// A conversation, as far as this process knows it.
#[pyclass(frozen, module = "toolwire._native")]
pub struct AgentConversation {
    core: Mutex<Conversation>,
}

#[pymethods]
impl AgentConversation {
    /// Adds a text of the user.
    fn say(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        self.lock(py).say(text).map_err(|error| raise(py, error))
    }

    /// What comes next: ``ask`` and ``end`` with the limit that was reached, if any, and ``run``
    /// with the places of the calls that have no result; None if nothing was said.
    fn next_step(
        &self,
        py: Python<'_>,
        settings: &AgentSettings,
    ) -> Option<(&'static str, Option<&'static str>, Vec<Place>)> {
        let slug = |limit: Option<AgentLimit>| limit.map(AgentLimit::slug);
        Some(match self.lock(py).next_step(&settings.core.limits)? {
            NextStep::Ask(limit) => ("ask", slug(limit), Vec::new()),
            NextStep::Run(open) => ("run", None, open),
            NextStep::End(limit) => ("end", slug(limit), Vec::new()),
        })
    }

    /// The body of the request that asks the model.
    #[pyo3(signature = (settings, tools, ends_for=None))]
    fn request<'py>(
        &self,
        settings: &AgentSettings,
        tools: &Bound<'py, PyAny>,
        ends_for: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, tools) = (tools.py(), listed(tools)?);
        let ends_for = ends_for.and_then(AgentLimit::from_slug);
        let body = self.lock(py).request(&settings.core, &tools, ends_for);
        let body = body.map_err(|error| raise(py, error))?;
        json::value(py, body.to_string().as_bytes())
    }

    /// Adds a response, whole or the list of its events.
    #[pyo3(signature = (response, settings, took_ms, ends_for=None))]
    fn answered(
        &self,
        response: &Bound<'_, PyAny>,
        settings: &AgentSettings,
        took_ms: u64,
        ends_for: Option<&str>,
    ) -> PyResult<()> {
        let (py, response) = (response.py(), sent_json("response", response)?);
        let ends_for = ends_for.and_then(AgentLimit::from_slug);
        let answered = self.lock(py).answered(&response, &settings.core, took_ms, ends_for);
        answered.map_err(|error| raise(py, error))
    }

    /// The name and the arguments of a call.
    fn open_call<'py>(
        &self,
        py: Python<'py>,
        place: Place,
    ) -> PyResult<Option<(String, Bound<'py, PyAny>)>> {
        let Some(call) = self.lock(py).open_call(place) else { return Ok(None) };
        let arguments = json::value(py, call.arguments.to_string().as_bytes())?;
        Ok(Some((call.name, arguments)))
    }

    /// Adds what a run gave: its state, data and message are those of ``dump_answer``.
    #[pyo3(signature = (place, run, tool, state, data, message, took_ms))]
    #[allow(clippy::too_many_arguments, reason = "each is a part of one result")]
    fn add_result(
        &self,
        place: Place,
        run: Option<String>,
        tool: String,
        state: &str,
        data: &Bound<'_, PyAny>,
        message: Option<String>,
        took_ms: u64,
    ) -> PyResult<()> {
        let (py, options) = (data.py(), AnswerOptions::default());
        let ending = ending(state, data, message, &options)?;
        let call = AnsweredCall { id: None, tool };
        let shown = ToolAnswer { call, ending }.result(&options);
        let added = self.lock(py).add_result(place, run, &shown, took_ms);
        added.map_err(|error| raise(py, error))
    }

    /// Adds that there is no tool of the name that a call has; these are the names of all tools.
    fn add_no_tool(
        &self,
        py: Python<'_>,
        place: Place,
        tool: String,
        known: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let known: Vec<String> = known.extract()?;
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        let ending = Ending::no_tool(&tool, &known);
        let call = AnsweredCall { id: None, tool };
        let shown = ToolAnswer { call, ending }.result(&AnswerOptions::default());
        let added = self.lock(py).add_result(place, None, &shown, 0);
        added.map_err(|error| raise(py, error))
    }

    /// What happened in the messages from this number on, the oldest first.
    fn events<'py>(&self, py: Python<'py>, start: usize) -> PyResult<Vec<Told<'py>>> {
        let events = self.lock(py).events(start);
        told(py, &events)
    }

    /// How many messages the conversation has.
    fn message_count(&self, py: Python<'_>) -> usize {
        self.lock(py).message_count()
    }

    /// The model's last text and reasoning, whether it was cut off, and the tokens of all requests
    /// and answers.
    fn said(&self, py: Python<'_>) -> (String, String, bool, u64, u64) {
        let held = self.lock(py);
        let (text, reasoning, cut_off) = held.last_said();
        let usage = held.usage();
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        (text.to_owned(), reasoning.to_owned(), cut_off, input, output)
    }
}

/// What a model says while its response comes.
#[pyclass(frozen, module = "toolwire._native")]
pub struct AgentHearing {
    core: Mutex<Hearing>,
    message: usize,
}

#[pymethods]
impl AgentHearing {
    #[new]
    fn new(py: Python<'_>, conversation: &AgentConversation, settings: &AgentSettings) -> Self {
        let message = conversation.lock(py).message_count();
        Self { core: Mutex::new(Hearing::new(&settings.core, message)), message }
    }

    /// Takes an event of the response, and gives what it says.
    fn hear<'py>(&self, event: &Bound<'py, PyAny>) -> PyResult<Vec<Told<'py>>> {
        let (py, event) = (event.py(), sent_json("event", event)?);
        let heard = self.lock(py).hear(&event);
        told(py, &heard.map_err(|error| raise(py, error))?)
    }

    /// Gives what the whole response says, as the conversation has it, without what was told
    /// before.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        conversation: &AgentConversation,
    ) -> PyResult<Vec<Told<'py>>> {
        let whole = conversation.lock(py).events(self.message);
        let events = self.lock(py).finish(whole);
        told(py, &events)
    }

    /// Takes back what was told of a response that broke off.
    fn take_back<'py>(&self, py: Python<'py>) -> PyResult<Vec<Told<'py>>> {
        let events = self.lock(py).take_back();
        told(py, &events)
    }
}

impl AgentHearing {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Hearing> {
        self.core.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Events for Python: the kind of each, and what is known of it.
fn told<'py>(py: Python<'py>, events: &[AgentEvent]) -> PyResult<Vec<Told<'py>>> {
    let event = |event: &AgentEvent| {
        Ok((event.kind.slug(), json::value(py, event.data.to_string().as_bytes())?))
    };
    events.iter().map(event).collect()
}

impl AgentConversation {
    fn new(core: Conversation) -> Self {
        Self { core: Mutex::new(core) }
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Conversation> {
        self.core.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says what a failure of a model's server is: its code and its message, without secrets, and after
/// how many seconds the request may be sent again; None to give up. Without a status, there was no
/// whole response. ``tries`` is how often it was sent again.
#[pyfunction]
#[pyo3(signature = (status, retry_after, words, tries))]
pub fn model_failure(
    status: Option<u16>,
    retry_after: Option<u64>,
    words: &str,
    tries: u32,
) -> (&'static str, String, Option<f64>) {
    let failure = match status {
        Some(status) => ModelError::of_status(status, retry_after, words),
        None => ModelError::unreachable(words),
    };
    let pause = failure.pause(tries).map(|pause| pause.as_secs_f64());
    let error = AgentError::from(failure);
    (error.code().slug(), error.to_string(), pause)
}

/// The tools of a request.
fn listed(tools: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    Ok(match sent_json("tools", tools)? {
        Value::Array(tools) => tools,
        _ => Vec::new(),
    })
}

/// Makes the exception for what an agent was refused; what a store raised is raised as it is.
fn raise(py: Python<'_>, error: AgentError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (code, message) = (error.code().slug(), error.to_string());
    if let Some(source) = error.into_source()
        && let Ok(store) = source.downcast::<StoreError>()
    {
        return store_error::raise(py, *store);
    }
    let made = CLASS
        .import(py, "toolwire.runs.errors", "AgentError")
        .and_then(|class| class.call1((message, code)));
    made.map_or_else(|error| error, PyErr::from_value)
}
