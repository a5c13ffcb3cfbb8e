//! The message of a stream of Cohere's chat, version 2.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::provider::write::history::joined::join;

/// The message, as far as it has come.
#[derive(Default)]
pub struct CohereMessage {
    members: Map<String, Value>,
    content: BTreeMap<i64, Map<String, Value>>,
    calls: BTreeMap<i64, Map<String, Value>>,
}

impl CohereMessage {
    pub fn take(&mut self, event: &Value) {
        let message = event.get("delta").and_then(|delta| delta.get("message"));
        let Some(Value::Object(delta)) = message else { return };
        let place = event.get("index").and_then(Value::as_i64).unwrap_or_default();
        for (name, piece) in delta {
            match (&**name, piece) {
                ("content", Value::Object(piece)) => {
                    join(self.content.entry(place).or_default(), piece);
                }
                ("tool_calls", Value::Object(piece)) => {
                    join(self.calls.entry(place).or_default(), piece);
                }
                // A citation stands beside the text that it is about, which is sent back without.
                ("content" | "tool_calls" | "citations", _) => {}
                _ => join(&mut self.members, &Map::from_iter([(name.clone(), piece.clone())])),
            }
        }
    }

    pub fn finish(mut self) -> Vec<Value> {
        let list = |entries: BTreeMap<i64, Map<String, Value>>| -> Vec<Value> {
            entries.into_values().map(Value::Object).collect()
        };
        for (name, entries) in [("content", self.content), ("tool_calls", self.calls)] {
            if !entries.is_empty() {
                self.members.insert(name.to_owned(), list(entries).into());
            }
        }
        self.members.retain(|_, value| *value != "");
        if self.members.keys().all(|name| name == "role") {
            return Vec::new();
        }
        self.members.entry("role").or_insert_with(|| "assistant".into());
        vec![Value::Object(self.members)]
    }
}
