//! Chunks of chats, as OpenAI and those who write as it does have them.

use serde_json::Value;

use crate::provider::dialect::chat;
use crate::provider::kind::Provider;
use crate::provider::read::{JsonObject, ObjectPlace};
use crate::provider::stream::{
    Accumulator, CallPiece, EndMark, filled, kind_of, object, push, whole,
};

/// The index that stands for OpenAI's old `function_call`, which has none.
const OLD: i64 = -1;

impl Accumulator {
    /// Takes a chunk of a chat, or the content of one; false if it is not one.
    pub(in crate::provider) fn chat(
        &mut self,
        event: &JsonObject,
        place: &ObjectPlace<'_>,
    ) -> bool {
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
        let provider = chat::member(named);
        let custom = object(item, &["custom"]);
        let (form, input) = match custom {
            Some(_) => (Some(chat::free_text_of(named)), "input"),
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
            let shape = form.map_or(chat::CALL, |form| form.shape);
            self.keep_beside(item, &shape, &piece, place);
        }
    }
}
