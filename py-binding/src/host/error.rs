//! Core errors as Python exceptions.
//!
//! The exception classes are Python code (`toolwire/_errors.py`), because each has two bases. Every
//! [`ErrorClass`] maps onto one of them; a new class does not compile until it is mapped here.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use toolwire::error::ErrorClass;
use toolwire::{Error, ErrorKind};

/// The name of the exception class for a class of errors.
fn class_name(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Argument => "InvalidArgumentError",
        ErrorClass::Type => "WrongTypeError",
        ErrorClass::State => "InvalidStateError",
    }
}

/// The exception class for a class of errors.
fn exception(py: Python<'_>, class: ErrorClass) -> PyResult<&Bound<'_, PyType>> {
    static ARGUMENT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static STATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let cell = match class {
        ErrorClass::Argument => &ARGUMENT,
        ErrorClass::Type => &TYPE,
        ErrorClass::State => &STATE,
    };
    cell.import(py, "toolwire._errors", class_name(class))
}

/// Makes the Python exception for a core error.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let kind = error.kind();
    let made = exception(py, kind.class())
        .and_then(|class| class.call1((error.to_string(), kind.slug(), kind.number())));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Makes the exception for a kind of error and a message.
pub fn raise_kind(py: Python<'_>, kind: ErrorKind, message: impl Into<String>) -> PyErr {
    raise(py, &Error::new(kind, message))
}

/// Makes the exception for a value of the wrong type: `what` must be `expected`.
pub fn wrong_type(py: Python<'_>, what: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let given =
        value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    raise_kind(py, ErrorKind::WrongType, format!("{what} must be {expected}, not {given}"))
}

/// Every kind as (slug, number, name of its exception class), for `toolwire.ERROR_KINDS`.
#[pyfunction]
pub fn error_kinds() -> Vec<(&'static str, u16, &'static str)> {
    ErrorKind::ALL
        .iter()
        .map(|kind| (kind.slug(), kind.number(), class_name(kind.class())))
        .collect()
}
