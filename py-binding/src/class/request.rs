//! A gateway's request and response: `options`, `response` and `with_calls` of
//! `toolwire.provider`.

use pyo3::prelude::*;
use serde_json::Value;
use toolwire::provider::{self, MessageHead, ResponseChoice};

use crate::class::chunks::{number, usage};
use crate::class::detector::Detector;
use crate::class::provider::provider;
use crate::host::argument::text;
use crate::host::error::raise;
use crate::host::json;
use crate::host::value::sent_json;

/// The options of the detector that reads the answer to a request of any provider.
///
/// ``request`` is the body of a request as ``json.loads`` gives it. What it says of the model, the
/// tools, the choice among them, calls in parallel and thinking becomes ``model``, ``tools``,
/// ``calls``, ``max_calls`` and ``thinking``. A request without tools lets nothing be called.
///
/// ```pycon
/// >>> tools = [{"type": "function", "function": {"name": "now"}}]
/// >>> request = {"model": "qwen3", "tools": tools, "reasoning_effort": "none"}
/// >>> options = toolwire.provider.options(request)
/// >>> options["model"], options["tools"], options["thinking"]
/// ('qwen3', [{'name': 'now'}], False)
/// >>> detector = toolwire.Detector(**options)
///
/// ```
#[pyfunction]
pub fn options<'py>(request: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let options = provider::option_values(&sent_json("request", request)?);
    let options = Value::Object(options.map_err(|error| raise(py, &error))?);
    json::value(py, options.to_string().as_bytes())
}

/// Writes messages that ``message`` has written as the provider's whole response.
///
/// ``messages`` is one of them, or a list for a provider that gives several choices: ``openai``,
/// ``mistral`` and ``gemini``. ``logprobs`` is passed on to the choice, or a list to each of them.
///
/// ```pycon
/// >>> found = toolwire.detect('<tool:now>{}</tool>')
/// >>> message = toolwire.provider.message(found, "openai")
/// >>> response = toolwire.provider.response(message, "openai", model="mine", created=7)
/// >>> response["object"], response["created"], response["choices"][0]["finish_reason"]
/// ('chat.completion', 7, 'tool_calls')
///
/// ```
#[pyfunction]
#[pyo3(
    signature = (
        messages, provider, *, model=None, id=None, created=None, input_tokens=None,
        output_tokens=None, logprobs=None
    ),
    text_signature = "(messages, provider, *, model='', id=None, created=None, input_tokens=None, output_tokens=None, logprobs=None)"
)]
#[allow(clippy::too_many_arguments, reason = "they are named arguments in Python")]
pub fn response<'py>(
    messages: &Bound<'py, PyAny>,
    provider: &Bound<'py, PyAny>,
    model: Option<&Bound<'py, PyAny>>,
    id: Option<&Bound<'py, PyAny>>,
    created: Option<&Bound<'py, PyAny>>,
    input_tokens: Option<&Bound<'py, PyAny>>,
    output_tokens: Option<&Bound<'py, PyAny>>,
    logprobs: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = messages.py();
    let provider = self::provider(provider)?;
    let string = |what: &str, value: &Bound<'_, PyAny>| {
        Ok::<_, PyErr>(String::from_utf8_lossy(&text(what, value)?).into_owned())
    };
    let head = MessageHead {
        model: model.map(|model| string("model", model)).transpose()?.unwrap_or_default(),
        id: id.map(|id| string("id", id)).transpose()?,
        created: created.map(|created| number("created", created)).transpose()?,
    };
    let usage = usage(input_tokens, output_tokens)?;
    let logprobs = logprobs.map(|logprobs| sent_json("logprobs", logprobs)).transpose()?;
    let choices =
        ResponseChoice::read(sent_json("messages", messages)?, logprobs.unwrap_or_default());
    let written = choices.and_then(|choices| provider::response(choices, provider, head, usage));
    json::value(py, written.map_err(|error| raise(py, &error))?.to_string().as_bytes())
}

/// Gives what a response adds to the history that the next request of the same provider brings
/// along: the assistant's message or content, or the items of OpenAI's Responses.
///
/// ``response`` is the whole body as ``json.loads`` gives it, or the list of its stream's events.
/// What the provider wrote beside text and calls is kept: signatures, encrypted reasoning, the
/// order of blocks, what its own tools gave.
///
/// Raises ``InvalidArgumentError`` (``unknown_provider``) for another shape.
///
/// ```pycon
/// >>> message = {"role": "assistant", "content": "Hi.", "reasoning_content": "greet"}
/// >>> toolwire.provider.history({"choices": [{"index": 0, "message": message}]}) == [message]
/// True
/// >>> deltas = [{"role": "assistant", "reasoning_content": "gre"}, {"reasoning_content": "et"},
/// ...           {"content": "Hi."}]
/// >>> events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
/// >>> toolwire.provider.history(events)
/// [{'role': 'assistant', 'reasoning_content': 'greet', 'content': 'Hi.'}]
///
/// ```
#[pyfunction]
pub fn history<'py>(response: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, response) = (response.py(), sent_json("response", response)?);
    let added = provider::history(&response).map_err(|error| raise(py, &error))?;
    json::value(py, Value::Array(added).to_string().as_bytes())
}

/// Reads the content of each choice of a response of chat completions, and writes its reasoning,
/// text and calls as OpenAI's clients expect them.
///
/// ``response`` is the body as ``json.loads`` gives it. A message of which calls were refused has
/// them as ``rejections``. All else in it stays as it is: a choice whose server has read its calls,
/// and an answer without choices, such as an error.
///
/// ```pycon
/// >>> message = {"role": "assistant", "content": "Now. <tool:weather>{}</tool>"}
/// >>> response = {"id": "chatcmpl-1", "choices": [{"index": 0, "message": message}]}
/// >>> read = toolwire.provider.with_calls(response, toolwire.Detector())["choices"][0]
/// >>> read["message"]["content"], read["finish_reason"]
/// ('Now. ', 'tool_calls')
///
/// ```
#[pyfunction]
pub fn with_calls<'py>(
    response: &Bound<'py, PyAny>,
    detector: &Bound<'py, Detector>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, response) = (response.py(), sent_json("response", response)?);
    let detector = detector.get().core();
    let read = py.detach(|| provider::with_calls(response, detector));
    json::value(py, read.map_err(|error| raise(py, &error))?.to_string().as_bytes())
}
