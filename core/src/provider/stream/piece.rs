//! A piece of a call in a stream.

use super::slot::Slot;
use crate::provider::kind::Provider;
use crate::provider::read::shape::{JsonObject, text};

/// What an event tells of a call, apart from the arguments.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct CallPiece<'v> {
    pub(in crate::provider) provider: Provider,
    /// The index of the choice that holds the call.
    pub(in crate::provider) choice_index: usize,
    pub(in crate::provider) index: Option<i64>,
    pub(in crate::provider) id: Option<&'v str>,
    /// The id of the item in OpenAI's Responses, which also give the id of the call.
    pub(in crate::provider) item: Option<&'v str>,
    pub(in crate::provider) name: Option<&'v str>,
}

impl<'v> CallPiece<'v> {
    pub(in crate::provider) fn new(provider: Provider, index: Option<i64>) -> Self {
        Self { provider, choice_index: 0, index, id: None, item: None, name: None }
    }

    pub(in crate::provider) fn named(self, object: &'v JsonObject, id: &str, name: &str) -> Self {
        Self { id: filled(object, id), name: filled(object, name), ..self }
    }

    /// Whether the piece continues this call, which is under its index or the last one.
    pub(in crate::provider) fn continues(&self, slot: &Slot) -> bool {
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
pub(in crate::provider) fn filled<'v>(object: &'v JsonObject, key: &str) -> Option<&'v str> {
    text(object, key).filter(|text| !text.is_empty())
}
