//! Removing expired entries during other writes, so that no caller has to ask for it.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{Store, StoreChange, StoreError, prefix};

/// How many entries a sweep removes at most, so that no write takes much longer than the others.
const MOST: usize = 256;

/// Work that is due at the first of every so many calls.
#[derive(Debug)]
pub(crate) struct Every {
    calls: u32,
    count: AtomicU32,
}

impl Every {
    /// Makes work that is due at the first of `calls` calls.
    pub(crate) fn new(calls: u8) -> Self {
        Self { calls: u32::from(calls.max(1)), count: AtomicU32::new(0) }
    }

    /// Counts a call, and says whether the work is due at it.
    pub(crate) fn is_due(&self) -> bool {
        self.count.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.calls)
    }
}

/// Removes the expired entries under one word, some at a time.
#[derive(Debug)]
pub(crate) struct Sweep {
    prefix: String,
    every: Every,
}

impl Sweep {
    /// Makes a sweep of the entries under `word`. It runs at the first of every `every` calls.
    /// `every` is less than the number of entries that a sweep removes, so expired entries do not
    /// pile up.
    pub(crate) fn new(word: &str, every: u8) -> Self {
        Self { prefix: prefix(&[word]), every: Every::new(every) }
    }

    /// Removes expired entries, if a sweep is due at this call.
    pub(crate) fn run(&self, store: &dyn Store, now: i64) -> Result<(), StoreError> {
        if self.due().is_some() {
            store.purge_some(&self.prefix, MOST, now)?;
        }
        Ok(())
    }

    /// Returns the removal of expired entries for a batch, if a sweep is due at this call.
    pub(crate) fn due(&self) -> Option<StoreChange<'_>> {
        self.every.is_due().then_some(StoreChange::PurgeSome { prefix: &self.prefix, limit: MOST })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Condition, MemoryStore, Write};

    #[test]
    fn a_sweep_is_bounded_and_leaves_other_words_alone() {
        let store = MemoryStore::default();
        for number in 0..=MOST {
            let write = Write { value: b"1", expect: Condition::Any, expires_at: Some(5) };
            store.put(&format!("mine/{number}"), write, 0).unwrap();
            store.put(&format!("other/{number}"), write, 0).unwrap();
        }
        let left = |word| store.scan(word, None, usize::MAX, i64::MIN).unwrap().len();
        let sweep = Sweep::new("mine", 2);
        sweep.run(&store, 5).unwrap();
        assert_eq!(left("mine/"), MOST + 1, "nothing has expired");
        sweep.run(&store, 6).unwrap();
        assert_eq!(left("mine/"), MOST + 1, "it is not time");
        sweep.run(&store, 6).unwrap();
        assert_eq!((left("mine/"), left("other/")), (1, MOST + 1));
    }
}
