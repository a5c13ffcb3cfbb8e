//! An answer of a model that came in pieces, put together as one JSON value.
//!
//! A proxy logs the stream of an answer as it came. The pieces are those of chat completions, of
//! Anthropic's messages, of Gemini's candidates, or events of which the last holds the response.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::json::parse::parse_json;
use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::dialect::field::{at, first_text};

/// The most bytes that are put together; an answer beyond them stays as it is.
const MOST: usize = 16 << 20;
/// How many of the last calls a piece may go on with.
const MOST_OPEN: usize = 64;

/// The answer that a text holds: JSON as it stands, or server-sent events put together.
pub(in crate::transcript) fn answer_of_text(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > MOST {
        return None;
    }
    if text.starts_with('{') {
        return Some(text.to_owned());
    }
    let (mut answer, mut tape) = (StreamedAnswer::default(), Tape::default());
    for line in text.lines() {
        let data = line.strip_prefix("data:").unwrap_or_default().trim();
        if let Some(event) = tape.read(data) {
            answer.add(event);
        }
    }
    answer.end().map(|answer| answer.to_string())
}

/// The pieces of an answer so far.
#[derive(Debug, Default)]
pub(super) struct StreamedAnswer {
    /// The message of each choice of a chat completion.
    choices: BTreeMap<u64, StreamedMessage>,
    /// The blocks of a message of Anthropic's.
    blocks: BTreeMap<u64, StreamedBlock>,
    /// Gemini's candidates.
    candidates: Vec<Value>,
    /// The response that the last event holds.
    response: Option<Value>,
}

#[derive(Debug, Default)]
struct StreamedMessage {
    thoughts: String,
    text: String,
    calls: Vec<StreamedCall>,
}

#[derive(Debug, Default)]
struct StreamedCall {
    /// The place that its pieces name.
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

#[derive(Debug, Default)]
struct StreamedBlock {
    block: Map<String, Value>,
    text: String,
    input: String,
}

impl StreamedAnswer {
    /// Takes in a piece.
    pub(super) fn add(&mut self, event: Json<'_>) {
        for choice in event.get("choices").into_iter().flat_map(Json::items) {
            // The last piece of some servers is a message.
            if let Some(delta) = choice.get("delta").or(choice.get("message")) {
                self.add_to_choice(number(choice, "index").unwrap_or(0), delta);
            }
        }
        self.candidates
            .extend(event.get("candidates").into_iter().flat_map(Json::items).map(value));
        match event.text_of("type").as_deref() {
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                self.response = event.get("response").map(value);
            }
            Some("content_block_start") => {
                let block = event.get("content_block").map(value);
                if let Some(Value::Object(block)) = block {
                    let block = StreamedBlock { block, ..StreamedBlock::default() };
                    self.blocks.insert(number(event, "index").unwrap_or(0), block);
                }
            }
            Some("content_block_delta") => {
                let block = self.blocks.entry(number(event, "index").unwrap_or(0)).or_default();
                let piece = |key: &str| at(event, &["delta", key]).and_then(Json::text);
                block.text.extend(piece("text").or_else(|| piece("thinking")));
                block.input.extend(piece("partial_json"));
            }
            _ => {}
        }
    }

    /// Takes in a piece of the message of a choice.
    pub(super) fn add_to_choice(&mut self, choice: u64, delta: Json<'_>) {
        self.choices.entry(choice).or_default().add(delta);
    }

    /// The message of a choice that has ended.
    pub(super) fn end_choice(&mut self, choice: u64) -> Option<Value> {
        self.choices.remove(&choice).map(StreamedMessage::end)
    }

    /// Whether no piece is held.
    pub(super) fn is_empty(&self) -> bool {
        self.choices.is_empty() && self.blocks.is_empty()
    }

    /// The answer, if the pieces make one.
    pub(super) fn end(self) -> Option<Value> {
        if self.response.is_some() {
            return self.response;
        }
        if !self.candidates.is_empty() {
            return Some(json!({ "candidates": self.candidates }));
        }
        if !self.blocks.is_empty() {
            let blocks: Vec<_> = self.blocks.into_values().map(StreamedBlock::end).collect();
            return Some(json!({ "role": "assistant", "content": blocks }));
        }
        let choice = |message: StreamedMessage| json!({ "message": message.end() });
        let choices: Vec<_> = self.choices.into_values().map(choice).collect();
        (!choices.is_empty()).then(|| json!({ "choices": choices }))
    }
}

impl StreamedMessage {
    fn add(&mut self, delta: Json<'_>) {
        self.thoughts.extend(first_text(delta, &["reasoning_content", "reasoning", "thinking"]));
        self.text.extend(delta.text_of("content"));
        for item in delta.get("tool_calls").into_iter().flat_map(Json::items) {
            let inner = item.get("function").or(item.get("custom"));
            self.add_to_call(item, inner.unwrap_or(item));
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            self.add_to_call(function, function);
        }
    }

    fn add_to_call(&mut self, item: Json<'_>, function: Json<'_>) {
        let (index, id) = (number(item, "index"), item.text_of("id").filter(|id| !id.is_empty()));
        let name = function.text_of("name").filter(|name| !name.is_empty());
        // Some servers count no calls, give each call the same place, or repeat ids and names.
        let goes_on = |call: &StreamedCall| match (index, &id) {
            (None, id) => name.is_none() || id.as_deref() == Some(&call.id),
            (_, Some(id)) if name.is_some() && !call.id.is_empty() => {
                call.index == index && call.id == **id
            }
            _ => call.index == index,
        };
        let open = self.calls.len().saturating_sub(MOST_OPEN);
        let found = self.calls.iter().skip(open).rposition(goes_on);
        let place = found.map_or(self.calls.len(), |place| open + place);
        if found.is_none() {
            self.calls.push(StreamedCall { index, ..StreamedCall::default() });
        }
        let Some(call) = self.calls.get_mut(place) else { return };
        if let Some(id) = id {
            call.id = id.into_owned();
        }
        call.name.extend(name.filter(|name| call.name != **name));
        match function.get("arguments").or(function.get("input")) {
            Some(whole) if whole.is_object() => call.arguments.push_str(whole.raw()),
            piece => call.arguments.extend(piece.and_then(Json::text)),
        }
    }

    fn end(self) -> Value {
        let call = |call: StreamedCall| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            json!({ "id": call.id, "type": "function", "function": function })
        };
        let calls: Vec<_> = self.calls.into_iter().map(call).collect();
        let mut message = json!({ "role": "assistant", "content": self.text });
        if let Some(fields) = message.as_object_mut() {
            if !self.thoughts.is_empty() {
                fields.insert("reasoning_content".to_owned(), self.thoughts.into());
            }
            if !calls.is_empty() {
                fields.insert("tool_calls".to_owned(), calls.into());
            }
        }
        message
    }
}

impl StreamedBlock {
    fn end(mut self) -> Value {
        if !self.text.is_empty() {
            let key = if self.block.contains_key("thinking") { "thinking" } else { "text" };
            self.block.insert(key.to_owned(), self.text.into());
        }
        if !self.input.is_empty() {
            let input = parse_json(self.input.as_bytes()).unwrap_or_else(|_| self.input.into());
            self.block.insert("input".to_owned(), input);
        }
        Value::Object(self.block)
    }
}

fn number(value: Json<'_>, key: &str) -> Option<u64> {
    value.get(key).and_then(Json::as_u64)
}

fn value(value: Json<'_>) -> Value {
    parse_json(value.raw().as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(events: &[&str]) -> Option<Value> {
        let text = format!("data: {}\n\n", events.join("\n\ndata: "));
        answer_of_text(&text).map(|answer| parse_json(answer.as_bytes()).unwrap())
    }

    #[test]
    fn the_pieces_of_a_chat_completion() {
        let answer = events(&[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"b","tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"x\""}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}"#,
            "[DONE]",
        ]);
        let function = json!({ "name": "f", "arguments": "{\"x\":1}" });
        let call = json!({ "id": "c", "type": "function", "function": function });
        let message = json!({ "role": "assistant", "content": "ab", "tool_calls": [call] });
        assert_eq!(answer, Some(json!({ "choices": [{ "message": message }] })));
    }

    #[test]
    fn calls_are_told_apart_without_places_and_with_the_same_place() {
        let calls = |pieces: [&str; 3]| {
            let event = |piece: &str| {
                format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{{{piece}}}]}}}}]}}"#)
            };
            let pieces = pieces.map(event);
            let answer = events(&pieces.each_ref().map(String::as_str)).unwrap();
            let calls = answer["choices"][0]["message"]["tool_calls"].as_array().unwrap().clone();
            let function = |call: &Value| call["function"].clone();
            calls.iter().map(function).collect::<Vec<_>>()
        };
        let (f, g) = (
            json!({ "name": "f", "arguments": "{\"x\":1}" }),
            json!({ "name": "g", "arguments": "{}" }),
        );
        let without_places = calls([
            r#""function":{"name":"f","arguments":"{\"x\":"}"#,
            r#""function":{"arguments":"1}"}"#,
            r#""function":{"name":"g","arguments":{}}"#,
        ]);
        assert_eq!(without_places, [f.clone(), g.clone()]);
        let at_one_place = calls([
            r#""index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}"#,
            r#""index":0,"function":{"arguments":"1}"}"#,
            r#""index":0,"id":"b","function":{"name":"g","arguments":"{}"}"#,
        ]);
        assert_eq!(at_one_place, [f, g]);
    }

    #[test]
    fn the_pieces_of_other_answers() {
        let answer = events(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
        ]);
        let call = json!({ "type": "tool_use", "id": "t", "name": "f", "input": { "a": 1 } });
        assert_eq!(answer, Some(json!({ "role": "assistant", "content": [call] })));
        let response = events(&[r#"{"type":"response.completed","response":{"output":[]}}"#]);
        assert_eq!(response, Some(json!({ "output": [] })));
        let candidates = events(&[r#"{"candidates":[1]}"#, r#"{"candidates":[2]}"#]);
        assert_eq!(candidates, Some(json!({ "candidates": [1, 2] })));
        assert_eq!(events(&["{}", "a"]), None);
        assert_eq!(answer_of_text("words"), None);
    }
}
