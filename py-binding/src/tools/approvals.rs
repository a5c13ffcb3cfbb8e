//! Requests for approval in a store.

use pyo3::prelude::*;
use serde_json::json;
use serde_json::value::RawValue;
use toolwire::lifecycle::{self, Decision, NewApproval, Page, microseconds};

use super::approval_detail::ApprovalDetail;
use super::approval_record::ApprovalRecord;
use super::clock::now;
use super::store;
use super::store_error::{raise, raise_approval};
use super::word::{optional_id, optional_word, word};
use crate::host::json;

/// The requests for approval of a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct Approvals {
    core: lifecycle::Approvals,
}

impl Approvals {
    pub fn core(&self) -> &lifecycle::Approvals {
        &self.core
    }
}

#[pymethods]
impl Approvals {
    /// The default time for which a request is kept after it is closed.
    #[classattr]
    const RETENTION_SECONDS: f64 = lifecycle::seconds(lifecycle::Approvals::RETENTION);

    #[new]
    #[pyo3(signature = (store, retention_seconds=None))]
    fn new(store: &Bound<'_, PyAny>, retention_seconds: Option<f64>) -> PyResult<Self> {
        let approvals = lifecycle::Approvals::new(store::core(store)?);
        let core = match retention_seconds {
            Some(seconds) => approvals.with_retention(microseconds(seconds)),
            None => approvals,
        };
        Ok(Self { core })
    }

    /// Makes a request.
    #[allow(clippy::too_many_arguments, reason = "they are the fields of a request")]
    fn request(
        &self,
        id: Option<&Bound<'_, PyAny>>,
        run_id: &Bound<'_, PyAny>,
        tool_name: &Bound<'_, PyAny>,
        parent_id: &Bound<'_, PyAny>,
        approval_message: &Bound<'_, PyAny>,
        payload_summary: Option<String>,
        detail: Option<&Bound<'_, ApprovalDetail>>,
        timeout_seconds: Option<f64>,
    ) -> PyResult<ApprovalRecord> {
        let py = run_id.py();
        let payload_summary = payload_summary.map(RawValue::from_string).transpose();
        let new = NewApproval {
            id: id.map(word).transpose()?,
            run_id: word(run_id)?,
            tool_name: word(tool_name)?,
            parent_id: optional_word(parent_id)?,
            approval_message: word(approval_message)?,
            payload_summary: payload_summary
                .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?,
            detail: detail.map(|detail| detail.get().core().clone()),
            expires_at: timeout_seconds.map(|seconds| now().saturating_add(microseconds(seconds))),
        };
        let made = py.detach(|| self.core.request(new, now())).map_err(|error| raise(py, error))?;
        Ok(made.into())
    }

    /// Takes a decision, and returns the request.
    #[allow(clippy::too_many_arguments, reason = "they are the fields of a decision")]
    fn decide(
        &self,
        py: Python<'_>,
        id: &Bound<'_, PyAny>,
        granted: bool,
        decided_by: &Bound<'_, PyAny>,
        reason: &Bound<'_, PyAny>,
        fingerprint: Option<String>,
        present: Option<String>,
    ) -> PyResult<ApprovalRecord> {
        let id = word(id)?;
        let (decided_by, reason) = (optional_word(decided_by)?, optional_word(reason)?);
        let decision = Decision { granted, decided_by, reason, fingerprint, present };
        let decided = py.detach(|| self.core.decide(&id, &decision, now()));
        Ok(decided.map_err(|error| raise_approval(py, error))?.into())
    }

    /// Cancels a request, and says whether it was pending.
    fn cancel(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = word(id)?;
        py.detach(|| self.core.cancel(&id, now())).map_err(|error| raise(py, error))
    }

    /// Marks a request as expired, and says whether it was pending.
    fn expire(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = word(id)?;
        py.detach(|| self.core.expire(&id, now())).map_err(|error| raise(py, error))
    }

    /// Returns a request, or None.
    fn get(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<ApprovalRecord>> {
        let id = word(id)?;
        let request = py.detach(|| self.core.get(&id, now())).map_err(|error| raise(py, error))?;
        Ok(request.map(ApprovalRecord::from))
    }

    /// Returns the whole arguments of a pending request as JSON text, without their secrets, or
    /// None.
    fn arguments(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let id = word(id)?;
        let arguments =
            py.detach(|| self.core.arguments(&id, now())).map_err(|error| raise(py, error))?;
        Ok(arguments.map(|arguments| arguments.get().to_owned()))
    }

    /// Returns the changes that the run of a pending request would make, each as a dict, or None.
    fn changes<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let id = word(id)?;
        let changes =
            py.detach(|| self.core.changes(&id, now())).map_err(|error| raise(py, error))?;
        changes.map(|changes| json::value(py, json!(changes).to_string().as_bytes())).transpose()
    }

    /// Returns the status of a request as a word, or None.
    fn look(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let id = word(id)?;
        let status = py.detach(|| self.core.look(&id, now())).map_err(|error| raise(py, error))?;
        Ok(status.map(lifecycle::ApprovalStatus::slug))
    }

    /// Returns the status of the request that ``find`` returns, as a word, or None.
    fn status(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let id = word(id)?;
        let status =
            py.detach(|| self.core.status(&id, now())).map_err(|error| raise(py, error))?;
        Ok(status.map(lifecycle::ApprovalStatus::slug))
    }

    /// Returns the request with an id, or the request of an action that a decision would apply to,
    /// or None.
    fn find(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<ApprovalRecord>> {
        let id = word(id)?;
        let request = py.detach(|| self.core.find(&id, now())).map_err(|error| raise(py, error))?;
        Ok(request.map(ApprovalRecord::from))
    }

    /// Returns every request, or a page of them.
    #[pyo3(signature = (limit=None, after=None))]
    fn all(
        &self,
        py: Python<'_>,
        limit: Option<usize>,
        after: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<ApprovalRecord>> {
        let after = after.map(word).transpose()?;
        let page = Page { limit, after: after.as_deref() };
        let all = py
            .detach(|| self.core.all_page(page, now()))
            .map_err(|error| raise_approval(py, error))?;
        Ok(all.into_iter().map(ApprovalRecord::from).collect())
    }

    /// Records that a process waits for a request for some more seconds, and returns the waiter's
    /// name.
    #[pyo3(signature = (id, name, seconds))]
    fn wait(
        &self,
        py: Python<'_>,
        id: &Bound<'_, PyAny>,
        name: Option<&str>,
        seconds: f64,
    ) -> PyResult<String> {
        let (id, until) = (word(id)?, now().saturating_add(microseconds(seconds)));
        py.detach(|| self.core.wait(&id, name, until, now())).map_err(|error| raise(py, error))
    }

    /// Records that a waiter no longer waits.
    fn leave(&self, py: Python<'_>, id: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let id = word(id)?;
        py.detach(|| self.core.leave(&id, name, now())).map_err(|error| raise(py, error))
    }

    /// Returns what continues a request's action after the decision, as a word, or None.
    fn waiter(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let id = word(id)?;
        let waiter = py.detach(|| match self.core.get(&id, now())? {
            Some(request) => self.core.waiter(&request, now()).map(Some),
            None => Ok(None),
        });
        Ok(waiter.map_err(|error| raise(py, error))?.map(lifecycle::Waiter::slug))
    }

    /// Returns the pending requests, of one run or of all, or a page of them.
    #[pyo3(signature = (run, limit=None, after=None))]
    fn pending(
        &self,
        py: Python<'_>,
        run: &Bound<'_, PyAny>,
        limit: Option<usize>,
        after: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<ApprovalRecord>> {
        let (run, after) = (optional_id(run)?, after.map(word).transpose()?);
        let page = Page { limit, after: after.as_deref() };
        let pending = py.detach(|| self.core.pending_page(run.as_deref(), page, now()));
        let pending = pending.map_err(|error| raise_approval(py, error))?;
        Ok(pending.into_iter().map(ApprovalRecord::from).collect())
    }

    /// Deletes a request.
    fn cleanup(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<()> {
        let id = word(id)?;
        py.detach(|| self.core.cleanup(&id, now())).map_err(|error| raise(py, error))
    }

    /// Whether another process may decide without notice to this one.
    fn shared(&self, py: Python<'_>) -> bool {
        py.detach(|| self.core.shared())
    }
}
