//! A step of a run or of an undoing: the task for Python, with its fields.

use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolwire::lifecycle::{RunEvent, Step, UndoStep};

/// A step that Python takes. Each kind has its own fields. A read of another field raises
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
    asked: Asked,
    /// The Python value that was made with the step: the fields of the event, the summary of the
    /// payload, or the details of the failure.
    made: Option<Py<PyAny>>,
}

/// The step of core.
pub enum Asked {
    Run(Step),
    Undoing(UndoStep),
}

impl From<Step> for Asked {
    fn from(step: Step) -> Self {
        Self::Run(step)
    }
}

impl From<UndoStep> for Asked {
    fn from(step: UndoStep) -> Self {
        Self::Undoing(step)
    }
}

impl Asked {
    /// Returns the kind of the step, by its name in Python.
    fn kind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        match self {
            Self::Run(step) => match step {
                Step::Emit(_) => intern!(py, "emit"),
                Step::CheckInput => intern!(py, "input"),
                Step::ReplaceArguments { .. } => intern!(py, "replace"),
                Step::CheckPermission { .. } => intern!(py, "permission"),
                Step::CheckLimit => intern!(py, "limit"),
                Step::RequestApproval { .. } => intern!(py, "request"),
                Step::AwaitApproval { .. } => intern!(py, "await"),
                Step::VerifyApproval => intern!(py, "verify"),
                Step::CancelApproval { .. } => intern!(py, "withdraw"),
                Step::Run => intern!(py, "run"),
                Step::StoreUndo => intern!(py, "keep"),
                Step::Finished(_) => intern!(py, "finished"),
            },
            Self::Undoing(step) => match step {
                UndoStep::Emit(_) => intern!(py, "emit"),
                UndoStep::Run => intern!(py, "run"),
                UndoStep::Forget => intern!(py, "forget"),
                UndoStep::Release => intern!(py, "release"),
                UndoStep::Finished(_) => intern!(py, "finished"),
            },
        }
    }

    fn event(&self) -> Option<&RunEvent> {
        match self {
            Self::Run(Step::Emit(event)) | Self::Undoing(UndoStep::Emit(event)) => Some(event),
            _ => None,
        }
    }
}

#[pymethods]
impl ToolStep {
    /// The kind of the step.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.asked.kind(py)
    }

    /// The name of the event.
    #[getter]
    fn event<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let event = self.asked.event().ok_or_else(|| self.lacks(py, "event"))?;
        Ok(PyString::intern(py, event.kind.slug()))
    }

    /// The fields of the event.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.made(py, "data", self.asked.event().is_some())
    }

    /// The capability that the tool needs, or None if it names none.
    #[getter]
    fn capability(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        match &self.asked {
            Asked::Run(Step::CheckPermission { capability }) => Ok(capability.as_deref()),
            _ => Err(self.lacks(py, "capability")),
        }
    }

    /// The question for the person.
    #[getter]
    fn message(&self, py: Python<'_>) -> PyResult<&str> {
        match &self.asked {
            Asked::Run(Step::RequestApproval { message }) => Ok(message),
            _ => Err(self.lacks(py, "message")),
        }
    }

    /// The summary of the payload that the person sees first.
    #[getter]
    fn summary(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let asks = matches!(self.asked, Asked::Run(Step::RequestApproval { .. }));
        self.made(py, "summary", asks)
    }

    /// The code of the failure that ended the run, or None if there is an output.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        match &self.asked {
            Asked::Run(Step::Finished(failure)) => {
                Ok(failure.as_ref().map(|failure| PyString::intern(py, failure.code().slug())))
            }
            _ => Err(self.lacks(py, "code")),
        }
    }

    /// The values that the error's class needs besides the tool and the action.
    #[getter]
    fn details(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.made(py, "details", matches!(self.asked, Asked::Run(Step::Finished(_))))
    }

    /// The message of the undo handler's error, or None if the run is undone.
    #[getter]
    fn error(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        match &self.asked {
            Asked::Undoing(UndoStep::Finished(failed)) => Ok(failed.as_deref()),
            _ => Err(self.lacks(py, "error")),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("ToolStep(kind='{}')", self.kind(py))
    }
}

impl ToolStep {
    /// Makes a step from core's step and the Python value for it.
    pub fn new(asked: impl Into<Asked>, made: Option<Py<PyAny>>) -> Self {
        Self { asked: asked.into(), made }
    }

    fn made(&self, py: Python<'_>, field: &str, is_of_kind: bool) -> PyResult<Py<PyAny>> {
        match &self.made {
            Some(made) if is_of_kind => Ok(made.clone_ref(py)),
            _ => Err(self.lacks(py, field)),
        }
    }

    fn lacks(&self, py: Python<'_>, field: &str) -> PyErr {
        PyAttributeError::new_err(format!("a step '{}' has no {field}", self.kind(py)))
    }
}
