//! Anthropic's Messages.

use crate::provider::kind::Provider;
use crate::provider::read::content::{read_content, read_text};
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::item::{ItemKind, OwnWord, Purpose};
use crate::provider::read::shape::{JsonObject, Kept, SeenObject, Shape, is_true};

const PROVIDER: Provider = Provider::Anthropic;

pub const CALL: Shape = Shape::new(PROVIDER, &["id"], &["name"], &["input"]).keeping(Kept::All);

/// Blocks that it keeps for itself. The source is the beta content blocks of anthropic 2.13.
pub const OWN_WORDS: &[OwnWord] =
    &[("server_tool_use", ItemKind::Call), ("mcp_tool_use", ItemKind::Call)];

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.kind == "tool_use").then_some(CALL)
}

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if seen.kind != "tool_result" {
        return None;
    }
    let data = read_content(seen.get("content"), read_text);
    let flagged = (is_true(seen.object, "is_error"), data);
    Some(FoundResult::flagged(PROVIDER, seen.get("tool_use_id"), "", flagged))
}

/// The result of a call that it ran itself.
pub fn own_result<'v>(object: &JsonObject, word: &'v str) -> Option<Purpose<'v>> {
    let is_own = word.ends_with("_tool_result") && object.contains_key("tool_use_id");
    is_own.then_some(Purpose::Own(ItemKind::Result, word, PROVIDER))
}
