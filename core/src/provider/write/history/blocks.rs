//! The blocks of a message, by Anthropic's events and by those of Bedrock's `ConverseStream`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::joined::{join, message};
use crate::json::parse_json;

/// A block, with the text of a call's input as far as it has come.
#[derive(Default)]
struct Block {
    members: Map<String, Value>,
    input: String,
}

/// The input of a call. A text that is no JSON object, as one that was cut off, is sent back empty:
/// a provider refuses anything else.
fn input_of(text: &str) -> Value {
    let input = parse_json(text.as_bytes()).ok().filter(Value::is_object);
    input.unwrap_or_else(|| json!({}))
}

/// Anthropic's blocks.
#[derive(Default)]
pub(super) struct AnthropicBlocks(BTreeMap<i64, Block>);

impl AnthropicBlocks {
    pub(super) fn take(&mut self, event: &Value) {
        let place = event.get("index").and_then(Value::as_i64).unwrap_or_default();
        if let Some(Value::Object(begun)) = event.get("content_block") {
            let block = Block { members: begun.clone(), input: String::new() };
            self.0.insert(place, block);
        }
        let Some(Value::Object(delta)) = event.get("delta") else { return };
        let is_of_block = event.get("type").is_some_and(|kind| kind == "content_block_delta");
        let Some(block) = self.0.get_mut(&place).filter(|_| is_of_block) else { return };
        if let Some(Value::String(more)) = delta.get("partial_json") {
            block.input.push_str(more);
        } else if let Some(citation) = delta.get("citation") {
            match block.members.get_mut("citations") {
                Some(Value::Array(citations)) => citations.push(citation.clone()),
                _ => {
                    block.members.insert("citations".to_owned(), json!([citation]));
                }
            }
        } else {
            let mut pieces = delta.clone();
            pieces.shift_remove("type");
            join(&mut block.members, &pieces);
        }
    }

    pub(super) fn finish(self) -> Vec<Value> {
        let blocks = self.0.into_values().map(|mut block| {
            if !block.input.is_empty() {
                block.members.insert("input".to_owned(), input_of(&block.input));
            }
            Value::Object(block.members)
        });
        message("assistant", "content", blocks.collect())
    }
}

/// Bedrock's blocks.
#[derive(Default)]
pub(super) struct BedrockBlocks(BTreeMap<i64, Block>);

impl BedrockBlocks {
    pub(super) fn take(&mut self, event: &Value) {
        for kind in ["contentBlockStart", "contentBlockDelta"] {
            let Some(event) = event.get(kind) else { continue };
            let place = event.get("contentBlockIndex").and_then(Value::as_i64).unwrap_or_default();
            let block = self.0.entry(place).or_default();
            if let Some(Value::Object(begun)) = event.get("start") {
                join(&mut block.members, begun);
            }
            let Some(Value::Object(delta)) = event.get("delta") else { continue };
            for (name, piece) in delta {
                match (&**name, piece) {
                    ("toolUse", piece) => {
                        let more = piece.get("input").and_then(Value::as_str);
                        block.input.push_str(more.unwrap_or_default());
                    }
                    ("reasoningContent", Value::Object(piece)) => {
                        join(&mut block.members, &reasoning(piece));
                    }
                    _ => join(&mut block.members, &Map::from_iter([(name.clone(), piece.clone())])),
                }
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Value> {
        let blocks = self.0.into_values().filter(|block| !block.members.is_empty());
        let blocks = blocks.map(|mut block| {
            if let Some(Value::Object(call)) = block.members.get_mut("toolUse") {
                call.insert("input".to_owned(), input_of(&block.input));
            }
            Value::Object(block.members)
        });
        message("assistant", "content", blocks.collect())
    }
}

/// A piece of reasoning in the form of a message: there its text and signature have an object of
/// their own.
fn reasoning(piece: &Map<String, Value>) -> Map<String, Value> {
    let (mut text, mut other) = (Map::new(), Map::new());
    for (name, value) in piece {
        let into = if matches!(&**name, "text" | "signature") { &mut text } else { &mut other };
        into.insert(name.clone(), value.clone());
    }
    if !text.is_empty() {
        other.insert("reasoningText".to_owned(), Value::Object(text));
    }
    Map::from_iter([("reasoningContent".to_owned(), Value::Object(other))])
}
