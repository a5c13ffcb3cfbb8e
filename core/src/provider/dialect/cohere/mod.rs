//! Cohere's chat, version 2; version 1 is read too.

use serde_json::Value;

use crate::provider::kind::Provider;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::shape::{JsonObject, SeenObject, Shape, text};

const PROVIDER: Provider = Provider::Cohere;

/// A call of version 1.
const OLD: Shape = Shape::new(PROVIDER, &["id"], &["name"], &["parameters"]);

/// A call of version 1 in a message's `tool_calls`.
pub fn listed_call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.has("name") && seen.has("parameters")).then_some(OLD)
}

/// A result of version 1.
pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let (call, outputs) = (seen.get("call")?, seen.get("outputs")?);
    let tool = call.get("name").and_then(Value::as_str).unwrap_or_default();
    Some(FoundResult::flagged(PROVIDER, None, tool, (false, outputs.clone())))
}

/// Whether a message or a conversation is from Cohere.
pub fn hints(object: &JsonObject) -> bool {
    object.contains_key("tool_plan")
        || object.contains_key("chat_history")
        || text(object, "finish_reason") == Some("TOOL_CALL")
}
