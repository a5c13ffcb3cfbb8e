//! Sets core options from keyword arguments.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use toolwire::Error;

use crate::host::error::raise;
use crate::host::value::to_json;

/// Sets the options that are given as keyword arguments; None means the default.
///
/// # Errors
/// The errors of `set`, including the error for an unknown option.
pub fn set_all(
    keywords: Option<&Bound<'_, PyDict>>,
    known: &[&str],
    mut set: impl FnMut(&str, &Value) -> Result<(), Error>,
) -> PyResult<()> {
    for (name, value) in keywords.into_iter().flatten() {
        if let Some((name, json)) = read(&name.extract::<String>()?, &value, known)? {
            set(&name, &json).map_err(|error| raise(value.py(), &error))?;
        }
    }
    Ok(())
}

/// One option, to be set later; None for a known option that is to stay unchanged.
///
/// # Errors
/// An error if the value of a known option cannot be represented in JSON.
pub fn read(
    name: &str,
    value: &Bound<'_, PyAny>,
    known: &[&str],
) -> PyResult<Option<(String, Value)>> {
    let known = known.contains(&name);
    if value.is_none() && known {
        return Ok(None);
    }
    // An unknown name must be refused as unknown, whatever its value.
    let json = if known { to_json(name, value)? } else { Value::Null };
    Ok(Some((name.to_owned(), json)))
}
