//! Reads the pieces of calls out of a stream's events.

use serde_json::Value;

use super::accumulator::Accumulator;
use super::piece::{CallPiece, filled};
use super::slot::{EndMark, Slot};
use crate::call::RejectionCode;
use crate::provider::kind::Provider;
use crate::provider::read::beside;
use crate::provider::read::free_text::FreeText;
use crate::provider::read::place::ObjectPlace;
use crate::provider::read::shape::{self, JsonObject, Shape, at, text};

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

/// The type of an object; empty if it has none.
fn kind_of(object: &JsonObject) -> &str {
    text(object, "type").unwrap_or_default()
}

/// Whether an item of a response is a call of a tool.
fn is_call(item: &JsonObject) -> bool {
    matches!(kind_of(item), "function_call" | "custom_tool_call")
}

fn responses_piece<'v>(index: Option<i64>) -> CallPiece<'v> {
    CallPiece::new(Provider::OpenAiResponses, index)
}

impl Accumulator {
    /// Takes an event according to its kind.
    pub(in crate::provider) fn take(&mut self, event: &Value, place: &ObjectPlace<'_>) {
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
            _ if self.in_parts(event_object, place) => {}
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
        let has = |key: &str| event.get(key).is_some_and(Value::is_object);
        let function = has("function") || (kind_of(event) == "custom" && has("custom"));
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
        let named = self.options.provider;
        let provider = named.filter(|named| named.is_chat()).unwrap_or(Provider::OpenAi);
        let custom = object(item, &["custom"]);
        let (form, input) = match custom {
            Some(_) => (Some(FreeText::of_chat(provider)), "input"),
            None => (None, "arguments"),
        };
        let function = custom.or_else(|| object(item, &["function"]));
        let piece = CallPiece {
            choice_index,
            // Mistral's library writes the text `null` for an id that is not there.
            id: filled(item, "id").filter(|id| *id != "null"),
            name: function.and_then(|function| filled(function, "name")),
            ..CallPiece::new(provider, whole(item, "index"))
        };
        if self.set_apart(item, &piece, place) {
            return;
        }
        let arguments = function.and_then(|function| function.get(input));
        if piece.name.is_none()
            && let Some(own) = self.own_at(&piece)
        {
            return own.push(arguments.unwrap_or(&Value::Null));
        }
        if let Some(slot) = self.go_on(&piece, place) {
            slot.end = end;
            slot.free_text = slot.free_text.or(form);
            push(slot, arguments);
            let shape = form.map_or(shape::CHAT, |form| form.shape);
            self.keep_beside(item, &shape, &piece, place);
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
                    self.keep_beside(block, &shape::ANTHROPIC, &piece, place);
                }
                Some(block) if self.set_apart(block, &piece, &place.key("content_block")) => {}
                _ => self.skip(0, piece.index),
            },
            "content_block_delta" => {
                let delta = object(event, &["delta"]);
                let Some(json) = delta.and_then(|delta| delta.get("partial_json")) else { return };
                if let Some(own) = self.own_at(&piece) {
                    own.push(json);
                } else if let Some(slot) = self.go_on(&piece, &place.key("delta")) {
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
            let begun = object(start, &["start"]);
            let place = place.key("contentBlockStart");
            match object(start, &["start", "toolUse"]) {
                _ if begun.is_some_and(|begun| self.set_apart(begun, &piece, &place)) => {}
                Some(tool) => {
                    let piece = piece.named(tool, "toolUseId", "name");
                    if let Some(slot) = self.begin(&piece, &place) {
                        slot.end = EndMark::Open;
                    }
                    if let Some(begun) = begun {
                        self.keep_beside(begun, &shape::BEDROCK, &piece, &place);
                    }
                }
                None => self.skip(0, piece.index),
            }
            return true;
        }
        if let Some(delta) = object(event, &["contentBlockDelta"]) {
            let piece = CallPiece::new(Provider::Bedrock, whole(delta, "contentBlockIndex"));
            let (input, result) =
                (at(delta, &["delta", "toolUse", "input"]), at(delta, &["delta", "toolResult"]));
            match (self.own_at(&piece), input) {
                (Some(own), Some(input)) => own.push(input),
                (Some(own), None) => own.push_content(result.unwrap_or(&Value::Null)),
                (None, Some(input)) => {
                    if let Some(slot) = self.go_on(&piece, &place.key("contentBlockDelta")) {
                        push(slot, Some(input));
                    }
                }
                (None, None) => {}
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
                let place = place.key("item");
                match object(event, &["item"]) {
                    Some(item) if is_call(item) => {
                        self.item(item, index, kind.ends_with("done"), &place);
                    }
                    Some(item) if self.own_item(item, &responses_piece(index), &place) => {}
                    _ => self.skip(0, index),
                }
            }
            "response.function_call_arguments.delta"
            | "response.function_call_arguments.done"
            | "response.custom_tool_call_input.delta"
            | "response.custom_tool_call_input.done" => {
                let piece = CallPiece {
                    id: filled(event, "call_id"),
                    item: filled(event, "item_id"),
                    name: filled(event, "name"),
                    ..CallPiece::new(Provider::OpenAiResponses, index)
                };
                let Some(slot) = self.go_on(&piece, place) else { return };
                let free = kind.contains("custom");
                if free {
                    slot.free_text = Some(FreeText::of_responses());
                }
                let whole = if free { "input" } else { "arguments" };
                match text(event, whole).filter(|_| kind.ends_with("done")) {
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
                    let (index, place) =
                        (i64::try_from(position).ok(), output_place.item(position));
                    match item.as_object() {
                        Some(item) if is_call(item) => {
                            self.item(item, index, kind == "response.completed", &place);
                        }
                        Some(item) => {
                            self.own_item(item, &responses_piece(index), &place);
                        }
                        None => {}
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
        let free = kind_of(item) == "custom_tool_call";
        if free {
            slot.free_text = Some(FreeText::of_responses());
        }
        match text(item, if free { "input" } else { "arguments" }) {
            Some(whole) if done => slot.replace(whole),
            Some(begun) if slot.is_bare() => {
                slot.end = EndMark::Open;
                slot.push(begun);
            }
            _ => {}
        }
        self.keep_beside(item, &shape::RESPONSES, &piece, place);
    }

    /// Keeps what stands beside a call in one of its pieces.
    fn keep_beside(
        &mut self,
        object: &JsonObject,
        shape: &Shape,
        piece: &CallPiece<'_>,
        place: &ObjectPlace<'_>,
    ) {
        match beside::beside(object, shape) {
            Some(found) if found.is_empty() => {}
            Some(found) => {
                if let Some(slot) = self.at(piece) {
                    beside::add(&mut slot.beside, found);
                }
            }
            None => {
                let message = "what stands beside the call nests too deep";
                self.reject(RejectionCode::TooDeep, message, place);
            }
        }
    }

    /// Notes that a block has ended.
    fn stop(&mut self, piece: &CallPiece<'_>) {
        if let Some(slot) = self.at(piece) {
            slot.end = EndMark::Told;
        }
    }
}
