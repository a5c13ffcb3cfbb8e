//! Google's Gemini.

mod events;
pub(in crate::provider) mod history;
pub(in crate::provider) mod partial;

use serde_json::{Value, json};

use super::form::{
    EndedMessage, EndedMessages, MessageDialect, ProviderDialect, ToolDialect, UserBlocks,
    WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::content::{error_object, read_error};
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::item::{ItemKind, OwnWord};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, text};
use crate::provider::tool::definition::{ToolDefinition, described, named};
use crate::provider::tool::tool_name::NameRule;
use crate::provider::write::head::{KnownHead, MessageHead, Usage};
use crate::provider::write::object::{insert_some, with_id};
use crate::provider::write::outline::{BlockKind, PlainCall};

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
pub const BARE_CALL: Shape =
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

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let (key, response) = response_in(seen)?;
    Some(read_response(response).under(key))
}

/// What a part with a result holds, alone.
pub fn bare_result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    (seen.has("name") && seen.has("response")).then(|| read_response(seen.object))
}

/// The result that a part holds, and the key under which it stands.
pub fn response_in<'v>(seen: &SeenObject<'v>) -> Option<(&'static str, &'v JsonObject)> {
    let keys = ["functionResponse", "function_response"];
    keys.into_iter().find_map(|key| Some((key, seen.get(key)?.as_object()?)))
}

/// Reads a result. A response must be an object, so other data stands under `output`.
fn read_response(object: &JsonObject) -> FoundResult {
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

pub struct GeminiDialect;

impl ProviderDialect for GeminiDialect {
    fn dump_call(&self, call: &PlainCall<'_>) -> Value {
        json!({"functionCall": function_call(call, call.name)})
    }

    fn dump_result(&self, result: &ProviderResult) -> Value {
        let response = function_response(result, &result.outcome.tool, &response_of(result));
        json!({"functionResponse": response})
    }

    fn tools(&self) -> Option<&dyn ToolDialect> {
        Some(self)
    }

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
    }
}

impl ToolDialect for GeminiDialect {
    fn names(&self) -> Option<NameRule> {
        Some(NameRule::GEMINI)
    }

    fn takes_unions(&self) -> bool {
        false
    }

    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
        match tool.input_schema {
            Some(_) => described(tool, "parametersJsonSchema", schema),
            None => named(tool),
        }
    }

    /// One tool declares all functions.
    fn list(&self, tools: Vec<Value>) -> Vec<Value> {
        if tools.is_empty() { tools } else { vec![json!({"functionDeclarations": tools})] }
    }
}

/// What a part with a call holds.
pub fn function_call(call: &PlainCall<'_>, name: &str) -> Value {
    with_id(call.id, json!({"name": name, "args": call.value()}))
}

/// What a part with a result holds.
pub fn function_response(result: &ProviderResult, name: &str, response: &Value) -> Value {
    with_id(result.call_id.as_deref(), json!({"name": name, "response": response}))
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

impl MessageDialect for GeminiDialect {
    fn endings(&self) -> [&'static str; 3] {
        ["STOP", "STOP", "MAX_TOKENS"]
    }

    fn ending_key(&self) -> &'static str {
        "finishReason"
    }

    fn message(&self, message: &WrittenMessage, ending: &str) -> Value {
        let parts = message.list(|kind, text| match kind {
            BlockKind::Reasoning => json!({"text": text, "thought": true}),
            BlockKind::Text => json!({"text": text}),
        });
        json!({"role": "model", "parts": parts, "finishReason": ending})
    }

    fn gives_several(&self) -> bool {
        true
    }

    fn response(&self, messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
        let KnownHead { model, id, .. } = head.known("chatcmpl-");
        let candidate = |(index, part): (usize, EndedMessage)| json!({"content": part.message, "finishReason": part.reason, "index": index});
        let candidates: Vec<_> = messages.each().map(candidate).collect();
        let mut response =
            json!({"candidates": candidates, "modelVersion": model, "responseId": id});
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

    fn user_blocks(&self) -> Option<UserBlocks> {
        Some(UserBlocks { key: "parts", text: |text| json!({"text": text}) })
    }

    fn request_keys(&self) -> (&'static str, &'static str) {
        ("model", "contents")
    }

    fn add_system(&self, text: &str, request: &mut JsonObject, _: &mut Vec<Value>) {
        request.insert("systemInstruction".to_owned(), json!({"parts": [{"text": text}]}));
    }

    fn no_calls(&self) -> (&'static str, Value) {
        ("toolConfig", json!({"functionCallingConfig": {"mode": "NONE"}}))
    }

    /// Another address says it.
    fn add_stream(&self, _: bool, _: &mut JsonObject) {}
}
