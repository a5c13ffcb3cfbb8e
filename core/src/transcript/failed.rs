//! Calls that their own record calls failed, such as calls whose arguments are not JSON.
//!
//! The program then tells the model that the call failed, and logs that as the result of the call.
//! The call keeps its first words, so that each call changes once.

use std::collections::HashSet;

use ahash::RandomState;

/// The most calls that are remembered; the result of a further one has no call.
const MOST: usize = 1024;

/// The calls that failed in their own record and may still get a result.
#[derive(Debug, Default)]
pub(super) struct FailedCalls {
    /// The place of the first call of the record that is read.
    first: Option<usize>,
    ids: HashSet<Box<str>, RandomState>,
}

impl FailedCalls {
    /// Begins a record.
    pub(super) fn begin_record(&mut self) {
        self.first = None;
    }

    /// Notes a new call; a result with its id is its own.
    pub(super) fn called(&mut self, index: usize, id: &str) {
        self.first.get_or_insert(index);
        if !self.ids.is_empty() {
            self.ids.remove(id);
        }
    }

    /// Remembers a call that failed, if the record that is read has made it.
    pub(super) fn keep(&mut self, index: usize, id: &str) {
        let is_of_record = self.first.is_some_and(|first| index >= first);
        if is_of_record && self.ids.len() < MOST {
            self.ids.insert(id.into());
        }
    }

    /// Whether a call of this id failed in its own record and had no other result since.
    pub(super) fn take(&mut self, id: &str) -> bool {
        self.ids.remove(id)
    }

    /// Forgets all calls, since their conversation has ended.
    pub(super) fn end(&mut self) {
        self.ids.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_record_are_kept_until_their_id_recurs() {
        let mut failed = FailedCalls::default();
        failed.called(3, "a");
        failed.keep(2, "earlier");
        failed.keep(3, "a");
        assert!(!failed.take("earlier"));
        assert!(failed.take("a") && !failed.take("a"));
        failed.keep(3, "a");
        failed.begin_record();
        failed.called(4, "a");
        assert!(!failed.take("a"));
        for index in 4..4 + 2 * MOST {
            failed.keep(index, &index.to_string());
        }
        assert_eq!(failed.ids.len(), MOST);
    }
}
