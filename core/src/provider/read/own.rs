//! Tells what a provider runs itself from the calls that it asks the program to run.

use serde_json::Value;

use super::item::{CALLS, Purpose};
use super::place::ObjectPlace;
use super::shape::{JsonObject, text};
use crate::provider::dialect::{anthropic, bedrock, chat, gemini, order, responses};
use crate::provider::kind::Provider;

/// Tells the purpose of an object; none for a call, and for what asks for nothing.
///
/// `near` is the provider that the objects around it hint at.
pub(in crate::provider) fn purpose<'v>(
    object: &'v JsonObject,
    near: Option<Provider>,
    place: &ObjectPlace<'_>,
) -> Option<Purpose<'v>> {
    if let Some(word) = text(object, "type").filter(|word| !word.is_empty()) {
        return of_type(object, word, near);
    }
    match bedrock::block(object) {
        Some(block) => bedrock::purpose(block),
        None => of_part(object, place),
    }
}

/// Tells the purpose of an object by its type.
fn of_type<'v>(
    object: &'v JsonObject,
    word: &'v str,
    near: Option<Provider>,
) -> Option<Purpose<'v>> {
    if CALLS.contains(&word) {
        return None;
    }
    if let Some(block) = bedrock::bare_block(object) {
        return bedrock::purpose(block);
    }
    let is_chat = word == chat::FREE_TEXT && object.contains_key("custom");
    if word == responses::FREE_TEXT.word || is_chat {
        return Some(Purpose::FreeText);
    }
    let own = order::own_word(word).filter(|_| !responses::is_local(object, word));
    if let Some(((_, kind), provider)) = own {
        // Servers that copy OpenAI's chat list what they ran among the calls.
        let listed = object.contains_key("function").then(|| chat::member(near));
        return Some(Purpose::Own(kind, word, listed.unwrap_or(provider)));
    }
    let own = anthropic::own_result(object, word);
    own.or_else(|| (is_request(word) || has_request(object)).then_some(Purpose::Unknown(word)))
}
/// Whether a type is a name for something that asks for an action.
fn is_request(word: &str) -> bool {
    const ENDS: [&str; 6] =
        ["_call", "-call", ".call", "tool_use", "tool.execution", "_approval_request"];
    ENDS.iter().any(|end| word.ends_with(end))
}

/// Whether an object has the parts of a call.
fn has_request(object: &JsonObject) -> bool {
    let has = |key: &str| object.contains_key(key);
    let function = object.get("function").and_then(Value::as_object);
    function.is_some_and(|function| function.contains_key("arguments"))
        || (has("name") && (has("arguments") || has("args") || has("input")))
}

/// Tells the purpose of a part that says by a key what it is.
fn of_part<'v>(object: &'v JsonObject, place: &ObjectPlace<'_>) -> Option<Purpose<'v>> {
    if !place.is_item_of(&["parts", "content"]) && object.len() > 3 {
        return None;
    }
    let mut unknown = None;
    for (key, value) in object {
        if !value.is_object() || matches!(key.as_str(), "functionCall" | "function_call") {
            continue;
        }
        if let Some((kind, provider)) = gemini::own_part(key) {
            return Some(Purpose::Own(kind, key, provider));
        }
        let asks = ["Call", "_call", "ToolUse"].iter().any(|end| key.ends_with(end));
        if asks && place.is_item_of(&["parts", "content"]) {
            unknown = Some(Purpose::Unknown(key));
        }
    }
    unknown
}

/// The message for something of a kind that is not known.
pub(in crate::provider) fn unknown(word: &str) -> String {
    let shown: String = word.chars().take(64).collect();
    format!("a '{shown}' asks for something other than a call of a tool with arguments")
}

/// Whether a call's type says that it is not the program's to run with arguments.
#[cfg(feature = "runs")]
pub(crate) fn is_not_callable(word: &str) -> bool {
    let other = order::own_word(word).is_some() || word == chat::FREE_TEXT;
    !CALLS.contains(&word) && (other || is_request(word))
}
