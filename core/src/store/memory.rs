//! A store in the memory of the process.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Condition, Put, Store, StoreEntry, StoreError, Write};

/// Keeps entries in memory, for the threads of one process.
///
/// Expired entries take up room until they are overwritten or purged.
#[derive(Debug, Default)]
pub struct MemoryStore {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    entries: BTreeMap<String, StoreEntry>,
    /// The keys of the entries that expire, ordered by expiry.
    expiries: BTreeSet<(i64, String)>,
    version: u64,
}

impl Held {
    fn meets(&self, key: &str, expect: Condition, now: i64) -> bool {
        let live = self.entries.get(key).filter(|entry| !entry.expired(now));
        match expect {
            Condition::Absent => live.is_none(),
            Condition::Version(version) => live.is_some_and(|entry| entry.version == version),
            Condition::Any => true,
        }
    }

    fn remove(&mut self, key: &str) -> Option<StoreEntry> {
        let entry = self.entries.remove(key)?;
        if let Some(expires_at) = entry.expires_at {
            self.expiries.remove(&(expires_at, key.to_owned()));
        }
        Some(entry)
    }

    /// Removes expired entries under a prefix, up to a limit, and returns how many were removed.
    fn purge(&mut self, prefix: &str, limit: usize, now: i64) -> u64 {
        let expired = self.expiries.range(..(now, String::new()));
        let keys: Vec<String> = expired
            .filter(|(_, key)| key.starts_with(prefix))
            .map(|(_, key)| key.clone())
            .take(limit)
            .collect();
        for key in &keys {
            self.remove(key);
        }
        keys.len() as u64
    }
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Held> {
        // Each step leaves the map whole, so a panic of another thread does not damage it.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        Ok(self.lock().entries.get(key).filter(|entry| !entry.expired(now)).cloned())
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        let mut held = self.lock();
        if !held.meets(key, write.expect, now) {
            return Ok(Put::Conflict);
        }
        held.version += 1;
        let version = held.version;
        let entry =
            StoreEntry { value: write.value.to_vec(), version, expires_at: write.expires_at };
        held.remove(key);
        if let Some(expires_at) = entry.expires_at {
            held.expiries.insert((expires_at, key.to_owned()));
        }
        held.entries.insert(key.to_owned(), entry);
        Ok(Put::Stored(version))
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        let mut held = self.lock();
        if expect == Condition::Absent || !held.meets(key, expect, now) {
            return Ok(false);
        }
        Ok(held.remove(key).is_some_and(|entry| !entry.expired(now)))
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(after),
            _ => Bound::Included(prefix),
        };
        let held = self.lock();
        let entries = held.entries.range::<str, _>((start, Bound::Unbounded));
        Ok(entries
            .take_while(|(key, _)| key.starts_with(prefix))
            .filter(|(_, entry)| !entry.expired(now))
            .take(limit)
            .map(|(key, entry)| (key.clone(), entry.clone()))
            .collect())
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        Ok(self.lock().purge(prefix, usize::MAX, now))
    }

    fn purge_some(&self, prefix: &str, limit: usize, now: i64) -> Result<u64, StoreError> {
        Ok(self.lock().purge(prefix, limit, now))
    }

    fn shared(&self) -> bool {
        false
    }
}
