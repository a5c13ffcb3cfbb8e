//! The events of Anthropic's Messages.

use serde_json::{Value, json};

use super::block::{thinking, tool_use};
use crate::error::Error;
use crate::provider::write::{
    BlockKind, CallStep, ChunkWriter, Conclusion, KnownHead, MessageStep,
};

/// Writes the blocks of one message.
#[derive(Debug)]
pub struct AnthropicChunks {
    head: KnownHead,
    /// The index of the open block, or of the next one.
    index: usize,
}

impl AnthropicChunks {
    pub fn new(head: KnownHead) -> Self {
        Self { head, index: 0 }
    }

    fn start(&self, block: &Value) -> Value {
        json!({"type": "content_block_start", "index": self.index, "content_block": block})
    }

    fn delta(&self, kind: &str, key: &str, text: &str) -> Value {
        let delta = json!({"type": kind, key: text});
        json!({"type": "content_block_delta", "index": self.index, "delta": delta})
    }

    fn stop(&mut self) -> Value {
        let index = self.index;
        self.index += 1;
        json!({"type": "content_block_stop", "index": index})
    }
}

impl ChunkWriter for AnthropicChunks {
    fn begin(&mut self, chunks: &mut Vec<Value>) {
        let KnownHead { model, id, .. } = &self.head;
        let message = json!({
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        });
        chunks.push(json!({"type": "message_start", "message": message}));
    }

    fn step(&mut self, step: &MessageStep, chunks: &mut Vec<Value>) {
        let chunk = match step {
            MessageStep::Open(BlockKind::Reasoning) => self.start(&thinking("")),
            MessageStep::Open(BlockKind::Text) => self.start(&json!({"type": "text", "text": ""})),
            MessageStep::Piece(BlockKind::Reasoning, text) => {
                self.delta("thinking_delta", "thinking", text)
            }
            MessageStep::Piece(BlockKind::Text, text) => self.delta("text_delta", "text", text),
            MessageStep::Close(_) => self.stop(),
        };
        chunks.push(chunk);
    }

    fn call_step(&mut self, step: &CallStep, chunks: &mut Vec<Value>) -> Result<(), Error> {
        chunks.push(match step {
            CallStep::Begin(_, head) => self.start(&tool_use(&head.call().parts())),
            CallStep::Arguments(_, json) => self.delta("input_json_delta", "partial_json", json),
            CallStep::End | CallStep::Refused => self.stop(),
        });
        Ok(())
    }

    fn end(&mut self, conclusion: Conclusion, chunks: &mut Vec<Value>) {
        let usage = conclusion.usage.unwrap_or_default();
        chunks.push(json!({
            "type": "message_delta",
            "delta": {"stop_reason": conclusion.reason, "stop_sequence": null},
            "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
        }));
        chunks.push(json!({"type": "message_stop"}));
    }
}
