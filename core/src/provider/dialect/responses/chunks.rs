//! The events of OpenAI's Responses.

use serde_json::{Value, json};

use super::item::{call_item, function_call, message_item, reasoning_item, response_object};
use crate::error::Error;
use crate::provider::write::{
    BlockKind, CallHead, CallStep, ChunkWriter, Conclusion, KnownHead, MessageStep, Usage,
    WrittenCall,
};

/// Writes the items of one response.
#[derive(Debug)]
pub struct ResponsesChunks {
    head: KnownHead,
    /// The number of the next event.
    sequence: usize,
    /// The items that are complete.
    output: Vec<Value>,
    /// The text of the open item.
    text: String,
    /// The open call.
    call: WrittenCall,
}

impl ResponsesChunks {
    pub fn new(head: KnownHead) -> Self {
        Self {
            head,
            sequence: 0,
            output: Vec::new(),
            text: String::new(),
            call: WrittenCall::default(),
        }
    }

    /// Writes an event with these members.
    fn event(&mut self, kind: &str, members: Value, chunks: &mut Vec<Value>) {
        let mut event = json!({"type": kind, "sequence_number": self.sequence});
        self.sequence += 1;
        if let (Some(event), Value::Object(members)) = (event.as_object_mut(), members) {
            event.extend(members);
        }
        chunks.push(event);
    }

    /// Writes an event about the item that is open, or begins.
    fn item_event(&mut self, kind: &str, id: &str, member: (&str, Value), chunks: &mut Vec<Value>) {
        let (key, value) = member;
        let mut members = json!({"item_id": id, "output_index": self.output.len(), key: value});
        let in_content = kind.contains("_text.") || kind.contains("content_part");
        if let Some(members) = members.as_object_mut().filter(|_| in_content) {
            members.insert("content_index".to_owned(), 0.into());
        }
        if let Some(members) = members.as_object_mut().filter(|_| kind.contains("output_text.")) {
            members.insert("logprobs".to_owned(), json!([]));
        }
        self.event(kind, members, chunks);
    }

    /// Writes that an item begins or is complete.
    fn item(&mut self, kind: &str, item: &Value, chunks: &mut Vec<Value>) {
        self.event(kind, json!({"output_index": self.output.len(), "item": item}), chunks);
    }

    /// The item of the open call, with the arguments so far.
    fn call_item(&self, status: &str) -> Value {
        let WrittenCall { id, name, arguments } = self.call.clone();
        let call = function_call(&CallHead { id, name }.call().parts());
        let mut item = call_item(&self.item_id("fc_"), call, status);
        if let Some(item) = item.get_mut("arguments") {
            *item = arguments.into();
        }
        item
    }

    fn arguments_event(&mut self, step: &str, member: (&str, Value), chunks: &mut Vec<Value>) {
        let id = self.item_id("fc_");
        let kind = format!("response.function_call_arguments.{step}");
        self.item_event(&kind, &id, member, chunks);
    }

    /// The id of the item that is open, or begins.
    fn item_id(&self, prefix: &str) -> String {
        let KnownHead { id, .. } = &self.head;
        let own = id.strip_prefix("resp_").unwrap_or(id);
        format!("{prefix}{own}_{}", self.output.len())
    }

    /// The whole response as it is now.
    fn response(&self, status: &str, usage: Option<Usage>) -> Value {
        response_object(&self.head, status, &self.output.clone().into(), usage)
    }
}

/// The item of a block: its id, its text, and how far it is.
fn block_item(kind: BlockKind, id: &str, text: &str, status: &str) -> Value {
    match kind {
        BlockKind::Reasoning => reasoning_item(id, text),
        BlockKind::Text => message_item(id, text, status),
    }
}

/// The content of an item, which has one part.
fn content(item: &Value) -> Value {
    item.pointer("/content/0").cloned().unwrap_or_default()
}

impl ChunkWriter for ResponsesChunks {
    fn begin(&mut self, chunks: &mut Vec<Value>) {
        for kind in ["response.created", "response.in_progress"] {
            let response = self.response("in_progress", None);
            self.event(kind, json!({"response": response}), chunks);
        }
    }

    fn step(&mut self, step: &MessageStep, chunks: &mut Vec<Value>) {
        let (MessageStep::Open(kind) | MessageStep::Piece(kind, _) | MessageStep::Close(kind)) =
            step;
        let (prefix, name) = match kind {
            BlockKind::Reasoning => ("rs_", "reasoning_text"),
            BlockKind::Text => ("msg_", "output_text"),
        };
        let id = self.item_id(prefix);
        match step {
            MessageStep::Open(_) => {
                let mut begun = block_item(*kind, &id, "", "in_progress");
                let part = content(&begun);
                if let Some(content) = begun.get_mut("content") {
                    *content = json!([]);
                }
                self.item("response.output_item.added", &begun, chunks);
                self.item_event("response.content_part.added", &id, ("part", part), chunks);
            }
            MessageStep::Piece(_, text) => {
                self.text.push_str(text);
                let kind = format!("response.{name}.delta");
                self.item_event(&kind, &id, ("delta", text.as_str().into()), chunks);
            }
            MessageStep::Close(_) => {
                let text = std::mem::take(&mut self.text);
                let done = block_item(*kind, &id, &text, "completed");
                self.item_event(
                    &format!("response.{name}.done"),
                    &id,
                    ("text", text.into()),
                    chunks,
                );
                self.item_event(
                    "response.content_part.done",
                    &id,
                    ("part", content(&done)),
                    chunks,
                );
                self.item("response.output_item.done", &done, chunks);
                self.output.push(done);
            }
        }
    }

    fn call_step(&mut self, step: &CallStep, chunks: &mut Vec<Value>) -> Result<(), Error> {
        match step {
            CallStep::Begin(_, head) => {
                self.call = head.call();
                self.call.arguments.clear();
                let begun = self.call_item("in_progress");
                self.item("response.output_item.added", &begun, chunks);
            }
            CallStep::Arguments(_, json) => {
                self.call.arguments.push_str(json);
                self.arguments_event("delta", ("delta", json.as_str().into()), chunks);
            }
            CallStep::End | CallStep::Refused => {
                let whole = *step == CallStep::End;
                let arguments = self.call.arguments.as_str().into();
                self.arguments_event("done", ("arguments", arguments), chunks);
                let done = self.call_item(if whole { "completed" } else { "incomplete" });
                self.item("response.output_item.done", &done, chunks);
                self.output.push(done);
            }
        }
        Ok(())
    }

    fn end(&mut self, conclusion: Conclusion, chunks: &mut Vec<Value>) {
        let response = self.response(conclusion.reason, conclusion.usage);
        let kind = format!("response.{}", conclusion.reason);
        self.event(&kind, json!({"response": response}), chunks);
    }
}
