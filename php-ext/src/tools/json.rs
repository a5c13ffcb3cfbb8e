//! PHP arrays as the JSON text that a store keeps.

use ext_php_rs::types::Zval;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use toolwire::json::parse_json;
use toolwire::{Error, ErrorKind};

use crate::host::json::{self, Objects};
use crate::host::option;

/// Reads an array as JSON. An empty array is an object, because payloads are objects.
pub(super) fn object(what: &str, array: &Zval) -> Result<Value, Error> {
    match option::given(what, array)? {
        Value::Array(items) if items.is_empty() => Ok(Value::Object(Map::new())),
        value => Ok(value),
    }
}

/// Writes an array as JSON text.
pub(super) fn written(what: &str, array: &Zval) -> Result<Box<RawValue>, Error> {
    raw(&object(what, array)?)
}

/// Writes any JSON value as JSON text.
pub(super) fn raw(value: &Value) -> Result<Box<RawValue>, Error> {
    to_raw_value(value).map_err(|error| Error::new(ErrorKind::InvalidOption, error.to_string()))
}

/// Reads any value as JSON.
pub(super) fn given(what: &str, value: &Zval) -> Result<Value, Error> {
    option::given(what, value)
}

/// Reads JSON text that the core wrote.
pub(super) fn parsed(text: &str) -> Result<Value, Error> {
    parse_json(text.as_bytes())
        .map_err(|error| Error::new(ErrorKind::InvalidExecution, error.to_string()))
}

/// Reads the JSON text of an array.
pub(super) fn read(text: &RawValue) -> Zval {
    array(text.get())
}

/// Makes a payload from a JSON value.
pub(super) fn value(value: &Value) -> Zval {
    array(&value.to_string())
}

fn array(text: &str) -> Zval {
    json::read(text.as_bytes(), Objects::Arrays).unwrap_or_else(Zval::new_array)
}
