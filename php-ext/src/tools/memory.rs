//! `Toolwire\Tools\Store\Memory`: a store that lives as long as the object.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::sync::Arc;

use ext_php_rs::prelude::*;
use toolwire::store::{MemoryStore, Store};

use super::store::STORE;
use super::store_methods;
use crate::host::class::php_class;
use crate::host::value::{AnArray, As, Maybe, Text, Whole};

/// Keeps entries in memory.
pub(crate) struct Memory(Arc<MemoryStore>);

php_class!(Memory, "Toolwire\\Tools\\Store\\Memory", [STORE], public, {});

impl Memory {
    /// Returns the core's store.
    pub(super) fn core(&self) -> Arc<dyn Store> {
        Arc::clone(&self.0) as Arc<dyn Store>
    }
}

#[php_impl]
impl Memory {
    /// Makes an empty store.
    fn __construct() -> Self {
        Self(Arc::new(MemoryStore::default()))
    }

    /// Returns the entry under a key.
    fn get(&self, key: Text<'_>, now: Whole) -> PhpResult<Option<As<AnArray>>> {
        store_methods::get(&*self.0, &key, now)
    }

    /// Puts an entry if the present one is as expected.
    fn put(
        &self,
        key: Text<'_>,
        value: Text<'_>,
        expected: Maybe<Whole>,
        expiresAt: Maybe<Whole>,
        now: Whole,
    ) -> PhpResult<Option<i64>> {
        store_methods::put(&*self.0, &key, &value, &expected, &expiresAt, now)
    }

    /// Deletes the entry if it is as expected.
    fn delete(&self, key: Text<'_>, expected: Maybe<Whole>, now: Whole) -> PhpResult<bool> {
        store_methods::delete(&*self.0, &key, &expected, now)
    }

    /// Returns entries by prefix, in the order of their keys.
    fn scan(
        &self,
        prefix: Text<'_>,
        after: Maybe<Text<'_>>,
        limit: Whole,
        now: Whole,
    ) -> PhpResult<As<AnArray>> {
        store_methods::scan(&*self.0, &prefix, &after, limit, now)
    }

    /// Removes the expired entries.
    fn purge(&self, prefix: Text<'_>, now: Whole) -> PhpResult<i64> {
        store_methods::purge(&*self.0, &prefix, now)
    }

    /// Whether other processes may write to the store.
    fn shared(&self) -> bool {
        Store::shared(&*self.0)
    }
}
