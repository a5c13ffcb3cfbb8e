//! Puts the pieces of one message together.

use std::borrow::Cow;

use crate::transcript::dialect::Give;
use crate::transcript::event::{LogEvent, Role};

/// The longest message that is put together; what is longer comes in several messages.
const MOST: usize = 4 << 20;

/// A message whose end has not come yet.
#[derive(Debug, Default)]
pub(super) struct MessageDraft {
    role: Option<Role>,
    key: String,
    text: String,
}

impl MessageDraft {
    /// Adds a piece. A piece of another message ends the one before.
    pub(super) fn add(&mut self, role: Role, key: &str, piece: &str, give: Give<'_, '_>) {
        if self.role != Some(role) || self.key != key || self.text.len() > MOST {
            self.end(give);
            self.role = Some(role);
            key.clone_into(&mut self.key);
        }
        self.text.push_str(piece);
    }

    /// Sets the text of a message that comes as a whole again and again.
    pub(super) fn replace(&mut self, role: Role, key: &str, text: &str, give: Give<'_, '_>) {
        if self.role != Some(role) || self.key != key {
            self.end(give);
            self.role = Some(role);
            key.clone_into(&mut self.key);
        }
        text.clone_into(&mut self.text);
    }

    /// Whether a piece in a role goes on with the message.
    pub(super) fn is_of(&self, role: Role) -> bool {
        self.role == Some(role)
    }

    /// Whether the message has no words yet.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Gives the message.
    pub(super) fn end(&mut self, give: Give<'_, '_>) {
        let text = std::mem::take(&mut self.text);
        if let Some(role) = self.role.take()
            && !text.trim().is_empty()
        {
            give(LogEvent::Message { role, text: Cow::Owned(text) });
        }
    }
}
