//! Names and ids of any type as the texts that core knows them by.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

use crate::node::bytes;

/// The text of a name or an id: a `str` as it is (an Enum of texts by its value), a UUID as it is written, and
/// anything else by its `str`.
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
    let mut written = String::with_capacity(36);
    for (place, byte) in number.to_be_bytes().into_iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            written.push('-');
        }
        // Writing to a String cannot fail.
        let _ = write!(written, "{byte:02x}");
    }
    Ok(Some(written))
}
