//! Keyword arguments as core options.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use toolwire::Error;

use crate::host::error::raise;
use crate::host::value::to_json;

/// Sets the options that are given as keyword arguments; None stands for the default.
///
/// # Errors
/// Whatever `set` refuses, an unknown option included.
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

/// Sets one option; None leaves a known one as it is.
///
/// # Errors
/// Whatever `set` refuses.
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
    // An unknown name must be refused as such, whatever its value is.
    let json = if known { to_json(name, value)? } else { Value::Null };
    set(name, &json).map_err(|error| raise(value.py(), &error))
}
