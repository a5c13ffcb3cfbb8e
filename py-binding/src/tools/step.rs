//! A step of a run or of an undoing: what the machine asks Python for, and what goes with it.

use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// A step that Python takes. Each kind has its own fields; to read another field is an
/// ``AttributeError``.
///
/// | kind | fields |
/// |---|---|
/// | ``emit`` | ``event``, ``data`` |
/// | ``permission`` | ``capability`` |
/// | ``request`` | ``message``, ``summary`` |
/// | ``limit``, ``await``, ``verify``, ``withdraw``, ``run``, ``keep``, ``forget``, ``release`` | |
/// | ``finished`` | ``code`` and ``details`` of a run, ``error`` of an undoing |
#[pyclass(frozen, module = "toolwire._native")]
pub struct ToolStep {
    asks: Asks,
}

/// What a step asks for.
pub enum Asks {
    Emit { event: &'static str, data: Py<PyDict> },
    Permission { capability: Option<String> },
    Request { message: String, summary: Py<PyAny> },
    Plain(Plain),
    Failed { code: &'static str, details: Py<PyDict> },
    UndoFailed { message: String },
}

/// A step without fields.
#[derive(Clone, Copy)]
pub enum Plain {
    Limit,
    Await,
    Verify,
    Withdraw,
    Run,
    Keep,
    Forget,
    Release,
    Finished,
}

impl From<Asks> for ToolStep {
    fn from(asks: Asks) -> Self {
        Self { asks }
    }
}

impl From<Plain> for ToolStep {
    fn from(plain: Plain) -> Self {
        Self { asks: Asks::Plain(plain) }
    }
}

#[pymethods]
impl ToolStep {
    /// What is asked for.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        match &self.asks {
            Asks::Emit { .. } => intern!(py, "emit"),
            Asks::Permission { .. } => intern!(py, "permission"),
            Asks::Request { .. } => intern!(py, "request"),
            Asks::Failed { .. } | Asks::UndoFailed { .. } => intern!(py, "finished"),
            Asks::Plain(plain) => match plain {
                Plain::Limit => intern!(py, "limit"),
                Plain::Await => intern!(py, "await"),
                Plain::Verify => intern!(py, "verify"),
                Plain::Withdraw => intern!(py, "withdraw"),
                Plain::Run => intern!(py, "run"),
                Plain::Keep => intern!(py, "keep"),
                Plain::Forget => intern!(py, "forget"),
                Plain::Release => intern!(py, "release"),
                Plain::Finished => intern!(py, "finished"),
            },
        }
    }

    /// The name of the event.
    #[getter]
    fn event<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        match &self.asks {
            Asks::Emit { event, .. } => Ok(PyString::intern(py, event)),
            _ => Err(self.lacks(py, "event")),
        }
    }

    /// The fields of the event.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        match &self.asks {
            Asks::Emit { data, .. } => Ok(data.clone_ref(py)),
            _ => Err(self.lacks(py, "data")),
        }
    }

    /// The capability that the tool needs; None where it names none.
    #[getter]
    fn capability(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        match &self.asks {
            Asks::Permission { capability } => Ok(capability.as_deref()),
            _ => Err(self.lacks(py, "capability")),
        }
    }

    /// What the person is asked.
    #[getter]
    fn message(&self, py: Python<'_>) -> PyResult<&str> {
        match &self.asks {
            Asks::Request { message, .. } => Ok(message),
            _ => Err(self.lacks(py, "message")),
        }
    }

    /// What the person sees of the payload at first.
    #[getter]
    fn summary(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.asks {
            Asks::Request { summary, .. } => Ok(summary.clone_ref(py)),
            _ => Err(self.lacks(py, "summary")),
        }
    }

    /// The code of the failure that ended the run; None where there is an output.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        match &self.asks {
            Asks::Failed { code, .. } => Ok(Some(PyString::intern(py, code))),
            Asks::Plain(Plain::Finished) => Ok(None),
            _ => Err(self.lacks(py, "code")),
        }
    }

    /// What the error's class needs beside the tool and the action.
    #[getter]
    fn details(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        match &self.asks {
            Asks::Failed { details, .. } => Ok(details.clone_ref(py)),
            _ => Err(self.lacks(py, "details")),
        }
    }

    /// What the error of the undo handler says; None where the run is undone.
    #[getter]
    fn error(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        match &self.asks {
            Asks::UndoFailed { message } => Ok(Some(message)),
            Asks::Plain(Plain::Finished) => Ok(None),
            _ => Err(self.lacks(py, "error")),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("ToolStep(kind='{}')", self.kind(py))
    }
}

impl ToolStep {
    fn lacks(&self, py: Python<'_>, field: &str) -> PyErr {
        PyAttributeError::new_err(format!("a step '{}' has no {field}", self.kind(py)))
    }
}
