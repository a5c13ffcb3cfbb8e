//! Tells calls that a session repeats in another message, and their repeated results.

use crate::transcript::dialect::recall::RecallById;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::event::LogEvent;

/// The calls and results of the sessions of a log.
///
/// A call is the same if id, name and arguments are. Some programs write each call again with the
/// next one, and some repeat calls and results behind a summary.
#[derive(Debug, Default)]
pub(super) struct RepeatedCalls {
    calls: SeenIds,
    /// The ids of calls that have their result.
    answered: SeenIds,
    /// The ids of calls that were repeated behind their result, whose result comes again.
    again: RecallById<()>,
}

impl RepeatedCalls {
    /// Whether an event is a call or a result that the session had before.
    pub(super) fn is_repeated(&mut self, session: &str, event: &LogEvent<'_>) -> bool {
        match event {
            LogEvent::ToolCall { id, name, arguments, .. } if !id.is_empty() => {
                if self.calls.is_new_of(&[session, id, name, arguments]) {
                    self.again.remove(id);
                    return false;
                }
                if self.answered.contains(id) {
                    self.again.insert(id, (), 0);
                }
                true
            }
            LogEvent::ToolResult { id: Some(id), .. } => {
                !self.answered.is_new(id) && self.again.remove(id).is_some()
            }
            _ => false,
        }
    }
}
