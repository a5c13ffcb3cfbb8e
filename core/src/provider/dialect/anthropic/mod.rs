//! Anthropic's Messages.

mod block;
mod chunks;
mod events;
pub(in crate::provider) mod history;

use serde_json::{Value, json};

use self::block::{thinking, tool_use};
use self::chunks::AnthropicChunks;
use super::form::{
    EndedMessages, MessageDialect, ProviderDialect, ToolDialect, UserBlocks, WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::content::{flagged_text, read_content, read_text};
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::item::{ItemKind, OwnWord, Purpose};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, is_true};
use crate::provider::tool::definition::{ToolDefinition, described};
use crate::provider::write::chunks::writer::{ChunkForm, ChunkKind};
use crate::provider::write::head::{KnownHead, MessageHead, Usage};
use crate::provider::write::id_form::IdForm;
use crate::provider::write::object::{insert, insert_some, typed};
use crate::provider::write::outline::{BlockKind, PlainCall};

const PROVIDER: Provider = Provider::Anthropic;

/// The longest name of a property that it takes.
const LONGEST_PROPERTY: usize = 64;

/// The `max_tokens` of a request whose options have none; the API demands one.
const MAX_TOKENS: u64 = 4096;

pub const CALL: Shape = Shape::new(PROVIDER, &["id"], &["name"], &["input"]).keeping(Kept::All);

/// Blocks that it keeps for itself. The source is the beta content blocks of anthropic 2.13.
pub const OWN_WORDS: &[OwnWord] =
    &[("server_tool_use", ItemKind::Call), ("mcp_tool_use", ItemKind::Call)];

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.kind == "tool_use").then_some(CALL)
}

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if seen.kind != "tool_result" {
        return None;
    }
    let data = read_content(seen.get("content"), read_text);
    let flagged = (is_true(seen.object, "is_error"), data);
    Some(FoundResult::flagged(PROVIDER, seen.get("tool_use_id"), "", flagged))
}

/// The result of a call that it ran itself.
pub fn own_result<'v>(object: &JsonObject, word: &'v str) -> Option<Purpose<'v>> {
    let is_own = word.ends_with("_tool_result") && object.contains_key("tool_use_id");
    is_own.then_some(Purpose::Own(ItemKind::Result, word, PROVIDER))
}

pub struct AnthropicDialect;

impl ProviderDialect for AnthropicDialect {
    fn dump_call(&self, call: &PlainCall<'_>) -> Value {
        tool_use(call)
    }

    fn dump_result(&self, result: &ProviderResult) -> Value {
        let ProviderResult { call_id, outcome, .. } = result;
        let content = flagged_text(outcome);
        let mut block = json!({"type": "tool_result", "tool_use_id": call_id, "content": content});
        if !outcome.success {
            insert(&mut block, "is_error", true);
        }
        block
    }

    fn call_ids(&self) -> IdForm {
        IdForm::new("toolu_", 24, (1, 64), Some("_-"))
    }

    fn tools(&self) -> Option<&dyn ToolDialect> {
        Some(self)
    }

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
    }
}

impl ToolDialect for AnthropicDialect {
    fn refused_keywords(&self) -> &'static [&'static str] {
        &["oneOf", "anyOf", "allOf"]
    }

    fn property_problem(&self, name: &str) -> Option<&'static str> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let taken = (1..=LONGEST_PROPERTY).contains(&name.len()) && name.bytes().all(allowed);
        (!taken).then_some("anthropic takes names of 1 to 64 letters, digits, _, . and -")
    }

    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
        described(tool, "input_schema", schema)
    }
}

impl MessageDialect for AnthropicDialect {
    fn endings(&self) -> [&'static str; 3] {
        ["end_turn", "tool_use", "max_tokens"]
    }

    fn ending_key(&self) -> &'static str {
        "stop_reason"
    }

    fn message(&self, message: &WrittenMessage, ending: &str) -> Value {
        let content = message.list(|kind, text| match kind {
            BlockKind::Reasoning => thinking(text),
            BlockKind::Text => typed("text", "text", text),
        });
        json!({"role": "assistant", "content": content, "stop_reason": ending})
    }

    fn response(&self, messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
        let (KnownHead { model, id, .. }, mut first) = (head.known("msg_"), messages.first);
        let content = first.message.remove("content");
        let mut response = json!({
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": content,
            "stop_reason": first.reason,
            "stop_sequence": null,
        });
        insert_some(&mut response, "usage", usage.map(usage_object));
        response
    }

    fn chunks(&self) -> Option<&'static ChunkForm> {
        Some(&ChunkForm {
            prefix: "msg_",
            kind: ChunkKind::Events,
            // Anthropic's own clients do.
            cut_off_is_read: true,
            writer: |head, _| Box::new(AnthropicChunks::new(head)),
        })
    }

    fn user_blocks(&self) -> Option<UserBlocks> {
        Some(UserBlocks { key: "content", text: |text| typed("text", "text", text) })
    }

    fn add_system(&self, text: &str, request: &mut JsonObject, _: &mut Vec<Value>) {
        request.insert("system".to_owned(), text.into());
    }

    fn no_calls(&self) -> (&'static str, Value) {
        ("tool_choice", json!({"type": "none"}))
    }

    fn add_defaults(&self, request: &mut JsonObject) {
        request.insert("max_tokens".to_owned(), MAX_TOKENS.into());
    }
}

/// The numbers of tokens.
fn usage_object(Usage { input_tokens, output_tokens }: Usage) -> Value {
    json!({"input_tokens": input_tokens, "output_tokens": output_tokens})
}
