//! What the process that has a run writes of it: that the handler starts, that it still works, and
//! how it ended.
//!
//! A handler that outlives its lease has lost its run, whether or not somebody has taken the run
//! up: others have seen it `interrupted`, and may have acted on that. So its end is not written.

use std::sync::Arc;

use super::claim::{LastWrite, RunClaim};
use super::record::{RunAttempts, RunOutcome, RunRecord, Stage, leased, open_place, place};
use crate::lifecycle::Runs;
use crate::lifecycle::machine::step::Moment;
use crate::store::{
    Condition, EntryChange, Put, StoreChange, StoreError, Write, change, first_put, from_json,
    to_json,
};

/// How often a store that fails is asked again to take the end of a run.
const MORE_TRIES: u32 = 2;

impl Runs {
    /// Writes down that the handler starts now. Unless this returns true, the handler must not run,
    /// because the caller no longer has the run.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn start(&self, claim: &RunClaim, lease: i64, at: Moment) -> Result<bool, StoreError> {
        let now = at.wall_us;
        let started = self.change(claim, self.kept_until(now), now, |record| {
            // A run that is forgotten at its end cannot be retried, so its arguments go now.
            let record = if record.asked.call.is_none() { record.without_input()? } else { record };
            let lease = Some(leased(&claim.owner, lease, now));
            let count = record.attempts.count.saturating_add(1);
            let attempts = RunAttempts { count, ..record.attempts };
            Ok(RunRecord { stage: Stage::Started, lease, attempts, ..record }.changed(now))
        });
        let is_started = match started {
            Ok(started) => started.is_some(),
            Err(failed) => {
                let record = self.get(&claim.record.id, now).ok().flatten();
                let is_started = |record: RunRecord| {
                    record.stage == Stage::Started && record.is_of(&claim.owner)
                };
                if !record.is_some_and(is_started) {
                    return Err(failed);
                }
                true
            }
        };
        if is_started {
            claim.leased(lease, at);
        }
        Ok(is_started)
    }

    /// Renews the lease, and says whether the caller still has the run.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn renew(&self, claim: &RunClaim, lease: i64, at: Moment) -> Result<bool, StoreError> {
        if claim.is_over(at) {
            return Ok(false);
        }
        let now = at.wall_us;
        let renewed = self.change(claim, self.kept_until(now), now, |record| {
            let lease = Some(leased(&claim.owner, lease, now));
            Ok(RunRecord { lease, ..record.still_held() })
        })?;
        match renewed {
            Some(_) => claim.leased(lease, at),
            None => claim.lost(),
        }
        Ok(renewed.is_some())
    }

    /// Gives a run back as it was when it was claimed, since its handler was not started. Returns
    /// false if the caller no longer has the run.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn give_back(&self, claim: &RunClaim, now: i64) -> Result<bool, StoreError> {
        let given_back = self.change(claim, self.kept_until(now), now, |_| {
            Ok(RunRecord { lease: None, ..(*claim.record).clone() }.changed(now))
        })?;
        Ok(given_back.is_some())
    }

    /// Writes down how a run ended. A run that [`keep`](Self::keep) stored is forgotten. Returns
    /// false, and writes nothing, if the caller no longer has the run.
    ///
    /// A store that fails is asked twice more, since the handler does not run again.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn settle(
        &self,
        claim: &RunClaim,
        outcome: &RunOutcome,
        at: Moment,
    ) -> Result<bool, StoreError> {
        if claim.is_over(at) {
            return Ok(false);
        }
        let outcome =
            if self.keeps_outputs { outcome.clone() } else { outcome.clone().without_contents() };
        let mut tries = 0;
        loop {
            match self.end(claim, &outcome, at.wall_us) {
                Ok(is_kept) => return Ok(is_kept),
                // It may have written the end, and failed at the list of the open runs, which drops
                // an entry of a run that has ended.
                Err(_) if self.has_ended(claim, at.wall_us) => return Ok(true),
                Err(failed) if tries == MORE_TRIES => return Err(failed),
                Err(_) => tries += 1,
            }
        }
    }

    fn end(&self, claim: &RunClaim, outcome: &RunOutcome, now: i64) -> Result<bool, StoreError> {
        let record = &claim.record;
        let end = |record: RunRecord| {
            let record = record.still_held().without_input()?.changed(now);
            let outcome = Some(outcome.clone());
            Ok(RunRecord { stage: Stage::Ended, outcome, lease: None, ..record })
        };
        // Another process may have taken the run up: its record and its place in the list stay.
        let (open, place) = (open_place(record), place(&record.id));
        let mut then = vec![StoreChange::Delete { key: &open, expect: Condition::Any }];
        if record.asked.call.is_none() {
            then.push(StoreChange::Delete { key: &place, expect: Condition::Any });
        }
        Ok(self.change_and(claim, self.kept_until(now), now, end, &then)?.is_some())
    }

    /// Whether the store has the end of this beginning of the run, as the caller wrote it now.
    fn has_ended(&self, claim: &RunClaim, now: i64) -> bool {
        self.get(&claim.record.id, now).ok().flatten().is_some_and(|record| {
            record.is_ended()
                && record.created_at == claim.record.created_at
                && record.changed_at.micros() == now
        })
    }

    /// Changes a run that the caller has. Returns nothing if the caller no longer has it.
    pub(in crate::lifecycle) fn change(
        &self,
        claim: &RunClaim,
        keep_until: i64,
        now: i64,
        make: impl Fn(RunRecord) -> Result<RunRecord, StoreError>,
    ) -> Result<Option<Arc<RunRecord>>, StoreError> {
        self.change_and(claim, keep_until, now, make, &[])
    }

    /// Changes a run that the caller has, and then the rest. Returns nothing, and changes nothing,
    /// if the caller no longer has the run.
    ///
    /// The change is one conditional write on what the caller wrote last. Only where that has been
    /// changed since, by a decision for example, the run is read.
    pub(in crate::lifecycle) fn change_and(
        &self,
        claim: &RunClaim,
        keep_until: i64,
        now: i64,
        make: impl Fn(RunRecord) -> Result<RunRecord, StoreError>,
        then: &[StoreChange<'_>],
    ) -> Result<Option<Arc<RunRecord>>, StoreError> {
        let place = place(&claim.record.id);
        let last = claim.last();
        if !last.record.is_of(&claim.owner) {
            // The caller has given the run up, or ended it.
            return Ok(None);
        }
        if let Some(record) = self.change_last(claim, &last, keep_until, now, &make, then)? {
            return Ok(Some(record));
        }
        let (changed, version) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok(EntryChange::Keep(None)) };
            let record: RunRecord = from_json(&place, entry)?;
            if !record.is_of(&claim.owner) {
                return Ok(EntryChange::Keep(None));
            }
            let expires_at = later(entry.expires_at, keep_until);
            let record = Arc::new(make(record)?);
            let told = Some((Arc::clone(&record), expires_at));
            Ok(EntryChange::Put { value: to_json(&*record)?, expires_at, told })
        })?;
        let Some((record, expires_at)) = changed else { return Ok(None) };
        claim.wrote(Arc::clone(&record), version, expires_at);
        if !then.is_empty() {
            self.store.batch(then, now)?;
        }
        Ok(Some(record))
    }

    /// Changes a run that the caller has, and then the rest, in one batch. Returns nothing, and
    /// changes nothing, if the store may have another entry of the run than the caller wrote last.
    pub(in crate::lifecycle) fn change_last(
        &self,
        claim: &RunClaim,
        last: &LastWrite,
        keep_until: i64,
        now: i64,
        make: impl Fn(RunRecord) -> Result<RunRecord, StoreError>,
        then: &[StoreChange<'_>],
    ) -> Result<Option<Arc<RunRecord>>, StoreError> {
        let Some(version) = last.version else { return Ok(None) };
        let record = make((*last.record).clone())?;
        let expires_at = later(last.expires_at, keep_until);
        let (place, value) = (place(&record.id), to_json(&record)?);
        let write = Write { value: &value, expect: Condition::Version(version), expires_at };
        let own = StoreChange::Put { key: &place, write };
        let changes: Vec<_> = std::iter::once(own).chain(then.iter().copied()).collect();
        let Put::Stored(version) = first_put(&self.store.batch(&changes, now)?) else {
            return Ok(None);
        };
        let record = Arc::new(record);
        claim.wrote(Arc::clone(&record), Some(version), expires_at);
        Ok(Some(record))
    }
}

/// The later of two expiries. What never expires goes on to do so.
fn later(expires_at: Option<i64>, keep_until: i64) -> Option<i64> {
    expires_at.map(|at| at.max(keep_until))
}
