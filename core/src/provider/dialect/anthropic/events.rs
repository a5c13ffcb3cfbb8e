//! Events of Anthropic's Messages.

use super::CALL;
use crate::provider::kind::Provider;
use crate::provider::read::{JsonObject, ObjectPlace, text};
use crate::provider::stream::{Accumulator, CallPiece, EndMark, filled, object, push, whole};

impl Accumulator {
    /// Takes an event of Anthropic.
    pub(in crate::provider) fn block(
        &mut self,
        kind: &str,
        event: &JsonObject,
        place: &ObjectPlace<'_>,
    ) {
        let piece = CallPiece::new(Provider::Anthropic, whole(event, "index"));
        match kind {
            "content_block_start" => match object(event, &["content_block"]) {
                Some(block) if text(block, "type") == Some("tool_use") => {
                    let piece = piece.named(block, "id", "name");
                    if let Some(slot) = self.begin(&piece, &place.key("content_block")) {
                        slot.end = EndMark::Open;
                        slot.value = block.get("input").cloned();
                    }
                    self.keep_beside(block, &CALL, &piece, place);
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
}
