//! A request for approval as a store holds it.

use pyo3::prelude::*;
use toolwire::lifecycle::ApprovalRequest;

use crate::host::json;

/// A request for approval as a store holds it: ids as texts, times as ISO 8601.
#[pyclass(frozen, module = "toolwire._native")]
pub struct ApprovalRecord {
    core: ApprovalRequest,
}

impl From<ApprovalRequest> for ApprovalRecord {
    fn from(core: ApprovalRequest) -> Self {
        Self { core }
    }
}

#[pymethods]
impl ApprovalRecord {
    #[getter]
    fn id(&self) -> &str {
        &self.core.id
    }

    #[getter]
    fn run_id(&self) -> &str {
        &self.core.run_id
    }

    #[getter]
    fn tool_name(&self) -> &str {
        &self.core.tool_name
    }

    #[getter]
    fn parent_id(&self) -> Option<&str> {
        self.core.parent_id.as_deref()
    }

    /// The question for the person.
    #[getter]
    fn approval_message(&self) -> &str {
        &self.core.approval_message
    }

    #[getter]
    fn status(&self) -> &'static str {
        self.core.status.slug()
    }

    #[getter]
    fn decided_by(&self) -> Option<&str> {
        self.core.decision.decided_by.as_deref()
    }

    #[getter]
    fn decided_at(&self) -> Option<String> {
        self.core.decision.decided_at.map(|at| at.to_string())
    }

    #[getter]
    fn created_at(&self) -> String {
        self.core.created_at.to_string()
    }

    /// The summary of the action that the person sees. Each read gives a new value.
    #[getter]
    fn payload_summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, self.core.payload_summary.get().as_bytes())
    }

    /// The reason of the decision.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.core.decision.reason.as_deref()
    }

    /// The last moment at which the request may be decided.
    #[getter]
    fn expires_at(&self) -> Option<String> {
        self.core.expires_at.map(|at| at.to_string())
    }

    /// The length of the whole arguments as JSON, in bytes.
    #[getter]
    fn size(&self) -> Option<usize> {
        self.core.size
    }

    /// The hash that binds an approval to a run.
    #[getter]
    fn fingerprint(&self) -> Option<&str> {
        self.core.fingerprint.as_deref()
    }

    /// Whether the action may run, or None if nobody decided.
    #[getter]
    fn granted(&self) -> Option<bool> {
        self.core.outcome().is_granted()
    }

    /// The fingerprint that the deciding person saw.
    #[getter]
    fn decided_fingerprint(&self) -> Option<&str> {
        self.core.decision.decided_fingerprint.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("ApprovalRecord(id='{}', status='{}')", self.core.id, self.core.status.slug())
    }
}
