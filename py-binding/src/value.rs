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
    Reader { what, source: Source::Program, values: 0 }.read(value, 0)
}

/// Reads the same from what a provider sent, which no model can make an error of: a lone surrogate becomes
/// U+FFFD, and what nests too deep for core is cut off where core refuses it.
///
/// # Errors
/// As above, for what no provider sends.
pub fn sent_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, source: Source::Provider, values: 0 }.read(value, 0)
}

/// Reads any value: what JSON cannot hold becomes an object of its type's name and its text.
///
/// # Errors
/// `invalid_option` for what is too large or holds itself.
pub fn shown_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, source: Source::Any, values: 0 }.read(value, 0)
}

/// Where a value is from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Program,
    Provider,
    /// A program that may give anything.
    Any,
}

/// A reader, with how many values it has read.
struct Reader<'a> {
    what: &'a str,
    source: Source,
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
        match self.source {
            Source::Provider if depth > MAX_SENT_DEPTH => return Ok(Value::Null),
            Source::Program if depth > MAX_DEPTH => return Err(invalid("is nested too deep")),
            Source::Any if depth >= MAX_DEPTH => return Ok(described(value)),
            _ => {}
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
                Err(_) if self.source == Source::Any => Ok(described(value)),
                Err(_) if self.source == Source::Provider => {
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
            if number.is_none() && self.source == Source::Any {
                return Ok(described(value));
            }
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
        if self.source == Source::Any {
            return Ok(described(value));
        }
        Err(wrong_type(py, what, "made of None, bool, int, float, str, lists and dicts", value))
    }

    /// Reads a mapping's items.
    fn object(&mut self, items: Bound<'_, PyList>, depth: usize) -> PyResult<Value> {
        let mut map = Map::with_capacity(items.len());
        for item in items {
            let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            // At the mapping's own depth: where values are cut off, keys are still texts.
            let key = match self.read(&key, depth)? {
                Value::String(key) => key,
                other if self.source == Source::Any => other.to_string(),
                _ => return Err(wrong_type(key.py(), &format!("a key of {}", self.what), "str", &key)),
            };
            let value = self.read(&value, depth + 1)?;
            let mut free = key;
            // The keys 1 and "1" of Python stay two.
            while self.source == Source::Any && map.contains_key(&free) {
                free.push('*');
            }
            map.insert(free, value);
        }
        Ok(Value::Object(map))
    }
}

/// A value that JSON cannot hold: its type's name and its text, as far as they can be had.
fn described(value: &Bound<'_, PyAny>) -> Value {
    let name = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    let text = value.str().and_then(|text| Ok(String::from_utf8_lossy(&escaped(&text)?).into_owned()));
    let entries = [("$type", name), ("$text", text.unwrap_or_default())];
    Value::Object(entries.into_iter().map(|(key, text)| (key.to_owned(), Value::String(text))).collect())
}

/// The bytes of a text, with lone surrogates as escapes, which differ where they do.
fn escaped(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    text.call_method1("encode", ("utf-8", "backslashreplace"))?.extract()
}
