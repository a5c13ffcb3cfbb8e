//! Facts that a log gives beside messages and calls: who wrote them, with which model, at what
//! cost.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many tokens a model read and wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenUsage {
    /// The tokens that the model read.
    pub input: u64,
    /// The tokens that the model wrote.
    pub output: u64,
    /// The tokens among those read that came from a cache.
    pub cached: u64,
}

impl TokenUsage {
    /// The sum of two counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
        }
    }

    /// The difference of two counts, and nothing below zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
            cached: self.cached.saturating_sub(other.cached),
        }
    }
}

/// What the log says of an entry beside its text; each field is empty if the log does not have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct About {
    /// When the entry was written, in milliseconds since 1970.
    pub at: Option<i64>,
    /// The model's name.
    pub model: Option<Box<str>>,
    /// The tokens of the message that the entry is a part of.
    pub tokens: Option<TokenUsage>,
    /// What the message cost, digit for digit, in the log's currency.
    pub cost: Option<Box<str>>,
    /// Why the model stopped.
    pub stop: Option<Box<str>>,
    /// The call or the agent that a subagent works for.
    pub parent: Option<Box<str>>,
    /// The agent that wrote the entry.
    pub agent: Option<Box<str>>,
    /// The session, if the log holds several.
    pub session: Option<Box<str>>,
    /// The working folder.
    pub folder: Option<Box<str>>,
}

impl About {
    /// The facts as a JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        // Writing cannot fail, since the facts are texts and numbers.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Whether the log says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
