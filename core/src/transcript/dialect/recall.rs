//! What a record said under an id, for a later record that says more of it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ahash::RandomState;

/// How many values are kept, and how many bytes; beyond that the oldest are forgotten.
const MOST: usize = 4096;
const MOST_BYTES: usize = 8 << 20;

/// The values that were given last, by id.
#[derive(Debug)]
pub(super) struct RecallById<V> {
    known: HashMap<Arc<str>, Recalled<V>, RandomState>,
    /// The ids in the order in which they were given, each with its number.
    order: VecDeque<(Arc<str>, u64)>,
    number: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Recalled<V> {
    value: V,
    number: u64,
    size: usize,
}

impl<V> Default for RecallById<V> {
    fn default() -> Self {
        let (known, order) = (HashMap::default(), VecDeque::new());
        Self { known, order, number: 0, bytes: 0 }
    }
}

impl<V> RecallById<V> {
    /// Keeps a value of so many bytes under an id; a value that was kept under it is replaced.
    pub(super) fn insert(&mut self, id: &str, value: V, size: usize) {
        let (id, size): (Arc<str>, _) = (id.into(), size + id.len());
        self.number += 1;
        let number = self.number;
        if let Some(old) = self.known.insert(Arc::clone(&id), Recalled { value, number, size }) {
            self.bytes = self.bytes.saturating_sub(old.size);
        }
        self.bytes += size;
        self.order.push_back((id, number));
        while (self.known.len() > MOST || self.bytes > MOST_BYTES) && self.known.len() > 1 {
            let Some((oldest, number)) = self.order.pop_front() else { break };
            if self.known.get(&oldest).is_some_and(|kept| kept.number == number) {
                self.remove(&oldest);
            }
        }
        // Ids whose value is gone are dropped before they are more than the rest.
        if self.order.len() > 2 * self.known.len() + 64 {
            let known = &self.known;
            let is_kept = |id: &str, number| known.get(id).is_some_and(|one| one.number == number);
            self.order.retain(|(id, number)| is_kept(id, *number));
        }
    }

    /// The value under an id.
    pub(super) fn get(&self, id: &str) -> Option<&V> {
        self.known.get(id).map(|kept| &kept.value)
    }

    /// Takes out the value under an id.
    pub(super) fn remove(&mut self, id: &str) -> Option<V> {
        let kept = self.known.remove(id)?;
        self.bytes = self.bytes.saturating_sub(kept.size);
        Some(kept.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten() {
        let mut kept = RecallById::default();
        for number in 0..3 * MOST {
            kept.insert(&number.to_string(), number, 8);
            kept.insert("again", number, 8);
            assert_eq!(kept.get("again"), Some(&number));
            kept.remove(&(number / 2).to_string());
        }
        assert!(kept.known.len() <= MOST && kept.order.len() <= 2 * MOST + 65);
        assert_eq!(kept.get("5"), None);
        assert_eq!(kept.remove("again"), Some(3 * MOST - 1));
        assert_eq!(kept.bytes, kept.known.values().map(|one| one.size).sum::<usize>());
    }

    #[test]
    fn bytes_are_bounded_and_the_newest_is_kept() {
        let mut kept = RecallById::default();
        for number in 0..10 {
            kept.insert(&number.to_string(), number, MOST_BYTES / 3);
        }
        assert_eq!((kept.known.len(), kept.get("9")), (2, Some(&9)));
        kept.insert("large", 0, 2 * MOST_BYTES);
        assert_eq!((kept.known.len(), kept.get("large")), (1, Some(&0)));
    }
}
