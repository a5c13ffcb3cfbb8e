//! Tells records that stood before.

use std::collections::{HashSet, VecDeque};

use ahash::RandomState;

/// How many ids are remembered; of an older record no repetition is noticed.
const MOST: usize = 1 << 17;

/// The ids of the records that were read last.
#[derive(Debug, Default)]
pub(in crate::transcript) struct SeenIds {
    state: RandomState,
    known: HashSet<u64, RandomState>,
    order: VecDeque<u64>,
}

impl SeenIds {
    /// Remembers an id; true if it is new.
    pub(in crate::transcript) fn is_new(&mut self, id: &str) -> bool {
        self.add(self.state.hash_one(id))
    }

    /// Remembers what several texts name together; true if it is new.
    pub(super) fn is_new_of(&mut self, texts: &[&str]) -> bool {
        self.add(self.state.hash_one(texts))
    }

    fn add(&mut self, hash: u64) -> bool {
        if !self.known.insert(hash) {
            return false;
        }
        self.order.push_back(hash);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }

    /// Whether an id is remembered.
    pub(in crate::transcript) fn contains(&self, id: &str) -> bool {
        self.known.contains(&self.state.hash_one(id))
    }
}
