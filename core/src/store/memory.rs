//! A store in the memory of the process.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Changed, Condition, Put, Store, StoreChange, StoreEntry, StoreError, Write};

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

    fn put(&mut self, key: &str, write: Write<'_>, now: i64) -> Put {
        if !self.meets(key, write.expect, now) {
            return Put::Conflict;
        }
        self.version += 1;
        let version = self.version;
        let entry =
            StoreEntry { value: write.value.to_vec(), version, expires_at: write.expires_at };
        self.remove(key);
        if let Some(expires_at) = entry.expires_at {
            self.expiries.insert((expires_at, key.to_owned()));
        }
        self.entries.insert(key.to_owned(), entry);
        Put::Stored(version)
    }

    fn delete(&mut self, key: &str, expect: Condition, now: i64) -> bool {
        if expect == Condition::Absent || !self.meets(key, expect, now) {
            return false;
        }
        self.remove(key).is_some_and(|entry| !entry.expired(now))
    }

    fn change(&mut self, change: &StoreChange<'_>, now: i64) -> Changed {
        match *change {
            StoreChange::Put { key, write } => Changed::Put(self.put(key, write, now)),
            StoreChange::Delete { key, expect } => Changed::Deleted(self.delete(key, expect, now)),
            StoreChange::PurgeSome { prefix, limit } => {
                Changed::Purged(self.purge(prefix, limit, now))
            }
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
        Ok(self.lock().put(key, write, now))
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        Ok(self.lock().delete(key, expect, now))
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

    fn batch(&self, changes: &[StoreChange<'_>], now: i64) -> Result<Vec<Changed>, StoreError> {
        let (mut held, mut made) = (self.lock(), Vec::with_capacity(changes.len()));
        for change in changes {
            let answer = held.change(change, now);
            made.push(answer);
            if !answer.goes_on() {
                break;
            }
        }
        Ok(made)
    }

    fn has_whole_batches(&self) -> bool {
        true
    }

    fn shared(&self) -> bool {
        false
    }
}
