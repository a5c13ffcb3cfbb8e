//! Names and ids of any type as the texts that core knows them by.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use uuid::Uuid;

use crate::host::node::bytes;

/// The text of a name or an id: a `str` as it is (an Enum of texts by its value), a UUID as it is
/// written, and anything else by its `str`.
pub fn word(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(string) = value.cast::<PyString>() {
        return Ok(String::from_utf8_lossy(&bytes(string)).into_owned());
    }
    if let Some(written) = uuid(value)? {
        return Ok(written);
    }
    Ok(String::from_utf8_lossy(&bytes(&value.str()?)).into_owned())
}

/// As [`word`], None for None.
pub fn optional_word(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_none() { Ok(None) } else { word(value).map(Some) }
}

/// A UUID as it is written: Python's own `str` of one costs as much as the rest of an event.
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
