//! A store that fails at one of its operations, before or after it has made it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use toolwire::store::{Condition, Put, Store, StoreEntry, StoreError, StoreErrorKind, Write};

/// How long a store fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outage {
    /// For one operation, as when a connection breaks.
    #[allow(dead_code, reason = "each test that shares this file uses one of the two")]
    Once,
    /// From that operation on, as for a process that is dead.
    #[allow(dead_code, reason = "each test that shares this file uses one of the two")]
    ForEver,
}

/// A store that fails.
pub(crate) struct FailingStore {
    pub(crate) store: Arc<dyn Store>,
    /// How many operations are made before the failure.
    pub(crate) left: AtomicI64,
    /// Whether the store makes the operation at which it fails.
    pub(crate) after: bool,
    pub(crate) outage: Outage,
}

impl FailingStore {
    fn take<T>(&self, make: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let left = self.left.fetch_sub(1, Ordering::SeqCst);
        if left > 0 || (left < 0 && self.outage == Outage::Once) {
            return make();
        }
        if left == 0 && self.after {
            make()?;
        }
        Err(StoreError::new(StoreErrorKind::Io, "the connection broke"))
    }
}

impl Store for FailingStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        self.take(|| self.store.get(key, now))
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        self.take(|| self.store.put(key, write, now))
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        self.take(|| self.store.delete(key, expect, now))
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        self.take(|| self.store.scan(prefix, after, limit, now))
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        self.take(|| self.store.purge(prefix, now))
    }

    fn shared(&self) -> bool {
        true
    }
}
