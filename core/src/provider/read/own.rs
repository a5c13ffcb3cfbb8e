//! Tells what a provider runs itself from the calls that it asks the program to run.
//!
//! The sources are the types of openai 3.57 (`ResponseOutputItem`), anthropic 2.13 (beta content
//! blocks), google-genai 3.6 (`Part` and interactions), Bedrock's `ToolUseBlock`, the documents of
//! xAI's chat and of Mistral's conversations.

use serde_json::Value;

use super::item::ItemKind;
use super::place::ObjectPlace;
use super::shape::{JsonObject, text};
use crate::provider::kind::Provider;

/// What an object is that is no call of a tool with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum Purpose<'v> {
    /// The provider's own, with the provider's word for it.
    Own(ItemKind, &'v str, Provider),
    /// A call of a tool that takes a free text.
    FreeText,
    /// It asks for something of a kind that is not known.
    Unknown(&'v str),
}

/// The types of the items that a provider keeps for itself.
const WORDS: &[(&str, ItemKind, Provider)] = &[
    ("code_interpreter_call", ItemKind::Call, Provider::OpenAiResponses),
    ("compaction", ItemKind::Other, Provider::OpenAiResponses),
    ("file_search_call", ItemKind::Call, Provider::OpenAiResponses),
    ("image_generation_call", ItemKind::Call, Provider::OpenAiResponses),
    ("mcp_approval_request", ItemKind::ApprovalRequest, Provider::OpenAiResponses),
    ("mcp_approval_response", ItemKind::Other, Provider::OpenAiResponses),
    ("mcp_call", ItemKind::Call, Provider::OpenAiResponses),
    ("mcp_list_tools", ItemKind::Other, Provider::OpenAiResponses),
    ("tool_search_call", ItemKind::Call, Provider::OpenAiResponses),
    ("tool_search_output", ItemKind::Result, Provider::OpenAiResponses),
    ("web_search_call", ItemKind::Call, Provider::OpenAiResponses),
    ("x_search_call", ItemKind::Call, Provider::OpenAiResponses),
    ("collections_search_call", ItemKind::Call, Provider::OpenAiResponses),
    ("server_tool_use", ItemKind::Call, Provider::Anthropic),
    ("mcp_tool_use", ItemKind::Call, Provider::Anthropic),
    ("code_execution_call", ItemKind::Call, Provider::Gemini),
    ("code_execution_result", ItemKind::Result, Provider::Gemini),
    ("file_search_result", ItemKind::Result, Provider::Gemini),
    ("google_maps_call", ItemKind::Call, Provider::Gemini),
    ("google_maps_result", ItemKind::Result, Provider::Gemini),
    ("google_search_call", ItemKind::Call, Provider::Gemini),
    ("google_search_result", ItemKind::Result, Provider::Gemini),
    ("mcp_server_tool_call", ItemKind::Call, Provider::Gemini),
    ("mcp_server_tool_result", ItemKind::Result, Provider::Gemini),
    ("url_context_call", ItemKind::Call, Provider::Gemini),
    ("url_context_result", ItemKind::Result, Provider::Gemini),
    ("tool.execution", ItemKind::Call, Provider::Mistral),
];

/// The keys of Gemini's parts that are the provider's own, with the spelling of its libraries.
const PARTS: &[(&str, ItemKind)] = &[
    ("executableCode", ItemKind::Call),
    ("executable_code", ItemKind::Call),
    ("codeExecutionResult", ItemKind::Result),
    ("code_execution_result", ItemKind::Result),
    ("toolCall", ItemKind::Call),
    ("tool_call", ItemKind::Call),
    ("toolResponse", ItemKind::Result),
    ("tool_response", ItemKind::Result),
];

/// The types of a call of a tool with arguments.
const CALLS: [&str; 5] = ["function", "function_call", "tool_call", "tool_use", "function.call"];

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
    if let Some(tool) = object.get("toolUse").and_then(Value::as_object) {
        return of_block(tool, ItemKind::Call, "server_tool_use");
    }
    if let Some(result) = object.get("toolResult").and_then(Value::as_object) {
        return of_block(result, ItemKind::Result, "");
    }
    if object.contains_key("toolUseId") {
        let kind = if object.contains_key("input") { ItemKind::Call } else { ItemKind::Result };
        return of_block(object, kind, "server_tool_use");
    }
    of_part(object, place)
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
    if object.contains_key("toolUseId") {
        let kind = if object.contains_key("input") { ItemKind::Call } else { ItemKind::Result };
        return of_block(object, kind, "server_tool_use");
    }
    if word == "custom_tool_call" || (word == "custom" && object.contains_key("custom")) {
        return Some(Purpose::FreeText);
    }
    // A search of the program's own tools is the program's to run.
    let local = word == "tool_search_call" && text(object, "execution") == Some("client");
    if let Some((_, kind, provider)) = WORDS.iter().find(|(known, ..)| *known == word && !local) {
        // Servers that copy OpenAI's chat list what they ran among the calls.
        let chat = object.contains_key("function").then(|| chat(near));
        return Some(Purpose::Own(*kind, word, chat.unwrap_or(*provider)));
    }
    if word.ends_with("_tool_result") && object.contains_key("tool_use_id") {
        return Some(Purpose::Own(ItemKind::Result, word, Provider::Anthropic));
    }
    (is_request(word) || has_request(object)).then_some(Purpose::Unknown(word))
}

fn chat(near: Option<Provider>) -> Provider {
    near.filter(|near| near.is_chat()).unwrap_or(Provider::OpenAi)
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

/// Tells the purpose of Bedrock's block; one without a type is the program's.
fn of_block<'v>(object: &'v JsonObject, kind: ItemKind, own: &str) -> Option<Purpose<'v>> {
    let word = text(object, "type").filter(|word| !word.is_empty() && !CALLS.contains(word))?;
    Some(if kind == ItemKind::Result || word == own {
        Purpose::Own(kind, word, Provider::Bedrock)
    } else {
        Purpose::Unknown(word)
    })
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
        if let Some((_, kind)) = PARTS.iter().find(|(known, _)| known == key) {
            return Some(Purpose::Own(*kind, key, Provider::Gemini));
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
    let other = WORDS.iter().any(|(known, ..)| *known == word) || word == "custom";
    !CALLS.contains(&word) && (other || is_request(word))
}
