//! Python values of options, and of what providers sent, as JSON values.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Number, Value};
use toolwire::ErrorKind;

use crate::error::{raise_kind, wrong_type};
use crate::text::without_surrogates;

/// The deepest option value that is read; a tool's schema stays far below.
const MAX_DEPTH: usize = 128;

/// How deep a provider's object is read; core refuses calls and results that nest half as deep.
const MAX_SENT_DEPTH: usize = 256;

/// How many values are read, so that a list that holds itself twice ends.
const MAX_VALUES: usize = 2_000_000;

/// Reads None, bool, int, float, str, lists, tuples and mappings as JSON.
///
/// # Errors
/// `wrong_type` for anything else, `invalid_option` for what JSON cannot hold.
pub fn to_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, sent: false, values: 0 }.read(value, 0)
}

/// Reads the same from what a provider sent, which no model can make an error of: a lone surrogate becomes
/// U+FFFD, and what nests too deep for core is cut off where core refuses it.
///
/// # Errors
/// As above, for what no provider sends.
pub fn sent_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, sent: true, values: 0 }.read(value, 0)
}

/// A reader, with how many values it has read.
struct Reader<'a> {
    what: &'a str,
    /// Whether a provider sent it.
    sent: bool,
    values: usize,
}

impl Reader<'_> {
    fn read(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
        let (py, what) = (value.py(), self.what);
        let invalid = |reason: &str| raise_kind(py, ErrorKind::InvalidOption, format!("{what} {reason}"));
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(invalid("is too large, or holds itself"));
        }
        if self.sent && depth > MAX_SENT_DEPTH {
            return Ok(Value::Null);
        }
        if !self.sent && depth > MAX_DEPTH {
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
                Err(_) if self.sent => {
                    let (bytes, _) = without_surrogates(string)?;
                    Ok(Value::String(String::from_utf8_lossy(&bytes).into_owned()))
                }
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
            let items = value.try_iter()?.map(|item| self.read(&item?, depth + 1));
            return items.collect::<PyResult<Vec<Value>>>().map(Value::Array);
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            return self.object(dict.items(), depth);
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            return self.object(mapping.items()?, depth);
        }
        Err(wrong_type(py, what, "made of None, bool, int, float, str, lists and dicts", value))
    }

    /// Reads a mapping's items.
    fn object(&mut self, items: Bound<'_, PyList>, depth: usize) -> PyResult<Value> {
        let mut map = Map::with_capacity(items.len());
        for item in items {
            let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            // At the mapping's own depth: where values are cut off, keys are still texts.
            let Value::String(key) = self.read(&key, depth)? else {
                return Err(wrong_type(key.py(), &format!("a key of {}", self.what), "str", &key));
            };
            map.insert(key, self.read(&value, depth + 1)?);
        }
        Ok(Value::Object(map))
    }
}
