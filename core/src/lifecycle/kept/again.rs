//! Beginning a run once more whose handler never ran: it was denied, or nobody decided in time.

use std::sync::Arc;

use uuid::Uuid;

use super::claim::{LastWrite, RunClaim};
use super::error::RunsError;
use super::hooks::catch_up;
use super::record::{RunRecord, place};
use super::{Begun, NewRun, Runs, beginning};
use crate::lifecycle::machine::state::RunState;
use crate::store::{EntryChange, StoreError, change, from_json, to_json};

impl Runs {
    /// Begins the run of a call as [`begin`](Self::begin) does, and once more if nothing ran: the
    /// run that the store has was denied, or nobody decided in time. It keeps its key.
    ///
    /// # Errors
    ///
    /// `already_ran` for a run that has ended otherwise, or may have run; any error of the store.
    pub fn begin_again(&self, new: NewRun, lease: i64, now: i64) -> Result<Begun, RunsError> {
        let mut known = match self.begin(new.clone(), lease, now)? {
            Begun::Known(known) => known,
            begun => return Ok(begun),
        };
        if known.state(now) == RunState::Expired {
            // A person may have approved in time, and the process that wrote it died before it told
            // the run.
            catch_up(&*self.store, &known, now)?;
            known = self.get(&known.id, now)?.map_or(known, Box::new);
        }
        if !known.may_begin_again(now) {
            let state = known.state(now);
            return match state {
                RunState::Waiting | RunState::Approved | RunState::Running => {
                    Ok(Begun::Known(known))
                }
                _ => Err(RunsError::AlreadyRan { id: known.id.clone(), state }),
            };
        }
        if let Some(again) = self.replace(&known, new, lease, now)? {
            return Ok(again);
        }
        // Another process came first; its run may have been forgotten meanwhile.
        let present = self.get(&known.id, now)?;
        Ok(Begun::Known(present.map_or(known, Box::new)))
    }

    /// Puts a new run in place of one whose handler never ran. Returns nothing if another process
    /// came first.
    fn replace(
        &self,
        known: &RunRecord,
        new: NewRun,
        lease: i64,
        now: i64,
    ) -> Result<Option<Begun>, StoreError> {
        let (place, owner) = (place(&known.id), Uuid::new_v4().to_string());
        let mut record = beginning(new, &owner, lease, now);
        record.input.run.key.clone_from(&known.input.run.key);
        let (value, until) = (to_json(&record)?, Some(self.kept_until(now)));
        let record = Arc::new(record);
        let (replaced, version) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok::<_, StoreError>(EntryChange::Keep(false)) };
            let present: RunRecord = from_json(&place, entry)?;
            if !present.may_begin_again(now) || present.created_at != known.created_at {
                return Ok(EntryChange::Keep(false));
            }
            Ok(EntryChange::Put { value: value.clone(), expires_at: until, told: true })
        })?;
        if !replaced {
            return Ok(None);
        }
        self.unlist(known, now)?;
        self.list(&record, until, now)?;
        let last = LastWrite::new(record, version, until);
        Ok(Some(Begun::Mine(RunClaim::new(owner, false, last))))
    }
}
