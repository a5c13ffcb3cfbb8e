//! Requests for approval, in a store.

use pyo3::prelude::*;
use serde_json::value::RawValue;
use toolwire::lifecycle::{self, Decision, NewApproval};

use super::approval_detail::ApprovalDetail;
use super::clock::{micros, now};
use super::store;
use super::store_error::{raise, raise_approval};
use super::word::{optional_word, word};
use crate::json;

/// A request as Python is told of it: id, action, tool, run, message, status, who decided, when, when it was made,
/// the payload's summary, the reason, and what a run adds.
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
    Added,
);

/// What a run adds to its request: until when it may be decided, the bytes of its arguments, its fingerprint, and
/// the one that was seen by who decided.
type Added = (Option<String>, Option<usize>, Option<String>, Option<String>);

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

    /// Makes a request; its id, when it was made, and until when it may be decided.
    #[allow(clippy::too_many_arguments, reason = "they are the fields of a request")]
    fn request(
        &self,
        id: Option<&Bound<'_, PyAny>>,
        action_id: &Bound<'_, PyAny>,
        tool_name: &Bound<'_, PyAny>,
        pipeline_run_id: &Bound<'_, PyAny>,
        approval_message: &Bound<'_, PyAny>,
        payload_summary: Option<String>,
        detail: Option<&Bound<'_, ApprovalDetail>>,
        timeout_seconds: Option<f64>,
    ) -> PyResult<(String, String, Option<String>)> {
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
            detail: detail.map(|detail| detail.get().core().clone()),
            expires_at: timeout_seconds.map(|seconds| now().saturating_add(micros(seconds))),
        };
        let made = py.detach(|| self.core.request(new, now())).map_err(|error| raise(py, error))?;
        Ok((made.id, made.created_at.to_string(), made.expires_at.map(|at| at.to_string())))
    }

    /// Takes a decision; the request.
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
    ) -> PyResult<Told> {
        let id = word(id)?;
        let (decided_by, reason) = (optional_word(decided_by)?, optional_word(reason)?);
        let decision = Decision { granted, decided_by, reason, fingerprint, present };
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

    /// The whole arguments of a pending request as JSON text, without their secrets, or None.
    fn arguments(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let id = word(id)?;
        let arguments = py.detach(|| self.core.arguments(&id, now())).map_err(|error| raise(py, error))?;
        Ok(arguments.map(|arguments| arguments.get().to_owned()))
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

    /// A request, or the one of an action that a decision would be on, or None.
    fn find(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<Told>> {
        let id = word(id)?;
        let request = py.detach(|| self.core.find(&id, now())).map_err(|error| raise(py, error))?;
        request.map(|request| told(py, request)).transpose()
    }

    /// Every request.
    fn all(&self, py: Python<'_>) -> PyResult<Vec<Told>> {
        let all = py.detach(|| self.core.all(now())).map_err(|error| raise(py, error))?;
        all.into_iter().map(|request| told(py, request)).collect()
    }

    /// Notes that one waits for a request for some seconds more; the name of who waits.
    #[pyo3(signature = (id, name, seconds))]
    fn wait(
        &self,
        py: Python<'_>,
        id: &Bound<'_, PyAny>,
        name: Option<&str>,
        seconds: f64,
    ) -> PyResult<String> {
        let (id, until) = (word(id)?, now().saturating_add(micros(seconds)));
        py.detach(|| self.core.wait(&id, name, until, now())).map_err(|error| raise(py, error))
    }

    /// Notes that one waits no longer.
    fn leave(&self, py: Python<'_>, id: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let id = word(id)?;
        py.detach(|| self.core.leave(&id, name, now())).map_err(|error| raise(py, error))
    }

    /// Who goes on with a request's action once it is decided, in a word, or None.
    fn waiter(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let id = word(id)?;
        let waiter = py.detach(|| match self.core.get(&id, now())? {
            Some(request) => self.core.waiter(&request, now()).map(Some),
            None => Ok(None),
        });
        Ok(waiter.map_err(|error| raise(py, error))?.map(lifecycle::Waiter::as_str))
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
        (
            request.expires_at.map(|at| at.to_string()),
            request.size,
            request.fingerprint,
            request.decided_fingerprint,
        ),
    ))
}
