//! The question to a person about a run, which waits in the store from then on.

use super::asking_run::{AskPlace, AskingRun};
use super::store_step::StoreAnswer;
use crate::lifecycle::approval::Approvals;
use crate::lifecycle::approval::request::NewApproval;
use crate::lifecycle::kept::Runs;
use crate::lifecycle::kept::error::RunsError;
use crate::lifecycle::machine::step::Moment;

/// Make a request for approval, and give the run to the store while a person decides.
///
/// In a store with [whole batches](crate::store::Store::has_whole_batches) both is one batch. In
/// another one the request comes first: a process that is killed between the two leaves a request
/// that the next process finds, and no run that waits for a request which nobody can decide.
#[derive(Clone, Debug)]
pub struct AskStep {
    /// The request, without its deadline yet.
    pub(super) new: NewApproval,
    /// The fingerprint of what a person is shown.
    pub(super) fingerprint: Option<String>,
    pub(super) run: AskingRun,
}

impl AskStep {
    /// Performs the operation, on the runs and the requests of one store. The answer is
    /// [`StoreAnswer::Requested`], or [`StoreAnswer::Changed`] with false if another process has
    /// the run.
    ///
    /// # Errors
    ///
    /// Any error of the store; the error of a run that cannot be kept. The request may then exist.
    pub fn perform(
        &self,
        runs: &Runs,
        approvals: &Approvals,
        at: Moment,
    ) -> Result<StoreAnswer, RunsError> {
        let now = at.wall_us;
        let timeout = self.run.execution.settings().approval_timeout();
        let new = NewApproval { expires_at: Some(now.saturating_add(timeout)), ..self.new.clone() };
        approvals.expire_due(now)?;
        if runs.store.has_whole_batches() {
            if let Some(request_id) = self.ask_whole(runs, approvals, new.clone(), now)? {
                return Ok(StoreAnswer::Requested(request_id));
            }
            if let AskPlace::Claimed(claim) = &self.run.place
                && !runs.is_held(claim, now)?
            {
                return Ok(StoreAnswer::Changed(false));
            }
        }
        let request_id = approvals.make(new, now)?.id;
        let is_kept = self.run.wait(runs, &request_id, self.fingerprint.as_ref(), now)?;
        Ok(if is_kept { StoreAnswer::Requested(request_id) } else { StoreAnswer::Changed(false) })
    }

    /// Makes the request and gives the run to the store in one batch; nothing is changed if the run
    /// is not as this process wrote it last.
    fn ask_whole(
        &self,
        runs: &Runs,
        approvals: &Approvals,
        new: NewApproval,
        now: i64,
    ) -> Result<Option<String>, RunsError> {
        let request = approvals.to_write(new, now)?;
        let waiting = self.run.waiting(&request.request.id, self.fingerprint.as_ref())?;
        let sweep = approvals.sweep.due();
        let changes: Vec<_> = sweep.into_iter().chain(request.changes()).collect();
        let payload = &self.run.payload;
        let is_asked = match &self.run.place {
            AskPlace::Claimed(claim) => {
                runs.suspend_asking(claim, &waiting, payload, &changes, now)?
            }
            AskPlace::Alone { caller } => {
                let (payload, caller) = (payload.clone(), caller.clone());
                if !runs.keep_asking(&waiting, payload, caller, &changes, now)? {
                    return Err(self.run.taken());
                }
                true
            }
        };
        Ok(is_asked.then_some(request.request.id))
    }
}
