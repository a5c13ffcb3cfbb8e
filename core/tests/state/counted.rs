//! A store that counts its calls, and the operations in them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolwire::store::{Changed, Condition, Put, Store, StoreChange, StoreEntry, StoreError, Write};

pub(crate) struct Counted {
    store: Arc<dyn Store>,
    calls: AtomicUsize,
    operations: AtomicUsize,
}

impl Counted {
    pub(crate) fn over(store: Arc<dyn Store>) -> Self {
        Self { store, calls: AtomicUsize::new(0), operations: AtomicUsize::new(0) }
    }

    /// The number of calls since this was last asked.
    pub(crate) fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }

    /// The number of operations since this was last asked: of a batch, each change that was tried
    /// counts.
    pub(crate) fn operations(&self) -> usize {
        self.operations.swap(0, Ordering::SeqCst)
    }

    fn counted(&self) -> &dyn Store {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.operations.fetch_add(1, Ordering::SeqCst);
        &*self.store
    }
}

impl Store for Counted {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        self.counted().get(key, now)
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        self.counted().put(key, write, now)
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        self.counted().delete(key, expect, now)
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        self.counted().scan(prefix, after, limit, now)
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        self.counted().purge(prefix, now)
    }

    fn purge_some(&self, prefix: &str, limit: usize, now: i64) -> Result<u64, StoreError> {
        self.counted().purge_some(prefix, limit, now)
    }

    fn batch(&self, changes: &[StoreChange<'_>], now: i64) -> Result<Vec<Changed>, StoreError> {
        let made = self.counted().batch(changes, now)?;
        self.operations.fetch_add(made.len() - 1, Ordering::SeqCst);
        Ok(made)
    }

    fn has_whole_batches(&self) -> bool {
        self.store.has_whole_batches()
    }

    fn shared(&self) -> bool {
        self.store.shared()
    }
}
