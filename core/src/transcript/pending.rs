//! Calls that wait for their result.
//!
//! A call is found by its id, or as the oldest, in constant time. Calls of the same id answer in
//! the order in which they were made.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ahash::RandomState;

use crate::transcript::entry::{CallStatus, Entry, LoggedCall, ToolUse};
use crate::transcript::form::Form;

/// How many bytes of calls wait at most; the oldest beyond them are given up, but for the latest.
pub const MAX_PENDING_BYTES: usize = 16 << 20;

/// What a call takes beside its texts, about.
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
        let call = Arc::clone(&self.call);
        Entry::ToolUse(ToolUse { call, status: CallStatus::Created, result: None, form })
    }
}

/// A place in the list of those that wait.
#[derive(Debug)]
struct Slot {
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

/// A call as the key of its id, which is not copied for that.
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

/// All that wait, from the oldest to the newest.
#[derive(Debug, Default)]
pub(super) struct Pending {
    slots: Vec<Slot>,
    free: Vec<usize>,
    oldest: Option<usize>,
    newest: Option<usize>,
    /// The key of an id is the first call that waits, so that none is kept that does not wait.
    by_id: HashMap<ById, Twins, RandomState>,
    bytes: usize,
    given_up: usize,
}

impl Pending {
    /// Lets a call wait.
    pub(super) fn add(&mut self, waiting: PendingCall) {
        let call = Arc::clone(&waiting.call);
        self.bytes += size(&waiting.call);
        let slot = Slot { waiting: Some(waiting), older: self.newest, newer: None, twin: None };
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

    /// How many were given up.
    pub(super) fn given_up(&self) -> usize {
        self.given_up
    }

    /// Takes out the call at a place, which is the first of its id: the oldest always is.
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

/// The bytes that a call takes while it waits, about: its arguments stand in its action once more.
fn size(call: &LoggedCall) -> usize {
    OVERHEAD + call.name.len() + 2 * (call.id.len() + call.arguments.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::action::Action;
    use super::*;

    fn waiting(index: usize, id: &str, arguments: &str) -> PendingCall {
        let call = LoggedCall {
            id: id.into(),
            name: "t".into(),
            arguments: arguments.into(),
            action: Action::Tool,
            started: None,
        };
        PendingCall { index, call: Arc::new(call) }
    }

    proptest! {
        /// A plain list, searched from its start, says what must come out.
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
