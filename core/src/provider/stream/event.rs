//! Shows an event of a stream to the provider whose it is.

use serde_json::Value;

use super::accumulator::Accumulator;
use super::piece::CallPiece;
use super::slot::{EndMark, Slot};
use crate::call::RejectionCode;
use crate::provider::read::beside;
use crate::provider::read::place::ObjectPlace;
use crate::provider::read::shape::{JsonObject, Shape, at, text};

pub(in crate::provider) fn whole(object: &JsonObject, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_i64)
}

pub(in crate::provider) fn object<'v>(
    object: &'v JsonObject,
    path: &[&str],
) -> Option<&'v JsonObject> {
    at(object, path).and_then(Value::as_object)
}

/// Adds the arguments in an event to a call.
pub(in crate::provider) fn push(slot: &mut Slot, arguments: Option<&Value>) {
    match arguments {
        Some(Value::String(piece)) => slot.push(piece),
        None | Some(Value::Null) => {}
        Some(value) => slot.value = Some(value.clone()),
    }
}

/// The type of an object; empty if it has none.
pub(in crate::provider) fn kind_of(object: &JsonObject) -> &str {
    text(object, "type").unwrap_or_default()
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

    /// Keeps what stands beside a call in one of its pieces.
    pub(in crate::provider) fn keep_beside(
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
    pub(in crate::provider) fn stop(&mut self, piece: &CallPiece<'_>) {
        if let Some(slot) = self.at(piece) {
            slot.end = EndMark::Told;
        }
    }
}
