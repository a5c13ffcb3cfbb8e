//! Calls that wait for their result.
//!
//! A call is found in constant time: by its id, by its name, or as the oldest. Calls with the same
//! id or name get their results in the order in which they were made.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
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
    /// The earlier call with the same id.
    elder: Option<usize>,
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

/// The slots of each name's calls, the oldest first, with the places of their entries.
type CallsByName = HashMap<Box<str>, VecDeque<(usize, usize)>, RandomState>;

/// All waiting calls, from the oldest to the newest.
#[derive(Debug, Default)]
pub(super) struct Pending {
    slots: Vec<PendingSlot>,
    free: Vec<usize>,
    oldest: Option<usize>,
    newest: Option<usize>,
    /// Each key is the oldest waiting call of its id, so the map keeps only waiting calls.
    by_id: HashMap<ById, Twins, RandomState>,
    /// The calls by name, once a name was looked up.
    by_name: Option<CallsByName>,
    /// How many calls were put into that list.
    named: usize,
    bytes: usize,
    /// The calls of conversations that have ended, which no result can join any longer.
    ended: VecDeque<PendingCall>,
    ended_bytes: usize,
    given_up: usize,
}

impl Pending {
    /// Adds a call that waits.
    pub(super) fn add(&mut self, waiting: PendingCall) {
        let call = Arc::clone(&waiting.call);
        self.bytes += size(&waiting.call);
        let entry = waiting.index;
        let slot = PendingSlot {
            waiting: Some(waiting),
            older: self.newest,
            newer: None,
            twin: None,
            elder: None,
        };
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
        if let Some(names) = &mut self.by_name {
            names.entry(call.name.clone()).or_default().push_back((place, entry));
            self.named += 1;
            // Calls that were taken by their id are still listed; a new list is made when needed.
            let waiting = self.slots.len() - self.free.len();
            if self.named > 2 * waiting + 1024 {
                self.by_name = None;
            }
        }
        self.add_twin(place, call);
        while self.bytes > MAX_PENDING_BYTES && self.oldest != self.newest {
            self.given_up += usize::from(self.take_oldest().is_some());
        }
    }

    /// Makes a call the last of its id.
    fn add_twin(&mut self, place: usize, call: Arc<LoggedCall>) {
        let Some(twins) = self.by_id.get_mut(&*call.id) else {
            self.by_id.insert(ById(call), Twins { first: place, last: place });
            return;
        };
        let last = std::mem::replace(&mut twins.last, place);
        if let Some(last) = self.slots.get_mut(last) {
            last.twin = Some(place);
        }
        if let Some(slot) = self.slots.get_mut(place) {
            slot.elder = Some(last);
        }
    }

    /// Takes out the oldest call with a name.
    pub(super) fn take_named(&mut self, name: &str) -> Option<PendingCall> {
        if self.by_name.is_none() {
            let mut names = CallsByName::default();
            let mut place = self.oldest;
            while let Some(slot) = place.and_then(|place| self.slots.get(place)) {
                if let (Some(at), Some(call)) = (place, &slot.waiting) {
                    names.entry(call.call.name.clone()).or_default().push_back((at, call.index));
                }
                place = slot.newer;
            }
            self.named = names.values().map(VecDeque::len).sum();
            self.by_name = Some(names);
        }
        let calls = self.by_name.as_mut()?.get_mut(name)?;
        while let Some((place, entry)) = calls.pop_front() {
            // A call that was taken in another way may have left its slot to a later call.
            let waiting = self.slots.get(place).and_then(|slot| slot.waiting.as_ref());
            if waiting.is_some_and(|call| call.index == entry) {
                return self.remove(place);
            }
        }
        None
    }

    /// Lets no result join the calls that wait; they are still listed.
    pub(super) fn end(&mut self) {
        while let Some(call) = self.take_oldest() {
            self.ended_bytes += size(&call.call);
            self.ended.push_back(call);
        }
        while self.ended_bytes > MAX_PENDING_BYTES
            && let Some(call) = self.ended.pop_front()
        {
            self.ended_bytes = self.ended_bytes.saturating_sub(size(&call.call));
            self.given_up += 1;
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
        let waiting = std::iter::from_fn(move || {
            let slot = self.slots.get(place?)?;
            place = slot.newer;
            slot.waiting.as_ref()
        });
        self.ended.iter().chain(waiting)
    }

    /// How many calls were given up.
    pub(super) fn given_up(&self) -> usize {
        self.given_up
    }

    /// Takes out the call at a place.
    fn remove(&mut self, place: usize) -> Option<PendingCall> {
        let slot = self.slots.get_mut(place)?;
        let (older, newer) = (slot.older, slot.newer);
        let (elder, twin) = (slot.elder, slot.twin);
        let waiting = slot.waiting.take()?;
        match older.and_then(|older| self.slots.get_mut(older)) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
        match newer.and_then(|newer| self.slots.get_mut(newer)) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        self.remove_twin(&waiting.call.id, elder, twin);
        self.bytes = self.bytes.saturating_sub(size(&waiting.call));
        self.free.push(place);
        if self.oldest.is_none()
            && let Some(names) = &mut self.by_name
        {
            names.clear();
            self.named = 0;
        }
        Some(waiting)
    }

    /// Closes the gap that a call leaves among those of its id.
    fn remove_twin(&mut self, id: &str, elder: Option<usize>, twin: Option<usize>) {
        if let Some(slot) = twin.and_then(|twin| self.slots.get_mut(twin)) {
            slot.elder = elder;
        }
        if let Some(elder) = elder {
            if let Some(slot) = self.slots.get_mut(elder) {
                slot.twin = twin;
            }
            if twin.is_none()
                && let Some(twins) = self.by_id.get_mut(id)
            {
                twins.last = elder;
            }
            return;
        }
        let twins = self.by_id.remove(id);
        let first = twin.and_then(|twin| Some((twin, self.slots.get(twin)?.waiting.as_ref()?)));
        if let (Some((first, call)), Some(twins)) = (first, twins) {
            self.by_id.insert(ById(Arc::clone(&call.call)), Twins { first, ..twins });
        }
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
            name: format!("t{id}").into(),
            arguments: arguments.into(),
            action: CallAction::Tool,
            started: None,
            about: None,
        };
        PendingCall { index, call: Arc::new(call) }
    }

    proptest! {
        /// A plain list, searched from its start, gives the expected result.
        #[test]
        fn it_behaves_as_a_list(steps in prop::collection::vec((0_u8..4, 0_u8..4), 0..200)) {
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
                    2 => {
                        let place = list.iter().position(|(_, known)| *known == id);
                        let name = format!("t{id}");
                        (pending.take_named(&name), place.map(|place| list.remove(place)))
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
    fn names_of_calls_that_have_ended_are_forgotten() {
        let mut pending = Pending::default();
        pending.add(waiting(0, "waits", "{}"));
        assert!(pending.take_named("nobody").is_none());
        for index in 1..10_000 {
            pending.add(waiting(index, "a", "{}"));
            assert_eq!(pending.take("a").unwrap().index, index);
            let listed = pending.by_name.iter().flat_map(HashMap::values).map(VecDeque::len);
            assert!(listed.sum::<usize>() <= 1100);
        }
        assert_eq!(pending.take_named("twaits").unwrap().index, 0);
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
