//! Text as a person may be shown it.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::text::{DETACH, read};

/// Gives a text whose invisible and control characters are marks such as ``⟨U+202E⟩``.
///
/// Marked are control characters but tab and line end, bidirectional controls, zero-width characters and
/// whatever else has no glyph. A byte that is not UTF-8, and the lone surrogate that Python makes of it,
/// becomes a mark such as ``⟨0xFF⟩``. Letters of any script, accents and emoji stay as they are.
///
/// ```pycon
/// >>> import toolwire
/// >>> toolwire.visible("rm \u202etxt.a")
/// 'rm ⟨U+202E⟩txt.a'
///
/// ```
#[pyfunction]
pub fn visible(text: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = text.py();
    let input = read("text", text)?;
    let encoded;
    let bytes = if let Ok(text) = input.to_str() {
        text.as_bytes()
    } else {
        encoded = input.call_method1(pyo3::intern!(py, "encode"), ("utf-8", "surrogatepass"))?;
        encoded.cast::<PyBytes>()?.as_bytes()
    };
    let show = || toolwire::visible_bytes(bytes).into_owned();
    Ok(if bytes.len() < DETACH { show() } else { py.detach(show) })
}
