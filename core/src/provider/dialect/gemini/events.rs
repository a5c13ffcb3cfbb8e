//! Joins the calls whose arguments Gemini streams in parts.
//!
//! The first part has the call's name and says that it will continue. The next ones have neither
//! name nor id, and the last one is empty. Until it has come there is no call.

use std::sync::LazyLock;

use serde_json::Value;

use super::partial::{ArgumentParts, PartialArguments};
use super::{CALL, SNAKE_CALL};
use crate::call::RejectionCode;
use crate::provider::kind::Provider;
use crate::provider::read::beside;
use crate::provider::read::{JsonObject, ObjectPlace, at};
use crate::provider::stream::{Accumulator, CallPiece, EndMark};

/// The call that ends the parts.
static EMPTY: LazyLock<JsonObject> = LazyLock::new(JsonObject::new);

/// The call in a part, and the key under which it is.
fn call_of(part: &JsonObject) -> Option<(&'static str, &JsonObject)> {
    // PHP has one empty array, for lists and objects.
    let call = |key: &'static str| match part.get(key)? {
        Value::Object(call) => Some((key, call)),
        Value::Array(items) if items.is_empty() => Some((key, &*EMPTY)),
        _ => None,
    };
    call("functionCall").or_else(|| call("function_call"))
}

/// The parts of a candidate.
fn parts_of(candidate: &Value) -> &[Value] {
    candidate.pointer("/content/parts").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl Accumulator {
    /// Takes an event of Gemini in which the arguments of a call come in parts; false if they do
    /// not.
    pub(in crate::provider) fn in_parts(
        &mut self,
        event: &JsonObject,
        place: &ObjectPlace<'_>,
    ) -> bool {
        // Google's code assistant wraps each event.
        let wrapped = place.key("response");
        let (event, place) = match event.get("response") {
            Some(Value::Object(inner)) => (inner, &wrapped),
            _ => (event, place),
        };
        let Some(Value::Array(candidates)) = event.get("candidates") else { return false };
        let says = |part: &Value| {
            let call = part.as_object().and_then(call_of);
            call.is_some_and(|(_, call)| ArgumentParts::of(call).is_some())
        };
        let any = candidates.iter().flat_map(parts_of).any(says);
        if !any && self.in_parts.is_empty() {
            return false;
        }
        let list = place.key("candidates");
        for (position, candidate) in candidates.iter().enumerate() {
            let choice = candidate.get("index").and_then(Value::as_u64);
            let choice = choice.and_then(|index| usize::try_from(index).ok()).unwrap_or(position);
            let place = list.item(position);
            let content = place.key("content");
            let parts = content.key("parts");
            for (index, part) in parts_of(candidate).iter().enumerate() {
                let place = parts.item(index);
                let taken = part.as_object().is_some_and(|part| self.part(part, choice, &place));
                if !taken {
                    self.take_whole(part, &place);
                }
            }
        }
        true
    }

    /// Takes a part that begins or continues a call in parts; false for any other part.
    fn part(&mut self, part: &JsonObject, choice_index: usize, place: &ObjectPlace<'_>) -> bool {
        let Some((key, call)) = call_of(part) else { return false };
        let said = ArgumentParts::of(call);
        let piece = CallPiece { choice_index, ..CallPiece::new(Provider::Gemini, None) };
        let piece = piece.named(call, "id", "name");
        let open = self.in_parts.get(&choice_index).copied();
        let open = open.filter(|&position| {
            self.slot(position).is_some_and(|slot| {
                piece.name.is_none_or(|name| name == slot.name)
                    && (piece.id.is_none() || slot.id.is_none() || piece.id == slot.id.as_deref())
            })
        });
        let position = match open {
            Some(position) => position,
            None if said.is_none() || piece.name.is_none() => return false,
            None => {
                self.begin(&piece, place);
                let Some(position) = self.last_of(choice_index) else { return false };
                self.in_parts.insert(choice_index, position);
                position
            }
        };
        let Some(slot) = self.slot(position) else { return false };
        let whole = at(call, &["args"]);
        let partial = slot.partial.get_or_insert_with(|| PartialArguments::begun(whole));
        if open.is_some() {
            partial.take_whole(whole);
        }
        let continues = said.is_some_and(|said| said.continues);
        if let Some(said) = said {
            partial.take(&said);
        }
        slot.end = if continues { EndMark::Open } else { EndMark::Told };
        let shape = if key == "functionCall" { CALL } else { SNAKE_CALL };
        if let Some(found) = beside::beside(part, &shape) {
            beside::add(&mut slot.beside, found);
        } else {
            let message = "what stands beside the call nests too deep";
            self.reject(RejectionCode::TooDeep, message, place);
        }
        if !continues {
            self.in_parts.remove(&choice_index);
        }
        true
    }
}
