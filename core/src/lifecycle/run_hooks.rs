//! What a closed request for approval does to the run that waits for it.

use super::approval_index::by_id;
use super::approval_request::{ApprovalStatus, Standing};
use super::run_record::{RunRecord, Stage, place};
use crate::store::{EntryChange, Store, StoreError, change, from_json, to_json};

impl RunRecord {
    fn waits_for(&self, request_id: &str) -> bool {
        self.stage == Stage::Waiting && self.approval_id.as_deref() == Some(request_id)
    }
}

/// Whether the run of an action waits for this request, and no process has it.
pub(super) fn is_kept(
    store: &dyn Store,
    action_id: &str,
    request_id: &str,
    now: i64,
) -> Result<bool, StoreError> {
    let place = place(action_id);
    let Some(entry) = store.get(&place, now)? else { return Ok(false) };
    let run: RunRecord = from_json(&place, &entry)?;
    Ok(run.waits_for(request_id) && !run.is_leased(now))
}

/// Removes the arguments of the run that waits for a request which was closed without an approval.
pub(super) fn refuse(
    store: &dyn Store,
    action_id: &str,
    request_id: &str,
    now: i64,
) -> Result<(), StoreError> {
    let place = place(action_id);
    change(store, &place, now, |entry| {
        let Some(entry) = entry else { return Ok(EntryChange::Keep(())) };
        let run: RunRecord = from_json(&place, entry)?;
        if !run.waits_for(request_id) {
            return Ok(EntryChange::Keep(()));
        }
        let left = RunRecord { stage: Stage::Refused, ..run }.without_input()?;
        Ok(EntryChange::Put { value: to_json(&left)?, expires_at: entry.expires_at, told: () })
    })?;
    Ok(())
}

/// Whether a request of this store was closed without an approval.
pub(super) fn is_refused(
    store: &dyn Store,
    request_id: &str,
    now: i64,
) -> Result<bool, StoreError> {
    let place = by_id(request_id);
    let Some(entry) = store.get(&place, now)? else { return Ok(false) };
    let status = from_json::<Standing>(&place, &entry)?.status(now);
    Ok(!matches!(status, ApprovalStatus::Pending | ApprovalStatus::Approved))
}
