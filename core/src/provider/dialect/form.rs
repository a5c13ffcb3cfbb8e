//! What the writers ask of a provider.
//!
//! A provider answers for its calls and results, and for its messages if its models write any. What
//! it does not say is as OpenAI's chat has it.

use serde_json::{Map, Value, json};

use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::shape::JsonObject;
use crate::provider::tool::definition::ToolDefinition;
use crate::provider::tool::tool_name::NameRule;
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

    /// Whether data of a tool that succeeded can stand in a result as they are, and not only as a
    /// text.
    fn takes_data(&self, data: &Value) -> bool {
        let _ = data;
        true
    }

    /// What the provider says of tools; none if it is given none.
    fn tools(&self) -> Option<&dyn ToolDialect> {
        None
    }

    /// What the provider says of messages; none if its models write no messages.
    fn messages(&self) -> Option<&dyn MessageDialect> {
        None
    }
}

/// Says which tools a provider takes, and how a request has them.
pub trait ToolDialect: Sync {
    /// Which names are taken; none for any name.
    fn names(&self) -> Option<NameRule> {
        Some(NameRule::CHAT)
    }

    /// The keywords that are refused at the top level of a schema.
    fn refused_keywords(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a schema may have a list of types.
    fn takes_unions(&self) -> bool {
        true
    }

    /// Why the name of a property is refused; none for one that is taken.
    fn property_problem(&self, name: &str) -> Option<&'static str> {
        let _ = name;
        None
    }

    /// Whether the provider can hold the model to a schema.
    fn can_be_strict(&self) -> bool {
        false
    }

    /// Writes a tool with its schema.
    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, strict: bool) -> Value;

    /// The list of tools of a request, of those that were written.
    fn list(&self, tools: Vec<Value>) -> Vec<Value> {
        tools
    }
}

/// Says how a provider writes messages, responses and requests.
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

    /// How the blocks of the user's messages are written; none if a message is a text, and a result
    /// a message of its own.
    fn user_blocks(&self) -> Option<UserBlocks> {
        None
    }

    /// The member of a request that names the model, and the one that holds the messages.
    fn request_keys(&self) -> (&'static str, &'static str) {
        ("model", "messages")
    }

    /// Adds what the model is told before all else, to the request or as its first message.
    fn add_system(&self, text: &str, request: &mut JsonObject, messages: &mut Vec<Value>) {
        let _ = request;
        messages.push(json!({"role": "system", "content": text}));
    }

    /// Adds the tools to a request, and whether the model may call them.
    fn add_tools(&self, tools: &[Value], may_call: bool, request: &mut JsonObject) {
        request.insert("tools".to_owned(), tools.into());
        if !may_call {
            let (key, value) = self.no_calls();
            request.insert(key.to_owned(), value);
        }
    }

    /// The member of a request that forbids calls.
    fn no_calls(&self) -> (&'static str, Value) {
        ("tool_choice", "none".into())
    }

    /// Adds what every request of the provider has besides.
    fn add_defaults(&self, request: &mut JsonObject) {
        let _ = request;
    }

    /// Says in a request whether the response comes as a stream.
    fn add_stream(&self, streams: bool, request: &mut JsonObject) {
        if streams {
            request.insert("stream".to_owned(), true.into());
        }
    }
}

/// How the blocks of a user's message are written.
#[derive(Clone, Copy, Debug)]
pub struct UserBlocks {
    /// The member that holds them.
    pub key: &'static str,
    /// Writes a text as a block.
    pub text: fn(&str) -> Value,
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
