//! The items of a response and the response around them, which a whole message and a stream both
//! write.

use serde_json::{Value, json};

use crate::provider::write::{KnownHead, PlainCall, Usage, insert, typed};

/// The status of a response that was cut off.
pub const INCOMPLETE: &str = "incomplete";

/// Why a response is incomplete.
pub fn cut_off() -> Value {
    json!({"reason": "max_output_tokens"})
}

/// An item that holds reasoning.
pub fn reasoning_item(id: &str, text: &str) -> Value {
    let content = json!([typed("reasoning_text", "text", text)]);
    json!({"type": "reasoning", "id": id, "summary": [], "content": content})
}

/// An item that holds text.
pub fn message_item(id: &str, text: &str, status: &str) -> Value {
    json!({
        "type": "message",
        "id": id,
        "role": "assistant",
        "status": status,
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    })
}

/// A call.
pub fn function_call(call: &PlainCall<'_>) -> Value {
    let PlainCall { id, name, arguments } = call;
    json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
}

/// An item that is a call.
pub fn call_item(id: &str, mut call: Value, status: &str) -> Value {
    insert(&mut call, "id", id);
    insert(&mut call, "status", status);
    call
}

/// A whole response.
pub fn response_object(
    head: &KnownHead,
    status: &str,
    output: &Value,
    usage: Option<Usage>,
) -> Value {
    let KnownHead { model, id, created } = head;
    json!({
        "id": id,
        "object": "response",
        "created_at": created,
        "status": status,
        "error": null,
        "incomplete_details": (status == INCOMPLETE).then(cut_off),
        "instructions": null,
        "metadata": {},
        "model": model,
        "output": output,
        "parallel_tool_calls": true,
        "temperature": null,
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "usage": usage.map(usage_object),
    })
}

/// The numbers of tokens.
fn usage_object(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total(),
    })
}
