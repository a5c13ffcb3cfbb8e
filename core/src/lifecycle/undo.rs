//! What it takes to undo an action that has run.
//!
//! A model may give two calls the same id, so an action may have run more than once: the undo data
//! of its runs are kept one above the other, and the newest are undone first.
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::value::RawValue;
//! use toolwire::lifecycle::{Claim, NewUndo, UndoStore};
//! use toolwire::store::MemoryStore;
//!
//! let undo = UndoStore::new(Arc::new(MemoryStore::default()));
//! let data = RawValue::from_string(r#"{"title":"before"}"#.to_owned())?;
//! let new = NewUndo { action_id: "a1".into(), tool_name: "edit_post".into(), undo_data: data };
//! undo.store(new, Some(3_600_000_000), 1_000)?;
//!
//! // Whoever claims it may undo the action; until then, or until the lease runs out, no other.
//! let Claim::Claimed { data, lease } = undo.claim("a1", 60_000_000, 2_000)? else { unreachable!() };
//! assert_eq!(data.undo_data.get(), r#"{"title":"before"}"#);
//! assert!(matches!(undo.claim("a1", 60_000_000, 3_000)?, Claim::Busy { .. }));
//! assert!(undo.finish(&lease, 4_000)?);
//! assert!(undo.get("a1", 5_000)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::time::{Sequence, Time};
use crate::store::{
    ATTEMPTS, Change, Expect, Put, Store, StoreError, StoreErrorKind, Sweep, Visit, Write, change,
    contended, each, from_json, key, prefix, to_json,
};

/// The runs of one action whose undo data are kept.
const MOST_RUNS: usize = 32;

/// Undo data that is still to be stored.
#[derive(Clone, Debug)]
pub struct NewUndo {
    /// The action that ran.
    pub action_id: String,
    /// The tool that it ran.
    pub tool_name: String,
    /// What the tool's undo handler is given, as JSON.
    pub undo_data: Box<RawValue>,
}

/// What it takes to undo an action.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UndoData {
    /// The action that ran.
    pub action_id: String,
    /// The tool that it ran.
    pub tool_name: String,
    /// What the tool's undo handler is given, as JSON, to the byte as it was given.
    pub undo_data: Box<RawValue>,
    /// When it was stored.
    pub created_at: Time,
    /// The last microsecond at which the action may be undone, if that may not be done forever.
    pub expires_at: Option<Time>,
    /// Until when nobody but who claimed it may undo the action.
    pub claimed_until: Option<Time>,
    /// Its place among the undo data of the store.
    order: i64,
    /// How often it was claimed.
    #[serde(default)]
    claims: u64,
    /// The undo data of the action's earlier runs, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    earlier: Vec<UndoData>,
}

impl UndoData {
    fn expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|at| now > at.micros())
    }

    fn claimed(&self, now: i64) -> Option<Time> {
        self.claimed_until.filter(|until| now <= until.micros())
    }

    /// How long the entry stays: no lease is cut short, and no earlier run.
    fn kept_until(&self) -> Option<i64> {
        let own = |data: &Self| {
            let expires_at = data.expires_at?;
            Some(expires_at.max(data.claimed_until.unwrap_or(expires_at)).micros())
        };
        self.earlier
            .iter()
            .chain([self])
            .map(own)
            .try_fold(i64::MIN, |most, until| Some(most.max(until?)))
    }

    /// Puts these data above those that the action had, of which the expired ones go.
    fn above(mut self, mut below: Self, now: i64) -> Result<Self, StoreError> {
        let mut earlier = std::mem::take(&mut below.earlier);
        earlier.push(below);
        earlier.retain(|data| !data.expired(now) || data.claimed(now).is_some());
        if earlier.len() >= MOST_RUNS {
            let message =
                format!("the action has undo data of {MOST_RUNS} runs; undo or delete some first");
            return Err(StoreError::new(StoreErrorKind::Host, message));
        }
        self.earlier = earlier;
        Ok(self)
    }

    /// What is left when the newest data are gone.
    fn below(mut self) -> Option<Self> {
        let mut earlier = std::mem::take(&mut self.earlier);
        let newest = earlier.pop()?;
        Some(Self { earlier, ..newest })
    }

    /// The newest data that have not expired, above what is below them.
    fn current(self, now: i64) -> Option<Self> {
        let mut data = self;
        while data.expired(now) {
            data = data.below()?;
        }
        Some(data)
    }

    /// The data alone.
    fn alone(self) -> Self {
        Self { earlier: Vec::new(), ..self }
    }

    /// The data that a lease is for, if they are there and nobody claimed them since.
    fn leased(&mut self, lease: &Lease) -> Option<&mut Self> {
        if lease.is_for(self) {
            return Some(self);
        }
        self.earlier.iter_mut().find(|data| lease.is_for(data))
    }

    /// What is left without the data that a lease is for.
    fn without(mut self, lease: &Lease) -> Option<Self> {
        if lease.is_for(&self) {
            return self.below();
        }
        self.earlier.retain(|data| !lease.is_for(data));
        Some(self)
    }
}

/// That one process, and no other, may undo an action for a while.
///
/// It can be written down and taken up in a later request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    action_id: String,
    order: i64,
    claims: u64,
}

impl Lease {
    fn is_for(&self, data: &UndoData) -> bool {
        data.claimed_until.is_some() && (data.order, data.claims) == (self.order, self.claims)
    }
}

/// The answer to a claim.
#[derive(Debug)]
pub enum Claim {
    /// The action may be undone, and then the lease is to be finished or released.
    Claimed {
        /// What it takes.
        data: UndoData,
        /// What to finish or release it with.
        lease: Lease,
    },
    /// Another one has claimed it.
    Busy {
        /// The last microsecond of its lease.
        until: Time,
    },
    /// There is nothing, or nothing any more, to undo the action with.
    Missing,
}

/// The undo data in a store.
pub struct UndoStore {
    store: Arc<dyn Store>,
    sequence: Sequence,
    sweep: Sweep,
}

impl UndoStore {
    /// Takes the undo data of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, sequence: Sequence::default(), sweep: Sweep::new("undo", 1) }
    }

    /// Stores the undo data of an action above what it had, for `ttl` microseconds if given.
    ///
    /// # Errors
    /// The store's, and `host` when the undo data of 32 runs of the action are kept.
    pub fn store(&self, new: NewUndo, ttl: Option<i64>, now: i64) -> Result<UndoData, StoreError> {
        self.store_made(new, Time::from_micros(now), ttl, now)
    }

    /// As [`store`](Self::store), of undo data that were made at another time.
    ///
    /// # Errors
    /// As there.
    pub fn store_made(
        &self,
        new: NewUndo,
        created_at: Time,
        ttl: Option<i64>,
        now: i64,
    ) -> Result<UndoData, StoreError> {
        let place = place(&new.action_id);
        let data = UndoData {
            action_id: new.action_id,
            tool_name: new.tool_name,
            undo_data: new.undo_data,
            created_at,
            expires_at: ttl.map(|ttl| Time::from_micros(now.saturating_add(ttl))),
            claimed_until: None,
            order: self.sequence.next(now),
            claims: 0,
            earlier: Vec::new(),
        };
        self.sweep.run(&*self.store, now)?;
        change(&*self.store, &place, now, |entry| {
            let data = match entry {
                Some(entry) => data.clone().above(from_json(&place, entry)?, now)?,
                None => data.clone(),
            };
            Ok(Change::Put { value: to_json(&data)?, expires_at: data.kept_until(), told: () })
        })?;
        Ok(data)
    }

    /// The undo data of an action's newest run.
    ///
    /// # Errors
    /// The store's.
    pub fn get(&self, action_id: &str, now: i64) -> Result<Option<UndoData>, StoreError> {
        let place = place(action_id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let data: UndoData = from_json(&place, &entry)?;
        Ok(data.current(now).map(UndoData::alone))
    }

    /// Forgets the undo data of all runs of an action; whether there was some.
    ///
    /// # Errors
    /// The store's.
    pub fn delete(&self, action_id: &str, now: i64) -> Result<bool, StoreError> {
        self.store.delete(&place(action_id), Expect::Any, now)
    }

    /// Removes what has expired; how many there were.
    ///
    /// # Errors
    /// The store's.
    pub fn cleanup_expired(&self, now: i64) -> Result<u64, StoreError> {
        self.store.purge(&prefix(&["undo"]), now)
    }

    /// The undo data of each action's newest run, in the order in which the actions first had some.
    ///
    /// # Errors
    /// The store's.
    pub fn all(&self, now: i64) -> Result<Vec<UndoData>, StoreError> {
        let mut all = Vec::new();
        each(&*self.store, &prefix(&["undo"]), None, now, |place, entry| {
            let data: UndoData = from_json(place, entry)?;
            let first = data.earlier.first().map_or(data.order, |first| first.order);
            all.extend(data.current(now).map(|data| (first, data.alone())));
            Ok(Visit::On)
        })?;
        all.sort_by_key(|(first, _)| *first);
        Ok(all.into_iter().map(|(_, data)| data).collect())
    }

    /// The number of actions that have undo data, with those that have expired and were not removed
    /// yet.
    ///
    /// # Errors
    /// The store's.
    pub fn len(&self) -> Result<usize, StoreError> {
        let mut count = 0;
        // At the beginning of time nothing has expired.
        each(&*self.store, &prefix(&["undo"]), None, i64::MIN, |_, _| {
            count += 1;
            Ok(Visit::On)
        })?;
        Ok(count)
    }

    /// Whether no action has undo data.
    ///
    /// # Errors
    /// The store's.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.store.scan(&prefix(&["undo"]), None, 1, i64::MIN)?.is_empty())
    }

    /// Takes the undo data of an action's newest run for oneself, for `lease` microseconds.
    ///
    /// # Errors
    /// The store's.
    pub fn claim(&self, action_id: &str, lease: i64, now: i64) -> Result<Claim, StoreError> {
        let place = place(action_id);
        let (claim, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok(Change::Keep(Claim::Missing)) };
            let data: UndoData = from_json(&place, entry)?;
            if let Some(until) = data.claimed(now) {
                return Ok(Change::Keep(Claim::Busy { until }));
            }
            let Some(mut data) = data.current(now) else { return Ok(Change::Keep(Claim::Missing)) };
            if let Some(until) = data.claimed(now) {
                return Ok(Change::Keep(Claim::Busy { until }));
            }
            data.claimed_until = Some(Time::from_micros(now.saturating_add(lease)));
            data.claims = data.claims.saturating_add(1);
            let lease =
                Lease { action_id: action_id.to_owned(), order: data.order, claims: data.claims };
            let (value, expires_at) = (to_json(&data)?, data.kept_until());
            Ok(Change::Put {
                value,
                expires_at,
                told: Claim::Claimed { data: data.alone(), lease },
            })
        })?;
        Ok(claim)
    }

    /// Gives the undo data back, because the run was not undone; false when the lease had run out
    /// and another one claimed them, or they were deleted.
    ///
    /// # Errors
    /// The store's.
    pub fn release(&self, lease: &Lease, now: i64) -> Result<bool, StoreError> {
        let place = place(&lease.action_id);
        let (released, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok(Change::Keep(false)) };
            let mut data: UndoData = from_json(&place, entry)?;
            let Some(leased) = data.leased(lease) else { return Ok(Change::Keep(false)) };
            leased.claimed_until = None;
            Ok(Change::Put { value: to_json(&data)?, expires_at: data.kept_until(), told: true })
        })?;
        Ok(released)
    }

    /// Forgets the undo data, because the run was undone; false when the lease had run out and
    /// another one claimed them, or they were deleted.
    ///
    /// # Errors
    /// The store's.
    pub fn finish(&self, lease: &Lease, now: i64) -> Result<bool, StoreError> {
        let place = place(&lease.action_id);
        for _ in 0..ATTEMPTS {
            let Some(entry) = self.store.get(&place, now)? else { return Ok(false) };
            let mut data: UndoData = from_json(&place, &entry)?;
            if data.leased(lease).is_none() {
                return Ok(false);
            }
            let expect = Expect::Version(entry.version);
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

fn place(action_id: &str) -> String {
    key(&["undo", action_id])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    fn undo() -> UndoStore {
        UndoStore::new(Arc::new(MemoryStore::default()))
    }

    fn new(action_id: &str, json: &str) -> NewUndo {
        let undo_data = RawValue::from_string(json.to_owned()).unwrap();
        NewUndo { action_id: action_id.to_owned(), tool_name: "edit".to_owned(), undo_data }
    }

    fn claimed(claim: Claim) -> Lease {
        match claim {
            Claim::Claimed { lease, .. } => lease,
            other => panic!("not claimed: {other:?}"),
        }
    }

    #[test]
    fn all_are_in_the_order_of_their_first_storing() {
        let undo = undo();
        for id in ["z", "a", "m", "a"] {
            undo.store(new(id, "{}"), None, 5).unwrap();
        }
        let all = undo.all(5).unwrap();
        assert_eq!(
            all.iter().map(|data| data.action_id.as_str()).collect::<Vec<_>>(),
            ["z", "a", "m"]
        );
    }

    #[test]
    fn data_are_kept_to_the_byte() {
        let json = r#"{"b": 1.0, "a":123456789012345678901234567890, "a":[ ]}"#;
        let undo = undo();
        undo.store(new("a", json), None, 0).unwrap();
        assert_eq!(undo.get("a", 0).unwrap().unwrap().undo_data.get(), json);
    }

    #[test]
    fn data_that_were_made_before_expire_from_now() {
        let undo = undo();
        let made = Time::parse("2024-01-01T00:00:00+00:00").unwrap();
        undo.store_made(new("a", "1"), made, Some(10), 100).unwrap();
        let data = undo.get("a", 110).unwrap().unwrap();
        assert_eq!((data.created_at, data.expires_at), (made, Some(Time::from_micros(110))));
    }

    #[test]
    fn what_expired_is_counted_until_it_is_removed() {
        let undo = undo();
        undo.store(new("a", "1"), Some(10), 100).unwrap();
        undo.store(new("b", "2"), None, 100).unwrap();
        assert!(undo.get("a", 110).unwrap().is_some());
        assert!(undo.get("a", 111).unwrap().is_none());
        assert_eq!((undo.len().unwrap(), undo.all(111).unwrap().len()), (2, 1));
        assert!(!undo.delete("a", 111).unwrap() && undo.delete("b", 111).unwrap());
        undo.store(new("a", "1"), Some(10), 100).unwrap();
        assert_eq!((undo.cleanup_expired(111).unwrap(), undo.len().unwrap()), (1, 0));
        assert!(undo.is_empty().unwrap());
    }

    #[test]
    fn what_expired_goes_when_other_data_are_stored() {
        let undo = undo();
        undo.store(new("a", "1"), Some(10), 100).unwrap();
        undo.store(new("b", "2"), Some(10), 110).unwrap();
        assert_eq!(undo.len().unwrap(), 2);
        undo.store(new("c", "3"), Some(10), 111).unwrap();
        assert_eq!(undo.len().unwrap(), 2);
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
    fn the_runs_of_an_action_that_ran_twice_are_undone_one_by_one_the_newest_first() {
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
    fn the_runs_that_are_kept_are_bounded_and_nothing_goes_silently() {
        let undo = undo();
        for _ in 0..MOST_RUNS {
            undo.store(new("a", "1"), Some(10), 0).unwrap();
        }
        let error = undo.store(new("a", "2"), Some(10), 1).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Host);
        undo.store(new("a", "3"), Some(10), 11).unwrap();
        assert_eq!(undo.get("a", 12).unwrap().unwrap().undo_data.get(), "3");
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
