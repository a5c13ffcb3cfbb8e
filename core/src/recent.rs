//! What was made for the keys that were used last.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The most values that are kept.
pub(crate) const MOST: usize = 16;

/// Values by key: the last [`MOST`] that were used, the last one first.
pub(crate) struct RecentlyUsed<K, V>(Mutex<VecDeque<(K, V)>>);

impl<K: PartialEq, V: Clone> RecentlyUsed<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    /// The value that is kept for a key, or else a new one, which is kept. It is made without the
    /// lock.
    pub(crate) fn find_or_make<E>(
        &self,
        key: K,
        make: impl FnOnce(&K) -> Result<V, E>,
    ) -> Result<V, E> {
        if let Some(known) = self.find(&key) {
            return Ok(known);
        }
        let value = make(&key)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((key, value.clone()));
        let count = kept.len().min(MOST);
        let dropped = kept.split_off(count);
        // A large value is freed without the lock.
        drop(kept);
        drop(dropped);
        Ok(value)
    }

    fn find(&self, key: &K) -> Option<V> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| known == key)?;
        if at > 0 {
            let used = kept.remove(at)?;
            kept.push_front(used);
        }
        kept.front().map(|(_, value)| value.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_value_is_made_once_while_it_is_used() {
        let (kept, made) = (RecentlyUsed::new(), Cell::new(0));
        let get = |key: usize| {
            kept.find_or_make(key, |key| {
                made.set(made.get() + 1);
                Ok::<_, ()>(key * 10)
            })
        };
        for _ in 0..3 {
            assert_eq!(get(0), Ok(0));
        }
        assert_eq!(made.get(), 1);
        for key in 1..100 {
            assert_eq!((get(key), get(0)), (Ok(key * 10), Ok(0)));
        }
        assert_eq!(made.get(), 100);
        assert_eq!(kept.0.lock().unwrap().len(), MOST);
        // The one that was used longest ago went first.
        assert_eq!(get(99 - MOST), Ok((99 - MOST) * 10));
        assert_eq!(made.get(), 101);
    }

    #[test]
    fn an_error_is_not_kept() {
        let kept = RecentlyUsed::new();
        assert_eq!(kept.find_or_make(1, |_| Err("no")), Err("no"));
        assert_eq!(kept.find_or_make(1, |_| Ok::<_, &str>(5)), Ok(5));
        assert_eq!(kept.find_or_make(1, |_| Err("no")), Ok(5));
    }
}
