//! What it takes to undo an action that has run.
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
use crate::store::{Change, Expect, Store, StoreError, Visit, change, each, from_json, key, prefix, to_json};

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
}

impl UndoData {
    fn expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|at| now > at.micros())
    }

    fn claimed(&self, now: i64) -> Option<Time> {
        self.claimed_until.filter(|until| now <= until.micros())
    }

    /// How long the entry stays: no lease is cut short.
    fn kept_until(&self) -> Option<i64> {
        self.expires_at.map(|expires_at| expires_at.max(self.claimed_until.unwrap_or(expires_at)).micros())
    }
}

/// That one process, and no other, may undo an action for a while.
///
/// It can be written down and taken up in a later request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    action_id: String,
    version: u64,
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
}

impl UndoStore {
    /// Takes the undo data of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, sequence: Sequence::default() }
    }

    /// Stores the undo data of an action in place of what it had, for `ttl` microseconds if given.
    ///
    /// # Errors
    /// The store's.
    pub fn store(&self, new: NewUndo, ttl: Option<i64>, now: i64) -> Result<UndoData, StoreError> {
        self.store_made(new, Time::from_micros(now), ttl, now)
    }

    /// As [`store`](Self::store), of undo data that were made at another time.
    ///
    /// # Errors
    /// The store's.
    pub fn store_made(
        &self,
        new: NewUndo,
        created_at: Time,
        ttl: Option<i64>,
        now: i64,
    ) -> Result<UndoData, StoreError> {
        let place = place(&new.action_id);
        let mut data = UndoData {
            action_id: new.action_id,
            tool_name: new.tool_name,
            undo_data: new.undo_data,
            created_at,
            expires_at: ttl.map(|ttl| Time::from_micros(now.saturating_add(ttl))),
            claimed_until: None,
            order: 0,
        };
        let next = self.sequence.next(now);
        change(&*self.store, &place, now, |entry| {
            // What is overwritten keeps its place.
            data.order = match entry {
                Some(entry) => from_json::<UndoData>(&place, entry)?.order,
                None => next,
            };
            Ok(Change::Put { value: to_json(&data)?, expires_at: data.kept_until(), told: () })
        })?;
        Ok(data)
    }

    /// The undo data of an action.
    ///
    /// # Errors
    /// The store's.
    pub fn get(&self, action_id: &str, now: i64) -> Result<Option<UndoData>, StoreError> {
        let place = place(action_id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let data: UndoData = from_json(&place, &entry)?;
        Ok(Some(data).filter(|data| !data.expired(now)))
    }

    /// Forgets the undo data of an action; whether there was some.
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

    /// All undo data, in the order in which they were first stored.
    ///
    /// # Errors
    /// The store's.
    pub fn all(&self, now: i64) -> Result<Vec<UndoData>, StoreError> {
        let mut all = Vec::new();
        each(&*self.store, &prefix(&["undo"]), now, |place, entry| {
            let data: UndoData = from_json(place, entry)?;
            if !data.expired(now) {
                all.push(data);
            }
            Ok(Visit::On)
        })?;
        all.sort_by_key(|data| data.order);
        Ok(all)
    }

    /// The number of actions that have undo data, with those that have expired and were not removed.
    ///
    /// # Errors
    /// The store's.
    pub fn len(&self) -> Result<usize, StoreError> {
        let mut count = 0;
        // At the beginning of time nothing has expired.
        each(&*self.store, &prefix(&["undo"]), i64::MIN, |_, _| {
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

    /// Takes the undo data of an action for oneself, for `lease` microseconds.
    ///
    /// # Errors
    /// The store's.
    pub fn claim(&self, action_id: &str, lease: i64, now: i64) -> Result<Claim, StoreError> {
        let place = place(action_id);
        let (claim, version) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok(Change::Keep(Claim::Missing)) };
            let mut data: UndoData = from_json(&place, entry)?;
            if let Some(until) = data.claimed(now) {
                return Ok(Change::Keep(Claim::Busy { until }));
            }
            if data.expired(now) {
                return Ok(Change::Keep(Claim::Missing));
            }
            data.claimed_until = Some(Time::from_micros(now.saturating_add(lease)));
            let (value, expires_at) = (to_json(&data)?, data.kept_until());
            let lease = Lease { action_id: action_id.to_owned(), version: 0 };
            Ok(Change::Put { value, expires_at, told: Claim::Claimed { data, lease } })
        })?;
        Ok(match (claim, version) {
            (Claim::Claimed { data, lease }, Some(version)) => {
                Claim::Claimed { data, lease: Lease { version, ..lease } }
            }
            (claim, _) => claim,
        })
    }

    /// Gives the undo data back, because the action was not undone; false when the lease had run
    /// out and another one claimed, overwrote or deleted them.
    ///
    /// # Errors
    /// The store's.
    pub fn release(&self, lease: &Lease, now: i64) -> Result<bool, StoreError> {
        let place = place(&lease.action_id);
        let (released, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry.filter(|entry| entry.version == lease.version) else {
                return Ok(Change::Keep(false));
            };
            let mut data: UndoData = from_json(&place, entry)?;
            data.claimed_until = None;
            Ok(Change::Put { value: to_json(&data)?, expires_at: data.kept_until(), told: true })
        })?;
        Ok(released)
    }

    /// Forgets the undo data, because the action was undone; false when the lease had run out and
    /// another one claimed, overwrote or deleted them.
    ///
    /// # Errors
    /// The store's.
    pub fn finish(&self, lease: &Lease, now: i64) -> Result<bool, StoreError> {
        self.store.delete(&place(&lease.action_id), Expect::Version(lease.version), now)
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
        assert_eq!(all.iter().map(|data| data.action_id.as_str()).collect::<Vec<_>>(), ["z", "a", "m"]);
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
    fn one_claims_at_a_time() {
        let undo = undo();
        assert!(matches!(undo.claim("a", 10, 0).unwrap(), Claim::Missing));
        undo.store(new("a", "1"), Some(100), 0).unwrap();
        let first = claimed(undo.claim("a", 10, 0).unwrap());
        assert!(matches!(undo.claim("a", 10, 10).unwrap(), Claim::Busy { until } if until.micros() == 10));
        assert!(undo.release(&first, 10).unwrap());
        let second = claimed(undo.claim("a", 10, 10).unwrap());
        assert!(!undo.release(&first, 10).unwrap() && !undo.finish(&first, 10).unwrap());
        assert!(undo.finish(&second, 11).unwrap());
        assert!(!undo.finish(&second, 11).unwrap());
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
