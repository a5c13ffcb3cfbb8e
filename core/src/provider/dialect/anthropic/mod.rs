//! Anthropic's Messages.

mod block;
mod chunks;

use serde_json::{Value, json};

use self::block::{thinking, tool_use};
use self::chunks::AnthropicChunks;
use super::form::{EndedMessages, MessageDialect, ProviderDialect, WrittenMessage};
use crate::provider::kind::Provider;
use crate::provider::read::content::{flagged_text, read_content, read_text};
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::item::{ItemKind, OwnWord, Purpose};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, is_true};
use crate::provider::write::chunks::writer::{ChunkForm, ChunkKind};
use crate::provider::write::head::{KnownHead, MessageHead, Usage};
use crate::provider::write::id_form::IdForm;
use crate::provider::write::object::{insert, insert_some, typed};
use crate::provider::write::outline::{BlockKind, PlainCall};

const PROVIDER: Provider = Provider::Anthropic;

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

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
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
}

/// The numbers of tokens.
fn usage_object(Usage { input_tokens, output_tokens }: Usage) -> Value {
    json!({"input_tokens": input_tokens, "output_tokens": output_tokens})
}
