//! A step of a run or of an undoing: the task for Python, with its fields.

use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolwire::lifecycle::{
    ApprovalsStep, DriveEnd, Need, NotKept, RunEvent, Runs, RunsStep, Step, StoreAnswer, UndoStep,
};

use super::approvals::Approvals;
use super::clock::moment;
use super::runs::RunTable;
use super::store_error;

/// A step that Python takes. Each kind has its own fields. A read of another field raises
/// ``AttributeError``.
///
/// | kind | fields |
/// |---|---|
/// | ``emit`` | ``event``, ``data`` |
/// | ``permission`` | ``capability`` |
/// | ``request`` | ``tool_name``, ``message``, ``summary`` |
/// | ``read``, ``write``, ``settle`` | ``perform`` |
/// | ``ask`` | ``ask`` |
/// | ``find`` | ``began`` |
/// | ``tool``, ``hear`` | ``record`` |
/// | ``withdraw`` | ``request_id`` |
/// | ``limit``, ``show``, ``await``, ``verify`` | |
/// | ``run``, ``keep``, ``raise``, ``forget``, ``release`` | |
/// | ``finished`` of a run | ``state``, ``code``, ``details``, ``is_lost`` |
/// | ``finished`` of an undoing | ``error`` |
/// | ``standing``, ``reused`` | ``record`` |
/// | ``proposed`` | ``fingerprint`` |
/// | ``suspended``, ``unknown``, ``forgotten``, ``failed`` | |
#[pyclass(frozen, module = "toolwire._native")]
pub struct ToolStep {
    asked: Asked,
    /// The Python value that was made with the step: the fields of the event, the summary of the
    /// payload, the run of the store, or the details of the failure.
    made: Option<Py<PyAny>>,
}

/// What core asks.
pub enum Asked {
    Run(Box<Need>),
    /// Nothing more: the run has ended.
    Ended {
        state: &'static str,
        code: Option<&'static str>,
        not_kept: Option<NotKept>,
    },
    Undoing(UndoStep),
}

impl From<Need> for Asked {
    fn from(need: Need) -> Self {
        Self::Run(Box::new(need))
    }
}

impl From<UndoStep> for Asked {
    fn from(step: UndoStep) -> Self {
        Self::Undoing(step)
    }
}

/// What a store gave for a step.
#[pyclass(frozen, module = "toolwire._native")]
pub struct StoreReply {
    core: StoreAnswer,
}

#[pymethods]
impl StoreReply {
    /// The id of the request for approval that was made, or None.
    #[getter]
    fn request_id(&self) -> Option<&str> {
        match &self.core {
            StoreAnswer::Requested(request_id) => Some(request_id),
            _ => None,
        }
    }
}

impl StoreReply {
    pub fn core(&self) -> &StoreAnswer {
        &self.core
    }
}

/// Returns the kind of what a run needs, by its name in Python.
fn kind_of<'py>(py: Python<'py>, need: &Need) -> &'py Bound<'py, PyString> {
    match need {
        Need::Step(step) => match step {
            Step::Emit(_) => intern!(py, "emit"),
            Step::CheckInput => intern!(py, "input"),
            Step::ReplaceArguments { .. } => intern!(py, "replace"),
            Step::CheckPermission { .. } => intern!(py, "permission"),
            Step::CheckLimit => intern!(py, "limit"),
            Step::RequestApproval { .. } => intern!(py, "show"),
            Step::AwaitApproval { .. } => intern!(py, "await"),
            Step::VerifyApproval => intern!(py, "verify"),
            Step::CancelApproval { .. } => intern!(py, "withdraw"),
            Step::Run => intern!(py, "run"),
            Step::StoreUndo => intern!(py, "keep"),
            Step::Finished(_) => intern!(py, "finished"),
        },
        Need::Runs(RunsStep::Get { .. }) => intern!(py, "read"),
        Need::Runs(RunsStep::Settle { .. }) => intern!(py, "settle"),
        Need::Runs(_) => intern!(py, "write"),
        Need::Ask(_) => intern!(py, "ask"),
        Need::Approvals(step) => match step {
            ApprovalsStep::Hear { .. } => intern!(py, "hear"),
            ApprovalsStep::Find { .. } => intern!(py, "find"),
            ApprovalsStep::Request { .. } => intern!(py, "request"),
            ApprovalsStep::Cancel { .. } => intern!(py, "withdraw"),
        },
        Need::Tool(_) => intern!(py, "tool"),
        Need::Raise => intern!(py, "raise"),
        Need::End(end) => match end {
            DriveEnd::Ended { .. } => intern!(py, "finished"),
            DriveEnd::Waiting => intern!(py, "suspended"),
            DriveEnd::Standing(_) => intern!(py, "standing"),
            DriveEnd::Reused(_) => intern!(py, "reused"),
            DriveEnd::Unknown => intern!(py, "unknown"),
            DriveEnd::Forgotten { .. } => intern!(py, "forgotten"),
            DriveEnd::Proposed { .. } => intern!(py, "proposed"),
            DriveEnd::Failed => intern!(py, "failed"),
        },
    }
}

impl Asked {
    /// Returns the kind of the step, by its name in Python.
    fn kind<'py>(&self, py: Python<'py>) -> &'py Bound<'py, PyString> {
        match self {
            Self::Run(need) => kind_of(py, need),
            Self::Ended { .. } => intern!(py, "finished"),
            Self::Undoing(step) => match step {
                UndoStep::Emit(_) => intern!(py, "emit"),
                UndoStep::Run => intern!(py, "run"),
                UndoStep::Forget => intern!(py, "forget"),
                UndoStep::Release => intern!(py, "release"),
                UndoStep::Finished(_) => intern!(py, "finished"),
            },
        }
    }

    fn need(&self) -> Option<&Need> {
        match self {
            Self::Run(need) => Some(need),
            _ => None,
        }
    }

    fn event(&self) -> Option<&RunEvent> {
        match (self, self.need()) {
            (Self::Undoing(UndoStep::Emit(event)), _)
            | (_, Some(Need::Step(Step::Emit(event)))) => Some(event),
            _ => None,
        }
    }
}

#[pymethods]
impl ToolStep {
    /// The kind of the step.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> &'py Bound<'py, PyString> {
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
        match self.asked.need() {
            Some(Need::Step(Step::CheckPermission { capability })) => Ok(capability.as_deref()),
            _ => Err(self.lacks(py, "capability")),
        }
    }

    /// The question for the person.
    #[getter]
    fn message(&self, py: Python<'_>) -> PyResult<&str> {
        match self.asked.need() {
            Some(Need::Approvals(ApprovalsStep::Request { new, .. })) => Ok(&new.approval_message),
            _ => Err(self.lacks(py, "message")),
        }
    }

    /// When the run began, in microseconds since 1970: an older request was for another run.
    #[getter]
    fn began(&self, py: Python<'_>) -> PyResult<i64> {
        match self.asked.need() {
            Some(Need::Approvals(ApprovalsStep::Find { began, .. })) => Ok(*began),
            _ => Err(self.lacks(py, "began")),
        }
    }

    /// The tool that a person is asked about.
    #[getter]
    fn tool_name(&self, py: Python<'_>) -> PyResult<&str> {
        match self.asked.need() {
            Some(Need::Approvals(ApprovalsStep::Request { new, .. })) => Ok(&new.tool_name),
            _ => Err(self.lacks(py, "tool_name")),
        }
    }

    /// The summary of the payload that the person sees first.
    #[getter]
    fn summary(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let need = self.asked.need();
        let asks = matches!(need, Some(Need::Approvals(ApprovalsStep::Request { .. })));
        self.made(py, "summary", asks)
    }

    /// The fingerprint of the run with the proposed arguments.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<&str> {
        match self.asked.need() {
            Some(Need::End(DriveEnd::Proposed { fingerprint })) => Ok(fingerprint),
            _ => Err(self.lacks(py, "fingerprint")),
        }
    }

    /// The run as the store has it.
    #[getter]
    fn record(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let has_record = match self.asked.need() {
            Some(Need::Tool(_) | Need::Approvals(ApprovalsStep::Hear { .. })) => true,
            Some(Need::End(end)) => matches!(end, DriveEnd::Standing(_) | DriveEnd::Reused(_)),
            _ => false,
        };
        self.made(py, "record", has_record)
    }

    /// Performs the operation on the runs of a store.
    fn perform(&self, py: Python<'_>, table: &RunTable) -> PyResult<StoreReply> {
        let Some(Need::Runs(step)) = self.asked.need() else {
            return Err(self.lacks(py, "perform"));
        };
        let done = py.detach(|| step.perform(table.core(), Runs::LEASE, moment()));
        let core = done.map_err(|error| store_error::raise_run(py, error))?;
        Ok(StoreReply { core })
    }

    /// Makes a request for approval, and gives the run to the store meanwhile.
    fn ask(&self, py: Python<'_>, table: &RunTable, approvals: &Approvals) -> PyResult<StoreReply> {
        let Some(Need::Ask(step)) = self.asked.need() else {
            return Err(self.lacks(py, "ask"));
        };
        let done = py.detach(|| step.perform(table.core(), approvals.core(), moment()));
        let core = done.map_err(|error| store_error::raise_run(py, error))?;
        Ok(StoreReply { core })
    }

    /// The id of the request that is to be cancelled.
    #[getter]
    fn request_id(&self, py: Python<'_>) -> PyResult<&str> {
        match self.asked.need() {
            Some(
                Need::Approvals(ApprovalsStep::Cancel { request_id })
                | Need::Step(Step::CancelApproval { request_id }),
            ) => Ok(request_id),
            _ => Err(self.lacks(py, "request_id")),
        }
    }

    /// The state of the run that has ended.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<&'static str> {
        match &self.asked {
            Asked::Ended { state, .. } => Ok(state),
            _ => Err(self.lacks(py, "state")),
        }
    }

    /// The code of the failure that ended the run, or None if there is an output.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        match &self.asked {
            Asked::Ended { code, .. } => Ok(code.map(|code| PyString::intern(py, code))),
            _ => Err(self.lacks(py, "code")),
        }
    }

    /// The values that the error's class needs besides the tool and the action.
    #[getter]
    fn details(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.made(py, "details", matches!(self.asked, Asked::Ended { .. }))
    }

    /// None if the store has the end of the run, or needs none; else whether another process has
    /// the run, or the store failed.
    #[getter]
    fn is_lost(&self, py: Python<'_>) -> PyResult<Option<bool>> {
        match &self.asked {
            Asked::Ended { not_kept, .. } => Ok(not_kept.map(|why| why == NotKept::Lost)),
            _ => Err(self.lacks(py, "is_lost")),
        }
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
