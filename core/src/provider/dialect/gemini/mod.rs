//! Google's Gemini.

mod events;
pub(in crate::provider) mod history;
pub(in crate::provider) mod partial;

use serde_json::{Value, json};

use super::form::{
    EndedMessage, EndedMessages, MessageDialect, NoCalls, ProviderDialect, ToolDialect, UserBlocks,
    WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::{
    FoundResult, ItemKind, JsonObject, Kept, OwnWord, ProviderResult, SeenObject, Shape,
    error_object, read_error, text,
};
use crate::provider::tool::{NameRule, ToolDefinition, described, named};
use crate::provider::write::{
    BlockKind, KnownHead, MessageHead, PlainCall, Usage, insert_some, object_of, with_id,
};

const PROVIDER: Provider = Provider::Gemini;

pub const CALL: Shape = Shape::new(
    PROVIDER,
    &["functionCall", "id"],
    &["functionCall", "name"],
    &["functionCall", "args"],
)
.keeping(Kept::All);

/// A part as its Python library writes it.
pub const SNAKE_CALL: Shape = Shape {
    id: &["function_call", "id"],
    name: &["function_call", "name"],
    arguments: &["function_call", "args"],
    written_key: Some("functionCall"),
    ..CALL
};

/// What a part holds, alone.
const BARE_CALL: Shape =
    Shape::new(PROVIDER, &["id"], &["name"], &["args"]).keeping(Kept::Signature);

/// Items that it keeps for itself. The source is the interactions of google-genai 3.6.
pub const OWN_WORDS: &[OwnWord] = &[
    ("code_execution_call", ItemKind::Call),
    ("code_execution_result", ItemKind::Result),
    ("file_search_result", ItemKind::Result),
    ("google_maps_call", ItemKind::Call),
    ("google_maps_result", ItemKind::Result),
    ("google_search_call", ItemKind::Call),
    ("google_search_result", ItemKind::Result),
    ("mcp_server_tool_call", ItemKind::Call),
    ("mcp_server_tool_result", ItemKind::Result),
    ("url_context_call", ItemKind::Call),
    ("url_context_result", ItemKind::Result),
];

/// The keys of its parts that are its own, with the spelling of its libraries.
const OWN_PARTS: &[OwnWord] = &[
    ("executableCode", ItemKind::Call),
    ("executable_code", ItemKind::Call),
    ("codeExecutionResult", ItemKind::Result),
    ("code_execution_result", ItemKind::Result),
    ("toolCall", ItemKind::Call),
    ("tool_call", ItemKind::Call),
    ("toolResponse", ItemKind::Result),
    ("tool_response", ItemKind::Result),
];

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    if seen.has("functionCall") {
        return Some(CALL);
    }
    let call = seen.get("function_call").and_then(Value::as_object);
    call.is_some_and(|call| call.contains_key("args")).then_some(SNAKE_CALL)
}

/// What a part holds, alone.
pub fn bare_call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.has("name") && seen.has("args")).then_some(BARE_CALL)
}

/// The result that a part holds, and the key under which it stands.
pub fn response_in<'v>(seen: &SeenObject<'v>) -> Option<(&'static str, &'v JsonObject)> {
    let keys = ["functionResponse", "function_response"];
    keys.into_iter().find_map(|key| Some((key, seen.get(key)?.as_object()?)))
}

/// Reads a result. A response must be an object, so other data stands under `output`.
pub fn read_response(object: &JsonObject) -> FoundResult {
    let (id, name) = (object.get("id"), text(object, "name").unwrap_or_default());
    match object.get("response") {
        Some(Value::Object(whole)) if whole.len() == 1 && whole.contains_key("output") => {
            let data = whole.get("output").cloned().unwrap_or_default();
            FoundResult::flagged(PROVIDER, id, name, (false, data))
        }
        response => FoundResult::said(PROVIDER, id, name, response.cloned().unwrap_or_default()),
    }
}

/// What a key of a part says that it keeps for itself.
pub fn own_part(key: &str) -> Option<(ItemKind, Provider)> {
    OWN_PARTS.iter().find(|(known, _)| *known == key).map(|(_, kind)| (*kind, PROVIDER))
}

pub const DIALECT: ProviderDialect = ProviderDialect {
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(dump_call, dump_result)
};

const TOOLS: ToolDialect = ToolDialect {
    names: Some(NameRule::GEMINI),
    takes_unions: false,
    list,
    ..ToolDialect::new(tool)
};

const MESSAGES: MessageDialect = MessageDialect {
    endings: ["STOP", "STOP", "MAX_TOKENS"],
    ending_key: "finishReason",
    gives_several: true,
    user_blocks: Some(UserBlocks { key: "parts", text: |text| json!({"text": text}) }),
    request_keys: ("model", "contents"),
    add_system,
    // Another address says it.
    add_stream: |_, _| {},
    no_calls: NoCalls::Word(|| ("toolConfig", json!({"functionCallingConfig": {"mode": "NONE"}}))),
    ..MessageDialect::new(message, response)
};

fn dump_call(call: &PlainCall<'_>) -> Value {
    object_of([("functionCall", function_call(call, call.name))])
}

fn dump_result(result: &ProviderResult) -> Value {
    let response = function_response(result, &result.outcome.tool, response_of(result));
    object_of([("functionResponse", response)])
}

fn tool(tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
    match tool.input_schema {
        Some(_) => described(tool, "parametersJsonSchema", schema),
        None => named(tool),
    }
}

/// One tool declares all functions.
fn list(tools: Vec<Value>) -> Vec<Value> {
    if tools.is_empty() { tools } else { vec![json!({"functionDeclarations": tools})] }
}

/// What a part with a call holds.
pub fn function_call(call: &PlainCall<'_>, name: &str) -> Value {
    with_id(call.id, [("name", name.into()), ("args", call.value())])
}

/// What a part with a result holds.
pub fn function_response(result: &ProviderResult, name: &str, response: Value) -> Value {
    with_id(result.call_id.as_deref(), [("name", name.into()), ("response", response)])
}

/// The response, which must be an object; data that would be read differently is wrapped.
fn response_of(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    match &outcome.data {
        _ if !outcome.success => error_object(outcome),
        data @ Value::Object(object) => {
            let lone = object.len() == 1 && object.contains_key("output");
            if lone || read_error(data).is_some() { json!({"output": data}) } else { data.clone() }
        }
        data => json!({"output": data}),
    }
}

fn message(message: WrittenMessage, ending: &str) -> Value {
    let parts = message.list(|kind, text| match kind {
        BlockKind::Reasoning => json!({"text": text, "thought": true}),
        BlockKind::Text => json!({"text": text}),
    });
    let role = ("role", "model".into());
    object_of([role, ("parts", parts.into()), ("finishReason", ending.into())])
}

fn response(messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
    let KnownHead { model, id, .. } = head.known("chatcmpl-");
    let candidate = |(index, part): (usize, EndedMessage)| json!({"content": part.message, "finishReason": part.reason, "index": index});
    let candidates: Vec<_> = messages.each().map(candidate).collect();
    let mut response = json!({"candidates": candidates, "modelVersion": model, "responseId": id});
    let usage = usage.map(|usage| {
        json!({
            "promptTokenCount": usage.input_tokens,
            "candidatesTokenCount": usage.output_tokens,
            "totalTokenCount": usage.total(),
        })
    });
    insert_some(&mut response, "usageMetadata", usage);
    response
}

fn add_system(text: &str, request: &mut JsonObject, _: &mut Vec<Value>) {
    request.insert("systemInstruction".to_owned(), json!({"parts": [{"text": text}]}));
}
