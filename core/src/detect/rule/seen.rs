//! The calls that were seen before, so that none runs twice.
//!
//! ```
//! use toolwire::detect::Seen;
//! use toolwire::{Detector, Options};
//!
//! let detector = Detector::new(Options { seen: Some(Seen::default()), ..Options::default() })?;
//! let text = br#"<tool:wp_api>{"action":"list"}</tool>"#;
//! assert_eq!(detector.detect(text).calls.len(), 1);
//! assert_eq!(detector.detect(text).rejections[0].code.slug(), "duplicate");
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

type Fingerprint = [u8; 32];

/// A set of calls, each identified by its given id or else by its whole markup.
///
/// The set keeps a hash of each call, not its text. A full set forgets its oldest call. Clones
/// share one set.
#[derive(Clone, Debug)]
pub struct Seen {
    calls: Arc<Mutex<Calls>>,
}

#[derive(Debug)]
struct Calls {
    known: HashSet<Fingerprint>,
    order: VecDeque<Fingerprint>,
    capacity: usize,
}

impl Seen {
    /// The number of calls that a set holds by default.
    pub const DEFAULT_CAPACITY: usize = 65_536;

    /// Makes an empty set that holds at most `capacity` calls, at least one.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let calls =
            Calls { known: HashSet::new(), order: VecDeque::new(), capacity: capacity.max(1) };
        Self { calls: Arc::new(Mutex::new(calls)) }
    }

    /// The number of calls in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().known.len()
    }

    /// Whether no call is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets every call.
    pub fn clear(&self) {
        let mut calls = self.lock();
        calls.known.clear();
        calls.order.clear();
    }

    /// Whether a call with this given id was seen.
    #[must_use]
    pub fn contains_id(&self, id: &str) -> bool {
        self.lock().known.contains(&fingerprint(Some(id), b""))
    }

    /// Adds a call; returns false when it was already there.
    pub(crate) fn insert(&self, given_id: Option<&str>, original: &[u8]) -> bool {
        let call = fingerprint(given_id, original);
        let mut calls = self.lock();
        if !calls.known.insert(call) {
            return false;
        }
        if calls.order.len() >= calls.capacity
            && let Some(oldest) = calls.order.pop_front()
        {
            calls.known.remove(&oldest);
        }
        calls.order.push_back(call);
        true
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        // The set is complete between any two statements, so a panic elsewhere does not spoil it.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Seen {
    fn default() -> Self {
        Self::new(Self::DEFAULT_CAPACITY)
    }
}

fn fingerprint(given_id: Option<&str>, original: &[u8]) -> Fingerprint {
    let hash = match given_id {
        Some(id) => Sha256::new_with_prefix(b"id:").chain_update(id),
        None => Sha256::new_with_prefix(b"text:").chain_update(original),
    };
    hash.finalize().into()
}
