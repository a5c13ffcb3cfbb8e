//! Writes calls as the models of a format write them, and messages as those of a profile do.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use toolwire::detect::{Format, NewCall, NewMessage, Tools, render_calls as render};

use crate::class::call::ToolCall;
use crate::class::detection::Detection;
use crate::class::profile::any_profile;
use crate::host::error::{raise, wrong_type};
use crate::host::value::to_json;

/// Writes a call as a model of this format writes it.
///
/// ``arguments`` is a mapping or the text of a JSON object, ``format`` a built-in format's name or
/// a definition. A detector with this format alone reads exactly the same call: what the format
/// cannot hold raises ``cannot_render``. The id is written where the format has a place for one.
/// ``tools`` are the tools as the detector will know them. In formats whose values only a schema
/// types, each value must have the type that the schema names; without ``tools`` a schema that fits
/// the values is assumed.
///
/// ```pycon
/// >>> toolwire.render_call("get_weather", {"city": "Rome"}, "functionary_v31")
/// '<function=get_weather>{"city": "Rome"}</function>'
///
/// ```
#[pyfunction]
#[pyo3(signature = (name, arguments, format=None, id=None, *, tools=None),
       text_signature = "(name, arguments, format='hermes', id=None, *, tools=None)")]
pub fn render_call(
    name: &str,
    arguments: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
    id: Option<&str>,
    tools: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let py = arguments.py();
    let call = PyDict::new(py);
    call.set_item("name", name)?;
    call.set_item("arguments", arguments)?;
    call.set_item("id", id)?;
    written(py, &[read(&call)?], format, tools)
}

/// Writes several calls as one turn of a model of this format.
///
/// A call is a :class:`ToolCall` or a mapping with ``name``, ``arguments`` and, if it has one,
/// ``id``.
///
/// ```pycon
/// >>> found = toolwire.detect('<tool:a>{"n": 1}</tool><tool:b>{}</tool>')
/// >>> toolwire.render_calls(found.calls, "pythonic")
/// '[a(n=1), b()]'
///
/// ```
#[pyfunction]
#[pyo3(signature = (calls, format=None, *, tools=None),
       text_signature = "(calls, format='hermes', *, tools=None)")]
pub fn render_calls(
    calls: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
    tools: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let read = calls.try_iter()?.map(|call| read(&call?)).collect::<PyResult<Vec<_>>>()?;
    written(calls.py(), &read, format, tools)
}

/// Writes a message as a model of this profile writes it behind its prompt.
///
/// ``message`` is a :class:`Detection`, or a mapping with ``reasoning``, ``text`` and ``calls``,
/// each of which may be missing. ``profile`` is a :class:`Profile`, the name of a model, or a
/// definition. A detector for the profile reads the same message, with the white space at the ends
/// of the reasoning and of the text left out: what the profile cannot hold raises
/// ``cannot_render``.
/// ``tools`` are the tools as the detector will know them, as for :func:`render_call`.
///
/// ```pycon
/// >>> message = {"reasoning": "I add.", "calls": [{"name": "add", "arguments": {"n": 5}}]}
/// >>> toolwire.render_message(message, "deepseek-r1-0528")[:21]
/// '<think>\nI add.\n</thin'
///
/// ```
#[pyfunction]
#[pyo3(signature = (message, profile, *, tools=None))]
pub fn render_message(
    message: &Bound<'_, PyAny>,
    profile: &Bound<'_, PyAny>,
    tools: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let py = message.py();
    let profile = any_profile(profile)?;
    let message = match message.cast::<Detection>() {
        Ok(known) => known.get().as_new_message(py)?,
        Err(_) => read_message(message)?,
    };
    let tools = tools.map(|tools| to_json("tools", tools)).transpose()?;
    let tools = tools.map(|tools| Tools::from_json(&tools)).transpose();
    let written = tools
        .and_then(|tools| toolwire::detect::render_message(&message, &profile, tools.as_ref()));
    written.map_err(|error| raise(py, &error))
}

/// Reads a message, whose calls may be objects of the class.
fn read_message(message: &Bound<'_, PyAny>) -> PyResult<NewMessage> {
    let py = message.py();
    let Ok(mapping) = message.cast::<PyMapping>() else {
        return Err(wrong_type(py, "message", "a Detection or a mapping", message));
    };
    let members = PyDict::new(py);
    members.update(mapping)?;
    let calls = members.get_item("calls")?.filter(|calls| !calls.is_none());
    if calls.is_some() {
        members.del_item("calls")?;
    }
    let read_members = NewMessage::from_json(&to_json("message", &members)?);
    let mut read_message = read_members.map_err(|error| raise(py, &error))?;
    if let Some(calls) = calls {
        let each = calls.try_iter()?.map(|call| read(&call?));
        read_message.calls = each.collect::<PyResult<_>>()?;
    }
    Ok(read_message)
}

/// Reads one call.
fn read(call: &Bound<'_, PyAny>) -> PyResult<NewCall> {
    if let Ok(call) = call.cast::<ToolCall>() {
        return Ok(call.get().as_new_call(call.py()));
    }
    NewCall::from_json(&to_json("calls", call)?).map_err(|error| raise(call.py(), &error))
}

fn written(
    py: Python<'_>,
    calls: &[NewCall],
    format: Option<&Bound<'_, PyAny>>,
    tools: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let format = match format {
        Some(format) => Format::from_json(&to_json("format", format)?),
        None => Format::named("hermes"),
    };
    let tools = tools.map(|tools| to_json("tools", tools)).transpose()?;
    let tools = tools.map(|tools| Tools::from_json(&tools)).transpose();
    let written = format.and_then(|format| render(calls, &format, tools?.as_ref()));
    written.map_err(|error| raise(py, &error))
}
