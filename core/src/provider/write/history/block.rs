//! A block of a message, of which events bring the pieces: Anthropic's and Bedrock's.

use serde_json::{Map, Value, json};

use crate::json::parse_json;

/// A block, with the text of a call's input as far as it has come.
#[derive(Default)]
pub(in crate::provider) struct Block {
    pub(in crate::provider) members: Map<String, Value>,
    pub(in crate::provider) input: String,
}

/// The input of a call. A text that is no JSON object, as one that was cut off, is sent back empty:
/// a provider refuses anything else.
pub(in crate::provider) fn input_of(text: &str) -> Value {
    let input = parse_json(text.as_bytes()).ok().filter(Value::is_object);
    input.unwrap_or_else(|| json!({}))
}
