//! Google's Gemini.

use serde_json::Value;

use crate::provider::kind::Provider;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::item::{ItemKind, OwnWord};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, text};

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
