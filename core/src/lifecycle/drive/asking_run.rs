//! A run that asks a person, and that the store gets while the person decides.

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::lifecycle::kept::Runs;
use crate::lifecycle::kept::claim::RunClaim;
use crate::lifecycle::kept::error::RunsError;
use crate::lifecycle::machine::execution::Execution;

/// Give a run to the store while a person decides on a request that exists.
#[derive(Clone, Debug)]
pub struct WaitStep {
    pub(super) request_id: String,
    pub(super) fingerprint: Option<String>,
    pub(super) run: AskingRun,
}

/// A run that asks now, and what the store gets of it.
#[derive(Clone, Debug)]
pub(super) struct AskingRun {
    pub(super) place: AskPlace,
    pub(super) execution: Box<Execution>,
    /// What the handler will get.
    pub(super) payload: Box<RawValue>,
}

/// Where a run is until it waits.
#[derive(Clone, Debug)]
pub(super) enum AskPlace {
    /// In the store, and this process has it.
    Claimed(RunClaim),
    /// In this process alone.
    Alone { caller: String },
}

impl WaitStep {
    /// Performs the operation, and says whether this process had the run.
    pub(super) fn perform(&self, runs: &Runs, now: i64) -> Result<bool, RunsError> {
        self.run.wait(runs, &self.request_id, self.fingerprint.as_ref(), now)
    }
}

impl AskingRun {
    /// Gives the run to the store, and says whether this process had it.
    pub(super) fn wait(
        &self,
        runs: &Runs,
        request_id: &str,
        fingerprint: Option<&String>,
        now: i64,
    ) -> Result<bool, RunsError> {
        let waiting = self.waiting(request_id, fingerprint)?;
        match &self.place {
            AskPlace::Claimed(claim) => runs.suspend(claim, &waiting, &self.payload, now),
            AskPlace::Alone { caller } => {
                let until = Some(waiting.settings().kept_until(now));
                let (payload, caller) = (self.payload.clone(), caller.clone());
                if runs.keep(&waiting, payload, caller, until, now)? {
                    Ok(true)
                } else {
                    Err(self.taken())
                }
            }
        }
    }

    /// The run's machine, as it waits for a request.
    pub(super) fn waiting(
        &self,
        request_id: &str,
        fingerprint: Option<&String>,
    ) -> Result<Execution, RunsError> {
        self.execution.asked(request_id, fingerprint.cloned()).map_err(RunsError::Run)
    }

    /// The error of a run that waits under the id of another one.
    pub(super) fn taken(&self) -> RunsError {
        let id = &self.execution.run().run_id;
        let message = format!("the store has another run with the id '{id}' already");
        RunsError::Run(Error::new(ErrorKind::InvalidExecution, message))
    }
}
