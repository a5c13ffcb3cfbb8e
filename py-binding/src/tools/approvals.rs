//! Requests for approval, in a store.

use pyo3::prelude::*;
use serde_json::value::RawValue;
use toolwire::lifecycle::{self, Decision, NewApproval};

use super::clock::now;
use super::store;
use super::store_error::{raise, raise_approval};
use super::word::{optional_word, word};
use crate::json;

/// A request as Python is told of it: id, action, tool, run, message, status, who decided, when, when it was made,
/// the payload's summary, the reason.
type Told = (
    String,
    String,
    String,
    Option<String>,
    String,
    &'static str,
    Option<String>,
    Option<String>,
    String,
    Py<PyAny>,
    Option<String>,
);

/// The requests for approval in a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct Approvals {
    core: lifecycle::Approvals,
}

#[pymethods]
impl Approvals {
    #[new]
    fn new(store: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { core: lifecycle::Approvals::new(store::core(store)?) })
    }

    /// Makes a request; its id and when it was made.
    fn request(
        &self,
        id: Option<&Bound<'_, PyAny>>,
        action_id: &Bound<'_, PyAny>,
        tool_name: &Bound<'_, PyAny>,
        pipeline_run_id: &Bound<'_, PyAny>,
        approval_message: &Bound<'_, PyAny>,
        payload_summary: Option<String>,
    ) -> PyResult<(String, String)> {
        let py = action_id.py();
        let payload_summary = payload_summary.map(RawValue::from_string).transpose();
        let new = NewApproval {
            id: id.map(word).transpose()?,
            action_id: word(action_id)?,
            tool_name: word(tool_name)?,
            pipeline_run_id: optional_word(pipeline_run_id)?,
            approval_message: word(approval_message)?,
            payload_summary: payload_summary
                .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?,
            expires_at: None,
        };
        let made = py.detach(|| self.core.request(new, now())).map_err(|error| raise(py, error))?;
        Ok((made.id, made.created_at.to_string()))
    }

    /// Takes a decision; the request.
    fn decide(
        &self,
        py: Python<'_>,
        id: &Bound<'_, PyAny>,
        granted: bool,
        decided_by: &Bound<'_, PyAny>,
        reason: &Bound<'_, PyAny>,
    ) -> PyResult<Told> {
        let id = word(id)?;
        let decision =
            Decision { granted, decided_by: optional_word(decided_by)?, reason: optional_word(reason)? };
        let decided = py.detach(|| self.core.decide(&id, &decision, now()));
        told(py, decided.map_err(|error| raise_approval(py, error))?)
    }

    /// Takes a request back; whether it was pending.
    fn cancel(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = word(id)?;
        py.detach(|| self.core.cancel(&id, now())).map_err(|error| raise(py, error))
    }

    /// Ends a request that nobody decided in time; whether it was pending.
    fn expire(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = word(id)?;
        py.detach(|| self.core.expire(&id, now())).map_err(|error| raise(py, error))
    }

    /// A request, or None.
    fn get(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<Told>> {
        let id = word(id)?;
        let request = py.detach(|| self.core.get(&id, now())).map_err(|error| raise(py, error))?;
        request.map(|request| told(py, request)).transpose()
    }

    /// Where a request stands, in a word, or None.
    fn look(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let id = word(id)?;
        let status = py.detach(|| self.core.look(&id, now())).map_err(|error| raise(py, error))?;
        Ok(status.map(lifecycle::ApprovalStatus::as_str))
    }

    /// Where a request, or the newest one of an action, stands, in a word, or None.
    fn status(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let id = word(id)?;
        let status = py.detach(|| self.core.status(&id, now())).map_err(|error| raise(py, error))?;
        Ok(status.map(lifecycle::ApprovalStatus::as_str))
    }

    /// The pending requests, of one run or of all.
    fn pending(&self, py: Python<'_>, run: &Bound<'_, PyAny>) -> PyResult<Vec<Told>> {
        let run = optional_word(run)?;
        let pending =
            py.detach(|| self.core.pending(run.as_deref(), now())).map_err(|error| raise(py, error))?;
        pending.into_iter().map(|request| told(py, request)).collect()
    }

    /// Forgets a request.
    fn cleanup(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<()> {
        let id = word(id)?;
        py.detach(|| self.core.cleanup(&id, now())).map_err(|error| raise(py, error))
    }

    /// Whether others may decide without this process hearing of it.
    fn shared(&self, py: Python<'_>) -> bool {
        py.detach(|| self.core.shared())
    }
}

fn told(py: Python<'_>, request: lifecycle::ApprovalRequest) -> PyResult<Told> {
    Ok((
        request.id,
        request.action_id,
        request.tool_name,
        request.pipeline_run_id,
        request.approval_message,
        request.status.as_str(),
        request.decided_by,
        request.decided_at.map(|at| at.to_string()),
        request.created_at.to_string(),
        json::value(py, request.payload_summary.get().as_bytes())?.unbind(),
        request.reason,
    ))
}
