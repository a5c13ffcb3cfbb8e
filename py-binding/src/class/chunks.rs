//! Writes a stream's events as a provider's chunks: `toolwire.provider.Chunks`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyList, PyString};
use serde_json::Value;
use toolwire::provider::{self, MessageEnding, MessageHead, SentArguments, Usage};

use crate::class::event::Event;
use crate::class::provider::provider;
use crate::host::argument::{text, truth, whole};
use crate::host::error::{raise, wrong_type};
use crate::host::json;
use crate::host::value::sent_json;

/// Writes the events of a stream as the chunks of a provider's stream.
///
/// Text and reasoning are sent at once, calls at the end: until then a marker may show that they
/// stood in reasoning, and no protocol can take back a call. With ``arguments="streamed"`` a call
/// is sent from its name on, and its arguments as the model writes them; their last character waits
/// until the call counts. With ``sse`` a chunk is the text that a server sends.
///
/// ``choices`` is the number of choices of one response of ``openai``. Each has a stream of its
/// own, whose events ``feed`` takes with the choice.
///
/// ```pycon
/// >>> stream = toolwire.Detector().stream()
/// >>> chunks = toolwire.provider.Chunks("anthropic", model="mine")
/// >>> sent = []
/// >>> for piece in ('Hi <tool:ec', 'ho>{"a": 1}</tool>'):
/// ...     sent += chunks.feed(stream.feed(piece))
/// >>> sent += chunks.feed(stream.finish()) + chunks.finish()
/// >>> [chunk["type"] for chunk in sent][:3]
/// ['message_start', 'content_block_start', 'content_block_delta']
/// >>> sent[5]["delta"]
/// {'type': 'input_json_delta', 'partial_json': '{"a": 1}'}
///
/// ```
#[pyclass(frozen, module = "toolwire.provider")]
pub struct Chunks {
    state: Mutex<provider::Chunks>,
    sse: bool,
}

#[pymethods]
impl Chunks {
    #[new]
    #[pyo3(
        signature = (
            provider, *, model=None, id=None, created=None, sse=None, arguments=None, choices=None
        ),
        text_signature = "(provider, *, model='', id=None, created=None, sse=False, arguments='whole', choices=1)"
    )]
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in Python")]
    fn new(
        provider: &Bound<'_, PyAny>,
        model: Option<&Bound<'_, PyAny>>,
        id: Option<&Bound<'_, PyAny>>,
        created: Option<&Bound<'_, PyAny>>,
        sse: Option<&Bound<'_, PyAny>>,
        arguments: Option<&Bound<'_, PyAny>>,
        choices: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let string = |what: &str, value: &Bound<'_, PyAny>| {
            Ok::<_, PyErr>(String::from_utf8_lossy(&text(what, value)?).into_owned())
        };
        let options = MessageHead {
            model: model.map(|model| string("model", model)).transpose()?.unwrap_or_default(),
            id: id.map(|id| string("id", id)).transpose()?,
            created: created.map(|created| number("created", created)).transpose()?,
        };
        let (py, sse) = (provider.py(), truth("sse", sse)?);
        let chunks = provider::Chunks::new(self::provider(provider)?, options);
        let mut chunks = chunks.map_err(|error| raise(py, &error))?;
        if let Some(word) = arguments {
            let sent = SentArguments::named(&string("arguments", word)?);
            chunks = chunks.with_arguments(sent.map_err(|error| raise(py, &error))?);
        }
        if let Some(count) = choices {
            let several = chunks.with_choices(place("choices", count)?);
            chunks = several.map_err(|error| raise(py, &error))?;
        }
        Ok(Self { state: Mutex::new(chunks), sse })
    }

    /// Takes an event, or several, and returns the chunks to send.
    ///
    /// ```pycon
    /// >>> stream = toolwire.Detector().stream()
    /// >>> sent = toolwire.provider.Chunks("openai").feed(stream.feed("Hello"))
    /// >>> sent[1]["choices"][0]["delta"]
    /// {'content': 'Hello'}
    ///
    /// ```
    ///
    /// ``choice`` is the choice whose events they are, from 0. ``logprobs`` is what the model's
    /// server gave for the tokens; the choice's next chunk has it.
    #[pyo3(signature = (events, *, choice=None, logprobs=None),
           text_signature = "($self, events, *, choice=0, logprobs=None)")]
    fn feed<'py>(
        &self,
        events: &Bound<'py, PyAny>,
        choice: Option<&Bound<'py, PyAny>>,
        logprobs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = events.py();
        let choice = choice.map(|choice| place("choice", choice)).transpose()?.unwrap_or_default();
        let logprobs = logprobs.map(|given| sent_json("logprobs", given)).transpose()?;
        let read = |event: &Bound<'py, PyAny>| match event.cast::<Event>() {
            Ok(event) => event.get().as_message(py),
            Err(_) => Err(wrong_type(py, "events", "an Event, or several of them", event)),
        };
        // Python code may run while the events are read, so the lock is not held yet.
        let parts = if events.is_instance_of::<Event>() {
            vec![read(events)?]
        } else {
            events.try_iter()?.map(|event| read(&event?)).collect::<PyResult<Vec<_>>>()?
        };
        let mut chunks = self.lock(py);
        if let Some(logprobs) = logprobs {
            chunks.add_logprobs(choice, logprobs).map_err(|error| raise(py, &error))?;
        }
        let parts = parts.iter().flatten().map(|part| part.as_part(py));
        let written = chunks.feed_choice(choice, parts).map_err(|error| raise(py, &error))?;
        let lines = self.sse.then(|| written.iter().map(|chunk| chunks.line(chunk)).collect());
        drop(chunks);
        made(py, &written, lines)
    }

    /// Says that the model was cut off at its limit of tokens in a choice.
    ///
    /// ```pycon
    /// >>> chunks = toolwire.provider.Chunks("openai", choices=2)
    /// >>> chunks.cut_off(1)
    /// >>> [chunk["choices"][0]["finish_reason"] for chunk in chunks.finish()]
    /// [None, 'stop', None, 'length']
    ///
    /// ```
    fn cut_off(&self, choice: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, choice) = (choice.py(), place("choice", choice)?);
        self.lock(py).cut_off(choice).map_err(|error| raise(py, &error))
    }

    /// Ends the message, and returns the last chunks: its calls, and why it ended.
    ///
    /// ``cut_off`` says that the model was cut off at its limit of tokens. A message that shows
    /// nothing, because it ends inside a call, was cut off too.
    ///
    /// ```pycon
    /// >>> toolwire.provider.Chunks("openai").finish()[-1]["choices"][0]["finish_reason"]
    /// 'stop'
    ///
    /// ```
    #[pyo3(signature = (*, cut_off=None, input_tokens=None, output_tokens=None),
           text_signature = "($self, *, cut_off=False, input_tokens=None, output_tokens=None)")]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        cut_off: Option<&Bound<'py, PyAny>>,
        input_tokens: Option<&Bound<'py, PyAny>>,
        output_tokens: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ending =
            if truth("cut_off", cut_off)? { MessageEnding::CutOff } else { MessageEnding::Stopped };
        let usage = usage(input_tokens, output_tokens)?;
        let mut chunks = self.lock(py);
        let written = chunks.finish(ending, usage).map_err(|error| raise(py, &error))?;
        let lines = self.sse.then(|| {
            let lines = written.iter().map(|chunk| chunks.line(chunk));
            lines.chain(chunks.last_line().map(str::to_owned)).collect()
        });
        drop(chunks);
        made(py, &written, lines)
    }
}

impl Chunks {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, provider::Chunks> {
        // A panic in core leaves no half-written state, so a poisoned lock is still usable.
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The numbers of tokens, if one of them is given.
pub fn usage(
    input_tokens: Option<&Bound<'_, PyAny>>,
    output_tokens: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Usage>> {
    let input = input_tokens.map(|count| number("input_tokens", count)).transpose()?;
    let output = output_tokens.map(|count| number("output_tokens", count)).transpose()?;
    Ok((input.is_some() || output.is_some()).then(|| Usage {
        input_tokens: input.unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
    }))
}

/// The place of a choice, or a number of them.
fn place(what: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(usize::try_from(number(what, value)?).unwrap_or(usize::MAX))
}

/// A number of core.
pub fn number(what: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(whole(what, value)?.try_into().unwrap_or(u64::MAX))
}

/// The lines, or the chunks as Python objects.
fn made<'py>(
    py: Python<'py>,
    chunks: &[Value],
    lines: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyList>> {
    if let Some(lines) = lines {
        return PyList::new(py, lines.iter().map(|line| PyString::new(py, line)));
    }
    let objects = chunks.iter().map(|chunk| json::value(py, chunk.to_string().as_bytes()));
    PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
}
