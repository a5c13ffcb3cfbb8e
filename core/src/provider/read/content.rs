//! Converts between a tool's data and the content of a provider's result.
//!
//! Many providers take only text. For them, data is written as JSON text. A text is written as
//! itself, unless it would be read back as JSON. A failure is written as WordPress writes it:
//! `{"error": message}`, with `code` and `data` if there are any. So reading gives back what was
//! written.

use serde_json::{Map, Value, json};

use super::arguments::{MAX_DEPTH, is_deeper};
use crate::json::parse::parse_json;
use crate::result::ToolResult;

/// The keys that an error may have beside `error`.
const ERROR_KEYS: [&str; 2] = ["code", "data"];

/// Writes an outcome as a text.
pub(in crate::provider) fn text_of(outcome: &ToolResult<Value>) -> String {
    if outcome.success { write_text(&outcome.data) } else { error_object(outcome).to_string() }
}

/// Writes data as a text from which [`read_text`] reads it.
pub(in crate::provider) fn write_text(data: &Value) -> String {
    match data {
        Value::String(text) if read_text(text) == *data => text.clone(),
        other => other.to_string(),
    }
}

/// Reads the data that a text stands for.
///
/// An object, an array or canonically written JSON stands for its value. Any other text stands for
/// itself.
pub(in crate::provider) fn read_text(text: &str) -> Value {
    let Ok(value) = parse_json(text.as_bytes()) else { return Value::from(text) };
    // A number or word in another spelling stays the text that the tool wrote.
    let written = value.to_string();
    if value.is_array() || value.is_object() || written == text { value } else { Value::from(text) }
}

/// Writes an outcome for a provider with a failure flag; a failure without data is its message.
pub(in crate::provider) fn flagged_text(outcome: &ToolResult<Value>) -> String {
    match &outcome.data {
        _ if outcome.success => write_text(&outcome.data),
        Value::Object(data) if data.is_empty() => {
            write_text(&Value::from(outcome.error_message.as_deref().unwrap_or_default()))
        }
        _ => error_object(outcome).to_string(),
    }
}

/// Writes a failure as the object `{"error": …}`.
pub(in crate::provider) fn error_object(outcome: &ToolResult<Value>) -> Value {
    let mut error = Map::new();
    error.insert(
        "error".to_owned(),
        Value::from(outcome.error_message.as_deref().unwrap_or_default()),
    );
    match &outcome.data {
        Value::Object(data) if data.is_empty() => {}
        Value::Object(data)
            if data.contains_key("code")
                && data.keys().all(|key| ERROR_KEYS.contains(&key.as_str())) =>
        {
            error.extend(data.clone());
        }
        data => {
            error.insert("data".to_owned(), data.clone());
        }
    }
    Value::Object(error)
}

/// The message and the data of an object `{"error": …}`; none for any other value.
pub(in crate::provider) fn read_error(value: &Value) -> Option<(String, Value)> {
    let object = value.as_object()?;
    let message = object.get("error")?.as_str()?.to_owned();
    if object.keys().any(|key| key != "error" && !ERROR_KEYS.contains(&key.as_str())) {
        return None;
    }
    let data = match (object.get("code"), object.get("data")) {
        (None, None) => json!({}),
        (None, Some(data)) => data.clone(),
        _ => Value::Object(
            object
                .iter()
                .filter(|(key, _)| *key != "error")
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        ),
    };
    Some((message, data))
}

/// The outcome of data from a provider that has no flag for failures.
pub(in crate::provider) fn outcome(tool: &str, data: Value) -> ToolResult<Value> {
    match read_error(&data) {
        Some((message, data)) => ToolResult::failure(tool, data, message),
        None => ToolResult::success(tool, data, 0.0),
    }
}

/// The outcome of a tool that the provider reports as failed.
pub(in crate::provider) fn failed(tool: &str, content: Value) -> ToolResult<Value> {
    match (read_error(&content), content) {
        (Some((message, data)), _) => ToolResult::failure(tool, data, message),
        (None, Value::String(text)) => ToolResult::failure(tool, json!({}), text),
        (None, Value::Null) => ToolResult::failure(tool, json!({}), ""),
        (None, other) => {
            let message = other.to_string();
            ToolResult::failure(tool, other, message)
        }
    }
}

/// Reads content that is a text or a list of blocks.
///
/// A list of one block gives the content of that block; a list of several blocks is data as it is.
pub(in crate::provider) fn read_content(content: Option<&Value>, text: fn(&str) -> Value) -> Value {
    match content {
        None => Value::Null,
        Some(Value::String(whole)) => text(whole),
        Some(Value::Array(blocks)) => match blocks.as_slice() {
            [block] => read_block(block, text).unwrap_or_else(|| Value::Array(blocks.clone())),
            _ => Value::Array(blocks.clone()),
        },
        Some(other) => other.clone(),
    }
}

/// The content of a block; none for a picture or the like.
fn read_block(block: &Value, text: fn(&str) -> Value) -> Option<Value> {
    let block = block.as_object()?;
    if let Some(json) = block.get("json") {
        return Some(json.clone());
    }
    if let Some(document) = block.get("document").and_then(Value::as_object) {
        return Some(match document.get("data")? {
            Value::String(data) => text(data),
            data => data.clone(),
        });
    }
    let kind = block.get("type").and_then(Value::as_str);
    if !matches!(kind, None | Some("text" | "input_text" | "output_text")) {
        return None;
    }
    Some(text(block.get("text")?.as_str()?))
}

/// A message as it is; any other value as JSON text.
pub(in crate::provider) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether data nests too deep to be handed out.
pub(in crate::provider) fn is_too_deep(data: &Value) -> bool {
    is_deeper(data, MAX_DEPTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back_from_its_text() {
        let texts = [
            "",
            "plain",
            "7",
            "007",
            " 7",
            "true",
            "null",
            "{}",
            "{\"a\": 1}",
            "\"x\"",
            "[1",
            "1e5",
            "{",
        ];
        let values = texts.iter().map(|text| json!(text));
        for value in values.chain([
            json!(7),
            json!(1.5),
            json!(null),
            json!(true),
            json!([]),
            json!({"a": [1]}),
        ]) {
            assert_eq!(read_text(&write_text(&value)), value, "{value}");
        }
        assert_eq!(write_text(&json!("plain")), "plain");
    }

    #[test]
    fn every_failure_comes_back() {
        for data in [
            json!({}),
            json!(5),
            json!({"code": "c"}),
            json!({"data": 1}),
            json!({"code": 1, "data": 2}),
        ] {
            let failure = ToolResult::failure("t", data, "m");
            assert_eq!(outcome("t", error_object(&failure)), failure);
        }
        assert_eq!(read_error(&json!({"error": "m", "hits": 3})), None);
        assert_eq!(read_error(&json!({"error": null})), None);
    }
}
