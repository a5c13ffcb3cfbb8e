//! Events of Cohere about calls.

use crate::provider::kind::Provider;
use crate::provider::read::{JsonObject, ObjectPlace};
use crate::provider::stream::{Accumulator, CallPiece, EndMark, filled, object, push, whole};

impl Accumulator {
    /// Takes an event of Cohere about a call.
    pub(in crate::provider) fn cohere(
        &mut self,
        kind: &str,
        event: &JsonObject,
        place: &ObjectPlace<'_>,
    ) {
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
}
