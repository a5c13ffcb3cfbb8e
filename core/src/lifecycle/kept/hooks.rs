//! What a closed request for approval does to the run that waits for it.

use super::record::{RunRecord, RunWait, Stage, place};
use crate::lifecycle::approval::index::by_id;
use crate::lifecycle::approval::request::{ApprovalRequest, ApprovalStatus};
use crate::lifecycle::machine::failure::RunFailure;
use crate::lifecycle::time::whole_ms;
use crate::store::{
    Condition, EntryChange, Store, StoreChange, StoreEntry, StoreError, Write, change, from_json,
    to_json,
};

impl RunRecord {
    fn is_for(&self, request_id: &str) -> bool {
        self.approval_id.as_deref() == Some(request_id)
    }
}

/// Whether the run waits for this request or was approved by it, and no process has
/// it.
pub(in crate::lifecycle) fn is_kept(
    store: &dyn Store,
    run_id: &str,
    request_id: &str,
    now: i64,
) -> Result<bool, StoreError> {
    let place = place(run_id);
    let Some(entry) = store.get(&place, now)? else { return Ok(false) };
    let run: RunRecord = from_json(&place, &entry)?;
    let is_kept = matches!(run.stage, Stage::Waiting | Stage::Approved);
    Ok(is_kept && run.is_for(request_id) && !run.is_leased(now))
}

/// Tells the run that waits for a request how the request was closed. Without an approval, the
/// run's arguments go.
pub(in crate::lifecycle) fn follow(
    store: &dyn Store,
    request: &ApprovalRequest,
    now: i64,
) -> Result<(), StoreError> {
    // Nothing to tell, and nothing to read.
    if request.status(now) == ApprovalStatus::Pending {
        return Ok(());
    }
    change_waiting(store, &request.run_id, now, |run| run.after(request, now))
}

/// Removes the arguments of the run that waits for a request which was closed without an approval.
pub(in crate::lifecycle) fn refuse(
    store: &dyn Store,
    request: &ApprovalRequest,
    now: i64,
) -> Result<(), StoreError> {
    change_waiting(store, &request.run_id, now, |run| {
        run.waits_for(request).map(|run| run.refused(request, now)).transpose()
    })
}

/// A run that waits for a request, as it is when the request is closed.
pub(in crate::lifecycle) struct ToldRun {
    place: String,
    value: Vec<u8>,
    read: StoreEntry,
}

impl ToldRun {
    /// Reads the run that waits for this closed request; nothing if there is none, or its record is
    /// spoiled.
    pub(in crate::lifecycle) fn read(
        store: &dyn Store,
        request: &ApprovalRequest,
        now: i64,
    ) -> Result<Option<Self>, StoreError> {
        let place = place(&request.run_id);
        let Some(read) = store.get(&place, now)? else { return Ok(None) };
        let Ok(run) = from_json::<RunRecord>(&place, &read) else { return Ok(None) };
        let Some(after) = run.after(request, now)? else { return Ok(None) };
        Ok(Some(Self { place, value: to_json(&after)?, read }))
    }

    /// Returns the change, which is a conflict if the run has changed since it was read.
    pub(in crate::lifecycle) fn change(&self) -> StoreChange<'_> {
        let (expect, expires_at) = (Condition::Version(self.read.version), self.read.expires_at);
        let write = Write { value: &self.value, expect, expires_at };
        StoreChange::Put { key: &self.place, write }
    }
}

impl RunRecord {
    /// Returns the run, if it waits for this request or was approved by it.
    fn waits_for(self, request: &ApprovalRequest) -> Option<Self> {
        let waits = matches!(self.stage, Stage::Waiting | Stage::Approved);
        Some(self).filter(|run| waits && run.is_for(&request.id))
    }

    /// Returns the run that waits for a request as it is once the request is closed; nothing for
    /// any other run or request.
    fn after(self, request: &ApprovalRequest, now: i64) -> Result<Option<Self>, StoreError> {
        let Some(run) = self.waits_for(request) else { return Ok(None) };
        match request.status(now) {
            ApprovalStatus::Pending => Ok(None),
            ApprovalStatus::Approved => {
                let approved = request.decision.decided_fingerprint.as_deref();
                Ok(Some(Self { stage: Stage::Approved, ..run.with_approved(approved) }))
            }
            _ => run.refused(request, now).map(Some),
        }
    }

    fn refused(self, request: &ApprovalRequest, now: i64) -> Result<Self, StoreError> {
        let wait = RunWait { refused: Some(failure(request, now)), ..self.wait };
        Self { stage: Stage::Refused, wait, ..self }.without_input()
    }
}

fn change_waiting(
    store: &dyn Store,
    id: &str,
    now: i64,
    make: impl Fn(RunRecord) -> Result<Option<RunRecord>, StoreError>,
) -> Result<(), StoreError> {
    let place = place(id);
    change(store, &place, now, |entry| {
        let Some(entry) = entry else { return Ok(EntryChange::Keep(())) };
        let Some(run) = make(from_json(&place, entry)?)? else {
            return Ok(EntryChange::Keep(()));
        };
        let value = to_json(&run)?;
        Ok(EntryChange::Put { value, expires_at: entry.expires_at, told: () })
    })?;
    Ok(())
}

/// Why a run may not go on whose request was closed without an approval.
fn failure(request: &ApprovalRequest, now: i64) -> RunFailure {
    let request_id = request.id.clone();
    match (request.status(now), &request.decision.reason) {
        (ApprovalStatus::Expired, _) => {
            let end = request.expires_at.unwrap_or(request.created_at);
            let timeout = end.micros().saturating_sub(request.created_at.micros());
            RunFailure::ApprovalTimeout { request_id, timeout_ms: whole_ms(timeout) }
        }
        (ApprovalStatus::Denied, Some(reason)) => {
            RunFailure::ApprovalDenied { request_id, reason: reason.clone() }
        }
        (ApprovalStatus::Denied, None) => {
            RunFailure::ApprovalDenied { request_id, reason: RunFailure::USER_DENIED.to_owned() }
        }
        // A request that was deleted counts as cancelled, whatever it said.
        _ => RunFailure::ApprovalDenied { request_id, reason: RunFailure::CANCELLED.to_owned() },
    }
}

/// Tells a run that begins to wait how its request was closed meanwhile.
pub(in crate::lifecycle) fn catch_up(
    store: &dyn Store,
    run: &RunRecord,
    now: i64,
) -> Result<(), StoreError> {
    let Some(request_id) = &run.approval_id else { return Ok(()) };
    let place = by_id(request_id);
    let Some(entry) = store.get(&place, now)? else { return Ok(()) };
    let request: ApprovalRequest = from_json(&place, &entry)?;
    if request.run_id == run.id { follow(store, &request, now) } else { Ok(()) }
}
