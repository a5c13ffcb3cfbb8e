//! A store that lives and dies with the process.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Entry, Expect, Put, Store, StoreError, Write};

/// Keeps entries in memory, for the threads of one process.
///
/// Expired entries take up room until they are overwritten or purged.
#[derive(Debug, Default)]
pub struct MemoryStore {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    entries: BTreeMap<String, Entry>,
    version: u64,
}

impl Held {
    fn meets(&self, key: &str, expect: Expect, now: i64) -> bool {
        let live = self.entries.get(key).filter(|entry| !entry.expired(now));
        match expect {
            Expect::Absent => live.is_none(),
            Expect::Version(version) => live.is_some_and(|entry| entry.version == version),
            Expect::Any => true,
        }
    }
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Held> {
        // No step leaves the map half changed, so a panic elsewhere does not spoil it.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<Entry>, StoreError> {
        Ok(self.lock().entries.get(key).filter(|entry| !entry.expired(now)).cloned())
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        let mut held = self.lock();
        if !held.meets(key, write.expect, now) {
            return Ok(Put::Conflict);
        }
        held.version += 1;
        let version = held.version;
        let entry = Entry { value: write.value.to_vec(), version, expires_at: write.expires_at };
        match held.entries.get_mut(key) {
            Some(place) => *place = entry,
            None => {
                held.entries.insert(key.to_owned(), entry);
            }
        }
        Ok(Put::Stored(version))
    }

    fn delete(&self, key: &str, expect: Expect, now: i64) -> Result<bool, StoreError> {
        let mut held = self.lock();
        if expect == Expect::Absent || !held.meets(key, expect, now) {
            return Ok(false);
        }
        Ok(held.entries.remove(key).is_some_and(|entry| !entry.expired(now)))
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, Entry)>, StoreError> {
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
        let mut held = self.lock();
        let before = held.entries.len();
        held.entries.retain(|key, entry| !(entry.expired(now) && key.starts_with(prefix)));
        Ok((before - held.entries.len()) as u64)
    }

    fn shared(&self) -> bool {
        false
    }
}
