//! A store in which somebody else acts right after an operation.

use std::sync::{Arc, Mutex};

use toolwire::store::{Condition, Put, Store, StoreEntry, StoreError, Write};

/// What somebody else does, with the rest of the key.
pub(crate) type Act = Box<dyn FnOnce(&str) + Send>;

/// The operation after which it happens, by the beginning of its key.
#[derive(Clone, Copy)]
pub(crate) enum After {
    Get(&'static str),
    Put(&'static str),
}

/// A store in which somebody else acts once, right after an operation.
pub(crate) struct HookedStore {
    store: Arc<dyn Store>,
    after: After,
    act: Mutex<Option<Act>>,
}

impl HookedStore {
    pub(crate) fn new(store: Arc<dyn Store>, after: After, act: Act) -> Self {
        Self { store, after, act: Mutex::new(Some(act)) }
    }

    /// Whether it has happened.
    pub(crate) fn has_acted(&self) -> bool {
        self.act.lock().unwrap().is_none()
    }

    fn act(&self, rest: Option<&str>) {
        let Some(rest) = rest else { return };
        let act = self.act.lock().unwrap().take();
        if let Some(act) = act {
            act(rest);
        }
    }
}

impl Store for HookedStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        let found = self.store.get(key, now);
        if let After::Get(prefix) = self.after {
            self.act(key.strip_prefix(prefix));
        }
        found
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        let put = self.store.put(key, write, now);
        if let After::Put(prefix) = self.after {
            self.act(key.strip_prefix(prefix));
        }
        put
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        self.store.delete(key, expect, now)
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        self.store.scan(prefix, after, limit, now)
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        self.store.purge(prefix, now)
    }

    fn shared(&self) -> bool {
        true
    }
}
