//! The messages of spans of other conventions, in the form of OpenTelemetry's own.
//!
//! In `OpenInference`, each text is an attribute:
//! `llm.output_messages.0.message.tool_calls.0.tool_call.id`. Exports may have lists and objects in
//! the place of some of the steps. `OpenLLMetry` writes `gen_ai.completion.0.tool_calls.0.id`, and
//! Vercel's AI SDK one text with all calls: `ai.response.toolCalls`.

use serde_json::{Map, Value, json};

use crate::json::parse::parse_json;

/// OpenTelemetry's attributes with the messages that a model is given and gives.
pub(super) const MODEL_MESSAGES: [&str; 2] = ["gen_ai.input.messages", "gen_ai.output.messages"];
/// Where messages stand in the tree of the attributes, and what OpenTelemetry calls them.
const MESSAGES: [(&str, &str); 4] = [
    ("/llm/input_messages", MODEL_MESSAGES[0]),
    ("/llm/output_messages", MODEL_MESSAGES[1]),
    ("/gen_ai/prompt", MODEL_MESSAGES[0]),
    ("/gen_ai/completion", MODEL_MESSAGES[1]),
];
/// The beginnings of their keys.
const ROOTS: [&str; 3] = ["llm", "gen_ai.prompt", "gen_ai.completion"];
/// The most steps of an attribute's key.
const MOST_STEPS: usize = 16;

/// Adds OpenTelemetry's attributes for the messages of a span.
pub(super) fn add_messages(attributes: &mut Map<String, Value>) {
    let mut tree = Value::Null;
    for (key, value) in attributes.iter().filter(|(key, _)| is_of_model(key)) {
        insert(&mut tree, key, value);
    }
    for (from, to) in MESSAGES {
        let Some(list) = tree.pointer(from) else { continue };
        let is_repeated = to == MODEL_MESSAGES[0];
        let messages: Vec<_> = items(list).filter_map(|item| message(item, is_repeated)).collect();
        if !messages.is_empty() && !attributes.contains_key(to) {
            attributes.insert(to.to_owned(), messages.into());
        }
    }
    let parts = parts_of_answer(attributes);
    if !parts.is_empty() && !attributes.contains_key(MODEL_MESSAGES[1]) {
        let messages = json!([{ "role": "assistant", "parts": parts }]);
        attributes.insert(MODEL_MESSAGES[1].to_owned(), messages);
    }
}

fn is_of_model(key: &str) -> bool {
    let is_below = |root: &&str| {
        key.strip_prefix(*root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    ROOTS.iter().any(is_below)
}

/// The words and the calls of an answer, as Vercel's AI SDK writes them.
fn parts_of_answer(attributes: &Map<String, Value>) -> Vec<Value> {
    let text = |key: &str| attributes.get(key).and_then(Value::as_str);
    let words = text("ai.response.text").filter(|text| !text.is_empty());
    let mut parts: Vec<_> =
        words.map(|text| json!({ "type": "text", "content": text })).into_iter().collect();
    let calls = text("ai.response.toolCalls").and_then(|text| parse_json(text.as_bytes()).ok());
    for call in calls.iter().filter_map(Value::as_array).flatten() {
        let arguments = call.get("args").or(call.get("input")).unwrap_or(&Value::Null);
        parts.push(tool_call(&call["toolCallId"], &call["toolName"], arguments));
    }
    parts
}

/// Puts a value at the end of the steps that its key has, unless they are too many: a deep tree
/// would take more stack than there is.
fn insert(tree: &mut Value, key: &str, value: &Value) {
    if key.split('.').nth(MOST_STEPS).is_some() {
        return;
    }
    let mut place = tree;
    for step in key.split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[step];
    }
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| insert(place, key, value));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| insert(place, &at.to_string(), item));
        }
        _ => *place = value.clone(),
    }
}

/// The items of a list whose keys are their numbers.
fn items(list: &Value) -> impl Iterator<Item = &Value> {
    let mut items: Vec<_> = list.as_object().into_iter().flatten().collect();
    items.sort_by_key(|(number, _)| number.parse::<u64>().unwrap_or(u64::MAX));
    items.into_iter().map(|(_, item)| item)
}

/// A message with its parts; none if it has no role.
fn message(item: &Value, is_repeated: bool) -> Option<Value> {
    let message = item.get("message").unwrap_or(item);
    let role = message["role"].as_str()?;
    let mut parts = Vec::new();
    let content = &message["content"];
    if role == "tool" {
        let id = &message["tool_call_id"];
        parts.push(json!({ "type": "tool_call_response", "id": id, "response": content }));
    } else if content.is_string() {
        parts.push(json!({ "type": "text", "content": content }));
    }
    for item in items(&message["contents"]) {
        let text = item.pointer("/message_content/text").filter(|text| text.is_string());
        if let Some(text) = text.filter(|_| role != "tool") {
            parts.push(json!({ "type": "text", "content": text }));
        }
    }
    for item in items(&message["tool_calls"]) {
        let call = item.get("tool_call").unwrap_or(item);
        let function = call.get("function").unwrap_or(call);
        parts.push(tool_call(&call["id"], &function["name"], &function["arguments"]));
    }
    // A call of the older form has no id, so that one of an earlier answer is not known again.
    let name = &message["function_call_name"];
    if name.is_string() && !is_repeated {
        parts.push(tool_call(&Value::Null, name, &message["function_call_arguments_json"]));
    }
    Some(json!({ "role": role, "parts": parts }))
}

fn tool_call(id: &Value, name: &Value, arguments: &Value) -> Value {
    json!({ "type": "tool_call", "id": id, "name": name, "arguments": arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_stand_in_keys_and_in_lists() {
        let call = json!({ "type": "tool_call", "id": "a", "name": "f", "arguments": "{}" });
        let expected = json!([{ "role": "assistant", "parts": [call] }]);
        let flat = json!({
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.tool_calls.0.tool_call.id": "a",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "f",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
        });
        let call = json!({
            "tool_call.id": "a",
            "tool_call.function.name": "f",
            "tool_call.function.arguments": "{}",
        });
        let listed = json!({ "message.role": "assistant", "message.tool_calls": [call] });
        let lists = json!({ "llm.output_messages": [listed] });
        let nested = json!({ "llm": { "output_messages": [listed] } });
        for given in [flat, lists, nested] {
            let Value::Object(mut attributes) = given else { unreachable!() };
            add_messages(&mut attributes);
            assert_eq!(attributes.get("gen_ai.output.messages"), Some(&expected));
        }
    }

    #[test]
    fn a_key_of_many_steps_is_left_out() {
        let steps = ".a".repeat(1 << 16);
        for (key, value) in [
            (format!("llm{steps}"), Value::from(1)),
            ("llm".to_owned(), json!({ steps.clone(): 1 })),
            ("llm.output_messages".to_owned(), json!([{ steps.clone(): 1 }])),
        ] {
            let mut attributes = Map::from_iter([(key, value)]);
            add_messages(&mut attributes);
            assert_eq!(attributes.len(), 1);
        }
    }
}
