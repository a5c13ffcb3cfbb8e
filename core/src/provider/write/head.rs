//! What stands in a provider's response beside the message: ids, times and numbers of tokens.

use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Uuid;

/// What a response or the chunks of one message say of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageHead {
    /// The name of the model.
    pub model: String,
    /// The id of the message; a new one if there is none.
    pub id: Option<String>,
    /// When the message began, in seconds of Unix time; now if it is not given.
    pub created: Option<u64>,
}

impl MessageHead {
    /// The head with a new id that begins with `prefix`, and the time, where they are not given.
    pub(in crate::provider) fn known(self, prefix: &str) -> KnownHead {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        KnownHead {
            model: self.model,
            id: self.id.unwrap_or_else(|| format!("{prefix}{}", Uuid::now_v7().simple())),
            created: self.created.unwrap_or_else(now),
        }
    }
}

/// What a response says of a message.
#[derive(Clone, Debug)]
pub(in crate::provider) struct KnownHead {
    pub(in crate::provider) model: String,
    pub(in crate::provider) id: String,
    pub(in crate::provider) created: u64,
}

/// How many tokens a message took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The tokens of the prompt.
    pub input_tokens: u64,
    /// The tokens that the model wrote.
    pub output_tokens: u64,
}

impl Usage {
    /// The tokens of both.
    pub(in crate::provider) fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
