//! How the course of a run asks a person, and where the run waits meanwhile.

use std::sync::Arc;

use uuid::Uuid;

use super::ask_step::AskStep;
use super::asking_run::{AskPlace, AskingRun, WaitStep};
use super::course::Course;
use super::last_need::{LastNeed, RunPlace};
use super::need::{Blame, DriveEnd, Need, ShownDetail};
use super::store_step::{ApprovalsStep, RunsStep};
use crate::error::Error;
use crate::lifecycle::approval::request::NewApproval;
use crate::lifecycle::kept::claim::RunClaim;
use crate::lifecycle::kept::record::{ProposedArguments, RunRecord};
use crate::lifecycle::machine::step::{Answer, Moment};

impl Course {
    /// Asks a person, or keeps what a person would approve.
    pub(super) fn told(&mut self, message: String, shown: Box<ShownDetail>) -> Need {
        let RunPlace::Proposed(record) = &self.place else { return self.ask(message, shown) };
        let (read, fingerprint) = (record.clone(), shown.detail.fingerprint);
        let Some(payload) = shown.payload else { return self.ends(DriveEnd::Failed) };
        let proposed = ProposedArguments { fingerprint: fingerprint.clone(), payload };
        self.asks(LastNeed::Proposal { fingerprint }, RunsStep::Propose { read, proposed })
    }

    /// Asks a person, unless the process that had the run before did.
    fn ask(&mut self, message: String, shown: Box<ShownDetail>) -> Need {
        let fingerprint = shown.detail.fingerprint.clone();
        self.shown = Some(shown);
        let RunPlace::Claimed(RunClaim { record, taken_over: true, .. }) = &self.place else {
            return self.request(message);
        };
        let (run_id, began) = (record.id.clone(), record.created_at.micros());
        self.last = LastNeed::Asked { message };
        Need::Approvals(ApprovalsStep::Find { run_id, fingerprint, began })
    }

    /// Makes a request. Where the run waits in the same store, both is one step.
    pub(super) fn request(&mut self, message: String) -> Need {
        let (run, tool) = (self.execution.run(), self.execution.tool());
        let timeout = self.execution.settings().approval_timeout();
        let shown = self.shown.as_ref();
        let new = NewApproval {
            id: None,
            run_id: run.run_id.clone(),
            tool_name: tool.name.clone(),
            parent_id: run.parent_id.clone(),
            approval_message: message,
            payload_summary: shown.and_then(|shown| shown.summary.clone()),
            detail: shown.map(|shown| shown.detail.clone()),
            expires_at: None,
        };
        let asking = (!self.asks_apart).then(|| self.asking_run()).flatten();
        let Some(run) = asking else {
            self.last = LastNeed::Request;
            return Need::Approvals(ApprovalsStep::Request { new: Box::new(new), timeout });
        };
        let (request_id, fingerprint) = (Uuid::new_v4().to_string(), self.fingerprint());
        let new = NewApproval { id: Some(request_id.clone()), ..new };
        self.last = LastNeed::Asking { request_id };
        Need::Ask(Box::new(AskStep { new, fingerprint, run }))
    }

    /// Goes on with a request that exists: the run waits for it in the store, or here.
    pub(super) fn asked(&mut self, request_id: String, now: Moment) -> Result<Need, Error> {
        let Some(run) = self.asking_run() else { return self.requested(request_id, now) };
        let fingerprint = self.fingerprint();
        let step = WaitStep { request_id: request_id.clone(), fingerprint, run };
        Ok(self.asks(LastNeed::Wait { request_id }, RunsStep::Wait(Box::new(step))))
    }

    /// Goes on with a run that waits in the store: this is told, and nothing more.
    pub(super) fn waits(&mut self, request_id: String, now: Moment) -> Result<Need, Error> {
        self.is_waiting = true;
        self.requested(request_id, now)
    }

    /// Takes the run as the store has it that failed to answer when the run was given to it.
    pub(super) fn looked(
        &mut self,
        request_id: String,
        record: Option<Box<RunRecord>>,
        now: Moment,
    ) -> Result<Need, Error> {
        let is_kept = |record: &RunRecord| {
            let waits_for = record.approval_id.as_deref();
            record.is_free(now.wall_us) && waits_for == Some(&request_id)
        };
        let Some(record) = record.filter(|record| is_kept(record)) else {
            return Ok(self.cancels(LastNeed::Withdrawal(Blame::Store), request_id));
        };
        if let RunPlace::Claimed(claim) = &self.place {
            let read = record.read_from;
            let (version, until) =
                (read.map(|entry| entry.version), read.and_then(|entry| entry.expires_at));
            claim.wrote(Arc::from(record), version, until);
        }
        self.waits(request_id, now)
    }

    fn requested(&mut self, request_id: String, now: Moment) -> Result<Need, Error> {
        self.approval_id = Some(request_id.clone());
        let fingerprint = self.fingerprint();
        self.step(Answer::Requested { request_id, fingerprint }, now)
    }

    /// Returns what the store gets of the run while a person decides; nothing if the host waits
    /// here.
    fn asking_run(&mut self) -> Option<AskingRun> {
        let place = match &self.place {
            RunPlace::Claimed(claim) => AskPlace::Claimed(claim.clone()),
            RunPlace::Alone { caller } => AskPlace::Alone { caller: caller.clone() },
            RunPlace::Here | RunPlace::Proposed(_) => return None,
        };
        let payload = self.shown.as_mut()?.payload.take()?;
        Some(AskingRun { place, execution: Box::new(self.execution.clone()), payload })
    }

    fn fingerprint(&self) -> Option<String> {
        self.shown.as_ref().map(|shown| shown.detail.fingerprint.clone())
    }
}
