//! What OpenAI's chat and the providers that copy it share: Ollama, Mistral and Cohere.

use serde_json::Value;

use crate::provider::kind::Provider;
use crate::provider::read::content::{read_content, read_text};
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::free_text::FreeText;
use crate::provider::read::shape::{Kept, SeenObject, Shape};

pub const CALL: Shape =
    Shape::new(Provider::OpenAi, &["id"], &["function", "name"], &["function", "arguments"])
        .either()
        .keeping(Kept::All);

/// What `function_call` holds in OpenAI's old messages, and `function` in new ones.
pub const FUNCTION: Shape = Shape::new(Provider::OpenAi, &["id"], &["name"], &["arguments"]).text();

/// The type of a call of a tool that takes a free text.
pub const FREE_TEXT: &str = "custom";

/// A call of a tool that takes a free text.
pub fn free_text(near: Option<Provider>) -> FreeText {
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
