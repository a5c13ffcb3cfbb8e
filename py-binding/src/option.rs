//! Keyword arguments as core options.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use toolwire::{Error, Options};

use crate::detector::Seen;
use crate::error::{raise, wrong_type};
use crate::value::to_json;

/// Reads the options among the keyword arguments; None stands for the default.
///
/// The preset comes first, so that an option given beside it wins.
///
/// # Errors
/// Whatever [`Options::set`] refuses, an unknown option included.
pub fn read(py: Python<'_>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::default();
    let Some(keywords) = keywords else {
        return Ok(options);
    };
    if let Some(preset) = keywords.get_item("preset")? {
        set(&mut options, "preset", &preset)?;
    }
    for (key, value) in keywords.iter() {
        let key = key.extract::<String>()?;
        match key.as_str() {
            "preset" => {}
            "seen" if value.is_none() => {}
            "seen" => match value.cast::<Seen>() {
                Ok(seen) => options.seen = Some(seen.get().core().clone()),
                Err(_) => return Err(wrong_type(py, "seen", "a Seen set", &value)),
            },
            name => set(&mut options, name, &value)?,
        }
    }
    Ok(options)
}

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
fn set_one(
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

/// Sets one option of detection.
fn set(options: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    set_one(name, value, Options::NAMES, |name, value| options.set(name, value))
}
