//! Checks and converts arguments of functions.
//!
//! pyo3's own conversions raise plain `TypeError`; these raise Toolwire's.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use toolwire::ErrorKind;

use crate::host::error::{raise_kind, wrong_type};
use crate::host::node;

/// A truth value; no other type is accepted.
pub fn truth(what: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let Some(value) = value else { return Ok(false) };
    match value.cast::<PyBool>() {
        Ok(truth) => Ok(truth.is_true()),
        Err(_) => Err(wrong_type(value.py(), what, "bool", value)),
    }
}

/// The bytes of a text, as [`node::bytes`] returns them.
pub fn text<'a>(what: &str, value: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    match value.cast::<PyString>() {
        Ok(string) => Ok(node::bytes(string)),
        Err(_) => Err(wrong_type(value.py(), what, "str", value)),
    }
}

/// A count: an int of at least 1.
pub fn count(what: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    at_least(1, what, value)
}

/// A number that may be 0: an int of at least 0.
pub fn whole(what: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    at_least(0, what, value)
}

/// An int of at least `least`; an int that is too large for the machine becomes the largest value.
fn at_least(least: usize, what: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() || !value.is_instance_of::<PyInt>() {
        return Err(wrong_type(py, what, "int", value));
    }
    if value.lt(least)? {
        return Err(raise_kind(
            py,
            ErrorKind::InvalidOption,
            format!("{what} must be at least {least}"),
        ));
    }
    Ok(value.extract().unwrap_or(usize::MAX))
}
