//! What happens in a conversation, for people who look at it.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::conversation::Conversation;
use super::message::{CallResult, KeptMessage, ModelTurn};
use super::received::value_of;
use super::standing::WaitingCall;
use crate::slug::slugs;

slugs! {
    /// What happened.
    #[non_exhaustive]
    pub enum AgentEventKind {
        /// The user said something: `text`.
        User => "user",
        /// The model reasoned: `text`, a piece of it while the response comes.
        Reasoning => "reasoning",
        /// The model said something: `text`, a piece of it while the response comes.
        Text => "text",
        /// The pieces of `reasoning` and `text` of this message do not count: the response broke
        /// off and is asked for again, or they turned out to be something else.
        Retracted => "retracted",
        /// The model called a tool: `index`, `name`, `arguments`.
        Call => "call",
        /// A call does not run: `reason`, as the model is told; `index` and `name` if it is known
        /// whose.
        Rejected => "rejected",
        /// A call has no result yet: `name`, `run`, `state`, `approval_id`.
        Waiting => "waiting",
        /// A call has a result: `call_message`, `index`, `name`, `run`, `success`, `data`, `error`.
        Result => "result",
        /// The tokens of a response: `input_tokens`, `output_tokens`.
        Usage => "usage",
    }
}

/// Something that happened in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentEvent {
    /// What happened.
    pub kind: AgentEventKind,
    /// What is known of it, an object; `message` is the number of the message, from 0.
    pub data: Value,
}

impl AgentEvent {
    pub(super) fn new(kind: AgentEventKind, message: usize, data: Value) -> Self {
        let mut members = Map::new();
        members.insert("message".to_owned(), message.into());
        if let Value::Object(data) = data {
            members.extend(data);
        }
        Self { kind, data: members.into() }
    }

    pub(super) fn said(kind: AgentEventKind, message: usize, text: &str) -> Self {
        Self::new(kind, message, json!({ "text": text }))
    }

    pub(super) fn waiting(message: usize, call: &WaitingCall) -> Self {
        let WaitingCall { tool, run, state, approval_id } = call;
        let data = json!({
            "name": tool, "run": run, "state": state.slug(), "approval_id": approval_id,
        });
        Self::new(AgentEventKind::Waiting, message, data)
    }
}

impl Conversation {
    /// What happened in the messages from this number on, the oldest first. A page that shows the
    /// whole conversation again begins with 0.
    #[must_use]
    pub fn events(&self, from: usize) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        for (number, message) in self.messages.iter().enumerate().skip(from) {
            match message {
                KeptMessage::User(said) => {
                    events.push(AgentEvent::said(AgentEventKind::User, number, &said.text));
                }
                KeptMessage::Model(turn) => turn_events(turn, number, &mut events),
                KeptMessage::Result(result) => {
                    events.push(AgentEvent::new(
                        AgentEventKind::Result,
                        number,
                        result_data(result, self.name_of(result)),
                    ));
                }
            }
        }
        events
    }

    /// How many messages the conversation has.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.messages.len()
    }

    fn name_of(&self, result: &CallResult) -> &str {
        match self.messages.get(result.message) {
            Some(KeptMessage::Model(turn)) => {
                turn.calls.get(result.index).map_or("", |call| &call.name)
            }
            _ => "",
        }
    }
}

fn turn_events(turn: &ModelTurn, number: usize, events: &mut Vec<AgentEvent>) {
    let said = [(AgentEventKind::Reasoning, &turn.reasoning), (AgentEventKind::Text, &turn.text)];
    let said = said.into_iter().filter(|(_, text)| !text.is_empty());
    events.extend(said.map(|(kind, text)| AgentEvent::said(kind, number, text)));
    for (index, call) in turn.calls.iter().enumerate() {
        let (kind, data) = match &call.refusal {
            None => {
                let arguments = value_or_null(call.arguments.as_deref());
                let data = json!({"index": index, "name": call.name, "arguments": arguments});
                (AgentEventKind::Call, data)
            }
            Some(reason) => {
                let data = json!({"index": index, "name": call.name, "reason": reason});
                (AgentEventKind::Rejected, data)
            }
        };
        events.push(AgentEvent::new(kind, number, data));
    }
    for reason in &turn.refusals {
        let data = json!({ "reason": reason });
        events.push(AgentEvent::new(AgentEventKind::Rejected, number, data));
    }
    let (input, output) = (turn.input_tokens, turn.output_tokens);
    let usage = json!({"input_tokens": input, "output_tokens": output});
    events.push(AgentEvent::new(AgentEventKind::Usage, number, usage));
}

fn result_data(result: &CallResult, name: &str) -> Value {
    json!({
        "call_message": result.message,
        "index": result.index,
        "name": name,
        "run": result.run,
        "success": result.success,
        "data": value_of(&result.data),
        "error": result.error,
    })
}

fn value_or_null(raw: Option<&RawValue>) -> Value {
    raw.map(value_of).unwrap_or_default()
}
