//! Results that come before their call.

use std::collections::{HashMap, VecDeque};

use ahash::RandomState;

use crate::transcript::account::LogAccount;
use crate::transcript::entry::Given;

/// The most bytes of results that wait; a result beyond them has no call.
const MAX_EARLY_BYTES: usize = 16 << 20;
/// About how many bytes a result takes beside its texts.
const OVERHEAD: usize = 128;

/// What becomes of a result that comes before its call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EarlyHabit {
    /// The result waits for its call.
    #[default]
    Waits,
    /// The result has no call.
    Dropped,
}

/// What a tool gave, and when.
#[derive(Debug)]
pub(super) struct GivenResult {
    /// Whether the log calls it an error.
    pub(super) is_error: bool,
    /// What the tool gave.
    pub(super) given: Given,
    /// When the result came.
    pub(super) ended: Option<i64>,
}

/// Results that wait for their call, by the id that they name.
#[derive(Debug, Default)]
pub(super) struct EarlyResults {
    pub(super) habit: EarlyHabit,
    by_id: HashMap<Box<str>, VecDeque<GivenResult>, RandomState>,
    bytes: usize,
}

impl EarlyResults {
    /// Keeps a result until its call comes.
    pub(super) fn add(&mut self, id: &str, result: GivenResult, account: &mut LogAccount) {
        let size = OVERHEAD + id.len() + result.given.size();
        if self.habit == EarlyHabit::Dropped || self.bytes + size > MAX_EARLY_BYTES {
            return account.orphan(id);
        }
        self.bytes += size;
        self.by_id.entry(id.into()).or_default().push_back(result);
    }

    /// Takes out the oldest result that names an id.
    pub(super) fn take(&mut self, id: &str) -> Option<GivenResult> {
        if self.by_id.is_empty() {
            return None;
        }
        let results = self.by_id.get_mut(id)?;
        let result = results.pop_front()?;
        if results.is_empty() {
            self.by_id.remove(id);
        }
        self.bytes = self.bytes.saturating_sub(OVERHEAD + id.len() + result.given.size());
        Some(result)
    }

    /// Counts the results that wait as results without a call.
    pub(super) fn count(&self, account: &mut LogAccount) {
        let mut waiting: Vec<_> = self.by_id.iter().collect();
        waiting.sort_unstable_by_key(|(id, _)| *id);
        for (id, results) in waiting {
            for _ in results {
                account.orphan(id);
            }
        }
    }

    /// Lets no result wait any longer.
    pub(super) fn end(&mut self, account: &mut LogAccount) {
        self.count(account);
        self.by_id.clear();
        self.bytes = 0;
    }
}
