//! `Toolwire\Tools\Agent`: a conversation with a model, from a user's text to an answer.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::{Map, Value};
use toolwire::agent::{AgentGrammar, AgentLoop, AgentSettings, Conversations, OnInterrupted};
use toolwire::provider::Provider;
use toolwire::{Error, ErrorKind};

use super::agent_answer::AgentAnswer;
use super::agent_host::{AgentParts, AgentRun};
use super::agent_limits::AgentLimits;
use super::answer::options as answer_options;
use super::callback::{Stop, callable};
use super::executor::Executor;
use super::{clock, error};
use crate::class::detector::Detector;
use crate::class::provider::array;
use crate::class::redaction::Redact;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::object::Object;
use crate::host::option;
use crate::host::value::{
    ACallable, AnArray, As, EMPTY, Flag, Maybe, Table, Text, Whole, list, record, text,
};
use crate::zend::Holds;

/// The index of the constructor's argument `redact`, from 0.
pub(super) const REDACT: usize = 10;
const OPENAI: &str = "openai";
const ASK: &str = "ask";

/// A model, its tools, and a store for their conversations.
pub(crate) struct Agent {
    parts: AgentParts,
    conversations: Conversations,
}

php_class!(Agent, "Toolwire\\Tools\\Agent", [], public, {});

#[php_impl]
impl Agent {
    /// Makes an agent. The client is called with the body of each request, and returns a response.
    #[php(defaults(system = EMPTY, api = OPENAI, interrupted = ASK, streams = false))]
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in PHP")]
    fn __construct(
        client: As<ACallable>,
        model: Text<'_>,
        tools: Object<Executor>,
        system: Text<'_>,
        api: Text<'_>,
        limits: Maybe<Object<AgentLimits>>,
        detector: Maybe<Object<Detector>>,
        interrupted: Text<'_>,
        options: Maybe<Table<'_>>,
        maxBytes: Maybe<Whole>,
        redact: Maybe<Redact<'_>>,
        streams: Flag,
        runCall: Maybe<As<ACallable>>,
        constrain: Maybe<Table<'_>>,
    ) -> PhpResult<Self> {
        let parts = || {
            let limits = limits.0.as_ref().map(Object::held).transpose()?;
            let detector = detector.0.as_ref().map(Object::held).transpose()?;
            Ok::<_, ext_php_rs::exception::PhpException>((
                limits.map(AgentLimits::core).unwrap_or_default(),
                detector.map(|detector| detector.core().clone()),
            ))
        };
        let (limits, detector) = parts()?;
        let read = || {
            let provider = Provider::talking(&api.lossy())?;
            let constrain = read_constrain(constrain)?;
            let grammar =
                constrain.map(|given| AgentGrammar::new(provider, &model.lossy(), &given));
            let settings = AgentSettings {
                system: system.lossy().into_owned(),
                options: read_options(options)?,
                detector,
                grammar: grammar.transpose()?,
                streams: streams.0,
                limits,
                ..AgentSettings::new(provider, &model.lossy())
            };
            let run_call = runCall.0.map(|given| callable("runCall", &given.0)).transpose()?;
            let client = callable("client", &client.0)?;
            Ok((client, run_call, settings, read_interrupted(&interrupted.lossy())?))
        };
        let (client, run_call, settings, interrupted) =
            read().map_err(|error: Error| exception::from_core(&error))?;
        let conversations = Conversations::new(tools.held()?.host().services.store());
        let shown = answer_options(maxBytes, redact)?;
        let executor = tools.value().shallow_clone();
        let parts = AgentParts { client, executor, run_call, settings, interrupted, shown };
        Ok(Self { parts, conversations })
    }

    /// Goes on with a conversation until the model answers, calls wait, or a limit is reached.
    fn run(
        &self,
        text: Maybe<Text<'_>>,
        conversation: Maybe<Text<'_>>,
        context: Maybe<Table<'_>>,
        listener: Maybe<As<ACallable>>,
    ) -> PhpResult<AgentAnswer> {
        let listener = listener.0.map(|given| callable("listener", &given.0)).transpose();
        let listener = listener.map_err(|error| exception::from_core(&error))?;
        let host = AgentRun::new(&self.parts, &context, listener)?;
        let (settings, conversations) = (&self.parts.settings, &self.conversations);
        let id = conversation.0.as_ref().map(Text::lossy).unwrap_or_default();
        let text = text.0.as_ref().map(Text::lossy);
        let agent = AgentLoop { settings, conversations, host: &host };
        Ok(AgentAnswer::new(agent.run(text.as_deref(), &id)?))
    }

    /// Has the user say a text, and asks nothing.
    fn say(&self, text: Text<'_>, conversation: Maybe<Text<'_>>) -> PhpResult<()> {
        let host = AgentRun::new(&self.parts, &Maybe(None), None)?;
        let (settings, conversations) = (&self.parts.settings, &self.conversations);
        let id = conversation.0.as_ref().map(Text::lossy).unwrap_or_default();
        Ok(AgentLoop { settings, conversations, host: &host }.say(&text.lossy(), &id)?)
    }

    /// Returns what happened in a conversation so far, the oldest first.
    fn events(&self, conversation: Text<'_>) -> PhpResult<As<AnArray>> {
        let AgentSettings { provider, model, .. } = &self.parts.settings;
        let (id, now) = (conversation.lossy(), clock::now());
        let found = self.conversations.find(&id, provider.slug(), model, now);
        let found = found.map_err(Stop::from)?;
        let events = found.map(|found| found.events(0)).unwrap_or_default();
        let events = events.iter().map(|event| {
            Ok(record([("type", text(event.kind.slug())), ("data", array(&event.data)?)])?)
        });
        Ok(As::new(list(events.collect::<PhpResult<Vec<_>>>()?)?))
    }

    /// Returns the ids of the store's conversations behind that of `after`, in the order of their
    /// keys.
    #[php(defaults(limit = 100))]
    fn list(&self, limit: Whole, after: Maybe<Text<'_>>) -> PhpResult<As<AnArray>> {
        let after = after.0.as_ref().map(Text::lossy);
        let limit = usize::try_from(limit.0).unwrap_or_default();
        let ids = self.conversations.list(after.as_deref(), limit, clock::now());
        Ok(As::new(list(ids.map_err(error::store)?.iter().map(text))?))
    }

    /// Deletes a conversation, and says whether there was one; its runs stay.
    fn forget(&self, conversation: Text<'_>) -> PhpResult<bool> {
        let forgotten = self.conversations.forget(&conversation.lossy(), clock::now());
        Ok(forgotten.map_err(error::store)?)
    }
}

impl Holds for Agent {
    fn each_held(&self, show: &mut dyn FnMut(&Zval)) {
        show(&self.parts.client);
        show(&self.parts.executor);
        if let Some(run_call) = &self.parts.run_call {
            show(run_call);
        }
    }
}

/// Reads the members of each request.
fn read_options(given: Maybe<Table<'_>>) -> Result<Map<String, Value>, Error> {
    let Some(table) = given.0 else { return Ok(Map::new()) };
    match option::sent("options", table.0)? {
        Value::Object(options) => Ok(options),
        Value::Array(items) if items.is_empty() => Ok(Map::new()),
        _ => Err(Error::new(ErrorKind::InvalidOption, "options must have names as keys")),
    }
}

/// Reads the options of the grammar, which are named as the arguments of `Detector::constrain()`.
fn read_constrain(given: Maybe<Table<'_>>) -> Result<Option<Map<String, Value>>, Error> {
    let Some(table) = given.0 else { return Ok(None) };
    let options = match option::option("constrain", table.0)? {
        Value::Object(options) => options,
        Value::Array(items) if items.is_empty() => Map::new(),
        _ => {
            let message = "constrain must have names as keys";
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
    };
    let names = options.into_iter().filter(|(_, value)| !value.is_null());
    let core = |name: String| match &*name {
        "toolChoice" => "tool_choice".to_owned(),
        "specialTokens" => "special_tokens".to_owned(),
        _ => name,
    };
    Ok(Some(names.map(|(name, value)| (core(name), value)).collect()))
}

fn read_interrupted(word: &str) -> Result<OnInterrupted, Error> {
    match word {
        "ask" => Ok(OnInterrupted::Ask),
        "tell" => Ok(OnInterrupted::Tell),
        _ => {
            let message = format!("interrupted must be \"ask\" or \"tell\", got \"{word}\"");
            Err(Error::new(ErrorKind::InvalidOption, message))
        }
    }
}
