//! Calls that wait for their result.
//!
//! A call is found in constant time, by its id or as the oldest. Calls with the same id get their
//! results in the order in which they were made.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ahash::RandomState;

use crate::transcript::entry::{Entry, LoggedCall};
use crate::transcript::form::Form;

/// The most bytes of calls that wait; beyond them the oldest are given up, but never the newest.
pub const MAX_PENDING_BYTES: usize = 16 << 20;

/// About how many bytes a call takes beside its texts.
const OVERHEAD: usize = 256;

/// A call that waits, and the place of its entry.
#[derive(Clone, Debug)]
pub struct PendingCall {
    /// The entry's place in the list.
    pub index: usize,
    /// The call.
    pub call: Arc<LoggedCall>,
}

impl PendingCall {
    /// The entry of the call.
    #[must_use]
    pub fn entry(&self, form: Form) -> Entry {
        Entry::created(Arc::clone(&self.call), form)
    }
}

/// A place in the list of waiting calls.
#[derive(Debug)]
struct PendingSlot {
    waiting: Option<PendingCall>,
    older: Option<usize>,
    newer: Option<usize>,
    /// The next call with the same id.
    twin: Option<usize>,
}

/// The first and the last call of an id.
#[derive(Debug)]
struct Twins {
    first: usize,
    last: usize,
}

/// A call as a map key by its id, without a copy of the id.
#[derive(Debug)]
struct ById(Arc<LoggedCall>);

impl Borrow<str> for ById {
    fn borrow(&self) -> &str {
        &self.0.id
    }
}

impl Hash for ById {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl PartialEq for ById {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for ById {}

/// All waiting calls, from the oldest to the newest.
#[derive(Debug, Default)]
pub(super) struct Pending {
    slots: Vec<PendingSlot>,
    free: Vec<usize>,
    oldest: Option<usize>,
    newest: Option<usize>,
    /// Each key is the oldest waiting call of its id, so the map keeps only waiting calls.
    by_id: HashMap<ById, Twins, RandomState>,
    bytes: usize,
    given_up: usize,
}

impl Pending {
    /// Adds a call that waits.
    pub(super) fn add(&mut self, waiting: PendingCall) {
        let call = Arc::clone(&waiting.call);
        self.bytes += size(&waiting.call);
        let slot =
            PendingSlot { waiting: Some(waiting), older: self.newest, newer: None, twin: None };
        let place = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(place) {
            Some(free) => *free = slot,
            None => self.slots.push(slot),
        }
        match self.newest.and_then(|newest| self.slots.get_mut(newest)) {
            Some(newest) => newest.newer = Some(place),
            None => self.oldest = Some(place),
        }
        self.newest = Some(place);
        if let Some(twins) = self.by_id.get_mut(&*call.id) {
            if let Some(last) = self.slots.get_mut(twins.last) {
                last.twin = Some(place);
            }
            twins.last = place;
        } else {
            self.by_id.insert(ById(call), Twins { first: place, last: place });
        }
        while self.bytes > MAX_PENDING_BYTES && self.oldest != self.newest {
            self.given_up += usize::from(self.take_oldest().is_some());
        }
    }

    /// Takes out the oldest call with an id.
    pub(super) fn take(&mut self, id: &str) -> Option<PendingCall> {
        let place = self.by_id.get(id)?.first;
        self.remove(place)
    }

    /// Takes out the oldest call.
    pub(super) fn take_oldest(&mut self) -> Option<PendingCall> {
        self.remove(self.oldest?)
    }

    /// The calls that wait, the oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &PendingCall> {
        let mut place = self.oldest;
        std::iter::from_fn(move || {
            let slot = self.slots.get(place?)?;
            place = slot.newer;
            slot.waiting.as_ref()
        })
    }

    /// How many calls were given up.
    pub(super) fn given_up(&self) -> usize {
        self.given_up
    }

    /// Takes out the call at a place. It must be the first call of its id, as the oldest call
    /// always is.
    fn remove(&mut self, place: usize) -> Option<PendingCall> {
        let slot = self.slots.get_mut(place)?;
        let (older, newer, twin) = (slot.older, slot.newer, slot.twin);
        let waiting = slot.waiting.take()?;
        match older.and_then(|older| self.slots.get_mut(older)) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
        match newer.and_then(|newer| self.slots.get_mut(newer)) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        let twins = self.by_id.remove(&*waiting.call.id);
        let twin = twin.and_then(|twin| Some((twin, self.slots.get(twin)?.waiting.as_ref()?)));
        if let (Some((first, call)), Some(twins)) = (twin, twins) {
            self.by_id.insert(ById(Arc::clone(&call.call)), Twins { first, ..twins });
        }
        self.bytes = self.bytes.saturating_sub(size(&waiting.call));
        self.free.push(place);
        Some(waiting)
    }
}

/// About how many bytes a waiting call takes; its arguments count twice, for its action repeats
/// them.
fn size(call: &LoggedCall) -> usize {
    OVERHEAD + call.name.len() + 2 * (call.id.len() + call.arguments.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::action::CallAction;
    use super::*;

    fn waiting(index: usize, id: &str, arguments: &str) -> PendingCall {
        let call = LoggedCall {
            id: id.into(),
            name: "t".into(),
            arguments: arguments.into(),
            action: CallAction::Tool,
            started: None,
        };
        PendingCall { index, call: Arc::new(call) }
    }

    proptest! {
        /// A plain list, searched from its start, gives the expected result.
        #[test]
        fn it_behaves_as_a_list(steps in prop::collection::vec((0_u8..3, 0_u8..4), 0..200)) {
            let (mut pending, mut list) = (Pending::default(), Vec::new());
            for (index, (step, id)) in steps.into_iter().enumerate() {
                let id = id.to_string();
                let (found, expected) = match step {
                    0 => {
                        pending.add(waiting(index, &id, "{}"));
                        list.push((index, id));
                        continue;
                    }
                    1 => {
                        let place = list.iter().position(|(_, known)| *known == id);
                        (pending.take(&id), place.map(|place| list.remove(place)))
                    }
                    _ => (pending.take_oldest(), (!list.is_empty()).then(|| list.remove(0))),
                };
                prop_assert_eq!(found.map(|call| call.index), expected.map(|(index, _)| index));
                let left: Vec<_> = pending.iter().map(|call| call.index).collect();
                prop_assert_eq!(left, list.iter().map(|(index, _)| *index).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut pending = Pending::default();
        let large = "x".repeat(MAX_PENDING_BYTES / 8);
        for index in 0..10 {
            pending.add(waiting(index, "a", &large));
        }
        assert!(pending.bytes <= MAX_PENDING_BYTES);
        assert_eq!(pending.given_up() + pending.iter().count(), 10);
        assert_eq!(pending.take("a").unwrap().index, pending.given_up());
        pending.add(waiting(10, "b", &"x".repeat(MAX_PENDING_BYTES)));
        assert_eq!(pending.iter().map(|call| call.index).collect::<Vec<_>>(), [10]);
    }
}
