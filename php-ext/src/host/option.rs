//! Converts PHP's values of options, and of providers' objects, to the core's values.
//!
//! The core decides which options exist, their types and their ranges. Here values become JSON,
//! with bounds, so an array that contains itself is refused and not followed forever.

use ext_php_rs::exception::PhpResult;
use ext_php_rs::types::{ZendHashTable, Zval};
use serde_json::{Map, Number, Value};
use toolwire::json::{MAX_VALUE_DEPTH, beyond_float, is_object_key};
use toolwire::{Error, ErrorKind};

use crate::host::exception;
use crate::host::tree;
use crate::host::value::{self, Maybe, Table};
use crate::zend::{self, Key};

/// The depth to which a provider's object is read; the core refuses calls and results that nest
/// half as deep.
const MAX_SENT_DEPTH: usize = 2 * MAX_VALUE_DEPTH;
const MAX_VALUES: usize = 1_000_000;

/// Sets each option that is given.
///
/// # Errors
///
/// The errors of `set`, as exceptions, and `wrong_type` or `invalid_option` for a value that JSON
/// cannot represent.
pub(crate) fn set_each<const N: usize>(
    given: [(&str, Option<Zval>); N],
    mut set: impl FnMut(&str, &Value) -> Result<(), Error>,
) -> PhpResult<()> {
    for (name, argument) in given {
        if let Some(argument) = argument.filter(|argument| !argument.is_null()) {
            let value = option(name, &argument);
            value
                .and_then(|value| set(name, &value))
                .map_err(|error| exception::from_core(&error))?;
        }
    }
    Ok(())
}

/// Reads the value of an option.
///
/// # Errors
///
/// `wrong_type` or `invalid_option` for a value that JSON cannot represent.
pub(crate) fn option(name: &str, value: &Zval) -> Result<Value, Error> {
    Reader { option: name, source: Source::Option, values: 0 }.read(value, 0)
}

/// Reads a provider's object without an error that a model could cause: bytes that are not UTF-8
/// become U+FFFD, and a value that nests too deep for the core is cut off where the core refuses
/// it.
///
/// # Errors
///
/// `wrong_type` or `invalid_option` for a value that JSON cannot represent.
pub(crate) fn sent(what: &str, value: &Zval) -> Result<Value, Error> {
    Reader { option: what, source: Source::Provider, values: 0 }.read(value, 0)
}

/// A JSON Pointer to a float that is not finite; none if the value has no such number, or is too
/// large or too deep to be JSON.
pub(crate) fn not_finite_in(value: &Zval) -> Option<String> {
    fn search(value: &Zval, depth: usize, left: &mut usize) -> Option<String> {
        let value = value.dereference();
        *left = left.checked_sub(1)?;
        if let Some(number) = value.double() {
            return (!number.is_finite()).then(String::new);
        }
        let table = value.array().or_else(|| zend::properties(value))?;
        if depth >= MAX_VALUE_DEPTH {
            return None;
        }
        zend::entries(table).find_map(|(key, value)| {
            let path = search(value, depth + 1, left)?;
            let step = match key {
                Key::Index(index) => index.cast_signed().to_string(),
                Key::Name(name) => String::from_utf8_lossy(name).into_owned(),
            };
            Some(format!("/{}{path}", step.replace('~', "~0").replace('/', "~1")))
        })
    }
    search(value, 0, &mut MAX_VALUES.clone())
}

/// Finds the first text of a provider's object that is not UTF-8 and that `judge`, which gets its
/// JSON Pointer, says something of. [`sent`] has refused an object that is too large.
pub(crate) fn bad_text_in<T>(value: &Zval, judge: impl Fn(&str) -> Option<T>) -> Option<T> {
    fn search<T>(
        value: &Zval,
        path: &mut String,
        depth: usize,
        judge: &dyn Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = value.dereference();
        if let Some(text) = value.zend_str() {
            let is_bad = std::str::from_utf8(text.as_bytes()).is_err();
            return if is_bad { judge(path) } else { None };
        }
        let table = value.array().or_else(|| zend::properties(value))?;
        if depth > MAX_SENT_DEPTH {
            return None;
        }
        zend::entries(table).find_map(|(key, value)| {
            let length = path.len();
            let (step, is_bad) = match key {
                Key::Index(index) => (index.cast_signed().to_string(), false),
                Key::Name(name) => {
                    let is_bad = std::str::from_utf8(name).is_err();
                    (String::from_utf8_lossy(name).into_owned(), is_bad)
                }
            };
            path.push('/');
            path.push_str(&step.replace('~', "~0").replace('/', "~1"));
            let found = if is_bad { judge(path) } else { None };
            let found = found.or_else(|| search(value, path, depth + 1, judge));
            path.truncate(length);
            found
        })
    }
    search(value, &mut String::new(), 0, &judge)
}

/// Reads the value that a tool returned.
///
/// # Errors
///
/// `wrong_type` or `invalid_option` for a value that JSON cannot represent, or that nests deeper
/// than 128.
pub(crate) fn given(what: &str, value: &Zval) -> Result<Value, Error> {
    Reader { option: what, source: Source::Tool, values: 0 }.read(value, 0)
}

/// Reads an option that is given as an array; an empty array becomes an object where JSON Schema
/// requires an object.
///
/// # Errors
///
/// `wrong_type` or `invalid_option` for a value that JSON cannot represent.
pub(crate) fn read(what: &str, value: &Zval) -> Result<Value, Error> {
    Reader { option: what, source: Source::Option, values: 0 }.read(value, 0)
}

/// A list of texts; null gives an empty list.
pub(crate) fn texts(name: &str, given: Maybe<Table<'_>>) -> Result<Vec<String>, Error> {
    let Some(table) = given.0.as_ref().and_then(|given| given.0.array()) else {
        return Ok(Vec::new());
    };
    let texts = zend::entries(table).map(|(_, item)| {
        let text =
            item.zend_str().map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned());
        text.ok_or_else(|| {
            let message = format!("{name} must hold strings alone, got {}", value::type_name(item));
            Error::new(ErrorKind::WrongType, message)
        })
    });
    texts.collect()
}

/// The origin of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Option,
    Provider,
    Tool,
}

struct Reader<'a> {
    option: &'a str,
    source: Source,
    values: usize,
}

impl Reader<'_> {
    fn read(&mut self, value: &Zval, depth: usize) -> Result<Value, Error> {
        self.values += 1;
        let sent = self.source == Source::Provider;
        if sent && depth >= MAX_SENT_DEPTH && self.values <= MAX_VALUES {
            return Ok(Value::Null);
        }
        let value = value.dereference();
        let too_deep = !sent && depth >= MAX_VALUE_DEPTH && (value.is_array() || value.is_object());
        if too_deep || self.values > MAX_VALUES {
            return Err(self
                .error(ErrorKind::InvalidOption, "nests too deep, holds itself or is too large"));
        }
        if let Some(table) = value.array() {
            return self.array(table, depth);
        }
        if let Some(properties) = zend::properties(value) {
            return self.object(properties, depth).map(Value::Object);
        }
        if value.is_object() {
            let message = format!("cannot hold a {}", value::type_name(value));
            return Err(self.error(ErrorKind::WrongType, &message));
        }
        if let Some(text) = value.zend_str() {
            if sent {
                return Ok(String::from_utf8_lossy(text.as_bytes()).into());
            }
            return std::str::from_utf8(text.as_bytes())
                .map(Value::from)
                .map_err(|_| self.error(ErrorKind::InvalidOption, "holds text that is not UTF-8"));
        }
        if let Some(number) = value.double() {
            // A decoder of JSON gives INF for a number beyond a float. Core refuses it where it is
            // an argument.
            if sent && number.is_infinite() {
                return Ok(Value::Number(beyond_float(number < 0.0)));
            }
            return Number::from_f64(number).map(Value::Number).ok_or_else(|| {
                self.error(ErrorKind::InvalidOption, "holds a number that is not finite")
            });
        }
        match (value.long(), value.bool()) {
            (Some(number), _) => Ok(number.into()),
            (_, Some(flag)) => Ok(flag.into()),
            _ if value.is_null() => Ok(Value::Null),
            _ => Err(self.error(ErrorKind::WrongType, "cannot hold a resource")),
        }
    }

    fn array(&mut self, table: &ZendHashTable, depth: usize) -> Result<Value, Error> {
        if !tree::is_list(table) {
            return self.object(table, depth).map(Value::Object);
        }
        let values = zend::entries(table).map(|(_, value)| self.read(value, depth + 1));
        values.collect::<Result<Vec<_>, _>>().map(Value::Array)
    }

    fn object(&mut self, table: &ZendHashTable, depth: usize) -> Result<Map<String, Value>, Error> {
        let mut object = Map::new();
        for (key, value) in zend::entries(table) {
            let name = match key {
                Key::Index(index) => index.cast_signed().to_string(),
                Key::Name(name) if self.source == Source::Provider => {
                    String::from_utf8_lossy(name).into_owned()
                }
                Key::Name(name) => std::str::from_utf8(name)
                    .map_err(|_| {
                        self.error(ErrorKind::InvalidOption, "holds a key that is not UTF-8")
                    })?
                    .to_owned(),
            };
            let mut value = self.read(value, depth + 1)?;
            if self.source == Source::Option
                && is_object_key(&name)
                && value.as_array().is_some_and(Vec::is_empty)
            {
                value = Value::Object(Map::new());
            }
            object.insert(name, value);
        }
        Ok(object)
    }

    fn error(&self, kind: ErrorKind, message: &str) -> Error {
        Error::new(kind, format!("{} {message}", self.option))
    }
}
