//! Taking up runs that no process has.

use std::sync::Arc;

use uuid::Uuid;

use super::Resumption;
use super::claim::{LastWrite, RunClaim};
use super::record::{RunRecord, Stage, leased, place};
use crate::lifecycle::Runs;
use crate::store::{
    Condition, EntryChange, Put, StoreChange, StoreError, Write, change, first_put, from_json,
    to_json,
};

impl Runs {
    /// Claims a run whose handler was not started and that no process has, so that the caller alone
    /// takes it up.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn claim(&self, id: &str, lease: i64, now: i64) -> Result<Resumption, StoreError> {
        self.claim_if(id, lease, now, Some)
    }

    /// Claims a run as [`claim`](Self::claim) does, if it is still what the caller has read: what
    /// the caller has decided on holds for that run, and not for one that begins anew or waits for
    /// another request meanwhile. `approved` is the fingerprint of an approval, which may be one of
    /// changed arguments: the run has those from now on.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn claim_read(
        &self,
        read: &RunRecord,
        approved: Option<&str>,
        lease: i64,
        now: i64,
    ) -> Result<Resumption, StoreError> {
        if let Some(claimed) = self.claim_as_read(read, approved, lease, now)? {
            return Ok(Resumption::Claimed(claimed));
        }
        self.claim_if(&read.id, lease, now, |record| {
            record.is_still(read).then(|| record.with_approved(approved))
        })
    }

    /// Claims a run by one conditional write on what was read. Returns nothing if it has changed
    /// since, or was not free.
    fn claim_as_read(
        &self,
        read: &RunRecord,
        approved: Option<&str>,
        lease: i64,
        now: i64,
    ) -> Result<Option<RunClaim>, StoreError> {
        let Some(entry) = read.read_from.filter(|_| read.is_free(now)) else { return Ok(None) };
        let (place, owner) = (place(&read.id), Uuid::new_v4().to_string());
        let record = read.clone().with_approved(approved);
        let record = RunRecord { lease: Some(leased(&owner, lease, now)), ..record };
        let (value, expires_at) = (to_json(&record)?, entry.expires_at);
        let write = Write { value: &value, expect: Condition::Version(entry.version), expires_at };
        let put = StoreChange::Put { key: &place, write };
        let changes: Vec<_> = self.sweep.due().into_iter().chain([put]).collect();
        match self.store.batch(&changes, now).map(|made| first_put(&made)) {
            Ok(Put::Conflict) => Ok(None),
            Ok(Put::Stored(version)) => {
                let last = LastWrite::new(Arc::new(record), Some(version), expires_at);
                Ok(Some(RunClaim::new(owner, read.stage == Stage::Checking, last)))
            }
            Err(failed) => self.claimed_all_the_same(&read.id, owner, failed, now).map(Some),
        }
    }

    fn claim_if(
        &self,
        id: &str,
        lease: i64,
        now: i64,
        meant: impl Fn(RunRecord) -> Option<RunRecord>,
    ) -> Result<Resumption, StoreError> {
        self.sweep.run(&*self.store, now)?;
        let place = place(id);
        let owner = Uuid::new_v4().to_string();
        let resumption = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else {
                return Ok::<_, StoreError>(EntryChange::Keep(Resumption::Unknown));
            };
            let found: RunRecord = from_json(&place, entry)?;
            let free = Some(found.clone()).filter(|found| found.is_free(now));
            let Some(record) = free.and_then(&meant) else {
                return Ok(EntryChange::Keep(Resumption::Standing(Box::new(found))));
            };
            let taken_over = record.stage == Stage::Checking;
            let record = RunRecord { lease: Some(leased(&owner, lease, now)), ..record };
            let (value, expires_at) = (to_json(&record)?, entry.expires_at);
            let last = LastWrite::new(Arc::new(record), None, expires_at);
            let told = Resumption::Claimed(RunClaim::new(owner.clone(), taken_over, last));
            Ok(EntryChange::Put { value, expires_at, told })
        });
        match resumption {
            Ok((Resumption::Claimed(claim), version)) => {
                let last = claim.last();
                claim.wrote(last.record, version, last.expires_at);
                Ok(Resumption::Claimed(claim))
            }
            Ok((resumption, _)) => Ok(resumption),
            Err(failed) => {
                self.claimed_all_the_same(id, owner, failed, now).map(Resumption::Claimed)
            }
        }
    }

    /// Returns the claim that a store has taken although it answered with an error. Whether the
    /// process that had the run before asked a person is not known here.
    fn claimed_all_the_same(
        &self,
        id: &str,
        owner: String,
        failed: StoreError,
        now: i64,
    ) -> Result<RunClaim, StoreError> {
        match self.get(id, now) {
            Ok(Some(record)) if record.is_of(&owner) => {
                let last = LastWrite::new(Arc::new(record), None, None);
                Ok(RunClaim::new(owner, true, last))
            }
            _ => Err(failed),
        }
    }
}
