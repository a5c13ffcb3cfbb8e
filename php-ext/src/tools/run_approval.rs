//! The approval of a run: makes the request, waits, and verifies what was approved.

use serde_json::Value;
use toolwire::lifecycle::{
    self, Answer, ApprovalDetail, Execution as Machine, NewApproval, Run, RunsError,
};
use toolwire::{Error, ErrorKind};

use super::callback::{Stop, call};
use super::run::Runner;
use super::{clock, error, json};
use crate::host::exception;
use crate::host::value;

impl Runner<'_> {
    /// Returns the changes that a run would make now, if the program reports them.
    fn changes(&self, run: &Run) -> Result<Option<Value>, Stop> {
        let Some(changes) = &self.host.changes else { return Ok(None) };
        let input = value::object(self.input(run))?;
        let given = call(changes, vec![&input, &self.definition])?;
        Ok(Some(json::given("changes", &given)?))
    }

    /// Returns the detail that a person approves: the whole arguments, and the changes that a run
    /// would make now.
    fn detail(&self, run: &Run) -> Result<ApprovalDetail, Stop> {
        let (changes, arguments) = (self.changes(run)?, self.json()?);
        Ok(ApprovalDetail::new(&self.spec.name, &arguments, changes.as_ref(), &self.host.redaction))
    }

    /// Returns the present fingerprint.
    pub(super) fn fingerprint(&self, run: &Run) -> Result<String, Stop> {
        let (changes, arguments) = (self.changes(run)?, self.json()?);
        Ok(lifecycle::fingerprint(&self.spec.name, &arguments, changes.as_ref()))
    }

    /// Answers with the present fingerprint.
    pub(super) fn verify(&mut self, run: &Run) -> Result<Answer, Stop> {
        match self.fingerprint(run) {
            Ok(fingerprint) => Ok(Answer::Fingerprint(fingerprint)),
            Err(stop) => self.raised(stop),
        }
    }

    /// Makes the request for approval.
    pub(super) fn request(&mut self, run: &Run, message: String) -> Result<Answer, Stop> {
        let summary = self.summary();
        let payload_summary = match json::written("payload", &summary) {
            Ok(summary) => Some(summary),
            Err(error) => return Ok(self.caught(exception::object_of(&error))),
        };
        let detail = match self.detail(run) {
            Ok(detail) => detail,
            Err(stop) => return self.raised(stop),
        };
        let fingerprint = detail.fingerprint.clone();
        let now = clock::now();
        if self.claim.as_ref().is_some_and(|claim| claim.taken_over) {
            match self.host.approvals.asked(&run.action_id, &fingerprint, now) {
                Ok(Some(request)) => return Ok(self.requested(request.id, fingerprint)),
                Ok(None) => {}
                Err(failure) => return self.raised(error::store(failure)),
            }
        }
        let new = NewApproval {
            id: None,
            action_id: run.action_id.clone(),
            tool_name: self.spec.name.clone(),
            pipeline_run_id: run.pipeline_run_id.clone(),
            approval_message: message,
            payload_summary,
            detail: Some(detail),
            expires_at: Some(now.saturating_add(self.host.settings.approval_timeout())),
        };
        match self.host.approvals.request(new, now) {
            Ok(request) => Ok(self.requested(request.id, fingerprint)),
            Err(failure) => self.raised(error::store(failure)),
        }
    }

    fn requested(&mut self, request_id: String, fingerprint: String) -> Answer {
        self.approval_id = Some(request_id.clone());
        Answer::Requested { request_id, fingerprint: Some(fingerprint) }
    }

    /// Keeps the run for a later request. If that fails, the result is the answer with the error.
    pub(super) fn suspend(
        &mut self,
        machine: &Machine,
        request_id: &str,
    ) -> Result<Option<Answer>, Stop> {
        let now = clock::now();
        let Err(failed) = self.keep(machine, now) else { return Ok(None) };
        let answer = self.raised(failed)?;
        // The request is useless without its run. If the cancellation fails too, the request
        // expires.
        if let Err(failure) = self.host.approvals.cancel(request_id, now)
            && let Stop::Exit = error::store(failure)
        {
            return Err(Stop::Exit);
        }
        Ok(Some(answer))
    }

    fn keep(&self, machine: &Machine, now: i64) -> Result<(), Stop> {
        let payload = json::raw(&*self.json()?)?;
        let runs = &self.host.runs;
        let kept = if let Some(claim) = &self.claim {
            runs.suspend(claim, machine, &payload, now)
        } else {
            let kept_until = Some(self.host.settings.kept_until(now));
            runs.keep(machine, payload, self.caller.clone(), kept_until, now)
        };
        match kept {
            Ok(true) => Ok(()),
            Ok(false) => {
                let id = &machine.run().action_id;
                let message = format!("the store has another run of the action '{id}' already");
                Err(Error::new(ErrorKind::InvalidExecution, message).into())
            }
            Err(RunsError::Store(failure)) => Err(error::store(failure)),
            Err(other) => Err(Error::new(ErrorKind::InvalidExecution, other.to_string()).into()),
        }
    }

    /// Cancels the request.
    pub(super) fn cancel(&mut self, request_id: &str) -> Result<Answer, Stop> {
        match self.host.approvals.cancel(request_id, clock::now()) {
            Ok(_) => Ok(Answer::Done),
            Err(failure) => self.raised(error::store(failure)),
        }
    }
}
