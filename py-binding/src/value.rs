//! Python values of options as JSON values.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Number, Value};
use toolwire::ErrorKind;

use crate::error::{raise_kind, wrong_type};

/// The deepest option value that is read; a tool's schema stays far below.
const MAX_DEPTH: usize = 128;

/// Reads None, bool, int, float, str, lists, tuples and mappings as JSON.
///
/// # Errors
/// `wrong_type` for anything else, `invalid_option` for what JSON cannot hold.
pub fn to_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    read(what, value, 0)
}

fn read(what: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let py = value.py();
    let invalid = |reason: &str| raise_kind(py, ErrorKind::InvalidOption, format!("{what} {reason}"));
    if depth > MAX_DEPTH {
        return Err(invalid("is nested too deep"));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(string) = value.cast::<PyString>() {
        return match string.to_str() {
            Ok(text) => Ok(Value::String(text.to_owned())),
            Err(_) => Err(invalid("holds a lone surrogate")),
        };
    }
    if value.is_instance_of::<PyInt>() {
        if let Ok(small) = value.extract::<i64>() {
            return Ok(Value::Number(small.into()));
        }
        let digits = value.extract::<num_bigint::BigInt>()?.to_string();
        return digits.parse::<Number>().map(Value::Number).map_err(|_| invalid("is not a number"));
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        let number = Number::from_f64(float.value());
        return number.map(Value::Number).ok_or_else(|| invalid("must be a finite number"));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| read(what, &item?, depth + 1));
        return items.collect::<PyResult<Vec<Value>>>().map(Value::Array);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return object(what, dict.items(), depth);
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        return object(what, mapping.items()?, depth);
    }
    Err(wrong_type(py, what, "made of None, bool, int, float, str, lists and dicts", value))
}

/// Reads a mapping's items.
fn object(what: &str, items: Bound<'_, PyList>, depth: usize) -> PyResult<Value> {
    let mut map = Map::with_capacity(items.len());
    for item in items {
        let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let Value::String(key) = read(what, &key, depth + 1)? else {
            return Err(wrong_type(key.py(), &format!("a key of {what}"), "str", &key));
        };
        map.insert(key, read(what, &value, depth + 1)?);
    }
    Ok(Value::Object(map))
}
