//! The next byte at which a call, a fence or hidden text may start.

use memchr::{memchr, memchr2, memchr3};

/// Bytes that are searched for at once.
const GROUP: usize = 3;
/// Groups there may be.
const MOST_GROUPS: usize = 4;

/// Searches for the few bytes that every start marker holds, in groups.
///
/// The next byte of each group is remembered, so that each byte of the text is looked at once for
/// each group, however often another group is hit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Triggers {
    bytes: Vec<u8>,
}

/// How far each group's search has got: no byte of the group that was not passed stands before.
pub(crate) type Ahead = [usize; MOST_GROUPS];

impl Triggers {
    /// Adds a byte; false when there are too many.
    pub(crate) fn add(&mut self, byte: u8) -> bool {
        let known = self.contains(byte);
        let room = self.bytes.len() < GROUP * MOST_GROUPS;
        if !known && room {
            self.bytes.push(byte);
        }
        known || room
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.bytes.contains(&byte)
    }

    /// The first of the bytes at or behind `pos`; the input's end when there is none.
    pub(crate) fn find(&self, input: &[u8], pos: usize, ahead: &mut Ahead) -> usize {
        let mut nearest = input.len();
        for (group, known) in self.bytes.chunks(GROUP).zip(ahead) {
            if *known < nearest || *known < pos {
                *known = next(input, pos, *known, group);
            }
            nearest = nearest.min(*known);
        }
        nearest
    }
}

/// The next byte of the group at or behind `pos`, given that none stands between `pos` and `known`.
fn next(input: &[u8], pos: usize, known: usize, group: &[u8]) -> usize {
    if known >= pos && input.get(known).is_some_and(|byte| group.contains(byte)) {
        return known;
    }
    let from = known.max(pos);
    let rest = input.get(from..).unwrap_or_default();
    let found = match *group {
        [only] => memchr(only, rest),
        [first, second] => memchr2(first, second, rest),
        [first, second, third] => memchr3(first, second, third, rest),
        _ => None,
    };
    found.map_or(input.len(), |at| from + at)
}
