//! The Model Context Protocol.

use serde_json::{Value, json};

use super::form::{ProviderDialect, ToolDialect};
use crate::provider::kind::Provider;
use crate::provider::read::{
    FoundResult, JsonObject, Kept, ProviderResult, SeenObject, Shape, failed, flagged_text,
    is_true, read_content, read_text, text,
};
use crate::provider::tool::{NameRule, ToolDefinition, ToolHints, described};
use crate::provider::write::{PlainCall, insert, insert_some};
use crate::result::ToolResult;

const PROVIDER: Provider = Provider::Mcp;

const CALL: Shape =
    Shape::new(PROVIDER, &["id"], &["params", "name"], &["params", "arguments"]).keeping(Kept::All);

/// The parameters of a request, alone.
const BARE_CALL: Shape = Shape::new(PROVIDER, &["id"], &["name"], &["arguments"]);

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.text("method") == Some("tools/call")).then_some(CALL)
}

/// The parameters of a request, alone.
pub fn bare_call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.has("name") && seen.has("arguments")).then_some(BARE_CALL)
}

/// A result, alone or in a JSON-RPC response.
pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let is_rpc = seen.has("jsonrpc");
    if let (true, Some(Value::Object(error))) = (is_rpc, seen.get("error")) {
        return Some(FoundResult::of(PROVIDER, seen.get("id"), read_error(error)));
    }
    let (result, id) = match seen.get("result") {
        Some(Value::Object(result)) if is_rpc => (result, seen.get("id")),
        _ => (seen.object, None),
    };
    let told = is_rpc || seen.near == Some(PROVIDER);
    let has_structured = result.contains_key("structuredContent");
    let tagged = result.contains_key("isError") || has_structured;
    let listed = result.get("content").is_some_and(Value::is_array) && !result.contains_key("role");
    if !(tagged || (told && listed)) || !(listed || has_structured) {
        return None;
    }
    let content = read_content(result.get("content"), read_text);
    let structured = result.get("structuredContent").filter(|value| !value.is_null()).cloned();
    if is_true(result, "isError") {
        let outcome = failed("", content);
        let data = structured.unwrap_or(outcome.data);
        return Some(FoundResult::of(PROVIDER, id, ToolResult { data, ..outcome }));
    }
    let data = structured.unwrap_or(content);
    Some(FoundResult::flagged(PROVIDER, id, "", (false, data)))
}

/// The outcome that an error of JSON-RPC stands for.
fn read_error(error: &JsonObject) -> ToolResult<Value> {
    let message = text(error, "message").unwrap_or_default();
    let rest = error.iter().filter(|(key, _)| *key != "message");
    let rest: JsonObject = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    ToolResult::failure("", Value::Object(rest), message)
}

pub const DIALECT: ProviderDialect =
    ProviderDialect { tools: Some(&TOOLS), ..ProviderDialect::new(dump_call, dump_result) };

const TOOLS: ToolDialect = ToolDialect { names: Some(NameRule::MCP), ..ToolDialect::new(tool) };

fn dump_call(call: &PlainCall<'_>) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": call.id,
        "method": "tools/call",
        "params": {"name": call.name, "arguments": call.value()},
    })
}

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let mut content = json!({"content": [{"type": "text", "text": flagged_text(outcome)}]});
    if outcome.success && outcome.data.is_object() {
        insert(&mut content, "structuredContent", outcome.data.clone());
    }
    insert(&mut content, "isError", !outcome.success);
    match call_id {
        Some(id) => json!({"jsonrpc": "2.0", "id": id, "result": content}),
        None => content,
    }
}

fn tool(tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
    let mut written = described(tool, "inputSchema", schema);
    insert_some(&mut written, "annotations", annotations(tool.hints));
    written
}

/// What is said of a tool beside its schema; none if nothing is known.
fn annotations(hints: ToolHints) -> Option<Value> {
    let mut annotations = json!({});
    insert_some(&mut annotations, "readOnlyHint", hints.read_only);
    insert_some(&mut annotations, "destructiveHint", hints.destructive);
    annotations.as_object().is_some_and(|known| !known.is_empty()).then_some(annotations)
}
