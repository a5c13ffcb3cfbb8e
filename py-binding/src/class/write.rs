//! Writes calls as the models of a format write them.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolwire::detect::{Format, NewCall, Tools, render_calls as render};

use crate::class::call::ToolCall;
use crate::host::error::raise;
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

/// Reads one call.
fn read(call: &Bound<'_, PyAny>) -> PyResult<NewCall> {
    if let Ok(call) = call.cast::<ToolCall>() {
        return Ok(call.get().as_new_call());
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
