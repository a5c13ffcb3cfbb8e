//! A tool's run, step by step: what Python's executor loops over.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolwire::lifecycle::{
    Answer, Execution, Failure, OutputFacts, Permit, Run, Settings, Step, microseconds,
    seconds_of_ms, whole_ms,
};
use toolwire::redact::Redaction;

use super::approval_detail::ApprovalDetail;
use super::clock::moment;
use super::event;
use super::redaction::{Secrets, summary};
use super::step::ToolStep;
use super::word::{optional_word, word};
use crate::host::error::raise;
use crate::host::json;
use crate::host::value::{bound_json, shown_json, to_json};

/// What an executor wants of its runs.
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

/// One run of a tool; each method says what came of the last step and gives the next.
#[pyclass(module = "toolwire._native")]
pub struct ToolRun {
    execution: Execution,
    tool: Py<PyAny>,
    payload: Py<PyAny>,
    redaction: Arc<Redaction>,
    /// Why the payload cannot be checked.
    error: Option<Py<PyAny>>,
}

#[pymethods]
impl ToolRun {
    /// Why the payload could not be checked, if it could not.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.error.as_ref().map(|error| error.clone_ref(py))
    }

    /// The payload for whoever comes after the schema: the action's own, unless it writes integers
    /// as floats.
    #[getter]
    fn payload(&self, py: Python<'_>) -> Py<PyAny> {
        self.payload.clone_ref(py)
    }

    /// What a person approves; with what a run would change now, as the one item of a tuple, where
    /// that is said.
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
        Ok(ApprovalDetail::new(tool, &bound, &shown, changes.as_ref(), &self.redaction))
    }

    /// The tool's definition.
    #[getter]
    fn tool(&self, py: Python<'_>) -> Py<PyAny> {
        self.tool.clone_ref(py)
    }

    /// The last step was done.
    fn done(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, Answer::Done)
    }

    /// The caller may, or the limit is not reached.
    fn granted(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, Answer::Granted)
    }

    /// The caller may not.
    fn refused(&mut self, py: Python<'_>, reason: String) -> PyResult<ToolStep> {
        self.advance(py, Answer::Refused { reason })
    }

    /// The tool has run too often.
    fn limited(&mut self, py: Python<'_>, retry_after_seconds: f64) -> PyResult<ToolStep> {
        let retry_after = microseconds(retry_after_seconds);
        self.advance(py, Permit::Limited { retry_after }.into())
    }

    /// A person was asked.
    fn requested(
        &mut self,
        request_id: &Bound<'_, PyAny>,
        fingerprint: String,
    ) -> PyResult<ToolStep> {
        let (py, request_id) = (request_id.py(), word(request_id)?);
        self.advance(py, Answer::Requested { request_id, fingerprint: Some(fingerprint) })
    }

    /// The person decided.
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

    /// What the person approved was looked at again.
    fn verified(&mut self, py: Python<'_>, fingerprint: String) -> PyResult<ToolStep> {
        self.advance(py, Answer::Fingerprint(fingerprint))
    }

    /// Nobody decided in time.
    fn timed_out(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, Answer::TimedOut)
    }

    /// The handler gave an output.
    ///
    /// What is no output raises, unless nothing needs to be known of it.
    fn output(&mut self, output: &Bound<'_, PyAny>) -> PyResult<ToolStep> {
        let facts = match facts(output) {
            Err(_) if !self.asks_for_facts() => OutputFacts::default(),
            facts => facts?,
        };
        self.advance(output.py(), Answer::Output(facts))
    }

    /// What was asked or run raised.
    fn raised(&mut self, error: &Bound<'_, PyAny>) -> PyResult<ToolStep> {
        let class = error.get_type().name()?.to_string();
        // An error that cannot be shown is still an error.
        let message = word(error.as_any()).unwrap_or_default();
        self.advance(error.py(), Answer::Raised { class, message })
    }

    /// The run is given up.
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

    /// Whether events tell of the output, or its undo data may be kept.
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

    /// Gives the payload as JSON; one that is none fails the run.
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

/// What an error's class needs beside the tool and the action.
fn details<'py>(py: Python<'py>, failure: &Failure) -> PyResult<Bound<'py, PyDict>> {
    let details = PyDict::new(py);
    match failure {
        Failure::PermissionDenied { reason } | Failure::ApprovalDenied { reason, .. } => {
            details.set_item("reason", reason)?;
        }
        Failure::InvalidInput { problems } => {
            details.set_item("problems", event::problems(py, problems)?)?;
        }
        Failure::RateLimited { retry_after_ms } => {
            details.set_item("retry_after_seconds", seconds_of_ms(*retry_after_ms))?;
        }
        _ => {}
    }
    Ok(details)
}

/// What the run of an action in a context is about.
pub fn about(action: &Bound<'_, PyAny>, ctx: &Bound<'_, PyAny>) -> PyResult<Run> {
    about_id(&action.getattr(intern!(action.py(), "id"))?, ctx)
}

/// What the run of an action with this id in a context is about.
pub fn about_id(action_id: &Bound<'_, PyAny>, ctx: &Bound<'_, PyAny>) -> PyResult<Run> {
    let py = ctx.py();
    Ok(Run {
        action_id: word(action_id)?,
        behavior: optional_word(&ctx.getattr(intern!(py, "execution_mode"))?)?,
        pipeline_run_id: optional_word(&ctx.getattr(intern!(py, "pipeline_run_id"))?)?,
        request_id: optional_word(&ctx.getattr(intern!(py, "request_id"))?)?,
    })
}

/// What is known of an output without looking into it.
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
