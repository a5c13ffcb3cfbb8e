//! The shapes in which providers write a call, as data, and how to tell them apart.

use serde_json::{Map, Value};

use super::arguments::Spelling;
use crate::provider::ability;
use crate::provider::kind::Provider;

/// The object that a provider writes.
pub(in crate::provider) type JsonObject = Map<String, Value>;

/// Which members beside a call are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum Kept {
    /// None: the object is not written in this shape.
    Nothing,
    /// A signature, which belongs beside the object.
    Signature,
    /// Every member that is not the call's own.
    All,
}

/// Where a provider's object has the parts of a call.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct Shape {
    pub(in crate::provider) provider: Provider,
    /// The keys that lead to the id; empty if there is no id.
    pub(in crate::provider) id: &'static [&'static str],
    /// The keys that lead to the name.
    pub(in crate::provider) name: &'static [&'static str],
    /// The keys that lead to the arguments.
    pub(in crate::provider) arguments: &'static [&'static str],
    pub(in crate::provider) spelling: Spelling,
    /// What is kept of the object's other members.
    pub(in crate::provider) kept: Kept,
}

impl Shape {
    const fn new(
        provider: Provider,
        id: &'static [&'static str],
        name: &'static [&'static str],
        arguments: &'static [&'static str],
    ) -> Self {
        Self { provider, id, name, arguments, spelling: Spelling::Object, kept: Kept::Nothing }
    }

    const fn text(self) -> Self {
        Self { spelling: Spelling::Text, ..self }
    }

    const fn either(self) -> Self {
        Self { spelling: Spelling::Either, ..self }
    }

    const fn keeping(self, kept: Kept) -> Self {
        Self { kept, ..self }
    }

    const fn from(self, provider: Provider) -> Self {
        Self { provider, ..self }
    }

    /// The key under which a call is written that was read under this one.
    pub(in crate::provider) fn written_key<'k>(&self, key: &'k str) -> &'k str {
        if self.provider == Provider::Gemini && key == "function_call" {
            "functionCall"
        } else {
            key
        }
    }
}

pub(in crate::provider) const CHAT: Shape =
    Shape::new(Provider::OpenAi, &["id"], &["function", "name"], &["function", "arguments"])
        .either()
        .keeping(Kept::All);
/// What `function_call` holds in OpenAI's old messages, and `function` in new ones.
pub(in crate::provider) const FUNCTION: Shape =
    Shape::new(Provider::OpenAi, &["id"], &["name"], &["arguments"]).text();
pub(in crate::provider) const RESPONSES: Shape =
    Shape::new(Provider::OpenAiResponses, &["call_id"], &["name"], &["arguments"])
        .text()
        .keeping(Kept::All);
pub(in crate::provider) const ANTHROPIC: Shape =
    Shape::new(Provider::Anthropic, &["id"], &["name"], &["input"]).keeping(Kept::All);
/// An entry of a conversation, in Mistral's agents.
const MISTRAL_ENTRY: Shape =
    Shape::new(Provider::Mistral, &["tool_call_id"], &["name"], &["arguments"]).either();
pub(in crate::provider) const GEMINI: Shape = Shape::new(
    Provider::Gemini,
    &["functionCall", "id"],
    &["functionCall", "name"],
    &["functionCall", "args"],
)
.keeping(Kept::All);
/// Gemini's part as its Python library writes it.
pub(in crate::provider) const GEMINI_SNAKE: Shape = Shape::new(
    Provider::Gemini,
    &["function_call", "id"],
    &["function_call", "name"],
    &["function_call", "args"],
)
.keeping(Kept::All);
const GEMINI_BARE: Shape =
    Shape::new(Provider::Gemini, &["id"], &["name"], &["args"]).keeping(Kept::Signature);
pub(in crate::provider) const BEDROCK: Shape = Shape::new(
    Provider::Bedrock,
    &["toolUse", "toolUseId"],
    &["toolUse", "name"],
    &["toolUse", "input"],
)
.keeping(Kept::All);
const BEDROCK_BARE: Shape = Shape::new(Provider::Bedrock, &["toolUseId"], &["name"], &["input"]);
/// Version 1 of Cohere's API.
const COHERE_OLD: Shape = Shape::new(Provider::Cohere, &["id"], &["name"], &["parameters"]);
const MCP: Shape =
    Shape::new(Provider::Mcp, &["id"], &["params", "name"], &["params", "arguments"])
        .keeping(Kept::All);
const MCP_BARE: Shape = Shape::new(Provider::Mcp, &["id"], &["name"], &["arguments"]);
/// What a Data Machine packet's metadata holds.
pub(in crate::provider) const METADATA: Shape =
    Shape::new(Provider::DataMachine, &["tool_call_id"], &["tool_name"], &["tool_parameters"]);
const STAGEFLOW: Shape =
    Shape::new(Provider::Stageflow, &["call_id"], &["name"], &["arguments"]).either();
const DROID: Shape = Shape::new(Provider::Droid, &["id"], &["toolName"], &["parameters"]);

/// Tells the shape of an object that is a call; none for any other object.
///
/// `near` is the provider that the objects around it hint at, or that the caller named.
pub(in crate::provider) fn of_call(object: &JsonObject, near: Option<Provider>) -> Option<Shape> {
    let has = |key: &str| object.contains_key(key);
    match text(object, "type") {
        Some("tool_use") => return Some(ANTHROPIC),
        Some("function.call") => return Some(MISTRAL_ENTRY),
        Some("tool_call") if has("toolName") || has("toolId") => return Some(DROID),
        Some("function_call") if !has("functionCall") => return Some(RESPONSES),
        _ => {}
    }
    if has("functionCall") {
        let tagged = has("type") || has("channel") || near == Some(Provider::WordPress);
        return Some(if tagged { GEMINI.from(Provider::WordPress) } else { GEMINI });
    }
    if object
        .get("function_call")
        .and_then(Value::as_object)
        .is_some_and(|call| call.contains_key("args"))
    {
        return Some(GEMINI_SNAKE);
    }
    if has("toolUse") {
        return Some(BEDROCK);
    }
    if text(object, "method") == Some("tools/call") {
        return Some(MCP);
    }
    if has("role") {
        return None;
    }
    // A choice of a tool and a tool's definition have a function too, but no id.
    let function = object.get("function").and_then(Value::as_object);
    if function.is_some_and(|function| {
        function.contains_key("arguments") || (has("id") && function.contains_key("name"))
    }) {
        return Some(chat(object, near));
    }
    bare(object, near)
}

/// Tells the shape of an object without a tag, by its keys alone.
fn bare(object: &JsonObject, near: Option<Provider>) -> Option<Shape> {
    let has = |key: &str| object.contains_key(key);
    if has("toolUseId") && has("input") {
        return Some(BEDROCK_BARE);
    }
    if has("call_id") && has("arguments") {
        return Some(STAGEFLOW);
    }
    if !has("name") {
        return None;
    }
    if has("args") {
        let ability = text(object, "name").is_some_and(ability::is_function);
        let wordpress = near == Some(Provider::WordPress) || (near.is_none() && ability);
        return Some(if wordpress { GEMINI_BARE.from(Provider::WordPress) } else { GEMINI_BARE });
    }
    match object.get("arguments") {
        Some(Value::String(_)) if near != Some(Provider::Mcp) => Some(FUNCTION),
        Some(_) => Some(MCP_BARE),
        None => None,
    }
}

/// The shape of an item of a message's `tool_calls`.
pub(in crate::provider) fn of_listed(object: &JsonObject, near: Option<Provider>) -> Option<Shape> {
    if object.contains_key("function") {
        return Some(chat(object, near));
    }
    if object.contains_key("name") && object.contains_key("parameters") {
        return Some(COHERE_OLD);
    }
    of_call(object, near)
}

/// OpenAI's shape, which other providers share; only Ollama writes the arguments as an object.
fn chat(object: &JsonObject, near: Option<Provider>) -> Shape {
    let arguments = object.get("function").and_then(|function| function.get("arguments"));
    match near.filter(|near| near.is_chat()) {
        Some(provider) => CHAT.from(provider),
        None if arguments.is_some_and(Value::is_object) => CHAT.from(Provider::Ollama),
        None => CHAT,
    }
}

/// The text under a key.
pub(in crate::provider) fn text<'v>(object: &'v JsonObject, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_str)
}

/// The value under a path of keys.
pub(in crate::provider) fn at<'v>(object: &'v JsonObject, path: &[&str]) -> Option<&'v Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(object.get(*first)?, |value, key| value.get(*key))
}

/// An id: a text or, in MCP, a number. An empty id counts as missing.
pub(in crate::provider) fn id_of(value: &Value) -> Option<String> {
    match value {
        // Mistral's library writes the text `null` for an id that is not there.
        Value::String(id) if !id.is_empty() && id != "null" => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}
