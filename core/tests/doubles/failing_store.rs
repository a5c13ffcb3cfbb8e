//! A store that fails at some of its operations, before or after it has made them.

use std::sync::{Arc, Mutex};

use toolwire::store::{
    Changed, Condition, Put, Store, StoreChange, StoreEntry, StoreError, StoreErrorKind, Write,
    one_by_one,
};

/// When a store fails.
pub(crate) struct Outage {
    /// Only writes under this place count, such as `run/id/`, or all of them under none; without
    /// it, every operation counts.
    pub(crate) writes_under: Option<String>,
    /// How many of them are made before the failure.
    pub(crate) left: usize,
    /// How many of them fail then: one, as when a connection breaks, or all from then on, as for a
    /// process that is dead.
    pub(crate) times: usize,
    /// Whether the store makes the first one that fails, so that only its answer is lost.
    pub(crate) is_made: bool,
}

impl Default for Outage {
    fn default() -> Self {
        Self { writes_under: None, left: 0, times: 1, is_made: false }
    }
}

impl Outage {
    fn counts(&self, written: Option<&str>) -> bool {
        match (&self.writes_under, written) {
            (None, _) => true,
            (Some(place), Some(key)) => key.starts_with(place),
            (Some(_), None) => false,
        }
    }

    /// Whether the next operation fails, and is made all the same.
    fn take(&mut self, written: Option<&str>) -> Option<bool> {
        if !self.counts(written) {
            return None;
        }
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        self.times = self.times.checked_sub(1)?;
        Some(std::mem::take(&mut self.is_made))
    }
}

/// A store that fails.
pub(crate) struct FailingStore {
    store: Arc<dyn Store>,
    outage: Mutex<Outage>,
    has_whole_batches: bool,
}

impl FailingStore {
    pub(crate) fn new(store: Arc<dyn Store>, outage: Outage) -> Self {
        Self { store, outage: Mutex::new(outage), has_whole_batches: false }
    }

    /// Makes each batch in one step, which counts as one operation.
    #[allow(dead_code, reason = "only some of the tests have such a store")]
    pub(crate) fn with_whole_batches(self) -> Self {
        Self { has_whole_batches: true, ..self }
    }

    /// Fails in another way from now on.
    pub(crate) fn fail(&self, outage: Outage) {
        *self.outage.lock().unwrap() = outage;
    }

    fn take<T>(
        &self,
        written: Option<&str>,
        make: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let fails = self.outage.lock().unwrap().take(written);
        match fails {
            None => return make(),
            Some(true) => drop(make()?),
            Some(false) => {}
        }
        Err(StoreError::new(StoreErrorKind::Io, "the connection broke"))
    }
}

impl Store for FailingStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        self.take(None, || self.store.get(key, now))
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        self.take(Some(key), || self.store.put(key, write, now))
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        self.take(Some(key), || self.store.delete(key, expect, now))
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        self.take(None, || self.store.scan(prefix, after, limit, now))
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        self.take(None, || self.store.purge(prefix, now))
    }

    fn batch(&self, changes: &[StoreChange<'_>], now: i64) -> Result<Vec<Changed>, StoreError> {
        if !self.has_whole_batches {
            return one_by_one(self, changes, now);
        }
        let put = changes.iter().find_map(|change| match change {
            StoreChange::Put { key, .. } => Some(*key),
            _ => None,
        });
        self.take(put, || self.store.batch(changes, now))
    }

    fn has_whole_batches(&self) -> bool {
        self.has_whole_batches
    }

    fn shared(&self) -> bool {
        true
    }
}
