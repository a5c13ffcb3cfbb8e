//! The events of a Droid transcript.

use serde_json::{Value, json};

use crate::provider::kind::Provider;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::shape::{SeenObject, Shape, is_true, text};
use crate::result::ToolResult;

const PROVIDER: Provider = Provider::Droid;

const CALL: Shape = Shape::new(PROVIDER, &["id"], &["toolName"], &["parameters"]);

/// The type that an error is written with if the failure has none.
pub const TOOL_ERROR: &str = "tool_error";

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
