//! What the writers ask of a provider.
//!
//! A provider answers for its calls and results, and for its messages if its models write any. What
//! it does not say is as OpenAI's chat has it.

use serde_json::{Map, Value};

use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::shape::JsonObject;
use crate::provider::write::chunks::writer::ChunkForm;
use crate::provider::write::head::{MessageHead, Usage};
use crate::provider::write::id_form::IdForm;
use crate::provider::write::outline::{BlockKind, PlainCall};

/// Says how a provider writes calls and results.
pub trait ProviderDialect: Sync {
    /// Writes a call as the smallest object for one: a part, a block, an item of `tool_calls`.
    fn dump_call(&self, call: &PlainCall<'_>) -> Value;

    /// Writes a call of a tool that takes a free text, which is known by what stands beside it;
    /// none for any other call. Its arguments are not read yet.
    fn dump_free_text(&self, call: &PlainCall<'_>, beside: &JsonObject) -> Option<Value> {
        let _ = (call, beside);
        None
    }

    /// Writes a result as the smallest object for one.
    fn dump_result(&self, result: &ProviderResult) -> Value;

    /// The name of a tool whose calls have this name.
    fn tool_name(&self, name: &str) -> String {
        name.to_owned()
    }

    /// How ids of calls are written.
    fn call_ids(&self) -> IdForm {
        IdForm::CALL
    }

    /// What the provider says of messages; none if its models write no messages.
    fn messages(&self) -> Option<&dyn MessageDialect> {
        None
    }
}

/// Says how a provider writes messages and responses.
pub trait MessageDialect: Sync {
    /// The words for why a message ended: it is complete, it has calls, it was cut off.
    fn endings(&self) -> [&'static str; 3] {
        ["stop", "tool_calls", "length"]
    }

    /// The member that says why a message ended.
    fn ending_key(&self) -> &'static str {
        "finish_reason"
    }

    /// Writes a message with the word for why it ended.
    fn message(&self, message: &WrittenMessage, ending: &str) -> Value;

    /// Whether a response may have several messages.
    fn gives_several(&self) -> bool {
        false
    }

    /// Writes a whole response. There is one message, unless the provider gives several.
    fn response(&self, messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value;

    /// How the chunks of a stream are written; none if they are not.
    fn chunks(&self) -> Option<&'static ChunkForm> {
        None
    }
}

/// A message whose parts are in the provider's order.
pub struct WrittenMessage {
    pub blocks: Vec<(BlockKind, String)>,
    /// The calls as the provider writes them.
    pub calls: Vec<Value>,
}

impl WrittenMessage {
    /// Whether the message has a call or text for a person.
    pub fn answers(&self) -> bool {
        let answers = |(kind, text): &(BlockKind, String)| {
            *kind == BlockKind::Text && !text.trim().is_empty()
        };
        !self.calls.is_empty() || self.blocks.iter().any(answers)
    }

    /// The text of all blocks of a kind; none if there is no such block.
    pub fn joined(&self, kind: BlockKind, between: &str) -> Option<String> {
        let blocks = self.blocks.iter().filter(|(block, _)| *block == kind);
        let texts: Vec<&str> = blocks.map(|(_, text)| text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join(between))
    }

    /// The blocks in this form.
    pub fn parts(&self, form: impl Fn(BlockKind, &str) -> Value) -> Vec<Value> {
        self.blocks.iter().map(|(kind, text)| form(*kind, text)).collect()
    }

    /// The blocks in this form, and behind them the calls.
    pub fn list(&self, form: impl Fn(BlockKind, &str) -> Value) -> Vec<Value> {
        let mut list = self.parts(form);
        list.extend(self.calls.iter().cloned());
        list
    }
}

/// A message, and why it ended.
pub struct EndedMessage {
    pub message: Map<String, Value>,
    pub reason: Value,
    pub logprobs: Value,
}

/// The messages of a response, of which there is at least one.
pub struct EndedMessages {
    pub first: EndedMessage,
    pub more: Vec<EndedMessage>,
}

impl EndedMessages {
    /// Each message with its place.
    pub fn each(self) -> impl Iterator<Item = (usize, EndedMessage)> {
        std::iter::once(self.first).chain(self.more).enumerate()
    }
}
