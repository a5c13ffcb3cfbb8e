//! Reads the pieces of calls out of a stream's events.

use serde_json::Value;

use super::accumulator::Accumulator;
use super::kind::Provider;
use super::piece::{CallPiece, filled};
use super::place::ObjectPlace;
use super::shape::{JsonObject, text};
use super::slot::{EndMark, Slot};
use super::walk::at;

/// The index that stands for OpenAI's old `function_call`, which has none.
const OLD: i64 = -1;

fn whole(object: &JsonObject, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_i64)
}

fn object<'v>(object: &'v JsonObject, path: &[&str]) -> Option<&'v JsonObject> {
    at(object, path).and_then(Value::as_object)
}

/// Adds the arguments in an event to a call.
fn push(slot: &mut Slot, arguments: Option<&Value>) {
    match arguments {
        Some(Value::String(piece)) => slot.push(piece),
        None | Some(Value::Null) => {}
        Some(value) => slot.value = Some(value.clone()),
    }
}

impl Accumulator {
    /// Takes an event according to its kind.
    pub(super) fn take(&mut self, event: &Value, place: &ObjectPlace<'_>) {
        let Some(event_object) = event.as_object() else { return self.take_whole(event, place) };
        let kind = text(event_object, "type").unwrap_or_default();
        match kind {
            "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
            | "message_delta" => {
                self.block(kind, event_object, place);
            }
            "message_start" | "message_stop" | "ping" => {}
            _ if kind.starts_with("response.") => self.responses(kind, event_object, place),
            _ if kind.starts_with("tool-call-") => self.cohere(kind, event_object, place),
            _ if self.converse(event_object, place) || self.chat(event_object, place) => {}
            _ => self.take_whole(event, place),
        }
    }

    /// Takes a chunk of a chat, or the content of one; false if it is not one.
    fn chat(&mut self, event: &JsonObject, place: &ObjectPlace<'_>) -> bool {
        if let Some(Value::Array(choices)) = event.get("choices") {
            let place = place.key("choices");
            for (position, choice) in choices.iter().enumerate() {
                self.choice(choice, position, &place.item(position));
            }
            return true;
        }
        if let Some(delta) = object(event, &["delta"]) {
            self.delta(delta, 0, EndMark::Untold, &place.key("delta"));
            return true;
        }
        if event.contains_key("tool_calls") && !event.contains_key("message") {
            self.delta(event, 0, EndMark::Untold, place);
            return true;
        }
        let function = event.get("function").is_some_and(Value::is_object);
        if function {
            self.call_piece(event, 0, EndMark::Untold, place);
        }
        function
    }

    fn choice(&mut self, choice: &Value, position: usize, place: &ObjectPlace<'_>) {
        let Some(choice) = choice.as_object() else { return };
        let choice_index = whole(choice, "index")
            .and_then(|index| usize::try_from(index).ok())
            .unwrap_or(position);
        match (object(choice, &["delta"]), choice.get("message")) {
            (Some(delta), _) => self.delta(delta, choice_index, EndMark::Open, &place.key("delta")),
            (None, Some(message)) => self.take_whole(message, &place.key("message")),
            (None, None) => {}
        }
        if let Some(reason) = filled(choice, "finish_reason") {
            self.end(choice_index, reason == "length");
        }
    }

    fn delta(
        &mut self,
        delta: &JsonObject,
        choice_index: usize,
        end: EndMark,
        place: &ObjectPlace<'_>,
    ) {
        let calls = place.key("tool_calls");
        match delta.get("tool_calls") {
            Some(Value::Array(items)) => {
                for (position, item) in items.iter().enumerate() {
                    match item.as_object() {
                        Some(item) => {
                            self.call_piece(item, choice_index, end, &calls.item(position));
                        }
                        None => self.misshapen(&calls.item(position)),
                    }
                }
            }
            Some(Value::Object(item)) => self.call_piece(item, choice_index, end, &calls),
            None | Some(Value::Null) => {}
            Some(_) => self.misshapen(&calls),
        }
        if let Some(call) = object(delta, &["function_call"]) {
            let piece = CallPiece { choice_index, ..CallPiece::new(Provider::OpenAi, Some(OLD)) };
            let piece = CallPiece { name: filled(call, "name"), ..piece };
            if let Some(slot) = self.go_on(&piece, &place.key("function_call")) {
                slot.end = end;
                push(slot, call.get("arguments"));
            }
        }
    }

    fn call_piece(
        &mut self,
        item: &JsonObject,
        choice_index: usize,
        end: EndMark,
        place: &ObjectPlace<'_>,
    ) {
        let provider = self.named.filter(|named| named.is_chat()).unwrap_or(Provider::OpenAi);
        let function = object(item, &["function"]);
        let piece = CallPiece {
            choice_index,
            id: filled(item, "id"),
            name: function.and_then(|function| filled(function, "name")),
            ..CallPiece::new(provider, whole(item, "index"))
        };
        if let Some(slot) = self.go_on(&piece, place) {
            slot.end = end;
            push(slot, function.and_then(|function| function.get("arguments")));
        }
    }

    /// Takes an event of Anthropic.
    fn block(&mut self, kind: &str, event: &JsonObject, place: &ObjectPlace<'_>) {
        let piece = CallPiece::new(Provider::Anthropic, whole(event, "index"));
        match kind {
            "content_block_start" => match object(event, &["content_block"]) {
                Some(block) if text(block, "type") == Some("tool_use") => {
                    let piece = piece.named(block, "id", "name");
                    if let Some(slot) = self.begin(&piece, &place.key("content_block")) {
                        slot.end = EndMark::Open;
                        slot.value = block.get("input").cloned();
                    }
                }
                _ => self.skip(0, piece.index),
            },
            "content_block_delta" => {
                let delta = object(event, &["delta"]);
                if let Some(json) = delta.and_then(|delta| delta.get("partial_json"))
                    && let Some(slot) = self.go_on(&piece, &place.key("delta"))
                {
                    push(slot, Some(json));
                }
            }
            "content_block_stop" => self.stop(&piece),
            _ => {
                if let Some(reason) =
                    object(event, &["delta"]).and_then(|delta| filled(delta, "stop_reason"))
                {
                    self.end(0, reason == "max_tokens");
                }
            }
        }
    }

    /// Takes an event of Bedrock's Converse; false if it is not one.
    fn converse(&mut self, event: &JsonObject, place: &ObjectPlace<'_>) -> bool {
        if let Some(start) = object(event, &["contentBlockStart"]) {
            let piece = CallPiece::new(Provider::Bedrock, whole(start, "contentBlockIndex"));
            match object(start, &["start", "toolUse"]) {
                Some(tool) => {
                    let piece = piece.named(tool, "toolUseId", "name");
                    if let Some(slot) = self.begin(&piece, &place.key("contentBlockStart")) {
                        slot.end = EndMark::Open;
                    }
                }
                None => self.skip(0, piece.index),
            }
            return true;
        }
        if let Some(delta) = object(event, &["contentBlockDelta"]) {
            let piece = CallPiece::new(Provider::Bedrock, whole(delta, "contentBlockIndex"));
            if let Some(input) = at(delta, &["delta", "toolUse", "input"])
                && let Some(slot) = self.go_on(&piece, &place.key("contentBlockDelta"))
            {
                push(slot, Some(input));
            }
            return true;
        }
        if let Some(stop) = object(event, &["contentBlockStop"]) {
            self.stop(&CallPiece::new(Provider::Bedrock, whole(stop, "contentBlockIndex")));
            return true;
        }
        if let Some(stop) = object(event, &["messageStop"]) {
            self.end(0, text(stop, "stopReason") == Some("max_tokens"));
            return true;
        }
        false
    }

    /// Takes an event of Cohere about a call.
    fn cohere(&mut self, kind: &str, event: &JsonObject, place: &ObjectPlace<'_>) {
        let piece = CallPiece::new(Provider::Cohere, whole(event, "index"));
        if kind == "tool-call-end" {
            return self.stop(&piece);
        }
        let Some(call) = object(event, &["delta", "message", "tool_calls"]) else { return };
        let function = object(call, &["function"]);
        let piece = CallPiece {
            id: filled(call, "id"),
            name: function.and_then(|function| filled(function, "name")),
            ..piece
        };
        let place = place.key("delta");
        let starts = kind == "tool-call-start";
        let slot = if starts { self.begin(&piece, &place) } else { self.go_on(&piece, &place) };
        if let Some(slot) = slot {
            if starts {
                slot.end = EndMark::Open;
            }
            push(slot, function.and_then(|function| function.get("arguments")));
        }
    }

    /// Takes an event of OpenAI's Responses.
    fn responses(&mut self, kind: &str, event: &JsonObject, place: &ObjectPlace<'_>) {
        let index = whole(event, "output_index");
        match kind {
            "response.output_item.added" | "response.output_item.done" => {
                match object(event, &["item"]) {
                    Some(item) if text(item, "type") == Some("function_call") => {
                        self.item(item, index, kind.ends_with("done"), &place.key("item"));
                    }
                    _ => self.skip(0, index),
                }
            }
            "response.function_call_arguments.delta" | "response.function_call_arguments.done" => {
                let piece = CallPiece {
                    id: filled(event, "call_id"),
                    item: filled(event, "item_id"),
                    name: filled(event, "name"),
                    ..CallPiece::new(Provider::OpenAiResponses, index)
                };
                let Some(slot) = self.go_on(&piece, place) else { return };
                match text(event, "arguments").filter(|_| kind.ends_with("done")) {
                    Some(whole) => slot.replace(whole),
                    None => push(slot, event.get("delta")),
                }
            }
            "response.completed" | "response.incomplete" => {
                let output =
                    object(event, &["response"]).and_then(|response| response.get("output"));
                let response = place.key("response");
                let output_place = response.key("output");
                for (position, item) in
                    output.and_then(Value::as_array).into_iter().flatten().enumerate()
                {
                    if let Some(item) =
                        item.as_object().filter(|i| text(i, "type") == Some("function_call"))
                    {
                        let done = kind == "response.completed";
                        self.item(
                            item,
                            i64::try_from(position).ok(),
                            done,
                            &output_place.item(position),
                        );
                    }
                }
                self.end(0, kind == "response.incomplete");
            }
            _ => {}
        }
    }

    /// Takes an item of a response, at its beginning or whole.
    fn item(&mut self, item: &JsonObject, index: Option<i64>, done: bool, place: &ObjectPlace<'_>) {
        let piece = CallPiece {
            item: filled(item, "id"),
            ..CallPiece::new(Provider::OpenAiResponses, index).named(item, "call_id", "name")
        };
        let Some(slot) = self.go_on(&piece, place) else { return };
        match text(item, "arguments") {
            Some(whole) if done => slot.replace(whole),
            Some(begun) if slot.is_bare() => {
                slot.end = EndMark::Open;
                slot.push(begun);
            }
            _ => {}
        }
    }

    /// Notes that a block has ended.
    fn stop(&mut self, piece: &CallPiece<'_>) {
        if let Some(slot) = self.at(piece) {
            slot.end = EndMark::Told;
        }
    }
}
