//! Claiming undo data, so that only one process undoes a run.

use super::data::{Lease, UndoData, place};
use crate::lifecycle::UndoStore;
use crate::lifecycle::time::Time;
use crate::store::{
    ATTEMPTS, Condition, EntryChange, Put, StoreError, Write, change, contended, from_json, to_json,
};

/// The answer to a claim.
#[derive(Debug)]
pub enum Claim {
    /// The run may be undone. The caller must then finish or release the lease.
    Claimed {
        /// The undo data.
        data: UndoData,
        /// The lease to finish or release.
        lease: Lease,
    },
    /// Another process has claimed the undo data.
    Busy {
        /// The last microsecond of that lease.
        until: Time,
    },
    /// No undo data exist for the run, or none are left.
    Missing,
}

impl UndoStore {
    /// Claims the undo data of the newest run with this id for `lease` microseconds.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn claim(&self, run_id: &str, lease: i64, now: i64) -> Result<Claim, StoreError> {
        let place = place(run_id);
        let mut is_alone = false;
        let (claim, version) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok(EntryChange::Keep(Claim::Missing)) };
            let data: UndoData = from_json(&place, entry)?;
            if let Some(until) = data.claimed(now) {
                return Ok(EntryChange::Keep(Claim::Busy { until }));
            }
            let Some(mut data) = data.current(now) else {
                return Ok(EntryChange::Keep(Claim::Missing));
            };
            if let Some(until) = data.claimed(now) {
                return Ok(EntryChange::Keep(Claim::Busy { until }));
            }
            data.claimed_until = Some(Time::from_micros(now.saturating_add(lease)));
            data.claims = data.claims.saturating_add(1);
            let (run_id, order) = (run_id.to_owned(), data.order);
            let lease = Lease { run_id, order, claims: data.claims, alone_at: None };
            is_alone = data.earlier.is_empty();
            let (value, expires_at) = (to_json(&data)?, data.kept_until());
            Ok(EntryChange::Put {
                value,
                expires_at,
                told: Claim::Claimed { data: data.alone(), lease },
            })
        })?;
        Ok(match claim {
            Claim::Claimed { data, lease } => {
                let alone_at = version.filter(|_| is_alone);
                Claim::Claimed { data, lease: Lease { alone_at, ..lease } }
            }
            claim => claim,
        })
    }

    /// Gives the undo data back, because the run was not undone. Returns false if the data were
    /// deleted, or if the lease ran out and another process claimed them.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn release(&self, lease: &Lease, now: i64) -> Result<bool, StoreError> {
        let place = place(&lease.run_id);
        let (released, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok(EntryChange::Keep(false)) };
            let mut data: UndoData = from_json(&place, entry)?;
            let Some(leased) = data.leased(lease) else { return Ok(EntryChange::Keep(false)) };
            leased.claimed_until = None;
            Ok(EntryChange::Put {
                value: to_json(&data)?,
                expires_at: data.kept_until(),
                told: true,
            })
        })?;
        Ok(released)
    }

    /// Deletes the undo data, because the run was undone. Returns false if the data were deleted,
    /// or if the lease ran out and another process claimed them.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn finish(&self, lease: &Lease, now: i64) -> Result<bool, StoreError> {
        let place = place(&lease.run_id);
        // Nobody has changed the entry since the claim, unless its version says so.
        if let Some(version) = lease.alone_at
            && self.store.delete(&place, Condition::Version(version), now)?
        {
            return Ok(true);
        }
        for _ in 0..ATTEMPTS {
            let Some(entry) = self.store.get(&place, now)? else { return Ok(false) };
            let mut data: UndoData = from_json(&place, &entry)?;
            if data.leased(lease).is_none() {
                return Ok(false);
            }
            let expect = Condition::Version(entry.version);
            let finished = match data.without(lease) {
                None => self.store.delete(&place, expect, now)?,
                Some(left) => {
                    let value = to_json(&left)?;
                    let write = Write { value: &value, expect, expires_at: left.kept_until() };
                    matches!(self.store.put(&place, write, now)?, Put::Stored(_))
                }
            };
            if finished {
                return Ok(true);
            }
        }
        Err(contended(&place))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{new, undo};
    use super::*;

    fn claimed(claim: Claim) -> Lease {
        match claim {
            Claim::Claimed { lease, .. } => lease,
            other => panic!("not claimed: {other:?}"),
        }
    }

    #[test]
    fn one_claims_at_a_time() {
        let undo = undo();
        assert!(matches!(undo.claim("a", 10, 0).unwrap(), Claim::Missing));
        undo.store(new("a", "1"), Some(100), 0).unwrap();
        let first = claimed(undo.claim("a", 10, 0).unwrap());
        assert!(
            matches!(undo.claim("a", 10, 10).unwrap(), Claim::Busy { until } if until.micros() == 10)
        );
        assert!(undo.release(&first, 10).unwrap());
        let second = claimed(undo.claim("a", 10, 10).unwrap());
        assert!(!undo.release(&first, 10).unwrap() && !undo.finish(&first, 10).unwrap());
        assert!(undo.finish(&second, 11).unwrap());
        assert!(!undo.finish(&second, 11).unwrap());
    }

    #[test]
    fn the_runs_with_one_id_are_undone_one_by_one_the_newest_first() {
        let undo = undo();
        for json in ["1", "2", "3"] {
            undo.store(new("call_1", json), Some(100), 0).unwrap();
        }
        for json in ["3", "2", "1"] {
            assert_eq!(undo.get("call_1", 1).unwrap().unwrap().undo_data.get(), json);
            let Claim::Claimed { data, lease } = undo.claim("call_1", 10, 1).unwrap() else {
                panic!()
            };
            assert_eq!(data.undo_data.get(), json);
            assert!(undo.finish(&lease, 2).unwrap() && !undo.finish(&lease, 2).unwrap());
        }
        assert!(matches!(undo.claim("call_1", 10, 2).unwrap(), Claim::Missing));
    }

    #[test]
    fn a_run_that_ends_while_another_is_undone_takes_nothing_from_it() {
        let undo = undo();
        undo.store(new("a", "1"), Some(5), 0).unwrap();
        let first = claimed(undo.claim("a", 10, 1).unwrap());
        undo.store(new("a", "2"), None, 2).unwrap();
        let second = claimed(undo.claim("a", 10, 3).unwrap());
        assert!(undo.release(&second, 4).unwrap() && undo.finish(&first, 9).unwrap());
        assert_eq!(undo.get("a", 9).unwrap().unwrap().undo_data.get(), "2");
        let third = claimed(undo.claim("a", 10, 9).unwrap());
        assert!(!undo.finish(&second, 9).unwrap() && undo.finish(&third, 9).unwrap());
        assert!(undo.is_empty().unwrap());
    }

    #[test]
    fn a_lease_that_ran_out_is_anothers() {
        let undo = undo();
        undo.store(new("a", "1"), None, 0).unwrap();
        let first = claimed(undo.claim("a", 10, 0).unwrap());
        let second = claimed(undo.claim("a", 10, 11).unwrap());
        assert!(!undo.finish(&first, 12).unwrap());
        let written = serde_json::to_string(&second).unwrap();
        assert!(undo.finish(&serde_json::from_str(&written).unwrap(), 12).unwrap());
    }

    #[test]
    fn a_lease_outlasts_the_expiry_of_what_it_is_for() {
        let undo = undo();
        undo.store(new("a", "1"), Some(5), 0).unwrap();
        let lease = claimed(undo.claim("a", 20, 5).unwrap());
        assert!(undo.get("a", 6).unwrap().is_none());
        assert_eq!(undo.cleanup_expired(25).unwrap(), 0);
        assert!(undo.release(&lease, 25).unwrap());
        assert!(matches!(undo.claim("a", 20, 25).unwrap(), Claim::Missing));
        undo.store(new("b", "1"), Some(5), 0).unwrap();
        let lease = claimed(undo.claim("b", 20, 5).unwrap());
        assert!(undo.finish(&lease, 25).unwrap());
    }
}
