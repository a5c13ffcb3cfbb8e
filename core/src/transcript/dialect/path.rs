//! The way of a conversation through its messages, for logs that tell when it went back.
//!
//! What the conversation went back over stays in the log: its calls ran. A message of the program
//! tells how far it went back, so that nobody takes what was given up for what was said last.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use ahash::RandomState;

use crate::transcript::dialect::Give;
use crate::transcript::event::{LogEvent, Role};

/// How many records are remembered; the conversation cannot be followed further back.
const MOST: usize = 1 << 16;

/// The records of the conversation as it is now.
#[derive(Debug, Default)]
pub(super) struct MessagePath {
    state: RandomState,
    /// The place of each record in `ids`, counted from the first one that ever was.
    places: HashMap<u64, usize, RandomState>,
    /// The ids, and whether the record is a message.
    ids: VecDeque<(u64, bool)>,
    /// How many records were forgotten.
    forgotten: usize,
}

impl MessagePath {
    /// Adds a record.
    pub(super) fn add(&mut self, id: &str, is_message: bool) {
        let hash = self.state.hash_one(id);
        self.places.insert(hash, self.forgotten + self.ids.len());
        self.ids.push_back((hash, is_message));
        if self.ids.len() > MOST
            && let Some((oldest, _)) = self.ids.pop_front()
        {
            if self.places.get(&oldest) == Some(&self.forgotten) {
                self.places.remove(&oldest);
            }
            self.forgotten += 1;
        }
    }

    /// Whether a record is on the path.
    pub(super) fn has(&self, id: &str) -> bool {
        self.place(id).is_some()
    }

    /// Adds a record that names the one before it, and tells if the conversation went back to that
    /// one.
    pub(super) fn follow(&mut self, id: &str, parent: &str, is_message: bool, give: Give<'_, '_>) {
        if let Some(place) = self.place(parent) {
            went_back(self.cut(place + 1), give);
        }
        self.add(id, is_message);
    }

    /// Removes a message and all behind it, or all if the message is not known.
    pub(super) fn back_before(&mut self, id: &str, give: Give<'_, '_>) {
        let place = self.place(id).unwrap_or(self.forgotten);
        went_back(self.cut(place), give);
    }

    /// Puts other messages in the place of all.
    pub(super) fn replace<'i>(
        &mut self,
        ids: impl Iterator<Item = Cow<'i, str>>,
        give: Give<'_, '_>,
    ) {
        let mut old = std::mem::take(self);
        self.state = old.state.clone();
        for id in ids {
            old.places.remove(&self.state.hash_one(&*id));
            self.add(&id, true);
        }
        went_back(old.places.len(), give);
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.places.get(&self.state.hash_one(id)).copied()
    }

    /// Removes the records from a place on, and counts the messages among them.
    fn cut(&mut self, place: usize) -> usize {
        let mut count = 0;
        while self.forgotten + self.ids.len() > place
            && let Some((hash, is_message)) = self.ids.pop_back()
        {
            count += usize::from(is_message);
            self.places.remove(&hash);
        }
        count
    }
}

/// Tells that the conversation went back.
pub(super) fn went_back(count: usize, give: Give<'_, '_>) {
    if count > 0 {
        let plural = if count == 1 { "" } else { "s" };
        let text = format!("the conversation went back over {count} message{plural}").into();
        give(LogEvent::Message { role: Role::System, text });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(step: impl FnOnce(Give<'_, '_>)) -> Option<String> {
        let mut told = None;
        step(&mut |event| {
            if let LogEvent::Message { text, .. } = event {
                told = Some(text.replace("the conversation went back over ", ""));
            }
        });
        told
    }

    #[test]
    fn a_conversation_goes_back_to_a_message_that_is_known() {
        let mut path = MessagePath::default();
        path.add("a", true);
        path.add("b", false);
        assert_eq!(told(|give| path.follow("c", "b", true, give)), None);
        assert_eq!(told(|give| path.follow("d", "?", true, give)), None);
        assert_eq!(told(|give| path.follow("e", "b", true, give)), Some("2 messages".into()));
        assert_eq!(told(|give| path.back_before("e", give)), Some("1 message".into()));
        assert_eq!(told(|give| path.back_before("c", give)), Some("1 message".into()));
        assert_eq!(told(|give| path.back_before("a", give)), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut path = MessagePath::default();
        for number in 0..MOST + 10 {
            path.add(&number.to_string(), true);
            path.add("again", true);
        }
        assert!(path.ids.len() <= MOST && path.places.len() <= MOST);
        assert_eq!(told(|give| path.back_before("5", give)), Some(format!("{MOST} messages")));
        assert!(path.ids.is_empty() && path.places.is_empty());
    }
}
