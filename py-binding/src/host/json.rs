//! JSON text as Python objects.
//!
//! jiter builds the objects straight from the text. It refuses what is nested deeper than 200 or
//! has an integer of more than 4,300 digits; a second builder, which does not recurse, takes over
//! there.

use jiter::{FloatMode, PartialMode, PythonParse, StringCacheMode};
use num_bigint::BigInt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// Builds the dict of a call's arguments; the array `[]` counts as the empty object.
///
/// # Errors
/// `ValueError` when the text is not a JSON object; the arguments of a detected call always are.
pub fn arguments<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let value = value(py, json)?;
    if value.cast::<PyList>().is_ok_and(PyListMethods::is_empty) {
        return Ok(PyDict::new(py));
    }
    value
        .cast_into::<PyDict>()
        .map_err(|_| PyValueError::new_err("arguments must be a JSON object"))
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
        Err(_) => Builder { py, json, at: 0 }.build(),
    }
}

/// An array or object that is not closed yet.
enum Open<'py> {
    List(Bound<'py, PyList>),
    Dict(Bound<'py, PyDict>, Bound<'py, PyString>),
}

/// The builder for any depth and any number.
struct Builder<'py, 'j> {
    py: Python<'py>,
    json: &'j [u8],
    at: usize,
}

impl<'py> Builder<'py, '_> {
    /// Builds the one value of the text.
    fn build(mut self) -> PyResult<Bound<'py, PyAny>> {
        let mut open: Vec<Open<'py>> = Vec::new();
        loop {
            let mut value = match self.peek() {
                b'[' => {
                    self.at += 1;
                    let list = PyList::empty(self.py);
                    if self.peek() != b']' {
                        open.push(Open::List(list));
                        continue;
                    }
                    self.at += 1;
                    list.into_any()
                }
                b'{' => {
                    self.at += 1;
                    let dict = PyDict::new(self.py);
                    if self.peek() != b'}' {
                        let key = self.key()?;
                        open.push(Open::Dict(dict, key));
                        continue;
                    }
                    self.at += 1;
                    dict.into_any()
                }
                _ => self.scalar()?,
            };
            // Puts the value where it belongs, and closes whatever ends with it.
            loop {
                match open.pop() {
                    None if self.peek() == 0 && self.at >= self.json.len() => return Ok(value),
                    None => return Err(self.error()),
                    Some(Open::List(list)) => {
                        list.append(&value)?;
                        if self.more(b']')? {
                            open.push(Open::List(list));
                            break;
                        }
                        value = list.into_any();
                    }
                    Some(Open::Dict(dict, key)) => {
                        dict.set_item(key, &value)?;
                        if self.more(b'}')? {
                            let key = self.key()?;
                            open.push(Open::Dict(dict, key));
                            break;
                        }
                        value = dict.into_any();
                    }
                }
            }
        }
    }

    fn error(&self) -> PyErr {
        PyValueError::new_err(format!("invalid JSON at byte {}", self.at))
    }

    /// The next byte that is not white space; 0 at the end.
    fn peek(&mut self) -> u8 {
        while let Some(&byte) = self.json.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return byte;
            }
            self.at += 1;
        }
        0
    }

    /// Consumes a comma (true) or the closing bracket (false).
    fn more(&mut self, close: u8) -> PyResult<bool> {
        let next = self.peek();
        if next != b',' && next != close {
            return Err(self.error());
        }
        self.at += 1;
        Ok(next == b',')
    }

    /// Consumes a key and its colon.
    fn key(&mut self) -> PyResult<Bound<'py, PyString>> {
        if self.peek() != b'"' {
            return Err(self.error());
        }
        let key = self.scalar()?.cast_into::<PyString>()?;
        if self.peek() != b':' {
            return Err(self.error());
        }
        self.at += 1;
        Ok(key)
    }

    /// Consumes a string, a number or a literal.
    fn scalar(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let rest = self.json.get(self.at..).unwrap_or_default();
        let length = match rest.first() {
            Some(b'"') => string_length(rest),
            Some(_) => rest.iter().take_while(|byte| !b",]} \t\r\n".contains(byte)).count(),
            None => 0,
        };
        let token = rest.get(..length).unwrap_or_default();
        let value = if let Some(integer) = integer(token) {
            integer.into_pyobject(self.py)?.into_any()
        } else if let Some(float) = float(token) {
            float.into_pyobject(self.py)?.into_any()
        } else {
            PythonParse::default().python_parse(self.py, token).map_err(|_| self.error())?
        };
        self.at += length;
        Ok(value)
    }
}

/// The length of the string literal at the start of `json`, both quotes included.
fn string_length(json: &[u8]) -> usize {
    let mut escaped = false;
    for (at, &byte) in json.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

/// The longest number token that jiter surely reads itself.
const SHORT: usize = 4000;

/// The float that a long number token stands for.
fn float(token: &[u8]) -> Option<f64> {
    let number = token.first().is_some_and(|byte| b"-0123456789".contains(byte))
        && token.iter().all(|byte| b"+-.0123456789eE".contains(byte));
    if token.len() <= SHORT || !number {
        return None;
    }
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// The integer that a long number token stands for.
fn integer(token: &[u8]) -> Option<BigInt> {
    if token.len() <= SHORT {
        return None;
    }
    let (negative, digits) = match token.split_first() {
        Some((b'-', digits)) => (true, digits),
        _ => (false, token),
    };
    if digits.first() == Some(&b'0') || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = halves(digits, &mut Vec::new())?;
    Some(if negative { -magnitude } else { magnitude })
}

/// The number that digits stand for, by halves: a plain conversion takes quadratic time.
///
/// `powers` holds 10 to the power of `LEAF` doubled n times, as far as it was needed.
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
