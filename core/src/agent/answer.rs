//! What an agent gives for a text.

use super::conversation::Conversation;
use super::limits::AgentLimit;
use super::standing::WaitingCall;
use crate::provider::Usage;
use crate::slug::slugs;

slugs! {
    /// How a conversation stands.
    #[non_exhaustive]
    pub enum AgentState {
        /// The model has answered.
        Done => "done",
        /// Calls have no result yet.
        Waiting => "waiting",
        /// A limit was reached.
        Stopped => "stopped",
    }
}

/// What an agent gives for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAnswer<W = WaitingCall> {
    /// How the conversation stands.
    pub state: AgentState,
    /// The model's last text; what it wrote beside its calls while they wait.
    pub text: String,
    /// The reasoning of the same message, where its provider shows it.
    pub reasoning: String,
    /// Whether that message was cut off at the model's limit of tokens.
    pub cut_off: bool,
    /// The calls that have no result yet, while the conversation waits.
    pub waiting: Vec<W>,
    /// The limit that stopped the conversation.
    pub reason: Option<AgentLimit>,
    /// The tokens of all requests and answers of the conversation.
    pub usage: Usage,
}

/// What a conversation that stands so gives.
pub(super) fn answer<W>(
    conversation: &Conversation,
    state: AgentState,
    waiting: Vec<W>,
    reason: Option<AgentLimit>,
) -> AgentAnswer<W> {
    let turn = conversation.last_turn();
    AgentAnswer {
        state,
        text: turn.map_or_else(String::new, |turn| turn.text.clone()),
        reasoning: turn.map_or_else(String::new, |turn| turn.reasoning.clone()),
        cut_off: turn.is_some_and(|turn| turn.cut_off),
        waiting,
        reason,
        usage: conversation.usage(),
    }
}
