//! The chunks of OpenAI's Chat Completions.

use serde_json::{Value, json};

use crate::error::Error;
use crate::provider::dialect::chat;
use crate::provider::write::call_arguments::arguments_text;
use crate::provider::write::{
    BlockKind, CallHead, CallStep, ChunkWriter, Conclusion, KnownHead, MessageStep, PlainCall,
    WrittenCall,
};

/// Writes deltas of one choice.
#[derive(Debug)]
pub struct OpenAiChunks {
    head: KnownHead,
    /// The place of the choice among those of the response.
    index: usize,
    /// The log probabilities that the next chunk has.
    logprobs: Option<Value>,
    calls: usize,
    /// Whether a block of reasoning was written.
    reasoned: bool,
}

impl OpenAiChunks {
    pub fn new(head: KnownHead, index: usize) -> Self {
        Self { head, index, logprobs: None, calls: 0, reasoned: false }
    }

    fn chunk(&self, choices: &Value) -> Value {
        let KnownHead { model, id, created } = &self.head;
        json!({
            "id": id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
            "choices": choices,
        })
    }

    fn choice(&self, delta: &Value, reason: Option<&str>) -> Value {
        json!({"index": self.index, "delta": delta, "finish_reason": reason})
    }

    fn delta(&mut self, delta: &Value, reason: Option<&str>) -> Value {
        let mut choice = self.choice(delta, reason);
        if let (Some(choice), Some(logprobs)) = (choice.as_object_mut(), self.logprobs.take()) {
            choice.insert("logprobs".to_owned(), logprobs);
        }
        self.chunk(&json!([choice]))
    }
}

impl ChunkWriter for OpenAiChunks {
    fn begin(&mut self, chunks: &mut Vec<Value>) {
        let first = self.choice(&json!({"role": "assistant", "content": null}), None);
        chunks.push(self.chunk(&json!([first])));
    }

    fn step(&mut self, step: &MessageStep, chunks: &mut Vec<Value>) {
        match step {
            // The blocks of a chat's reasoning are one text, divided by an empty line.
            MessageStep::Open(BlockKind::Reasoning) if self.reasoned => {
                chunks.push(self.delta(&json!({"reasoning_content": "\n\n"}), None));
            }
            MessageStep::Open(BlockKind::Reasoning) => self.reasoned = true,
            MessageStep::Piece(BlockKind::Reasoning, text) => {
                chunks.push(self.delta(&json!({"reasoning_content": text}), None));
            }
            MessageStep::Piece(BlockKind::Text, text) => {
                chunks.push(self.delta(&json!({"content": text}), None));
            }
            MessageStep::Open(BlockKind::Text) | MessageStep::Close(_) => {}
        }
    }

    fn call(&mut self, call: &WrittenCall, chunks: &mut Vec<Value>) -> Result<(), Error> {
        let mut written = json!({"index": self.calls});
        let arguments = &arguments_text(&call.arguments)?;
        let object = chat::dump_call(&PlainCall { arguments, ..call.parts() });
        if let (Some(written), Value::Object(object)) = (written.as_object_mut(), object) {
            written.extend(object);
        }
        self.calls += 1;
        chunks.push(self.delta(&json!({"tool_calls": [written]}), None));
        Ok(())
    }

    fn call_step(&mut self, step: &CallStep, chunks: &mut Vec<Value>) -> Result<(), Error> {
        let written = match step {
            CallStep::Begin(place, CallHead { id, name }) => {
                let function = json!({"name": name, "arguments": ""});
                json!({"index": place, "id": id, "type": "function", "function": function})
            }
            CallStep::Arguments(place, json) => {
                json!({"index": place, "function": {"arguments": json}})
            }
            CallStep::End | CallStep::Refused => return Ok(()),
        };
        chunks.push(self.delta(&json!({"tool_calls": [written]}), None));
        Ok(())
    }

    fn add_logprobs(&mut self, logprobs: Value) {
        match (&mut self.logprobs, logprobs) {
            (_, Value::Null) => {}
            (Some(held), more) => join_lists(held, more),
            (held @ None, first) => *held = Some(first),
        }
    }

    fn end(&mut self, conclusion: Conclusion, chunks: &mut Vec<Value>) {
        chunks.push(self.delta(&json!({}), Some(conclusion.reason)));
        if let Some(usage) = conclusion.usage {
            let mut chunk = self.chunk(&json!([]));
            if let Some(chunk) = chunk.as_object_mut() {
                chunk.insert("usage".to_owned(), chat::usage(usage));
            }
            chunks.push(chunk);
        }
    }
}

/// Adds the lists of one object to those of the same names of another, such as `content`.
fn join_lists(held: &mut Value, more: Value) {
    let (Some(held), Value::Object(more)) = (held.as_object_mut(), more) else { return };
    for (name, value) in more {
        match (held.get_mut(&name), value) {
            (Some(Value::Array(list)), Value::Array(items)) => list.extend(items),
            (Some(_), Value::Null) => {}
            (_, value) => {
                held.insert(name, value);
            }
        }
    }
}
