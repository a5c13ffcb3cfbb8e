//! One message of a conversation, as the store keeps it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::limits::AgentLimit;
use crate::store::{Record, key};

/// A message of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeptMessage {
    /// What the user said.
    User(UserText),
    /// What the model wrote.
    Model(ModelTurn),
    /// What a call gave.
    Result(CallResult),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct UserText {
    pub(super) text: String,
}

/// What the model wrote in one response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ModelTurn {
    /// The messages, contents or items that the next request brings along, as they were sent.
    pub(super) raw: Box<RawValue>,
    /// The text for the user.
    pub(super) text: String,
    /// The reasoning, where it is shown.
    pub(super) reasoning: String,
    pub(super) calls: Vec<TurnCall>,
    /// What the model is told of calls that could not be read and have no id.
    pub(super) refusals: Vec<String>,
    /// Whether the provider's own tools still work, so that the message goes back as it is.
    pub(super) paused: bool,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    /// How long the model took, in milliseconds.
    pub(super) took_ms: u64,
    /// Whether the model was cut off at its limit of tokens.
    pub(super) cut_off: bool,
    /// The limit for which the model was asked to end without calls.
    pub(super) ends_for: Option<AgentLimit>,
}

/// A call of a response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TurnCall {
    /// The id by which its provider knows it; none where the provider gives none.
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// The arguments as JSON; none for a call that could not be read.
    pub(super) arguments: Option<Box<RawValue>>,
    /// Why the call does not run, as the model is told.
    pub(super) refusal: Option<String>,
}

/// What a call gave, as the model is told: within its bound, and without secrets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CallResult {
    /// The number of the message that has the call.
    pub(super) message: usize,
    /// The place of the call there, from 0.
    pub(super) index: usize,
    /// The run, unless the call never became one.
    pub(super) run: Option<String>,
    pub(super) success: bool,
    pub(super) data: Box<RawValue>,
    pub(super) error: Option<String>,
    /// How long the call took in the process that has the result, in milliseconds.
    pub(super) took_ms: u64,
}

/// A message in its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptEntry {
    pub(super) conversation: String,
    pub(super) number: usize,
    pub(super) message: KeptMessage,
}

impl KeptEntry {
    /// The key of a message; keys are ordered by their bytes, and so are the numbers in them.
    pub(super) fn key(conversation: &str, number: usize) -> String {
        key(&["agent", "message", conversation, &format!("{number:08}")])
    }
}

impl Record for KeptEntry {
    fn is_at(&self, place: &str) -> bool {
        place == Self::key(&self.conversation, self.number)
    }
}
