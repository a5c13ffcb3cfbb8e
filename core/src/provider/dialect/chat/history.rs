//! The message of a stream of chat completions, and of Ollama's chat.

use serde_json::{Map, Value};

use crate::provider::write::history::joined::{join, join_call};

/// The message, as far as it has come.
#[derive(Default)]
pub struct ChatMessage {
    members: Map<String, Value>,
    calls: Vec<Map<String, Value>>,
}

impl ChatMessage {
    pub fn take(&mut self, event: &Value) {
        let is_first = |choice: &&Value| choice.get("index").is_none_or(|index| index == 0);
        let choices = event.get("choices").and_then(Value::as_array);
        let choice = choices.and_then(|choices| choices.iter().find(is_first));
        // Some servers send the whole message in the last event.
        let delta = choice.and_then(|choice| choice.get("delta").or_else(|| choice.get("message")));
        let delta = delta.or_else(|| event.get("message")).and_then(Value::as_object);
        let Some(delta) = delta else { return };
        let mut rest = delta.clone();
        if let Some(Value::Array(pieces)) = rest.shift_remove("tool_calls") {
            for piece in pieces.iter().filter_map(Value::as_object) {
                // Ollama's calls are whole and have neither id nor index.
                if event.get("message").is_some() && !piece.contains_key("id") {
                    self.calls.push(piece.clone());
                } else {
                    join_call(&mut self.calls, piece);
                }
            }
        }
        join(&mut self.members, &rest);
    }

    pub fn finish(mut self) -> Vec<Value> {
        if self.members.is_empty() && self.calls.is_empty() {
            return Vec::new();
        }
        if !self.calls.is_empty() {
            let calls = self.calls.into_iter().map(|mut call| {
                call.shift_remove("index");
                Value::Object(call)
            });
            self.members.insert("tool_calls".to_owned(), calls.collect());
        }
        let role = self.members.shift_remove("role").unwrap_or_else(|| "assistant".into());
        let mut message = Map::from_iter([("role".to_owned(), role)]);
        message.extend(self.members);
        vec![Value::Object(message)]
    }
}
