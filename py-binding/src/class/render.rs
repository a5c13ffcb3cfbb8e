//! Writes calls and results as HTML.

use pyo3::prelude::*;

use crate::class::call::ToolCall;
use crate::host::error::wrong_type;

/// Returns the HTML block of a call, with every value escaped for its place.
///
/// ```pycon
/// >>> call = toolwire.detect('<tool:echo>{"a": "<b>"}</tool>').calls[0]
/// >>> "<b>" in toolwire.render_call_html(call, "complete")
/// False
///
/// ```
#[pyfunction]
#[pyo3(signature = (call, status="processing", id=None))]
pub fn render_call_html(
    call: &Bound<'_, PyAny>,
    status: &str,
    id: Option<&str>,
) -> PyResult<String> {
    match call.cast::<ToolCall>() {
        Ok(known) => Ok(known.get().render(call.py(), status, id)),
        Err(_) => Err(wrong_type(call.py(), "call", "a ToolCall", call)),
    }
}

/// Returns the HTML block of a tool's result, with every value escaped for its place.
///
/// ```pycon
/// >>> "mpai-tool-error" in toolwire.render_result("echo", False, "it failed")
/// True
///
/// ```
#[pyfunction]
pub fn render_result(name: &str, success: bool, result: &str) -> String {
    toolwire::compat::memberpress::render_result(name, success, result)
}
