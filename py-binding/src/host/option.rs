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
        set_one(&name.extract::<String>()?, &value, known, &mut set)?;
    }
    Ok(())
}

/// Sets one option; None leaves a known option unchanged.
///
/// # Errors
/// The errors of `set`.
pub fn set_one(
    name: &str,
    value: &Bound<'_, PyAny>,
    known: &[&str],
    mut set: impl FnMut(&str, &Value) -> Result<(), Error>,
) -> PyResult<()> {
    let known = known.contains(&name);
    if value.is_none() && known {
        return Ok(());
    }
    // An unknown name must be refused as unknown, whatever its value.
    let json = if known { to_json(name, value)? } else { Value::Null };
    set(name, &json).map_err(|error| raise(value.py(), &error))
}
