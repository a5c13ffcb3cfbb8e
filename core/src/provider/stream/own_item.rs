//! Keeps what a provider runs itself out of the calls of a stream.

use super::accumulator::{Accumulator, StreamItem};
use super::own_slot::OwnSlot;
use super::piece::{CallPiece, filled};
use crate::call::RejectionCode;
use crate::provider::read::exchange::{Exchange, ProviderRejection};
use crate::provider::read::item::{ProviderItem, Purpose};
use crate::provider::read::own;
use crate::provider::read::place::ObjectPlace;
use crate::provider::read::shape::JsonObject;

impl Accumulator {
    /// Takes an object that is no call of a tool with arguments; false for any other object.
    pub(in crate::provider) fn set_apart(
        &mut self,
        object: &JsonObject,
        piece: &CallPiece<'_>,
        place: &ObjectPlace<'_>,
    ) -> bool {
        match own::purpose(object, self.options.provider, place) {
            Some(Purpose::Own(kind, word, provider)) => {
                let item = ProviderItem::of(object, (kind, word, provider), place.pointer());
                let item = StreamItem::Own(OwnSlot::new(item));
                self.add(item, piece);
                true
            }
            Some(Purpose::Unknown(word)) => {
                if !self.knows(piece) {
                    let rejection = ProviderRejection {
                        code: RejectionCode::UnknownKind,
                        message: own::unknown(word),
                        path: place.pointer(),
                        format: Some(piece.provider.slug()),
                    };
                    let refused = Exchange { rejections: vec![rejection], ..Exchange::default() };
                    self.add(StreamItem::Found(refused), piece);
                    self.skip(piece.choice_index, piece.index);
                }
                true
            }
            Some(Purpose::FreeText) | None => false,
        }
    }

    /// Takes an item of a response that is no call of a tool, at its beginning or whole; false for
    /// any other item.
    pub(in crate::provider) fn own_item(
        &mut self,
        item: &JsonObject,
        piece: &CallPiece<'_>,
        place: &ObjectPlace<'_>,
    ) -> bool {
        let piece = CallPiece { item: filled(item, "id"), ..*piece };
        match self.own_at(&piece) {
            Some(own) => {
                own.replace(item);
                true
            }
            None => self.set_apart(item, &piece, place),
        }
    }
}
