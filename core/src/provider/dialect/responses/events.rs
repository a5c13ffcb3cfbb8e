//! Events of OpenAI's Responses.

use serde_json::Value;

use super::{CALL, FREE_TEXT};
use crate::provider::kind::Provider;
use crate::provider::read::{JsonObject, ObjectPlace, text};
use crate::provider::stream::{
    Accumulator, CallPiece, EndMark, filled, kind_of, object, push, whole,
};

/// Whether an item of a response is a call of a tool.
fn is_call(item: &JsonObject) -> bool {
    matches!(kind_of(item), "function_call" | "custom_tool_call")
}

fn responses_piece<'v>(index: Option<i64>) -> CallPiece<'v> {
    CallPiece::new(Provider::OpenAiResponses, index)
}

impl Accumulator {
    /// Takes an event of OpenAI's Responses.
    pub(in crate::provider) fn responses(
        &mut self,
        kind: &str,
        event: &JsonObject,
        place: &ObjectPlace<'_>,
    ) {
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
                    slot.free_text = Some(FREE_TEXT);
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
            slot.free_text = Some(FREE_TEXT);
        }
        match text(item, if free { "input" } else { "arguments" }) {
            Some(whole) if done => slot.replace(whole),
            Some(begun) if slot.is_bare() => {
                slot.end = EndMark::Open;
                slot.push(begun);
            }
            _ => {}
        }
        self.keep_beside(item, &CALL, &piece, place);
    }
}
