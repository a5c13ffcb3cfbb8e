//! Events of Bedrock's Converse.

use serde_json::Value;

use super::CALL;
use crate::provider::kind::Provider;
use crate::provider::read::{JsonObject, ObjectPlace, at, text};
use crate::provider::stream::{Accumulator, CallPiece, EndMark, object, push, whole};

impl Accumulator {
    /// Takes an event of Bedrock's Converse; false if it is not one.
    pub(in crate::provider) fn converse(
        &mut self,
        event: &JsonObject,
        place: &ObjectPlace<'_>,
    ) -> bool {
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
                        self.keep_beside(begun, &CALL, &piece, &place);
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
}
