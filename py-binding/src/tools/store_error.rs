//! The errors of stores as Python exceptions.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use toolwire::lifecycle::{ApprovalError, RunsError};
use toolwire::store::{StoreError, StoreErrorKind};

/// Makes the exception for a store's error. An exception of the host's own store is raised again
/// unchanged.
pub fn raise(py: Python<'_>, error: StoreError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (kind, message) = (error.kind().slug(), error.to_string());
    if let Some(source) = error.into_source()
        && let Ok(raised) = source.downcast::<PyErr>()
    {
        return *raised;
    }
    made(
        CLASS
            .import(py, "toolwire.runs.errors", "StoreError")
            .and_then(|class| class.call1((message, kind))),
    )
}

/// Makes the exception for a refused decision.
pub fn raise_approval(py: Python<'_>, error: ApprovalError) -> PyErr {
    static CLOSED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static CHANGED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static UNKNOWN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (code, message) = (error.slug(), error.to_string());
    match error {
        ApprovalError::Store(error) => raise(py, error),
        ApprovalError::Unknown { id } => made(
            UNKNOWN
                .import(py, "toolwire.runs.errors", "ApprovalNotFoundError")
                .and_then(|class| class.call1((id,))),
        ),
        ApprovalError::AlreadyDecided { id, .. }
        | ApprovalError::Expired { id }
        | ApprovalError::Cancelled { id } => made(
            CLOSED
                .import(py, "toolwire.runs.errors", "ApprovalClosedError")
                .and_then(|class| class.call1((message, id, code))),
        ),
        ApprovalError::ChangedSince { id } => made(
            CHANGED
                .import(py, "toolwire.runs.errors", "ApprovalChangedError")
                .and_then(|class| class.call1((message, id))),
        ),
        other => pyo3::exceptions::PyRuntimeError::new_err(other.to_string()),
    }
}

/// Makes the exception for a run that was not kept, not listed or not retried.
pub fn raise_run(py: Python<'_>, error: RunsError) -> PyErr {
    static UNKNOWN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static REFUSED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (code, message) = (error.slug(), error.to_string());
    match error {
        RunsError::Store(error) => raise(py, error),
        RunsError::Run(error) => crate::host::error::raise(py, &error),
        RunsError::Unknown { id } => made(
            UNKNOWN
                .import(py, "toolwire.runs.errors", "RunNotFoundError")
                .and_then(|class| class.call1((message, id))),
        ),
        RunsError::NotInterrupted { id, .. }
        | RunsError::AlreadyRan { id, .. }
        | RunsError::ArgumentsGone { id } => made(
            REFUSED
                .import(py, "toolwire.runs.errors", "RunNotRetriedError")
                .and_then(|class| class.call1((message, id, code))),
        ),
        other => pyo3::exceptions::PyRuntimeError::new_err(other.to_string()),
    }
}

/// Wraps an exception of the host's own store as core's error.
pub fn of_host(error: PyErr) -> StoreError {
    StoreError::new(StoreErrorKind::Host, error.to_string()).caused_by(error)
}

fn made(exception: PyResult<Bound<'_, PyAny>>) -> PyErr {
    exception.map_or_else(|error| error, PyErr::from_value)
}
