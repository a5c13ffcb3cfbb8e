//! Calls that their own record calls failed, such as calls whose arguments are not JSON.
//!
//! The program then tells the model that the call failed, and logs that as the result of the call.

use std::collections::HashMap;

use ahash::RandomState;

use crate::transcript::pending::PendingCall;

/// The most calls that are remembered; the result of a further one has no call.
const MOST: usize = 1024;

/// The calls that failed in their own record and may still get a result.
#[derive(Debug, Default)]
pub(super) struct FailedCalls {
    /// The place of the first call of the record that is read.
    first: Option<usize>,
    by_id: HashMap<Box<str>, PendingCall, RandomState>,
}

impl FailedCalls {
    /// Begins a record.
    pub(super) fn begin_record(&mut self) {
        self.first = None;
    }

    /// Notes a new call; a result with its id is its own.
    pub(super) fn called(&mut self, index: usize, id: &str) {
        self.first.get_or_insert(index);
        if !self.by_id.is_empty() {
            self.by_id.remove(id);
        }
    }

    /// Remembers a call that failed, if the record that is read has made it.
    pub(super) fn keep(&mut self, call: &PendingCall) {
        let is_of_record = self.first.is_some_and(|first| call.index >= first);
        if is_of_record && self.by_id.len() < MOST {
            self.by_id.insert(call.call.id.clone(), call.clone());
        }
    }

    /// Takes out the call with an id.
    pub(super) fn take(&mut self, id: &str) -> Option<PendingCall> {
        self.by_id.remove(id)
    }

    /// Forgets all calls, since their conversation has ended.
    pub(super) fn end(&mut self) {
        self.by_id.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::transcript::action::CallAction;
    use crate::transcript::entry::LoggedCall;

    fn call(index: usize, id: &str) -> PendingCall {
        let call = LoggedCall {
            id: id.into(),
            name: "f".into(),
            arguments: "{}".into(),
            action: CallAction::Tool,
            started: None,
            about: None,
        };
        PendingCall { index, call: Arc::new(call) }
    }

    #[test]
    fn calls_of_the_record_are_kept_until_their_id_recurs() {
        let mut failed = FailedCalls::default();
        failed.called(3, "a");
        failed.keep(&call(2, "earlier"));
        failed.keep(&call(3, "a"));
        assert!(failed.take("earlier").is_none());
        assert_eq!(failed.take("a").map(|call| call.index), Some(3));
        failed.keep(&call(3, "a"));
        failed.begin_record();
        failed.called(4, "a");
        assert!(failed.take("a").is_none());
        for index in 4..4 + 2 * MOST {
            failed.keep(&call(index, &index.to_string()));
        }
        assert_eq!(failed.by_id.len(), MOST);
    }
}
