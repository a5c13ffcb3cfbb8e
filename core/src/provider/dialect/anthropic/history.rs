//! The message of a stream of Anthropic's Messages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::provider::write::history::block::{Block, input_of};
use crate::provider::write::history::joined::{join, message};

/// Anthropic's blocks.
#[derive(Default)]
pub struct AnthropicBlocks(BTreeMap<i64, Block>);

impl AnthropicBlocks {
    pub fn take(&mut self, event: &Value) {
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

    pub fn finish(self) -> Vec<Value> {
        let blocks = self.0.into_values().map(|mut block| {
            if !block.input.is_empty() {
                block.members.insert("input".to_owned(), input_of(&block.input));
            }
            Value::Object(block.members)
        });
        message("assistant", "content", blocks.collect())
    }
}
