//! Why an agent gave no answer.

use std::error::Error as StdError;
use std::fmt;

use crate::error::Error;
use crate::slug::slugs;
use crate::store::StoreError;
use crate::visible::made_visible;

slugs! {
    /// The code of an [`AgentError`].
    #[non_exhaustive]
    pub enum AgentCode {
        /// The model could not be reached.
        ModelUnreachable => "model_unreachable",
        /// The model's server refused the request.
        ModelRefused => "model_refused",
        /// The model's server asks to be left alone for a while.
        ModelLimited => "model_limited",
        /// The response is none of the provider's.
        AnswerUnreadable => "answer_unreadable",
        /// The provider asks a person about a call of its own.
        ProviderAsks => "provider_asks",
        /// Another process goes on with the conversation.
        ConversationBusy => "conversation_busy",
        /// Calls of the conversation wait, so it takes no new text.
        ConversationWaiting => "conversation_waiting",
        /// The store has no conversation of this id.
        UnknownConversation => "unknown_conversation",
        /// The conversation was held with another model.
        OtherModel => "other_model",
        /// The conversation was written by a newer version of this library.
        NewerVersion => "newer_version",
        /// A message is longer than the store may keep.
        TooLong => "too_long",
        /// An option or a tool of the agent cannot be used.
        InvalidAgent => "invalid_agent",
        /// The store failed, or a tool's own code before its run began.
        Failed => "failed",
    }
}

/// Why an agent gave no answer. The conversation stands as it stood before the step that failed.
#[derive(Debug)]
pub struct AgentError {
    code: AgentCode,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl AgentError {
    /// Makes an error; the message may quote a model or a server.
    pub fn new(code: AgentCode, message: impl Into<String>) -> Self {
        Self { code, message: made_visible(message.into()), source: None }
    }

    /// Makes the error for what the program's own code or the store raised.
    pub(super) fn failed(source: Box<dyn StdError + Send + Sync>) -> Self {
        Self { source: Some(source), ..Self::new(AgentCode::Failed, "a part of the agent failed") }
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> AgentCode {
        self.code
    }

    /// What the store or the program's own code raised, if that is the reason.
    #[must_use]
    pub fn into_source(self) -> Option<Box<dyn StdError + Send + Sync>> {
        self.source
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(formatter, "{}: {source}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl StdError for AgentError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<StoreError> for AgentError {
    fn from(error: StoreError) -> Self {
        Self::failed(error.into())
    }
}

impl From<Error> for AgentError {
    fn from(error: Error) -> Self {
        Self::new(AgentCode::InvalidAgent, error.to_string())
    }
}
