//! Mistral's chat, and the conversations of its agents.

use crate::provider::kind::Provider;
use crate::provider::read::item::{ItemKind, OwnWord};
use crate::provider::read::shape::{JsonObject, SeenObject, Shape};

const PROVIDER: Provider = Provider::Mistral;

/// An entry of a conversation.
const ENTRY: Shape = Shape::new(PROVIDER, &["tool_call_id"], &["name"], &["arguments"]).either();

/// What its agents run themselves. The source is the documents of its conversations.
pub const OWN_WORDS: &[OwnWord] = &[("tool.execution", ItemKind::Call)];

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.kind == "function.call").then_some(ENTRY)
}

/// Whether a message is from Mistral.
pub fn hints(object: &JsonObject) -> bool {
    object.contains_key("prefix") && object.contains_key("role")
}
