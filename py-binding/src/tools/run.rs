//! A tool's run, step by step, for the loop of Python's executor.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolwire::lifecycle::{
    Answer, Execution, OutputFacts, Permit, Run, RunFailure, Settings, Step, microseconds,
    seconds_of_ms, whole_ms,
};
use toolwire::redact::Redaction;

use super::approval_detail::ApprovalDetail;
use super::clock::moment;
use super::event;
use super::redaction::{Secrets, summary};
use super::step::ToolStep;
use super::word::{optional_id, optional_word, word};
use crate::host::error::raise;
use crate::host::json;
use crate::host::value::{bound_json, not_finite_in, shown_json, to_json};

/// An executor's settings for its runs.
#[pyclass(frozen, module = "toolwire._native")]
pub struct RunSettings {
    core: Settings,
    redaction: Arc<Redaction>,
}

#[pymethods]
impl RunSettings {
    #[new]
    #[pyo3(signature = (
        secrets, *, emit_events, ask_approval, approval_timeout_seconds, store_undo, ask_permission
    ))]
    #[allow(clippy::fn_params_excessive_bools, reason = "each is named where it is given")]
    fn new(
        secrets: &Secrets,
        emit_events: bool,
        ask_approval: bool,
        approval_timeout_seconds: f64,
        store_undo: bool,
        ask_permission: bool,
    ) -> Self {
        let approval_timeout_ms = whole_ms(microseconds(approval_timeout_seconds));
        let core =
            Settings { emit_events, ask_approval, approval_timeout_ms, store_undo, ask_permission };
        Self { core, redaction: secrets.core() }
    }
}

impl RunSettings {
    pub fn core(&self) -> &Settings {
        &self.core
    }

    pub fn redaction(&self) -> Arc<Redaction> {
        Arc::clone(&self.redaction)
    }
}

/// One run of a tool. Each method gives the answer to the last step and returns the next step.
#[pyclass(module = "toolwire._native")]
pub struct ToolRun {
    execution: Execution,
    tool: Py<PyAny>,
    payload: Py<PyAny>,
    redaction: Arc<Redaction>,
    /// The error of a payload that cannot be checked.
    error: Option<Py<PyAny>>,
}

#[pymethods]
impl ToolRun {
    /// The error of the payload's check, or None.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.error.as_ref().map(|error| error.clone_ref(py))
    }

    /// The payload after the schema's check. It is the action's own object, unless that object
    /// holds integers as floats.
    #[getter]
    fn payload(&self, py: Python<'_>) -> Py<PyAny> {
        self.payload.clone_ref(py)
    }

    /// Returns the detail that a person approves. ``changes`` is None or a tuple of one item: the
    /// changes that a run would make now.
    #[pyo3(signature = (changes=None))]
    fn detail(
        &self,
        py: Python<'_>,
        changes: Option<(Bound<'_, PyAny>,)>,
    ) -> PyResult<ApprovalDetail> {
        let changes = changes.map(|(changes,)| bound_json("the changes", &changes)).transpose()?;
        let payload = self.payload.bind(py);
        let bound = bound_json("the payload", payload)?;
        let shown = shown_json("the payload", payload)?;
        let tool = &self.execution.tool().name;
        let (changes, redaction) = (changes.as_ref(), &self.redaction);
        let origin = self.origin(py)?;
        Ok(ApprovalDetail::new(tool, &bound, &shown, changes, redaction, origin.as_deref()))
    }

    /// The key of the run for services that take one, the same for each attempt.
    #[getter]
    fn idempotency_key(&self) -> &str {
        self.execution.run().idempotency_key()
    }

    /// The tool's definition.
    #[getter]
    fn tool(&self, py: Python<'_>) -> Py<PyAny> {
        self.tool.clone_ref(py)
    }

    /// Answers that the last step was done. A new run whose payload holds a number that is not
    /// finite is denied.
    fn done(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        let answer = match self.bad_number(py) {
            Some(path) => Answer::BadNumber { path },
            None => Answer::Done,
        };
        self.advance(py, answer)
    }

    /// The JSON Pointer to a number of a new run's payload that is not finite, or None.
    fn bad_number(&self, py: Python<'_>) -> Option<String> {
        if self.execution.is_new() { not_finite_in(self.payload.bind(py)) } else { None }
    }

    /// Answers that the caller has permission, or that the limit is not reached.
    fn granted(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, Answer::Granted)
    }

    /// Answers that the caller has no permission.
    fn refused(&mut self, py: Python<'_>, reason: String) -> PyResult<ToolStep> {
        self.advance(py, Answer::Refused { reason })
    }

    /// Answers that the tool has run too often.
    fn limited(&mut self, py: Python<'_>, retry_after_seconds: f64) -> PyResult<ToolStep> {
        let retry_after = microseconds(retry_after_seconds);
        self.advance(py, Permit::Limited { retry_after }.into())
    }

    /// Answers that a person was asked.
    fn requested(
        &mut self,
        request_id: &Bound<'_, PyAny>,
        fingerprint: String,
    ) -> PyResult<ToolStep> {
        let (py, request_id) = (request_id.py(), word(request_id)?);
        self.advance(py, Answer::Requested { request_id, fingerprint: Some(fingerprint) })
    }

    /// Answers that the person decided.
    #[pyo3(signature = (granted, reason, fingerprint))]
    fn decided(
        &mut self,
        py: Python<'_>,
        granted: bool,
        reason: Option<String>,
        fingerprint: Option<String>,
    ) -> PyResult<ToolStep> {
        self.advance(py, Answer::Decided { granted, reason, fingerprint })
    }

    /// Answers with the present fingerprint of the run.
    fn verified(&mut self, py: Python<'_>, fingerprint: String) -> PyResult<ToolStep> {
        self.advance(py, Answer::Fingerprint(fingerprint))
    }

    /// Answers that nobody decided in time.
    fn timed_out(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, Answer::TimedOut)
    }

    /// Answers that the handler gave an output.
    ///
    /// A value that is not an output raises, unless no facts about the output are needed.
    fn output(&mut self, output: &Bound<'_, PyAny>) -> PyResult<ToolStep> {
        let facts = match facts(output) {
            Err(_) if !self.asks_for_facts() => OutputFacts::default(),
            facts => facts?,
        };
        self.advance(output.py(), Answer::Output(facts))
    }

    /// Answers that the handler or a check raised.
    fn raised(&mut self, error: &Bound<'_, PyAny>) -> PyResult<ToolStep> {
        let class = error.get_type().name()?.to_string();
        // An error without a readable text is still an error.
        let message = word(error.as_any()).unwrap_or_default();
        self.advance(error.py(), Answer::Raised { class, message })
    }

    /// Answers that the run is given up.
    fn cancelled(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, Answer::Cancelled)
    }
}

impl ToolRun {
    pub fn new(
        execution: Execution,
        tool: Py<PyAny>,
        payload: Py<PyAny>,
        redaction: Arc<Redaction>,
    ) -> Self {
        Self { execution, tool, payload, redaction, error: None }
    }

    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    pub fn payload_of<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.payload.bind(py)
    }

    /// Where the tool comes from, if its definition says that.
    fn origin(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let origin = self.tool.bind(py).getattr_opt(intern!(py, "origin"))?;
        origin.filter(|origin| !origin.is_none()).map(|origin| word(&origin)).transpose()
    }

    /// Whether events need facts about the output, or undo data may be stored.
    fn asks_for_facts(&self) -> bool {
        self.execution.settings().emit_events || self.execution.tool().undoable
    }

    fn advance(&mut self, py: Python<'_>, answer: Answer) -> PyResult<ToolStep> {
        let step = self.execution.advance(answer, moment()).map_err(|error| raise(py, &error))?;
        let payload = self.payload.bind(py);
        let made = match &step {
            Step::CheckInput => return self.check_input(py),
            Step::ReplaceArguments { arguments } => {
                self.payload = json::value(py, arguments.as_bytes())?.unbind();
                return self.advance(py, Answer::Done);
            }
            Step::Emit(told) => {
                let shown = || summary(payload, &self.redaction);
                Some(event::data(py, told, shown)?.into_any().unbind())
            }
            Step::RequestApproval { .. } => Some(summary(payload, &self.redaction)?.unbind()),
            Step::Finished(Some(failure)) => Some(details(py, failure)?.into_any().unbind()),
            _ => None,
        };
        Ok(ToolStep::new(step, made))
    }

    /// Answers with the payload as JSON. If the payload is not JSON, the run fails.
    fn check_input(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        match to_json("the payload", self.payload.bind(py)) {
            Ok(payload) => self.advance(py, Answer::Arguments(Arc::new(payload))),
            Err(error) => {
                let error = error.into_value(py).into_bound(py).into_any();
                self.error = Some(error.clone().unbind());
                self.raised(&error)
            }
        }
    }
}

/// Returns the values that an error's class needs besides the tool and the action.
pub fn details<'py>(py: Python<'py>, failure: &RunFailure) -> PyResult<Bound<'py, PyDict>> {
    let details = PyDict::new(py);
    match failure {
        RunFailure::PermissionDenied { reason } | RunFailure::ApprovalDenied { reason, .. } => {
            details.set_item("reason", reason)?;
        }
        RunFailure::InvalidInput { problems } | RunFailure::BadNumber { problems } => {
            details.set_item("problems", event::problems(py, problems)?)?;
        }
        RunFailure::RateLimited { retry_after_ms } => {
            details.set_item("retry_after_seconds", seconds_of_ms(*retry_after_ms))?;
        }
        RunFailure::BehaviorNotAllowed { behavior, allowed } => {
            details.set_item("behavior", behavior)?;
            details.set_item("allowed", allowed)?;
        }
        RunFailure::ApprovalTimeout { timeout_ms, .. } => {
            details.set_item("timeout_seconds", seconds_of_ms(*timeout_ms))?;
        }
        RunFailure::Raised { class, message } => {
            details.set_item("class", class)?;
            details.set_item("message", message)?;
        }
        _ => {}
    }
    Ok(details)
}

/// Returns the ids and the behaviour of an action's run in a context.
pub fn about(action: &Bound<'_, PyAny>, ctx: &Bound<'_, PyAny>) -> PyResult<Run> {
    about_id(&action.getattr(intern!(action.py(), "id"))?, ctx)
}

/// Returns the ids and the behaviour of the run of the action with this id in a context.
pub fn about_id(action_id: &Bound<'_, PyAny>, ctx: &Bound<'_, PyAny>) -> PyResult<Run> {
    let py = ctx.py();
    Ok(Run {
        behavior: optional_word(&ctx.getattr(intern!(py, "execution_mode"))?)?,
        pipeline_run_id: optional_id(&ctx.getattr(intern!(py, "pipeline_run_id"))?)?,
        request_id: optional_id(&ctx.getattr(intern!(py, "request_id"))?)?,
        ..Run::new(word(action_id)?)
    })
}

/// Returns the facts about an output that need no look into its data.
fn facts(output: &Bound<'_, PyAny>) -> PyResult<OutputFacts> {
    let py = output.py();
    let success = output.getattr(intern!(py, "success"))?.is_truthy()?;
    let artifacts = output.getattr(intern!(py, "artifacts"))?;
    Ok(OutputFacts {
        success,
        has_data: !output.getattr(intern!(py, "data"))?.is_none(),
        has_error: !output.getattr(intern!(py, "error"))?.is_none(),
        artifacts: if artifacts.is_truthy()? { artifacts.len()? } else { 0 },
        has_undo_metadata: output.getattr(intern!(py, "undo_metadata"))?.is_truthy()?,
    })
}
