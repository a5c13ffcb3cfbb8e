//! Builds Python objects from JSON text.
//!
//! jiter builds the objects directly from the text. It refuses a text that nests deeper than 200 or
//! has an integer of more than 4,300 digits; core reads such a text.

use std::borrow::Cow;

use jiter::{FloatMode, PartialMode, PythonParse, StringCacheMode};
use num_bigint::BigInt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use toolwire::json::{
    Container, Part, Parts, VisitError, VisitOptions, Visitor, holds_infinite, visit_json,
};

use crate::host::keys::Keys;
use crate::host::node::string;

/// Builds the dict of a call's arguments; the array `[]` counts as the empty object.
///
/// # Errors
/// `ValueError` when the text is not a JSON object; the arguments of a detected call are always
/// one.
pub fn arguments<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    // jiter gives infinity for a number beyond a float.
    let value = if holds_infinite(json) { slow(py, json)? } else { value(py, json)? };
    if value.cast::<PyList>().is_ok_and(PyListMethods::is_empty) {
        return Ok(PyDict::new(py));
    }
    value
        .cast_into::<PyDict>()
        .map_err(|_| PyValueError::new_err("arguments must be a JSON object"))
}

/// Builds the dict of a call's arguments from the parts that core has read already.
///
/// # Errors
/// `ValueError` when the parts are not those of a JSON object.
pub fn of_parts<'py>(py: Python<'py>, mut parts: Parts<'_>) -> PyResult<Bound<'py, PyDict>> {
    match parts.next() {
        Some(Part::Object(count)) => dict_of_parts(py, count, &mut parts, &mut Keys::new()),
        _ => Err(PyValueError::new_err("arguments must be a JSON object")),
    }
}

/// Builds a dict of its members. Core nests parts no deeper than the stack allows.
fn dict_of_parts<'py>(
    py: Python<'py>,
    count: usize,
    parts: &mut Parts<'_>,
    keys: &mut Keys,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for _ in 0..count {
        let Some(Part::Text(key)) = parts.next() else {
            return Err(PyValueError::new_err("a member has no key"));
        };
        let key = keys.get(py, &key);
        dict.set_item(key, value_of_parts(py, parts, keys)?)?;
    }
    Ok(dict)
}

/// Builds the dict of a JSON object.
///
/// # Errors
/// `ValueError` when the text is not a JSON object.
pub fn object<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyDict>> {
    let object = value(py, json.as_bytes())?.cast_into::<PyDict>();
    object.map_err(|_| PyValueError::new_err("the text must be a JSON object"))
}

/// The text of bytes that core found to be UTF-8.
fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

#[inline]
fn value_of_parts<'py>(
    py: Python<'py>,
    parts: &mut Parts<'_>,
    keys: &mut Keys,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(part) = parts.next() else {
        return Err(PyValueError::new_err("a value is missing"));
    };
    Ok(match part {
        Part::Object(count) => dict_of_parts(py, count, parts, keys)?.into_any(),
        Part::Array(count) => {
            let values = list_of_parts(py, count, parts, keys)?;
            PyList::new(py, values)?.into_any()
        }
        Part::Text(text) => string(py, &text)?.into_any(),
        Part::Integer(number) => number.into_pyobject(py)?.into_any(),
        Part::Number(digits) => number(py, utf8(digits))?,
        Part::Boolean(value) => PyBool::new(py, value).to_owned().into_any(),
        Part::Null => py.None().into_bound(py),
    })
}

/// Builds the values of an array.
fn list_of_parts<'py>(
    py: Python<'py>,
    count: usize,
    parts: &mut Parts<'_>,
    keys: &mut Keys,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    (0..count).map(|_| value_of_parts(py, parts, keys)).collect()
}

/// Builds any value.
///
/// # Errors
/// `ValueError` when the text is not JSON.
pub fn value<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let fast = PythonParse {
        allow_inf_nan: false,
        cache_mode: StringCacheMode::Keys,
        partial_mode: PartialMode::Off,
        catch_duplicate_keys: false,
        float_mode: FloatMode::Float,
    };
    match fast.python_parse(py, json) {
        Ok(value) => Ok(value),
        Err(_) => slow(py, json),
    }
}

/// Builds the values that jiter refuses, since core reads any depth and any number.
fn slow<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let mut builder = Builder { py, open: Vec::new(), whole: py.None().into_bound(py) };
    let options = VisitOptions { max_depth: usize::MAX, ..VisitOptions::default() };
    match visit_json(json, options, &mut builder) {
        Ok(()) => Ok(builder.whole),
        Err(VisitError::Visitor(error)) => Err(error),
        Err(VisitError::Text(error)) => {
            let at = error.offset;
            Err(PyValueError::new_err(format!("invalid JSON at byte {at}")))
        }
    }
}

/// An array or object that is not yet closed.
enum Open<'py> {
    List(Bound<'py, PyList>),
    /// A dict, with the key that waits for its value.
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
}

/// Builds an object from the parts that core reads.
struct Builder<'py> {
    py: Python<'py>,
    open: Vec<Open<'py>>,
    whole: Bound<'py, PyAny>,
}

impl<'py> Builder<'py> {
    /// Puts a value into the open array or object.
    fn take(&mut self, value: Bound<'py, PyAny>) -> PyResult<()> {
        match self.open.last_mut() {
            Some(Open::List(list)) => list.append(value),
            Some(Open::Dict(dict, key)) => match key.take() {
                Some(key) => dict.set_item(key, value),
                None => Ok(()),
            },
            None => {
                self.whole = value;
                Ok(())
            }
        }
    }
}

impl Visitor<'_> for Builder<'_> {
    type Error = PyErr;

    fn open(&mut self, container: Container) -> PyResult<()> {
        self.open.push(match container {
            Container::Object => Open::Dict(PyDict::new(self.py), None),
            Container::Array => Open::List(PyList::empty(self.py)),
        });
        Ok(())
    }

    fn close(&mut self, _: Container) -> PyResult<()> {
        match self.open.pop() {
            Some(Open::List(list)) => self.take(list.into_any()),
            Some(Open::Dict(dict, _)) => self.take(dict.into_any()),
            None => Ok(()),
        }
    }

    fn key(&mut self, name: Cow<'_, str>) -> PyResult<()> {
        if let Some(Open::Dict(_, key)) = self.open.last_mut() {
            *key = Some(PyString::new(self.py, &name));
        }
        Ok(())
    }

    fn text(&mut self, text: Cow<'_, str>) -> PyResult<()> {
        self.take(PyString::new(self.py, &text).into_any())
    }

    fn number(&mut self, digits: &str) -> PyResult<()> {
        self.take(number(self.py, digits)?)
    }

    fn boolean(&mut self, value: bool) -> PyResult<()> {
        self.take(PyBool::new(self.py, value).to_owned().into_any())
    }

    fn null(&mut self) -> PyResult<()> {
        self.take(self.py.None().into_bound(self.py))
    }
}

/// A whole number as an `int` of any length, and any other number as a `float`, or as its digits
/// if it is beyond one.
fn number<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(integer) = digits.parse::<i64>() {
        return Ok(integer.into_pyobject(py)?.into_any());
    }
    let size = digits.strip_prefix('-').unwrap_or(digits);
    if !size.bytes().all(|byte| byte.is_ascii_digit()) {
        let float = digits.parse::<f64>()?;
        return Ok(if float.is_finite() {
            float.into_pyobject(py)?.into_any()
        } else {
            PyString::new(py, digits).into_any()
        });
    }
    let Some(size) = halves(size.as_bytes(), &mut Vec::new()) else {
        return Err(PyValueError::new_err("not a number"));
    };
    let integer = if digits.starts_with('-') { -size } else { size };
    Ok(integer.into_pyobject(py)?.into_any())
}

/// The number for these digits, computed by halves: a plain conversion takes quadratic time.
///
/// `powers` holds 10 to the power of `LEAF`, doubled n times, for each n that was needed.
fn halves(digits: &[u8], powers: &mut Vec<BigInt>) -> Option<BigInt> {
    const LEAF: usize = 512;
    if digits.len() <= LEAF {
        return BigInt::parse_bytes(digits, 10);
    }
    let doublings = (digits.len() - 1).div_euclid(LEAF).ilog2();
    let low = LEAF << doublings;
    let (high, low_digits) = digits.split_at_checked(digits.len() - low)?;
    let high = halves(high, powers)?;
    let low = halves(low_digits, powers)?;
    while powers.len() <= doublings as usize {
        let next = match powers.last() {
            Some(power) => power * power,
            None => BigInt::from(10).pow(u32::try_from(LEAF).ok()?),
        };
        powers.push(next);
    }
    Some(high * powers.get(doublings as usize)? + low)
}
