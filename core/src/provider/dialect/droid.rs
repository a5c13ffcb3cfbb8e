//! The events of a Droid transcript.

use serde_json::{Map, Value, json};

use super::form::ProviderDialect;
use crate::provider::kind::Provider;
use crate::provider::read::{
    FoundResult, ProviderResult, SeenObject, Shape, error_object, is_true, text,
};
use crate::provider::write::{PlainCall, insert};
use crate::result::ToolResult;

const PROVIDER: Provider = Provider::Droid;

const CALL: Shape = Shape::new(PROVIDER, &["id"], &["toolName"], &["parameters"]);

/// The type that an error is written with if the failure has none.
const TOOL_ERROR: &str = "tool_error";

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    let is_call = seen.kind == "tool_call" && (seen.has("toolName") || seen.has("toolId"));
    is_call.then_some(CALL)
}

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if seen.kind != "tool_result" || !seen.has("toolId") {
        return None;
    }
    let (id, tool) = (seen.get("id"), seen.text("toolId").unwrap_or_default());
    if let Some(value) = seen.get("value") {
        let flagged = (is_true(seen.object, "isError"), value.clone());
        return Some(FoundResult::flagged(PROVIDER, id, tool, flagged));
    }
    let Some(Value::Object(error)) = seen.get("error") else {
        let problem = "a tool_result has a value or an error";
        return Some(FoundResult::misshapen(PROVIDER, problem));
    };
    let message = text(error, "message").unwrap_or_default();
    let data = match text(error, "type") {
        None | Some(TOOL_ERROR) => json!({}),
        Some(kind) => json!({ "type": kind }),
    };
    Some(FoundResult::of(PROVIDER, id, ToolResult::failure(tool, data, message)))
}

pub const DIALECT: ProviderDialect = ProviderDialect::new(dump_call, dump_result);

/// An event must have these fields; the program that writes a log can fill them.
fn dump_call(call: &PlainCall<'_>) -> Value {
    json!({
        "type": "tool_call",
        "id": call.id,
        "messageId": "",
        "toolId": call.name,
        "toolName": call.name,
        "parameters": call.value(),
        "timestamp": 0,
        "session_id": "",
    })
}

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let mut event = json!({
        "type": "tool_result",
        "id": call_id,
        "messageId": "",
        "toolId": outcome.tool,
        "isError": !outcome.success,
    });
    let empty = outcome.data.as_object().is_some_and(Map::is_empty);
    if outcome.success {
        insert(&mut event, "value", outcome.data.clone());
    } else if empty {
        let message = outcome.error_message.as_deref().unwrap_or_default();
        insert(&mut event, "error", json!({"type": TOOL_ERROR, "message": message}));
    } else {
        // Droid's error holds no data, so this failure is written as a value.
        insert(&mut event, "value", error_object(outcome));
    }
    insert(&mut event, "timestamp", 0);
    insert(&mut event, "session_id", "");
    event
}
