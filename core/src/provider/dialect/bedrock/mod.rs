//! Amazon Bedrock's Converse.

use serde_json::Value;

use crate::provider::kind::Provider;
use crate::provider::read::content::read_content;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::item::{CALLS, ItemKind, Purpose};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, text};

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
