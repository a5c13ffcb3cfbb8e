//! The blocks of a message, which a whole message and a stream both write.

use serde_json::{Value, json};

use crate::provider::write::PlainCall;

/// A call.
pub fn tool_use(call: &PlainCall<'_>) -> Value {
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.value()})
}

/// Reasoning; only Anthropic can sign it.
pub fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": ""})
}
