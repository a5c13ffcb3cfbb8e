//! Arguments that a person would approve in place of those of the call.
//!
//! They are written beside the call's own before the decision. The decision names the fingerprint
//! of what it approves, and so chooses among them, whoever proposed what meanwhile.

use super::record::{ProposedArguments, RunRecord, Stage, place};
use crate::lifecycle::Runs;
use crate::store::{EntryChange, StoreError, change, from_json, to_json};

/// How many proposals a run keeps at most. The oldest goes first: its decision, if there is one
/// after all, approves what is no longer there, and the run is denied as changed since.
const MOST: usize = 4;

impl RunRecord {
    /// Takes the arguments that were approved, by the fingerprint of the decision, in place of the
    /// call's own; all others go.
    pub(in crate::lifecycle) fn with_approved(mut self, fingerprint: Option<&str>) -> Self {
        let mut proposed = std::mem::take(&mut self.input.proposed).into_iter();
        if let Some(approved) = proposed.find(|one| Some(&*one.fingerprint) == fingerprint) {
            self.input.payload = approved.payload;
        }
        self
    }

    /// Whether a person has yet to decide on the run, and no process has it.
    #[must_use]
    pub fn is_undecided(&self, now: i64) -> bool {
        self.stage == Stage::Waiting && self.approval_id.is_some() && self.is_free(now)
    }
}

impl Runs {
    /// Writes arguments down that a person would approve for a run that waits, beside its own.
    /// Returns false, and writes nothing, if the run is no longer what was read or does not wait.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn propose(
        &self,
        read: &RunRecord,
        proposed: &ProposedArguments,
        now: i64,
    ) -> Result<bool, StoreError> {
        let place = place(&read.id);
        let (is_written, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok::<_, StoreError>(EntryChange::Keep(false)) };
            let mut record: RunRecord = from_json(&place, entry)?;
            if !record.is_still(read) || !record.is_undecided(now) {
                return Ok(EntryChange::Keep(false));
            }
            let all = &mut record.input.proposed;
            all.retain(|one| one.fingerprint != proposed.fingerprint);
            all.drain(..all.len().saturating_sub(MOST - 1));
            all.push(proposed.clone());
            Ok(EntryChange::Put {
                value: to_json(&record)?,
                expires_at: entry.expires_at,
                told: true,
            })
        })?;
        Ok(is_written)
    }
}
