//! The detail that a person approves: the whole arguments without their secrets, and a fingerprint.

use pyo3::prelude::*;
use serde_json::Value;
use toolwire::lifecycle;
use toolwire::redact::Redaction;

/// What a request for approval holds besides its summary.
#[pyclass(frozen, module = "toolwire._native")]
pub struct ApprovalDetail {
    core: lifecycle::ApprovalDetail,
}

#[pymethods]
impl ApprovalDetail {
    /// The whole arguments as JSON text, without their secrets.
    #[getter]
    fn arguments(&self) -> String {
        self.core.arguments.to_string()
    }

    /// The length of the arguments as JSON, in bytes, secrets included.
    #[getter]
    fn size(&self) -> usize {
        self.core.size
    }

    /// The hash that binds an approval to a run: the SHA-256 of tool, arguments and changes, and of
    /// the tool's origin, if it has one.
    #[getter]
    fn fingerprint(&self) -> &str {
        &self.core.fingerprint
    }

    fn __repr__(&self) -> String {
        format!("ApprovalDetail(size={}, fingerprint='{}')", self.core.size, self.core.fingerprint)
    }
}

impl ApprovalDetail {
    /// Makes the detail of a run. The fingerprint binds the arguments `bound`; a person sees the
    /// arguments `shown`.
    pub fn new(
        tool: &str,
        bound: &Value,
        shown: &Value,
        changes: Option<&Value>,
        redaction: &Redaction,
        origin: Option<&str>,
    ) -> Self {
        let core = lifecycle::ApprovalDetail::new(tool, bound, changes, redaction);
        let core = match origin {
            Some(origin) => core.with_origin(origin),
            None => core,
        };
        Self { core: lifecycle::ApprovalDetail { arguments: redaction.masked(shown), ..core } }
    }

    /// Returns the detail as core's type.
    pub fn core(&self) -> &lifecycle::ApprovalDetail {
        &self.core
    }
}
