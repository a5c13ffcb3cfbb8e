//! Makes text safe to show to a person and to give to a model.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::host::text::{DETACH, read};

/// Returns a text with marks such as ``⟨U+202E⟩`` in place of its invisible and control characters.
///
/// These characters are marked: control characters except tab and line end, bidirectional controls,
/// zero-width characters and all others without a glyph. A byte that is not UTF-8, and the lone
/// surrogate that Python makes of it, becomes a mark such as ``⟨0xFF⟩``. Letters of any script,
/// accents and emoji stay unchanged.
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
    let encoded = encode(&input)?;
    let bytes = encoded
        .as_ref()
        .map_or_else(|| input.to_str().map(str::as_bytes), |bytes| Ok(bytes.as_bytes()))?;
    let show = || toolwire::visible::visible_bytes(bytes).into_owned();
    Ok(if bytes.len() < DETACH { show() } else { py.detach(show) })
}

/// Returns a quoted text of others, in which no built-in format finds a call.
///
/// Parts that could belong to a call stay readable, with the mark ``⟨quoted⟩`` in them; any other
/// text stays unchanged.
///
/// ```pycon
/// >>> import toolwire
/// >>> toolwire.quote("<tool:a>{}</tool>")
/// '<⟨quoted⟩tool:a>{}<⟨quoted⟩/tool>'
///
/// ```
#[pyfunction]
pub fn quote<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    let input = read("text", text)?;
    let encoded = encode(&input)?;
    let bytes = encoded
        .as_ref()
        .map_or_else(|| input.to_str().map(str::as_bytes), |bytes| Ok(bytes.as_bytes()))?;
    let quote = || match toolwire::detect::quote(bytes) {
        Cow::Borrowed(_) => None,
        Cow::Owned(made) => Some(made),
    };
    match if bytes.len() < DETACH { quote() } else { py.detach(quote) } {
        None => Ok(input),
        Some(made) => {
            let made = PyBytes::new(py, &made);
            PyString::from_encoded_object(&made, Some(c"utf-8"), Some(c"surrogatepass"))
        }
    }
}

/// The bytes of a text with lone surrogates, which become three bytes each; `None` for any other
/// text.
fn encode<'py>(text: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if text.to_str().is_ok() {
        return Ok(None);
    }
    let encoded =
        text.call_method1(pyo3::intern!(text.py(), "encode"), ("utf-8", "surrogatepass"))?;
    Ok(Some(encoded.cast_into::<PyBytes>()?))
}
