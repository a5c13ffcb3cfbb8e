//! What OpenAI's chat and the providers that copy it share: Ollama, Mistral and Cohere.

mod events;
pub(in crate::provider) mod history;

use serde_json::{Map, Value, json};

use crate::provider::dialect::form::{EndedMessage, EndedMessages, WrittenMessage};
use crate::provider::kind::Provider;
use crate::provider::read::free_text::{self, FreeText};
use crate::provider::read::{
    FoundResult, JsonObject, Kept, SeenObject, Shape, read_content, read_text,
};
use crate::provider::tool::{ToolDefinition, described};
use crate::provider::write::{
    KnownHead, MessageHead, PlainCall, Usage, insert, insert_some, object_of, with_id,
};

pub const CALL: Shape =
    Shape::new(Provider::OpenAi, &["id"], &["function", "name"], &["function", "arguments"])
        .either()
        .keeping(Kept::All);

/// What `function_call` holds in OpenAI's old messages, and `function` in new ones.
pub const FUNCTION: Shape = Shape::new(Provider::OpenAi, &["id"], &["name"], &["arguments"]).text();

/// The type of a call of a tool that takes a free text.
pub const FREE_TEXT: &str = "custom";

/// A call of a tool that takes a free text.
pub fn free_text_of(near: Option<Provider>) -> FreeText {
    let (name, arguments): (&[&str], &[&str]) = (&["custom", "name"], &["custom", "input"]);
    FreeText { shape: Shape { provider: member(near), name, arguments, ..CALL }, word: FREE_TEXT }
}

/// The provider whose a chat is: the one that is near, or else OpenAI.
pub fn member(near: Option<Provider>) -> Provider {
    near.filter(|near| near.is_chat()).unwrap_or(Provider::OpenAi)
}

/// A call that says by its function that it is one. A choice of a tool and a tool's definition have
/// a function too, but no id.
pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    let function = seen.get("function").and_then(Value::as_object)?;
    let is_call =
        function.contains_key("arguments") || (seen.has("id") && function.contains_key("name"));
    is_call.then(|| shape(seen))
}

/// A function alone.
pub fn bare_call(seen: &SeenObject<'_>) -> Option<Shape> {
    let is_text = matches!(seen.get("arguments"), Some(Value::String(_)));
    (is_text && seen.has("name") && seen.near != Some(Provider::Mcp)).then_some(FUNCTION)
}

/// The shape of a call with a function; only Ollama writes the arguments as an object.
pub fn shape(seen: &SeenObject<'_>) -> Shape {
    let arguments = seen.get("function").and_then(|function| function.get("arguments"));
    match seen.near.filter(|near| near.is_chat()) {
        Some(provider) => CALL.from(provider),
        None if arguments.is_some_and(Value::is_object) => CALL.from(Provider::Ollama),
        None => CALL,
    }
}

/// A message of role `tool`.
pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let is_tool = matches!(seen.text("role"), Some("tool" | "TOOL" | "function"));
    if !is_tool || !seen.has("content") {
        return None;
    }
    let content = seen.get("content");
    let has_document = |items: &Vec<Value>| items.iter().any(|item| item.get("document").is_some());
    let provider = match seen.near.filter(|near| near.is_chat()) {
        Some(near) => near,
        None if content.and_then(Value::as_array).is_some_and(has_document) => Provider::Cohere,
        None if seen.has("tool_name") => Provider::Ollama,
        None => Provider::OpenAi,
    };
    let tool = seen.text("tool_name").or_else(|| seen.text("name")).unwrap_or_default();
    let data = read_content(content, read_text);
    Some(FoundResult::said(provider, seen.get("tool_call_id"), tool, data))
}

pub fn dump_call(call: &PlainCall<'_>) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    with_id(call.id, [("type", "function".into()), ("function", function)])
}

/// Writes a call of a tool that takes a free text; none for any other call.
pub fn dump_free_text(call: &PlainCall<'_>, beside: &JsonObject) -> Option<Value> {
    let input = free_text::input(call.arguments, beside, FREE_TEXT)?;
    let custom = json!({"name": call.name, "input": input});
    Some(json!({"id": call.id, "type": FREE_TEXT, "custom": custom}))
}

/// Writes a message of role `tool`, with the tool's name under a key if the provider has one.
pub fn dump_result(id: Option<&str>, name: Option<(&str, &str)>, content: Value) -> Value {
    let mut message = Map::new();
    message.insert("role".into(), "tool".into());
    if let Some(id) = id {
        message.insert("tool_call_id".into(), id.into());
    }
    if let Some((key, name)) = name.filter(|(_, name)| !name.is_empty()) {
        message.insert(key.into(), name.into());
    }
    message.insert("content".into(), content);
    Value::Object(message)
}

/// Writes a message, whose calls stand beside its content, up to why it ended.
pub fn message(
    written: WrittenMessage,
    content: Value,
    reasoning: Option<(&str, String)>,
) -> Value {
    let mut message = object_of([("role", "assistant".into()), ("content", content)]);
    if let Some((key, reasoning)) = reasoning {
        insert(&mut message, key, reasoning);
    }
    insert_some(&mut message, "tool_calls", Some(written.calls).filter(|calls| !calls.is_empty()));
    message
}

/// The numbers of tokens.
pub fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total(),
    })
}

/// Writes a response with a choice for each message.
pub fn response(messages: EndedMessages, head: MessageHead, usage_given: Option<Usage>) -> Value {
    let KnownHead { model, id, created } = head.known("chatcmpl-");
    let choice = |(index, part): (usize, EndedMessage)| {
        let EndedMessage { message, reason, logprobs } = part;
        json!({"index": index, "message": message, "finish_reason": reason, "logprobs": logprobs})
    };
    let choices: Vec<_> = messages.each().map(choice).collect();
    let mut response = json!({
        "id": id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": choices,
    });
    insert_some(&mut response, "usage", usage_given.map(usage));
    response
}

/// The keywords that OpenAI refuses at the top level of a schema.
pub const REFUSED_KEYWORDS: [&str; 5] = ["oneOf", "anyOf", "allOf", "enum", "not"];

/// Writes a tool.
pub fn tool(tool: &ToolDefinition<'_>, schema: Value, strict: bool) -> Value {
    let mut function = described(tool, "parameters", schema);
    insert_some(&mut function, "strict", strict.then_some(true));
    json!({"type": "function", "function": function})
}
