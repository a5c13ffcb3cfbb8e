//! Writes what was found in a model's text as a provider's message: `toolwire.provider.message`.

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolwire::Span;
use toolwire::provider::{MessageEnding, MessagePart, message_of};

use crate::class::detection::Detection;
use crate::class::exchange::ProviderRejection;
use crate::class::provider::provider;
use crate::class::rejection::Rejection;
use crate::class::replace::Part;
use crate::host::argument::truth;
use crate::host::error::{raise, wrong_type};
use crate::host::json;
use crate::host::text::without_surrogates;

/// The id that a provider's message gives a call with this id.
///
/// ``message`` and ``Chunks`` give it too, unless an earlier call of the message has the same id.
/// So the id of a call is known when the event ``call_start`` tells of it.
///
/// ```pycon
/// >>> start = toolwire.Detector().stream().feed("<tool:weather>{")[0]
/// >>> len(toolwire.provider.call_id(start.id, "mistral"))
/// 9
///
/// ```
#[pyfunction]
pub fn call_id(id: &Bound<'_, PyString>, provider: &Bound<'_, PyAny>) -> PyResult<String> {
    let id = without_surrogates(id)?.0;
    Ok(toolwire::provider::call_id(&String::from_utf8_lossy(&id), self::provider(provider)?))
}

/// Writes all that was found in a model's text as the provider's assistant message.
///
/// The message has the members of the provider's own, and beside them why it ended, under the
/// provider's word. Reasoning and text keep their order, and calls come last. A call keeps the id
/// that the model wrote, where the provider takes it; any other id is derived from the call's own.
/// ``cut_off`` says that the model was cut off at its limit of tokens.
///
/// ```pycon
/// >>> found = toolwire.detect('Now. <tool:weather>{"city": "Oslo"}</tool>')
/// >>> written = toolwire.provider.message(found, "openai")
/// >>> written["content"], written["tool_calls"][0]["function"], written["finish_reason"]
/// ('Now. ', {'name': 'weather', 'arguments': '{"city": "Oslo"}'}, 'tool_calls')
///
/// ```
#[pyfunction]
#[pyo3(signature = (detection, provider, *, cut_off=None),
       text_signature = "(detection, provider, *, cut_off=False)")]
pub fn message<'py>(
    detection: &Bound<'py, PyAny>,
    provider: &Bound<'py, PyAny>,
    cut_off: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = detection.py();
    let Ok(found) = detection.cast::<Detection>().map(Bound::get) else {
        return Err(wrong_type(py, "detection", "a Detection", detection));
    };
    let provider = self::provider(provider)?;
    let ending = MessageEnding::of(truth("cut_off", cut_off)?, found.ends_open());
    let (texts, calls) = (found.message_texts(py)?, found.message_calls(py)?);
    let parts = texts.iter().filter_map(|(part, text)| {
        Some(match part {
            Part::Text(_) => MessagePart::Text(text),
            Part::Reasoning((start, end)) => MessagePart::Reasoning(text, Span::new(*start, *end)),
            Part::Call(at, _) => MessagePart::Call(*at, calls.get(*at)?.get().as_message_call(py)),
            Part::Frame(_) => return None,
        })
    });
    let written = message_of(parts, provider, ending).map_err(|error| raise(py, &error))?;
    json::value(py, written.to_string().as_bytes())
}

/// Writes what the model is told of a call that was refused.
///
/// It is a message of the user, to be sent behind the model's own: one sentence that says what was
/// wrong with the call, at which place, and how the form is written. ``rejection`` is a
/// ``Rejection`` of a detection or a ``ProviderRejection`` of an exchange.
///
/// ```pycon
/// >>> found = toolwire.detect("<tool:weather>Rome</tool>")
/// >>> told = toolwire.provider.refusal(found.rejections[0], "openai")
/// >>> told["role"], told["content"][:40]
/// ('user', 'Your tool call was not run (bad_json) at')
///
/// ```
#[pyfunction]
pub fn refusal<'py>(
    rejection: &Bound<'py, PyAny>,
    provider: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = rejection.py();
    let provider = self::provider(provider)?;
    let written = if let Ok(refused) = rejection.cast::<Rejection>() {
        refused.get().as_refused().dump(provider)
    } else if let Ok(refused) = rejection.cast::<ProviderRejection>() {
        refused.get().as_refused().dump(provider)
    } else {
        return Err(wrong_type(py, "rejection", "a Rejection or a ProviderRejection", rejection));
    };
    json::value(py, written.map_err(|error| raise(py, &error))?.to_string().as_bytes())
}
