//! Amazon Bedrock's Converse.

mod events;
pub(in crate::provider) mod history;

use serde_json::{Map, Value, json};

use super::form::{
    EndedMessages, MessageDialect, NoCalls, ProviderDialect, ToolDialect, UserBlocks,
    WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::{
    CALLS, FoundResult, ItemKind, JsonObject, Kept, ProviderResult, Purpose, SeenObject, Shape,
    error_object, read_content, text,
};
use crate::provider::tool::{ToolDefinition, described};
use crate::provider::write::{
    BlockKind, IdForm, MessageHead, PlainCall, Usage, insert, insert_some, object_of,
};

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

pub const DIALECT: ProviderDialect = ProviderDialect {
    call_ids: IdForm::new("tooluse_", 22, (1, 64), Some("_-")),
    takes_data,
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(dump_call, dump_result)
};

const TOOLS: ToolDialect = ToolDialect::new(tool);

const MESSAGES: MessageDialect = MessageDialect {
    endings: ["end_turn", "tool_use", "max_tokens"],
    ending_key: "stopReason",
    user_blocks: Some(UserBlocks { key: "content", text: |text| json!({"text": text}) }),
    request_keys: ("modelId", "messages"),
    add_system,
    tools: |tools| ("toolConfig", json!({"tools": tools})),
    // Its API has no word that forbids them.
    no_calls: NoCalls::Untold,
    // Another address says it.
    add_stream: |_, _| {},
    ..MessageDialect::new(message, response)
};

fn dump_call(call: &PlainCall<'_>) -> Value {
    json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.value()}})
}

fn dump_result(result: &ProviderResult) -> Value {
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

/// It takes no JSON but an object.
fn takes_data(data: &Value) -> bool {
    data.is_object() || data.is_string()
}

fn tool(tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
    let mut inner = json!({});
    insert(&mut inner, "json", schema);
    json!({"toolSpec": described(tool, "inputSchema", inner)})
}

fn message(message: WrittenMessage, ending: &str) -> Value {
    let content = message.list(|kind, text| match kind {
        BlockKind::Reasoning => json!({"reasoningContent": {"reasoningText": {"text": text}}}),
        BlockKind::Text => json!({"text": text}),
    });
    let role = ("role", "assistant".into());
    object_of([role, ("content", content.into()), ("stopReason", ending.into())])
}

fn response(messages: EndedMessages, _: MessageHead, usage: Option<Usage>) -> Value {
    let first = messages.first;
    let mut response = json!({"output": {"message": first.message}, "stopReason": first.reason});
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

fn add_system(text: &str, request: &mut JsonObject, _: &mut Vec<Value>) {
    request.insert("system".to_owned(), json!([{"text": text}]));
}
