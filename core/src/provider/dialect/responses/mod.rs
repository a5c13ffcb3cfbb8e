//! OpenAI's Responses.

use crate::provider::kind::Provider;
use crate::provider::read::content::{read_content, read_text};
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::free_text::FreeText;
use crate::provider::read::item::{ItemKind, OwnWord};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, text};

const PROVIDER: Provider = Provider::OpenAiResponses;

pub const CALL: Shape =
    Shape::new(PROVIDER, &["call_id"], &["name"], &["arguments"]).text().keeping(Kept::All);

/// A call of a tool that takes a free text.
pub const FREE_TEXT: FreeText =
    FreeText { shape: Shape { arguments: &["input"], ..CALL }, word: "custom_tool_call" };

/// Items that it keeps for itself. The sources are `ResponseOutputItem` of openai 3.57, and the
/// documents of xAI's servers.
pub const OWN_WORDS: &[OwnWord] = &[
    ("code_interpreter_call", ItemKind::Call),
    ("compaction", ItemKind::Other),
    ("file_search_call", ItemKind::Call),
    ("image_generation_call", ItemKind::Call),
    ("mcp_approval_request", ItemKind::ApprovalRequest),
    ("mcp_approval_response", ItemKind::Other),
    ("mcp_call", ItemKind::Call),
    ("mcp_list_tools", ItemKind::Other),
    (TOOL_SEARCH, ItemKind::Call),
    ("tool_search_output", ItemKind::Result),
    ("web_search_call", ItemKind::Call),
    ("x_search_call", ItemKind::Call),
    ("collections_search_call", ItemKind::Call),
];

const TOOL_SEARCH: &str = "tool_search_call";

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.kind == "function_call" && !seen.has("functionCall")).then_some(CALL)
}

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if seen.kind != "function_call_output" {
        return None;
    }
    let data = read_content(seen.get("output"), read_text);
    Some(FoundResult::said(PROVIDER, seen.get("call_id"), "", data))
}

/// Whether a call is the program's to run although its type is the provider's own: a search of the
/// program's own tools.
pub fn is_local(object: &JsonObject, word: &str) -> bool {
    word == TOOL_SEARCH && text(object, "execution") == Some("client")
}
