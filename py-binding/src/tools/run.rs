//! A tool's run, need by need, for the loop of Python's executor.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use serde_json::value::{RawValue, to_raw_value};
use toolwire::lifecycle::{
    self, Answer, ApprovalOutcome, ApprovalsStep, Blame, Drive, DriveAnswer, DriveEnd, Need,
    OutputFacts, Permit, ShownDetail, Step, StoreAnswer, microseconds,
};
use toolwire::redact::Redaction;
use toolwire::registry::ToolSpec;

use super::approval_detail::ApprovalDetail;
use super::clock::moment;
use super::event::{self, Words};
use super::failure::details;
use super::redaction::summary;
use super::run_record::RunRecord;
use super::runs::RunClaim;
use super::settings::RunSettings;
use super::step::{Asked, StoreReply, ToolStep};
use super::word::word;
use crate::host::error::raise;
use crate::host::json;
use crate::host::value::{bound_json, not_finite_in, output_json, shown_json, to_json};

/// One run of a tool. Each method gives the answer to the last step and returns the next step.
#[pyclass(module = "toolwire._native")]
pub struct ToolRun {
    drive: Drive,
    /// The tool's definition; unknown until the run that is to be resumed was read.
    tool: Option<Py<PyAny>>,
    payload: Py<PyAny>,
    redaction: Arc<Redaction>,
    /// The words of the events.
    words: Words,
    /// The error of a payload that cannot be checked.
    error: Option<Py<PyAny>>,
    /// Whether the payload is one that a person would approve in place of the run's own.
    proposes: bool,
    /// Whether a store has the run.
    is_kept: bool,
    /// The run in the store that this process has.
    claim: Option<lifecycle::RunClaim>,
    last: LastAsked,
}

/// What was asked last, where one word of Python answers several questions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastAsked {
    Decision,
    Cancellation,
    Other,
}

#[pymethods]
impl ToolRun {
    /// Makes the run of this id, which the store has.
    #[staticmethod]
    fn resume(py: Python<'_>, id: &str, settings: &RunSettings) -> Self {
        let drive = settings.asking(Drive::resume(id, settings.core().clone()));
        Self::new(drive, None, py.None(), settings).kept()
    }

    /// Makes a look at the run of this id, which the store has.
    #[staticmethod]
    fn look(py: Python<'_>, id: &str, settings: &RunSettings) -> Self {
        let drive = Drive::look(id, settings.core().clone());
        Self::new(drive, None, py.None(), settings).kept()
    }

    /// Makes the retry of the interrupted run of this id, which the store has.
    #[staticmethod]
    fn retry(py: Python<'_>, id: &str, settings: &RunSettings) -> Self {
        let drive = Drive::retry(id, settings.core().clone());
        Self::new(drive, None, py.None(), settings).kept()
    }

    /// Makes a proposal of another payload for the run of this id, which the store has.
    #[staticmethod]
    fn propose(id: &str, settings: &RunSettings, payload: Py<PyAny>) -> Self {
        let drive = Drive::propose(id, settings.core().clone());
        let run = Self::new(drive, None, payload, settings).kept();
        Self { proposes: true, ..run }
    }

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
        let tool = self.drive.execution().map_or("", |execution| &execution.tool().name);
        let (changes, redaction) = (changes.as_ref(), &self.redaction);
        let origin = self.origin(py)?;
        Ok(ApprovalDetail::new(tool, &bound, &shown, changes, redaction, origin.as_deref()))
    }

    /// The key of the run for services that take one, the same for each attempt.
    #[getter]
    fn idempotency_key(&self) -> &str {
        self.drive.execution().map_or("", |execution| execution.run().idempotency_key())
    }

    /// The tool's definition, once it is known.
    #[getter]
    fn tool(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.tool.as_ref().map(|tool| tool.clone_ref(py))
    }

    /// The run in the store that this process has, or None.
    #[getter]
    fn claim(&self) -> Option<RunClaim> {
        self.claim.clone().map(RunClaim::from)
    }

    /// The run of the store as this process wrote it last, or None.
    #[getter]
    fn record(&self) -> Option<RunRecord> {
        self.claim.as_ref().map(|claim| RunRecord::from((*claim.present()).clone()))
    }

    /// Answers that the last step was done. A new run whose payload holds a number that is not
    /// finite is denied.
    fn done(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        if self.last == LastAsked::Cancellation {
            return self.advance(py, StoreAnswer::Changed(true));
        }
        let answer = match self.bad_number(py) {
            Some(path) => Answer::BadNumber { path },
            None => Answer::Done,
        };
        self.advance(py, answer)
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
        self.advance(py, Answer::from(Permit::Limited { retry_after }))
    }

    /// Answers with what a person will see; ``summary`` is its short form as JSON, if the store
    /// gets it with the run.
    #[pyo3(signature = (detail, summary))]
    fn shown(
        &mut self,
        py: Python<'_>,
        detail: &ApprovalDetail,
        summary: Option<String>,
    ) -> PyResult<ToolStep> {
        let payload = || raw(self.payload.bind(py));
        let payload = self.is_kept.then(payload).transpose()?;
        let summary = summary.map(RawValue::from_string).transpose();
        let summary = summary.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let shown = ShownDetail { summary, detail: detail.core().clone(), payload };
        self.advance(py, DriveAnswer::Shown(Box::new(shown)))
    }

    /// Answers with the request of the process that had the run before, or None.
    #[pyo3(signature = (request_id))]
    fn found(
        &mut self,
        py: Python<'_>,
        request_id: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ToolStep> {
        let found = request_id.map(word).transpose()?;
        self.advance(py, StoreAnswer::Asked(found))
    }

    /// Answers that a person was asked.
    fn requested(&mut self, request_id: &Bound<'_, PyAny>) -> PyResult<ToolStep> {
        self.advance(request_id.py(), StoreAnswer::Requested(word(request_id)?))
    }

    /// Answers that nobody has decided yet.
    fn pending(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, StoreAnswer::Heard(ApprovalOutcome::Pending))
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
        if self.last == LastAsked::Decision {
            let outcome = ApprovalOutcome::Decided { granted, reason, fingerprint };
            return self.advance(py, StoreAnswer::Heard(outcome));
        }
        self.advance(py, Answer::Decided { granted, reason, fingerprint })
    }

    /// Answers that nobody decided in time.
    fn timed_out(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        if self.last == LastAsked::Decision {
            return self.advance(py, StoreAnswer::Heard(ApprovalOutcome::TimedOut));
        }
        self.advance(py, Answer::TimedOut)
    }

    /// Answers with the present fingerprint of the run.
    fn verified(&mut self, py: Python<'_>, fingerprint: String) -> PyResult<ToolStep> {
        self.advance(py, Answer::Fingerprint(fingerprint))
    }

    /// Answers that the handler gave an output; ``fields`` is the value for JSON that the store of
    /// the run gets.
    ///
    /// A value that is not an output raises, unless no facts about the output are needed.
    fn output(
        &mut self,
        output: &Bound<'_, PyAny>,
        fields: &Bound<'_, PyAny>,
    ) -> PyResult<ToolStep> {
        let facts = match facts(output) {
            Err(_) if !self.asks_for_facts() => OutputFacts::default(),
            facts => facts?,
        };
        let is_kept = self.claim.is_some();
        let json = is_kept.then(|| output_json(fields).ok()).flatten();
        let json = json.and_then(|value| to_raw_value(&value).ok());
        self.advance(output.py(), DriveAnswer::Output { facts, json })
    }

    /// Answers that the handler's time is over, and that it works on.
    fn still_working(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, DriveAnswer::StillWorking)
    }

    /// Answers that the handler or a check raised.
    fn raised(&mut self, error: &Bound<'_, PyAny>) -> PyResult<ToolStep> {
        let class = error.get_type().name()?.to_string();
        // An error without a readable text is still an error.
        let message = word(error.as_any()).unwrap_or_default();
        self.advance(error.py(), Answer::Raised { class, message })
    }

    /// Answers with what the store gave.
    fn stored(&mut self, py: Python<'_>, reply: &StoreReply) -> PyResult<ToolStep> {
        if let Some(claim) = reply.core().claim() {
            self.claim = Some(claim.clone());
        }
        self.advance(py, reply.core().clone())
    }

    /// Answers that the store failed.
    fn store_failed(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, DriveAnswer::Failed(Blame::Store))
    }

    /// Answers that the run is given up.
    fn cancelled(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, Answer::Cancelled)
    }
}

impl ToolRun {
    pub fn new(
        drive: Drive,
        tool: Option<Py<PyAny>>,
        payload: Py<PyAny>,
        settings: &RunSettings,
    ) -> Self {
        Self {
            drive,
            tool,
            payload,
            redaction: settings.redaction(),
            words: settings.words(),
            error: None,
            proposes: false,
            is_kept: false,
            claim: None,
            last: LastAsked::Other,
        }
    }

    /// Notes that a store has the run, or will have it.
    pub fn kept(self) -> Self {
        Self { is_kept: true, ..self }
    }

    /// Answers with the tool of a run that the store has, and with its payload.
    pub fn equip(
        &mut self,
        spec: Arc<ToolSpec>,
        tool: Py<PyAny>,
        payload: Bound<'_, PyAny>,
    ) -> PyResult<ToolStep> {
        let py = payload.py();
        self.tool = Some(tool);
        if !self.proposes {
            self.payload = payload.unbind();
        }
        self.advance(py, DriveAnswer::Tool(spec))
    }

    /// The JSON Pointer to a number of a new run's payload that is not finite, or None.
    fn bad_number(&self, py: Python<'_>) -> Option<String> {
        if self.drive.is_new() && !self.proposes {
            not_finite_in(self.payload.bind(py))
        } else {
            None
        }
    }

    /// Where the tool comes from, if its definition says that.
    fn origin(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let Some(tool) = &self.tool else { return Ok(None) };
        let origin = tool.bind(py).getattr_opt(intern!(py, "origin"))?;
        origin.filter(|origin| !origin.is_none()).map(|origin| word(&origin)).transpose()
    }

    /// Whether events need facts about the output, or undo data may be stored.
    fn asks_for_facts(&self) -> bool {
        self.drive
            .execution()
            .is_none_or(|execution| execution.settings().emit_events || execution.tool().undoable)
    }

    fn advance(&mut self, py: Python<'_>, answer: impl Into<DriveAnswer>) -> PyResult<ToolStep> {
        let need =
            self.drive.advance(answer.into(), moment()).map_err(|error| raise(py, &error))?;
        self.last = match &need {
            Need::Approvals(ApprovalsStep::Hear { .. }) => LastAsked::Decision,
            Need::Approvals(ApprovalsStep::Cancel { .. }) => LastAsked::Cancellation,
            _ => LastAsked::Other,
        };
        let payload = self.payload.bind(py);
        let made = match &need {
            Need::Step(Step::CheckInput) => return self.check_input(py),
            Need::Step(Step::ReplaceArguments { arguments }) => {
                self.payload = json::value(py, arguments.as_bytes())?.unbind();
                return self.advance(py, Answer::Done);
            }
            Need::Step(Step::Emit(told)) => {
                let shown = || summary(payload, &self.redaction);
                let told = told.without_secrets(&self.redaction);
                Some(event::data(py, &told, self.words, shown)?.into_any().unbind())
            }
            Need::Approvals(ApprovalsStep::Request { .. }) => {
                Some(summary(payload, &self.redaction)?.unbind())
            }
            Need::Tool(record)
            | Need::Approvals(ApprovalsStep::Hear { record })
            | Need::End(DriveEnd::Standing(record) | DriveEnd::Reused(record)) => {
                Some(Py::new(py, RunRecord::from((**record).clone()))?.into_any())
            }
            Need::End(DriveEnd::Ended { not_kept }) => return self.finished(py, *not_kept),
            _ => None,
        };
        Ok(ToolStep::new(need, made))
    }

    /// Makes the step of a run that has ended.
    fn finished(&self, py: Python<'_>, not_kept: Option<lifecycle::NotKept>) -> PyResult<ToolStep> {
        let execution = self.drive.execution();
        let failure = execution.and_then(|execution| execution.failure());
        let made = failure.map(|failure| details(py, failure)).transpose()?;
        let ended = Asked::Ended {
            state: execution.map_or("", |execution| execution.state().slug()),
            code: failure.map(|failure| failure.code().slug()),
            not_kept,
        };
        Ok(ToolStep::new(ended, made.map(|details| details.into_any().unbind())))
    }

    /// Answers with the payload as JSON. If the payload is not JSON, the run fails, or does not
    /// begin.
    fn check_input(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        let error = match to_json("the payload", self.payload.bind(py)) {
            Ok(payload) => return self.advance(py, Answer::Arguments(Arc::new(payload))),
            Err(error) => error,
        };
        let failed = DriveAnswer::Failed(Blame::Program);
        match self.drive.advance(failed, moment()).map_err(|error| raise(py, &error))? {
            Need::Raise => {
                let error = error.into_value(py).into_bound(py).into_any();
                self.error = Some(error.clone().unbind());
                self.raised(&error)
            }
            _ => Err(error),
        }
    }
}

/// Returns a value as JSON text for the store.
fn raw(value: &Bound<'_, PyAny>) -> PyResult<Box<RawValue>> {
    let value = to_json("the payload", value)?;
    to_raw_value(&value).map_err(|error| PyValueError::new_err(error.to_string()))
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
