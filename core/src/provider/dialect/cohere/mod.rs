//! Cohere's chat, version 2; version 1 is read too.

mod events;
pub(in crate::provider) mod history;

use serde_json::{Value, json};

use crate::provider::dialect::chat;
use crate::provider::dialect::form::{
    EndedMessages, MessageDialect, NoCalls, ProviderDialect, ToolDialect, WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::{
    FoundResult, JsonObject, ProviderResult, SeenObject, Shape, text, text_of,
};
use crate::provider::tool::NameRule;
use crate::provider::write::{BlockKind, MessageHead, Usage, insert, insert_some, typed};

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

pub const DIALECT: ProviderDialect = ProviderDialect {
    dump_free_text: chat::dump_free_text,
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(chat::dump_call, dump_result)
};

const TOOLS: ToolDialect =
    ToolDialect { names: Some(NameRule::IDENTIFIER), ..ToolDialect::new(chat::tool) };

const MESSAGES: MessageDialect = MessageDialect {
    endings: ["COMPLETE", "TOOL_CALL", "MAX_TOKENS"],
    no_calls: NoCalls::Word(|| ("tool_choice", "NONE".into())),
    ..MessageDialect::new(message, response)
};

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let document = json!({"data": text_of(outcome)});
    let content = json!([typed("document", "document", document)]);
    chat::dump_result(call_id.as_deref(), None, content)
}

fn message(message: WrittenMessage, ending: &str) -> Value {
    let content = message.parts(|kind, text| match kind {
        BlockKind::Text => typed("text", "text", text),
        BlockKind::Reasoning => typed("thinking", "thinking", text),
    });
    let mut written = chat::message(message, content.into(), None);
    insert(&mut written, MESSAGES.ending_key, ending);
    written
}

fn response(messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
    let (id, first) = (head.known("").id, messages.first);
    let mut response = json!({"id": id, "finish_reason": first.reason, "message": first.message});
    let usage = usage.map(|Usage { input_tokens, output_tokens }| {
        json!({"tokens": {"input_tokens": input_tokens, "output_tokens": output_tokens}})
    });
    insert_some(&mut response, "usage", usage);
    response
}
