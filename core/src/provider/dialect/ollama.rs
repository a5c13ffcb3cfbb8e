//! Ollama's chat.

use serde_json::{Value, json};

use super::chat;
use super::form::{
    EndedMessages, MessageDialect, NoCalls, ProviderDialect, ToolDialect, WrittenMessage,
};
use crate::provider::read::{JsonObject, ProviderResult, text_of};
use crate::provider::write::{
    BlockKind, MessageHead, PlainCall, Usage, extend, insert, object_of, with_id,
};

/// Whether a response is from Ollama.
pub fn hints(object: &JsonObject) -> bool {
    object.contains_key("message") && object.contains_key("done")
}

pub const DIALECT: ProviderDialect = ProviderDialect {
    dump_free_text: chat::dump_free_text,
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(dump_call, dump_result)
};

const TOOLS: ToolDialect = ToolDialect { names: None, ..ToolDialect::new(chat::tool) };

const MESSAGES: MessageDialect = MessageDialect {
    endings: ["stop", "stop", "length"],
    ending_key: "done_reason",
    // It has no word that forbids them.
    no_calls: NoCalls::WithoutTools,
    add_stream,
    ..MessageDialect::new(message, response)
};

fn dump_call(call: &PlainCall<'_>) -> Value {
    let function = object_of([("name", call.name.into()), ("arguments", call.value())]);
    with_id(call.id, [("function", function)])
}

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let name = Some(("tool_name", &*outcome.tool));
    chat::dump_result(call_id.as_deref(), name, text_of(outcome).into())
}

fn message(message: WrittenMessage, ending: &str) -> Value {
    let content = message.joined(BlockKind::Text, "").unwrap_or_default();
    let thinking = message.joined(BlockKind::Reasoning, "\n\n");
    let thinking = thinking.map(|text| ("thinking", text));
    let mut written = chat::message(message, content.into(), thinking);
    insert(&mut written, MESSAGES.ending_key, ending);
    written
}

fn response(messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
    let (model, first) = (head.model, messages.first);
    let mut response = json!({
        "model": model,
        "message": first.message,
        "done": true,
        "done_reason": first.reason,
    });
    if let Some(Usage { input_tokens, output_tokens }) = usage {
        let counts = json!({"prompt_eval_count": input_tokens, "eval_count": output_tokens});
        extend(&mut response, counts);
    }
    response
}

/// It streams unless it is told not to.
fn add_stream(streams: bool, request: &mut JsonObject) {
    request.insert("stream".to_owned(), streams.into());
}
