//! Amazon Bedrock's Converse.

mod events;
pub(in crate::provider) mod history;

use serde_json::{Map, Value, json};

use super::form::{
    EndedMessages, MessageDialect, ProviderDialect, ToolDialect, UserBlocks, WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::content::{error_object, read_content};
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::item::{CALLS, ItemKind, Purpose};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, text};
use crate::provider::tool::definition::{ToolDefinition, described};
use crate::provider::write::head::{MessageHead, Usage};
use crate::provider::write::id_form::IdForm;
use crate::provider::write::object::insert_some;
use crate::provider::write::outline::{BlockKind, PlainCall};

const PROVIDER: Provider = Provider::Bedrock;

pub const CALL: Shape =
    Shape::new(PROVIDER, &["toolUse", "toolUseId"], &["toolUse", "name"], &["toolUse", "input"])
        .keeping(Kept::All);

/// What a block holds, alone.
const BARE_CALL: Shape = Shape::new(PROVIDER, &["toolUseId"], &["name"], &["input"]);

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    seen.has("toolUse").then_some(CALL)
}

/// What a block holds, alone.
pub fn bare_call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.has("toolUseId") && seen.has("input")).then_some(BARE_CALL)
}

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if let Some(Value::Object(result)) = seen.get("toolResult") {
        return Some(read_result(result).under("toolResult"));
    }
    (seen.has("toolUseId") && seen.has("content")).then(|| read_result(seen.object))
}

fn read_result(object: &JsonObject) -> FoundResult {
    let data = read_content(object.get("content"), |text| Value::from(text));
    let flagged = (text(object, "status") == Some("error"), data);
    FoundResult::flagged(PROVIDER, object.get("toolUseId"), "", flagged)
}

/// What a block says of a call or a result, in its object or alone.
pub fn block(object: &JsonObject) -> Option<(&JsonObject, ItemKind)> {
    let inside = |key: &str, kind| Some((object.get(key)?.as_object()?, kind));
    let inside =
        inside("toolUse", ItemKind::Call).or_else(|| inside("toolResult", ItemKind::Result));
    inside.or_else(|| bare_block(object))
}

/// The same alone.
pub fn bare_block(object: &JsonObject) -> Option<(&JsonObject, ItemKind)> {
    let kind = if object.contains_key("input") { ItemKind::Call } else { ItemKind::Result };
    object.contains_key("toolUseId").then_some((object, kind))
}

/// What a block is that is no call of the program's; one without a type is the program's. The
/// source is `ToolUseBlock` of its API.
pub fn purpose((block, kind): (&JsonObject, ItemKind)) -> Option<Purpose<'_>> {
    let word = text(block, "type").filter(|word| !word.is_empty() && !CALLS.contains(word))?;
    Some(if kind == ItemKind::Result || word == "server_tool_use" {
        Purpose::Own(kind, word, PROVIDER)
    } else {
        Purpose::Unknown(word)
    })
}

pub struct BedrockDialect;

impl ProviderDialect for BedrockDialect {
    fn dump_call(&self, call: &PlainCall<'_>) -> Value {
        json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.value()}})
    }

    fn dump_result(&self, result: &ProviderResult) -> Value {
        let ProviderResult { call_id, outcome, .. } = result;
        let empty = outcome.data.as_object().is_some_and(Map::is_empty);
        let content = match &outcome.data {
            _ if !outcome.success && empty => {
                json!([{"text": outcome.error_message.as_deref().unwrap_or_default()}])
            }
            _ if !outcome.success => json!([{"json": error_object(outcome)}]),
            Value::String(text) => json!([{"text": text}]),
            data => json!([{"json": data}]),
        };
        let status = if outcome.success { "success" } else { "error" };
        json!({"toolResult": {"toolUseId": call_id, "content": content, "status": status}})
    }

    fn call_ids(&self) -> IdForm {
        IdForm::new("tooluse_", 22, (1, 64), Some("_-"))
    }

    /// It takes no JSON but an object.
    fn takes_data(&self, data: &Value) -> bool {
        data.is_object() || data.is_string()
    }

    fn tools(&self) -> Option<&dyn ToolDialect> {
        Some(self)
    }

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
    }
}

impl ToolDialect for BedrockDialect {
    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
        json!({"toolSpec": described(tool, "inputSchema", json!({"json": schema}))})
    }
}

impl MessageDialect for BedrockDialect {
    fn endings(&self) -> [&'static str; 3] {
        ["end_turn", "tool_use", "max_tokens"]
    }

    fn ending_key(&self) -> &'static str {
        "stopReason"
    }

    fn message(&self, message: &WrittenMessage, ending: &str) -> Value {
        let content = message.list(|kind, text| match kind {
            BlockKind::Reasoning => json!({"reasoningContent": {"reasoningText": {"text": text}}}),
            BlockKind::Text => json!({"text": text}),
        });
        json!({"role": "assistant", "content": content, "stopReason": ending})
    }

    fn response(&self, messages: EndedMessages, _: MessageHead, usage: Option<Usage>) -> Value {
        let first = messages.first;
        let mut response =
            json!({"output": {"message": first.message}, "stopReason": first.reason});
        let usage = usage.map(|usage| {
            json!({
                "inputTokens": usage.input_tokens,
                "outputTokens": usage.output_tokens,
                "totalTokens": usage.total(),
            })
        });
        insert_some(&mut response, "usage", usage);
        response
    }

    fn user_blocks(&self) -> Option<UserBlocks> {
        Some(UserBlocks { key: "content", text: |text| json!({"text": text}) })
    }

    fn request_keys(&self) -> (&'static str, &'static str) {
        ("modelId", "messages")
    }

    fn add_system(&self, text: &str, request: &mut JsonObject, _: &mut Vec<Value>) {
        request.insert("system".to_owned(), json!([{"text": text}]));
    }

    /// Its API has no word that forbids calls.
    fn add_tools(&self, tools: &[Value], _: bool, request: &mut JsonObject) {
        request.insert("toolConfig".to_owned(), json!({"tools": tools}));
    }

    /// Another address says it.
    fn add_stream(&self, _: bool, _: &mut JsonObject) {}
}
