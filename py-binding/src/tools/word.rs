//! Names and ids of any type as the texts that core uses.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use toolwire::ErrorKind;
use uuid::Uuid;

use crate::host::error::raise_kind;
use crate::host::node::bytes;

/// Returns the text of a name or an id. A `str` stays as it is (an Enum of texts gives its value),
/// a UUID becomes its usual form, and any other object becomes its `str`.
pub fn word(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(string) = value.cast::<PyString>() {
        return Ok(String::from_utf8_lossy(&bytes(string)).into_owned());
    }
    if let Some(written) = uuid(value)? {
        return Ok(written);
    }
    Ok(String::from_utf8_lossy(&bytes(&value.str()?)).into_owned())
}

/// Works like [`word`], but refuses a lone surrogate, since a mark in its place would make one name
/// of two.
pub fn whole_word(what: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(string) = value.cast::<PyString>() {
        return utf8(what, string).map(str::to_owned);
    }
    match uuid(value)? {
        Some(written) => Ok(written),
        None => utf8(what, &value.str()?).map(str::to_owned),
    }
}

/// Returns a `str`.
///
/// # Errors
/// `invalid_option` for a lone surrogate.
pub fn utf8<'t>(what: &str, text: &'t Bound<'_, PyString>) -> PyResult<&'t str> {
    text.to_str().map_err(|_| {
        raise_kind(text.py(), ErrorKind::InvalidOption, format!("{what} must be UTF-8"))
    })
}

/// Works like [`word`], but returns None for None.
pub fn optional_word(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_none() { Ok(None) } else { word(value).map(Some) }
}

/// Works like [`word`], but returns None for None and for an empty id, as stageflow does.
pub fn optional_id(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_truthy()? { word(value).map(Some) } else { Ok(None) }
}

/// Returns the text of a UUID. Python's own `str` of it costs as much as the rest of an event.
fn uuid(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = value.py();
    if !value.get_type().is(CLASS.import(py, "uuid", "UUID")?) {
        return Ok(None);
    }
    let number: u128 = value.getattr(pyo3::intern!(py, "int"))?.extract()?;
    Ok(Some(
        Uuid::from_u128(number).hyphenated().encode_lower(&mut Uuid::encode_buffer()).to_owned(),
    ))
}
