//! The message of a stream of Bedrock's `ConverseStream`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::provider::write::history::block::{Block, input_of};
use crate::provider::write::history::joined::{join, message};

/// Bedrock's blocks.
#[derive(Default)]
pub struct BedrockBlocks(BTreeMap<i64, Block>);

impl BedrockBlocks {
    pub fn take(&mut self, event: &Value) {
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

    pub fn finish(self) -> Vec<Value> {
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
