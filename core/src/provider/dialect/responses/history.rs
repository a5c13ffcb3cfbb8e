//! The items of a stream of OpenAI's Responses.

use serde_json::Value;

/// The items that are done, by their places, and those of the whole response at its end.
#[derive(Default)]
pub struct ResponseItems {
    done: Vec<(i64, Value)>,
    whole: Option<Vec<Value>>,
}

impl ResponseItems {
    pub fn take(&mut self, event: &Value) {
        let output = event.get("response").and_then(|response| response.get("output"));
        if let Some(Value::Array(items)) = output.filter(|_| is_end(event)) {
            self.whole = Some(items.clone()).filter(|items| !items.is_empty());
        }
        let is_done = event.get("type").is_some_and(|kind| kind == "response.output_item.done");
        if let Some(item) = event.get("item").filter(|_| is_done) {
            let place = event.get("output_index").and_then(Value::as_i64);
            self.done.push((place.unwrap_or(i64::MAX), item.clone()));
        }
    }

    pub fn finish(self) -> Vec<Value> {
        let Self { mut done, whole } = self;
        whole.unwrap_or_else(|| {
            done.sort_by_key(|(place, _)| *place);
            done.into_iter().map(|(_, item)| item).collect()
        })
    }
}

/// Whether an event brings the whole response at its end.
fn is_end(event: &Value) -> bool {
    let ends = ["response.completed", "response.incomplete", "response.failed"];
    event.get("type").and_then(Value::as_str).is_some_and(|kind| ends.contains(&kind))
}
