//! aider: the history of its chats, which is Markdown and holds no calls.

use crate::json::value::Json;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the history.
#[derive(Debug, Default)]
pub(super) struct Aider {
    draft: MessageDraft,
    /// How many blank lines stand behind the last one with words.
    blank: usize,
}

impl Dialect for Aider {
    fn weigh(_: Json<'_>) -> u32 {
        0
    }

    fn begins(line: &str) -> bool {
        line.starts_with("# aider chat started at ")
    }

    fn read<'a>(&mut self, _: Json<'a>, _: Give<'_, 'a>) -> bool {
        false
    }

    fn line(&mut self, line: &str, give: Give<'_, '_>) -> bool {
        let (role, words) = match line.strip_prefix("#### ") {
            Some(words) => (Role::User, words),
            None => match line.strip_prefix('>') {
                Some(words) => (Role::System, words.strip_prefix(' ').unwrap_or(words)),
                None => (Role::Assistant, line),
            },
        };
        if Self::begins(line) {
            self.draft.end(give);
            give(LogEvent::Boundary);
            return true;
        }
        if words.trim().is_empty() {
            self.blank += 1;
            return true;
        }
        let blank = std::mem::take(&mut self.blank);
        if self.draft.is_of(role) {
            let lines = "\n".repeat(blank + 1);
            self.draft.add(role, "", &lines, give);
        }
        self.draft.add(role, "", words, give);
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
    }
}
