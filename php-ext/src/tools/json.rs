//! PHP arrays as the JSON text that a store keeps.

use ext_php_rs::types::{ZendCallable, Zval};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use toolwire::json::parse_json;
use toolwire::{Error, ErrorKind};

use super::callback::{Stop, caught};
use crate::host::json::{self, Objects};
use crate::host::option;
use crate::zend;

/// How deep an output may nest: its fields, and data as deep as the core reads any value.
const MOST_DEPTH: u16 = 129;

/// The most values of an output that is written.
const MOST_VALUES: usize = 1_000_000;

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

/// Writes what a handler gave as `json_encode()` does; nothing if that refuses it, or if its code
/// throws.
///
/// # Errors
///
/// The end of the script.
pub(super) fn encoded(value: &Zval) -> Result<Option<Box<RawValue>>, Stop> {
    let mut left = MOST_VALUES;
    let written = is_bounded(value, &mut left, MOST_DEPTH)
        .then(|| zend::json_encode(value, MOST_DEPTH))
        .flatten();
    match caught() {
        Err(Stop::Exit) => return Err(Stop::Exit),
        Err(Stop::Thrown(_)) => return Ok(None),
        Ok(()) => {}
    }
    // A number that is not finite is written as 0, and only noted as an error.
    let noted = ZendCallable::try_from_name("json_last_error")
        .and_then(|noted| noted.try_call(Vec::new()))
        .is_ok_and(|code| code.long() != Some(0));
    let written = written.filter(|_| !noted);
    let text = written.and_then(|text| String::from_utf8(text).ok());
    Ok(text.and_then(|text| RawValue::from_string(text).ok()))
}

/// Whether a value holds no more values than are left: an array that holds others twice, and these
/// others, may be written for ever.
fn is_bounded(value: &Zval, left: &mut usize, depth: u16) -> bool {
    let value = value.dereference();
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    let Some(table) = value.array().or_else(|| zend::properties(value)) else { return true };
    depth > 0 && zend::entries(table).all(|(_, entry)| is_bounded(entry, left, depth - 1))
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

/// Reads the output that a store kept: `{}` stays an object, and so does every object that
/// `json_encode()` would else write as a list.
pub(super) fn output(text: &RawValue) -> Zval {
    json::read(text.get().as_bytes(), Objects::Encodable).unwrap_or_else(Zval::null)
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
