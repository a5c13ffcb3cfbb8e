//! Reads Python values of options and of providers' objects as JSON values.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple,
};
use serde_json::{Map, Number, Value};
use toolwire::ErrorKind;
use toolwire::json::{MAX_VALUE_DEPTH, beyond_float};

use crate::host::error::{raise_kind, wrong_type};
use crate::host::text::without_surrogates;

/// The depth to which a provider's object is read; core refuses calls and results half as deep.
const MAX_SENT_DEPTH: usize = 2 * MAX_VALUE_DEPTH;

/// The most characters of a path in a message.
const MOST_PLACE: usize = 200;

/// The most values that are read, so that reading a list that contains itself twice ends.
const MAX_VALUES: usize = 2_000_000;

/// Reads None, bool, int, float, str, lists, tuples and mappings as JSON.
///
/// # Errors
/// `wrong_type` for any other type, `invalid_option` for a value that JSON cannot represent.
pub fn to_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, source: Source::Program, values: 0, path: String::new() }.read(value, 0)
}

/// Reads a provider's object as JSON, without an error that a model could cause: a lone surrogate
/// becomes U+FFFD, and a value that nests too deep for core is cut off where core refuses it.
///
/// # Errors
/// The errors of [`to_json`], for values that no provider sends.
pub fn sent_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, source: Source::Provider, values: 0, path: String::new() }.read(value, 0)
}

/// Finds the first text of a provider's object that holds a lone surrogate and that `judge`, which
/// gets its JSON Pointer, says something of. [`sent_json`] has refused an object that is too large.
///
/// # Errors
/// Any exception of a mapping.
pub fn bad_text_in<T>(
    value: &Bound<'_, PyAny>,
    judge: &dyn Fn(&str) -> Option<T>,
) -> PyResult<Option<T>> {
    search_bad_text(value, 0, &mut String::new(), judge)
}

fn search_bad_text<T>(
    value: &Bound<'_, PyAny>,
    depth: usize,
    path: &mut String,
    judge: &dyn Fn(&str) -> Option<T>,
) -> PyResult<Option<T>> {
    if let Ok(string) = value.cast::<PyString>() {
        return Ok(if string.to_str().is_err() { judge(path) } else { None });
    }
    if depth > MAX_SENT_DEPTH {
        return Ok(None);
    }
    let mut step = |name: &str, item: &Bound<'_, PyAny>, is_bad: bool| {
        let length = path.len();
        path.push('/');
        path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        let found = match if is_bad { judge(path) } else { None } {
            None => search_bad_text(item, depth + 1, path, judge)?,
            found => found,
        };
        path.truncate(length);
        Ok::<_, PyErr>(found)
    };
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        for (place, item) in value.try_iter()?.enumerate() {
            if let Some(found) = step(&place.to_string(), &item?, false)? {
                return Ok(Some(found));
            }
        }
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        for item in mapping.items()? {
            let (key, item) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let key = key.str()?;
            if let Some(found) = step(&key.to_string_lossy(), &item, key.to_str().is_err())? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// A JSON Pointer to a float that is not finite; none if the value has no such number, or is too
/// large or too deep to be JSON.
pub fn not_finite_in(value: &Bound<'_, PyAny>) -> Option<String> {
    fn search(value: &Bound<'_, PyAny>, depth: usize, left: &mut usize) -> Option<String> {
        *left = left.checked_sub(1)?;
        if let Ok(float) = value.cast::<PyFloat>() {
            return (!float.value().is_finite()).then(String::new);
        }
        if depth >= MAX_VALUE_DEPTH {
            return None;
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            return dict.iter().find_map(|(key, value)| {
                let path = search(&value, depth + 1, left)?;
                let step = key.str().map(|key| key.to_string_lossy().into_owned());
                let step = step.unwrap_or_default().replace('~', "~0").replace('/', "~1");
                Some(format!("/{step}{path}"))
            });
        }
        let of_list = |items: &mut dyn Iterator<Item = Bound<'_, PyAny>>, left: &mut usize| {
            items.enumerate().find_map(|(index, item)| {
                search(&item, depth + 1, left).map(|path| format!("/{index}{path}"))
            })
        };
        if let Ok(list) = value.cast::<PyList>() {
            return of_list(&mut list.iter(), left);
        }
        value.cast::<PyTuple>().ok().and_then(|tuple| of_list(&mut tuple.iter(), left))
    }
    search(value, 0, &mut MAX_VALUES.clone())
}

/// Reads any value for display to a person. A value that JSON cannot represent becomes an object
/// with its type's name, and with its text if values of the type are known to hold no secret.
///
/// # Errors
/// The errors of [`bound_json`].
pub fn shown_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, source: Source::Shown, values: 0, path: String::new() }.read(value, 0)
}

/// Reads any value for a fingerprint. A value that JSON cannot represent becomes an object with its
/// type's name and its text.
///
/// # Errors
/// `invalid_option` with the path of a value that is too large, nests too deep, or has a text that
/// does not show its content, since an approval could not bind such a value; also any exception of
/// the host.
pub fn bound_json(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what, source: Source::Bound, values: 0, path: String::new() }.read(value, 0)
}

/// Reads what a handler gave as JSON: beside the values of [`to_json`], what [`plain`] reads, with
/// numbers and constants as keys.
///
/// # Errors
/// `wrong_type` or `invalid_option` for a value that JSON cannot represent, and any exception of
/// the host.
pub fn output_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    Reader { what: "the output", source: Source::Output, values: 0, path: String::new() }
        .read(value, 0)
}

/// The value that stands for an object in JSON: the value of an enum, the fields of a dataclass,
/// what the model of a library dumps, the text of a UUID, a date or a decimal number.
///
/// # Errors
/// Whatever the object's own code raises.
pub fn plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyComplex>() {
        return Ok(None);
    }
    if is_enum(value)? {
        return value.getattr(intern!(py, "value")).map(Some);
    }
    if is_constant(value)? {
        return Ok(Some(value.str()?.into_any()));
    }
    if let Some(names) = value.get_type().getattr_opt(intern!(py, "__dataclass_fields__"))? {
        let fields = PyDict::new(py);
        for name in names.try_iter()? {
            let name = name?;
            fields.set_item(&name, value.getattr(name.str()?)?)?;
        }
        return Ok(Some(fields.into_any()));
    }
    match value.get_type().getattr_opt(intern!(py, "model_dump"))? {
        Some(_) => value.call_method0(intern!(py, "model_dump")).map(Some),
        None => Ok(None),
    }
}

fn is_enum(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    static ENUM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let class =
        ENUM.get_or_try_init(py, || Ok::<_, PyErr>(py.import("enum")?.getattr("Enum")?.unbind()))?;
    value.is_instance(class.bind(py))
}

/// The origin of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Program,
    Provider,
    /// What a handler gave.
    Output,
    /// A program that may pass any value, for display to a person.
    Shown,
    /// A program that may pass any value, for a fingerprint.
    Bound,
}

impl Source {
    /// Whether the program may pass any value.
    fn is_open(self) -> bool {
        matches!(self, Self::Shown | Self::Bound)
    }
}

/// A reader, with the number of values that it has read.
struct Reader<'a> {
    what: &'a str,
    source: Source,
    values: usize,
    /// The JSON Pointer to the current value, kept only if the program may pass any value.
    path: String,
}

impl Reader<'_> {
    fn read(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
        let (py, what) = (value.py(), self.what);
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.invalid(py, "is too large, or holds itself"));
        }
        if self.source == Source::Provider && depth > MAX_SENT_DEPTH {
            return Ok(Value::Null);
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
                Err(_) if self.source.is_open() => described(value),
                Err(_) if self.source == Source::Provider => {
                    let (bytes, _) = without_surrogates(string)?;
                    Ok(Value::String(String::from_utf8_lossy(&bytes).into_owned()))
                }
                Err(_) => Err(self.invalid(py, "holds a lone surrogate")),
            };
        }
        if value.is_instance_of::<PyInt>() {
            if let Ok(small) = value.extract::<i64>() {
                return Ok(Value::Number(small.into()));
            }
            let digits = value.extract::<num_bigint::BigInt>()?.to_string();
            return digits
                .parse::<Number>()
                .map(Value::Number)
                .map_err(|_| self.invalid(py, "is not a number"));
        }
        if let Ok(float) = value.cast::<PyFloat>() {
            let number = Number::from_f64(float.value());
            // A decoder of JSON gives infinity for a number beyond a float. Core refuses it where
            // it is an argument.
            if float.value().is_infinite() && self.source == Source::Provider {
                return Ok(Value::Number(beyond_float(float.value() < 0.0)));
            }
            if number.is_none() && self.source.is_open() {
                return described(value);
            }
            return number
                .map(Value::Number)
                .ok_or_else(|| self.invalid(py, "must be a finite number"));
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            self.nest(py, depth)?;
            let items = value.try_iter()?.enumerate().map(|(place, item)| {
                let length = self.step(|| place.to_string());
                let read = self.read(&item?, depth + 1);
                self.path.truncate(length);
                read
            });
            return items.collect::<PyResult<Vec<Value>>>().map(Value::Array);
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            self.nest(py, depth)?;
            return self.object(dict.items(), depth);
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            self.nest(py, depth)?;
            return self.object(mapping.items()?, depth);
        }
        if self.source == Source::Output
            && let Some(plain) = plain(value)?
        {
            self.nest(py, depth)?;
            return self.read(&plain, depth + 1);
        }
        match self.source {
            Source::Shown if is_constant(value)? => return described(value),
            Source::Shown => return typed(value),
            Source::Bound if tells_nothing(value)? => {
                return Err(
                    self.invalid(py, "holds an object whose text does not tell what is in it")
                );
            }
            Source::Bound => return described(value),
            _ => {}
        }
        Err(wrong_type(py, what, "made of None, bool, int, float, str, lists and dicts", value))
    }

    /// Refuses a list or a mapping at this depth if it is too deep.
    fn nest(&self, py: Python<'_>, depth: usize) -> PyResult<()> {
        if self.source != Source::Provider && depth >= MAX_VALUE_DEPTH {
            return Err(self.invalid(py, "is nested too deep"));
        }
        Ok(())
    }

    fn invalid(&self, py: Python<'_>, reason: &str) -> PyErr {
        let place = if self.source.is_open() {
            format!(" at {}", place(&self.path))
        } else {
            String::new()
        };
        raise_kind(py, ErrorKind::InvalidOption, format!("{} {reason}{place}", self.what))
    }

    /// Adds a step to the path, if the path is kept; returns the previous length of the path.
    fn step(&mut self, name: impl FnOnce() -> String) -> usize {
        let length = self.path.len();
        if self.source.is_open() {
            self.path.push('/');
            self.path.push_str(&name());
        }
        length
    }

    /// Reads a mapping's items.
    fn object(&mut self, items: Bound<'_, PyList>, depth: usize) -> PyResult<Value> {
        let mut map = Map::with_capacity(items.len());
        for item in items {
            let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            // Keys are read at the mapping's own depth, so they stay texts where values are cut
            // off.
            let key = match self.read(&key, depth)? {
                Value::String(key) => key,
                other if self.source.is_open() => other.to_string(),
                other if self.source == Source::Output && !other.is_array() => other.to_string(),
                _ => {
                    return Err(wrong_type(
                        key.py(),
                        &format!("a key of {}", self.what),
                        "str",
                        &key,
                    ));
                }
            };
            let length = self.step(|| key.replace('~', "~0").replace('/', "~1"));
            let value = self.read(&value, depth + 1)?;
            self.path.truncate(length);
            let mut free = key;
            // The keys 1 and "1" of Python stay separate.
            while self.source.is_open() && map.contains_key(&free) {
                free.push('*');
            }
            map.insert(free, value);
        }
        Ok(Value::Object(map))
    }
}

/// A path for a message, shortened, since a stranger's keys may be long.
fn place(path: &str) -> String {
    let mut place: String = path.chars().take(MOST_PLACE).collect();
    if place.len() < path.len() {
        place.push('…');
    }
    if place.is_empty() { "/".to_owned() } else { place }
}

/// A value that JSON cannot represent, described by its type's name and its text.
fn described(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text = String::from_utf8_lossy(&escaped(&value.str()?)?).into_owned();
    let mut described = typed(value)?;
    if let Value::Object(entries) = &mut described {
        entries.insert("$text".to_owned(), Value::String(text));
    }
    Ok(described)
}

/// A value whose text may hold a secret, described only by its type's name.
fn typed(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let name = Value::String(value.get_type().name()?.to_string());
    Ok(Value::Object(Map::from_iter([("$type".to_owned(), name)])))
}

/// Whether the text of an object is Python's default text: its type's name and its address.
fn tells_nothing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let (class, object) = (value.get_type(), py.get_type::<PyAny>());
    let inherits = |name| Ok::<_, PyErr>(class.getattr(name)?.is(object.getattr(name)?));
    Ok(inherits(intern!(py, "__str__"))? && inherits(intern!(py, "__repr__"))?)
}

/// The bytes of a text with lone surrogates as escapes, so that different texts stay different.
fn escaped(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    text.call_method1("encode", ("utf-8", "backslashreplace"))?.extract()
}

/// Whether a value can be passed on unchanged: it is immutable, and its text is its value.
pub fn is_constant(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    static UUID: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static DATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static TIME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static DELTA: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static ENUM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    if value.is_none()
        || value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyComplex>()
    {
        return Ok(true);
    }
    let classes = [
        (&UUID, "uuid", "UUID"),
        (&DATE, "datetime", "date"),
        (&TIME, "datetime", "time"),
        (&DELTA, "datetime", "timedelta"),
        (&DECIMAL, "decimal", "Decimal"),
        (&ENUM, "enum", "Enum"),
    ];
    for (cell, module, name) in classes {
        let class = cell
            .get_or_try_init(py, || Ok::<_, PyErr>(py.import(module)?.getattr(name)?.unbind()))?;
        if value.is_instance(class.bind(py))? {
            return Ok(true);
        }
    }
    Ok(false)
}
