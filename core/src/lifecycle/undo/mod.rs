//! The data that undoes a run.
//!
//! A model may give two calls the same id, so two runs may have one id. The undo data of
//! the runs with one id form a stack, and the newest run is undone first.
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::value::RawValue;
//! use toolwire::lifecycle::{Claim, NewUndo, UndoStore};
//! use toolwire::store::MemoryStore;
//!
//! let undo = UndoStore::new(Arc::new(MemoryStore::default()));
//! let data = RawValue::from_string(r#"{"title":"before"}"#.to_owned())?;
//! let new = NewUndo { run_id: "a1".into(), tool_name: "edit_post".into(), undo_data: data };
//! undo.store(new, Some(3_600_000_000), 1_000)?;
//!
//! // Whoever claims it may undo the run; until then, or until the lease runs out, no other.
//! let claim = undo.claim("a1", 60_000_000, 2_000)?;
//! let Claim::Claimed { data, lease } = claim else { unreachable!() };
//! assert_eq!(data.undo_data.get(), r#"{"title":"before"}"#);
//! assert!(matches!(undo.claim("a1", 60_000_000, 3_000)?, Claim::Busy { .. }));
//! assert!(undo.finish(&lease, 4_000)?);
//! assert!(undo.get("a1", 5_000)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(in crate::lifecycle) mod claim;
pub(in crate::lifecycle) mod data;
pub(in crate::lifecycle) mod machine;
#[cfg(test)]
mod testing;

use std::sync::Arc;

use crate::lifecycle::time::{Sequence, Time};
use crate::store::{
    Condition, EntryChange, Put, Store, StoreChange, StoreError, Sweep, Visit, Write, change, each,
    first_put, from_json, prefix, to_json,
};
use data::{NewUndo, UndoData, place};

/// The undo data of a store.
pub struct UndoStore {
    pub(in crate::lifecycle) store: Arc<dyn Store>,
    sequence: Sequence,
    sweep: Sweep,
}

impl UndoStore {
    /// How long a run may be undone, in seconds, where a host names no other time.
    pub const TTL_SECONDS: f64 = 3600.0;

    /// How long an undo handler may run, in seconds, before another process may claim the same
    /// data. A handler that runs longer may be run a second time.
    pub const LEASE_SECONDS: f64 = 300.0;

    /// Opens the undo data of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, sequence: Sequence::default(), sweep: Sweep::new("undo", 1) }
    }

    /// Stores the undo data of a run on top of the earlier data with its id, for `ttl`
    /// microseconds if given.
    ///
    /// # Errors
    /// Any error of the store, and `host` when the id already has the undo data of 32 runs.
    pub fn store(&self, new: NewUndo, ttl: Option<i64>, now: i64) -> Result<UndoData, StoreError> {
        self.store_made(new, Time::from_micros(now), ttl, now)
    }

    /// Stores like [`store`](Self::store), but for undo data that were made at another time.
    ///
    /// # Errors
    /// The same errors as there.
    pub fn store_made(
        &self,
        new: NewUndo,
        created_at: Time,
        ttl: Option<i64>,
        now: i64,
    ) -> Result<UndoData, StoreError> {
        let place = place(&new.run_id);
        let data = UndoData {
            run_id: new.run_id,
            tool_name: new.tool_name,
            undo_data: new.undo_data,
            created_at,
            expires_at: ttl.map(|ttl| Time::from_micros(now.saturating_add(ttl))),
            claimed_until: None,
            order: self.sequence.next(now),
            claims: 0,
            earlier: Vec::new(),
        };
        // Most ids have one run, so nothing is read first.
        let (value, expires_at) = (to_json(&data)?, data.kept_until());
        let write = Write { value: &value, expect: Condition::Absent, expires_at };
        let first = StoreChange::Put { key: &place, write };
        let changes: Vec<_> = self.sweep.due().into_iter().chain([first]).collect();
        if let Put::Stored(_) = first_put(&self.store.batch(&changes, now)?) {
            return Ok(data);
        }
        change(&*self.store, &place, now, |entry| {
            let data = match entry {
                Some(entry) => data.clone().above(from_json(&place, entry)?, now)?,
                None => data.clone(),
            };
            Ok(EntryChange::Put { value: to_json(&data)?, expires_at: data.kept_until(), told: () })
        })?;
        Ok(data)
    }

    /// Returns the undo data of the newest run with this id.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn get(&self, run_id: &str, now: i64) -> Result<Option<UndoData>, StoreError> {
        let place = place(run_id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let data: UndoData = from_json(&place, &entry)?;
        Ok(data.current(now).map(UndoData::alone))
    }

    /// Deletes the undo data of all runs with this id, and says whether there were any.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn delete(&self, run_id: &str, now: i64) -> Result<bool, StoreError> {
        self.store.delete(&place(run_id), Condition::Any, now)
    }

    /// Removes the expired entries, and returns their number.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn cleanup_expired(&self, now: i64) -> Result<u64, StoreError> {
        self.store.purge(&prefix(&["undo"]), now)
    }

    /// Returns the undo data of the newest run of each id, ordered by when each id first got some.
    ///
    /// # Errors
    /// Any error of the store.
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

    /// Returns the number of ids that have undo data. Expired undo data count until their
    /// removal.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn len(&self) -> Result<usize, StoreError> {
        let mut count = 0;
        // At the earliest possible time, no entry has expired.
        each(&*self.store, &prefix(&["undo"]), None, i64::MIN, |_, _| {
            count += 1;
            Ok(Visit::On)
        })?;
        Ok(count)
    }

    /// Whether no run has undo data.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.store.scan(&prefix(&["undo"]), None, 1, i64::MIN)?.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::data::MOST_RUNS;
    use super::testing::{new, undo};
    use super::*;
    use crate::store::StoreErrorKind;

    #[test]
    fn all_are_in_the_order_of_their_first_storing() {
        let undo = undo();
        for id in ["z", "a", "m", "a"] {
            undo.store(new(id, "{}"), None, 5).unwrap();
        }
        let all = undo.all(5).unwrap();
        assert_eq!(
            all.iter().map(|data| data.run_id.as_str()).collect::<Vec<_>>(),
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
}
