//! A piece of a call in a stream.

use super::kind::Provider;
use super::shape::{JsonObject, text};
use super::slot::Slot;

/// What an event tells of a call, apart from the arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallPiece<'v> {
    pub(super) provider: Provider,
    /// The index of the choice that holds the call.
    pub(super) choice_index: usize,
    pub(super) index: Option<i64>,
    pub(super) id: Option<&'v str>,
    /// The id of the item in OpenAI's Responses, which also give the id of the call.
    pub(super) item: Option<&'v str>,
    pub(super) name: Option<&'v str>,
}

impl<'v> CallPiece<'v> {
    pub(super) fn new(provider: Provider, index: Option<i64>) -> Self {
        Self { provider, choice_index: 0, index, id: None, item: None, name: None }
    }

    pub(super) fn named(self, object: &'v JsonObject, id: &str, name: &str) -> Self {
        Self { id: filled(object, id), name: filled(object, name), ..self }
    }

    /// Whether the piece continues this call, which is under its index or the last one.
    pub(super) fn continues(&self, slot: &Slot) -> bool {
        if self.id.is_some() {
            // A call without an id takes an id that comes late. Any other id begins another call.
            let waits = slot.name.is_empty() || self.name.is_none();
            return slot.id.is_none() && waits && (self.name.is_none() || !slot.is_closed());
        }
        let Some(name) = self.name.filter(|_| !slot.name.is_empty()) else { return true };
        // A name comes again: it repeats or continues the call's name, or it is the next call's.
        let same = name == slot.name;
        !slot.is_closed() && (same || (slot.is_bare() && self.index.is_some()))
    }
}

/// The text under a key, unless it is empty.
pub(super) fn filled<'v>(object: &'v JsonObject, key: &str) -> Option<&'v str> {
    text(object, key).filter(|text| !text.is_empty())
}
