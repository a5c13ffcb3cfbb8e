//! What a provider says of itself to those that write for it.
//!
//! A provider answers for its calls and results, for its tools if it is given any, and for its
//! messages if its models write any. What it does not say is as OpenAI's chat has it.

use serde_json::{Map, Value, json};

use crate::provider::read::{JsonObject, ProviderResult};
use crate::provider::tool::{NameRule, ToolDefinition};
use crate::provider::write::{BlockKind, ChunkForm, IdForm, MessageHead, PlainCall, Usage};

/// How a provider writes calls and results.
pub struct ProviderDialect {
    /// Writes a call as the smallest object for one: a part, a block, an item of `tool_calls`.
    pub dump_call: fn(&PlainCall<'_>) -> Value,
    /// Writes a call of a tool that takes a free text, which is known by what stands beside it;
    /// none for any other call. Its arguments are not read yet.
    pub dump_free_text: fn(&PlainCall<'_>, &JsonObject) -> Option<Value>,
    /// Writes a result as the smallest object for one.
    pub dump_result: fn(&ProviderResult) -> Value,
    /// The name of a tool whose calls have this name.
    pub tool_name: fn(&str) -> String,
    /// How ids of calls are written.
    pub call_ids: IdForm,
    /// Whether data of a tool can stand in a result as they are, and not only as a text.
    pub takes_data: fn(&Value) -> bool,
    /// What is said of tools; none if the provider is given none.
    pub tools: Option<&'static ToolDialect>,
    /// What is said of messages; none if the provider's models write no messages.
    pub messages: Option<&'static MessageDialect>,
}

impl ProviderDialect {
    pub const fn new(
        dump_call: fn(&PlainCall<'_>) -> Value,
        dump_result: fn(&ProviderResult) -> Value,
    ) -> Self {
        Self {
            dump_call,
            dump_free_text: |_, _| None,
            dump_result,
            tool_name: str::to_owned,
            call_ids: IdForm::CALL,
            takes_data: |_| true,
            tools: None,
            messages: None,
        }
    }
}

/// Which tools a provider takes, and how a request has them.
pub struct ToolDialect {
    /// Which names are taken; none for any name.
    pub names: Option<NameRule>,
    /// The keywords that are refused at the top level of a schema.
    pub refused_keywords: &'static [&'static str],
    /// Whether a schema may have a list of types.
    pub takes_unions: bool,
    /// Why the name of a property is refused; none for one that is taken.
    pub property_problem: fn(&str) -> Option<&'static str>,
    /// Whether the provider can hold the model to a schema.
    pub can_be_strict: bool,
    /// Writes a tool with its schema, as a strict one or not.
    pub tool: fn(&ToolDefinition<'_>, Value, bool) -> Value,
    /// The list of tools of a request, of those that were written.
    pub list: fn(Vec<Value>) -> Vec<Value>,
}

impl ToolDialect {
    pub const fn new(tool: fn(&ToolDefinition<'_>, Value, bool) -> Value) -> Self {
        Self {
            names: Some(NameRule::CHAT),
            refused_keywords: &[],
            takes_unions: true,
            property_problem: |_| None,
            can_be_strict: false,
            tool,
            list: |tools| tools,
        }
    }
}

/// How a provider writes messages, responses and requests.
pub struct MessageDialect {
    /// The words for why a message ended: it is complete, it has calls, it was cut off.
    pub endings: [&'static str; 3],
    /// The member that says why a message ended.
    pub ending_key: &'static str,
    /// Writes a message with the word for why it ended.
    pub message: fn(WrittenMessage, &str) -> Value,
    /// Whether a response may have several messages.
    pub gives_several: bool,
    /// Writes a whole response. There is one message, unless the provider gives several.
    pub response: fn(EndedMessages, MessageHead, Option<Usage>) -> Value,
    /// How the chunks of a stream are written; none if they are not.
    pub chunks: Option<&'static ChunkForm>,
    /// How the blocks of the user's messages are written; none if a message is a text, and a result
    /// a message of its own.
    pub user_blocks: Option<UserBlocks>,
    /// The member of a request that names the model, and the one that holds the messages.
    pub request_keys: (&'static str, &'static str),
    /// Adds what the model is told before all else, to the request or as its first message.
    pub add_system: fn(&str, &mut JsonObject, &mut Vec<Value>),
    /// The member of a request that holds the tools.
    pub tools: fn(&[Value]) -> (&'static str, Value),
    /// How a request forbids calls.
    pub no_calls: NoCalls,
    /// Adds what every request of the provider has besides.
    pub add_defaults: fn(&mut JsonObject),
    /// Says in a request whether the response comes as a stream.
    pub add_stream: fn(bool, &mut JsonObject),
}

impl MessageDialect {
    pub const fn new(
        message: fn(WrittenMessage, &str) -> Value,
        response: fn(EndedMessages, MessageHead, Option<Usage>) -> Value,
    ) -> Self {
        Self {
            endings: ["stop", "tool_calls", "length"],
            ending_key: "finish_reason",
            message,
            gives_several: false,
            response,
            chunks: None,
            user_blocks: None,
            request_keys: ("model", "messages"),
            add_system: |text, _, messages| {
                messages.push(json!({"role": "system", "content": text}));
            },
            tools: |tools| ("tools", tools.into()),
            no_calls: NoCalls::Word(|| ("tool_choice", "none".into())),
            add_defaults: |_| {},
            add_stream: |streams, request| {
                if streams {
                    request.insert("stream".to_owned(), true.into());
                }
            },
        }
    }
}

/// How a request forbids calls of the tools that it names.
#[derive(Clone, Copy, Debug)]
pub enum NoCalls {
    /// By a member.
    Word(fn() -> (&'static str, Value)),
    /// It names no tools.
    WithoutTools,
    /// It does not.
    Untold,
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
    pub fn list(self, form: impl Fn(BlockKind, &str) -> Value) -> Vec<Value> {
        let mut list = self.parts(form);
        list.extend(self.calls);
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
