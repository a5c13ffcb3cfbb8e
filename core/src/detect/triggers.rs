//! The next byte at which a call, a fence or hidden text may start.

use memchr::{memchr2, memchr3};

/// Searches for the few bytes that every start marker begins with, in two groups.
///
/// The next byte of each group is remembered, so that each byte of the text is looked at once for
/// each group, however often the other group is hit.
#[derive(Clone, Debug)]
pub(crate) struct Triggers {
    first: [u8; 3],
    second: Option<[u8; 2]>,
}

/// How far each group's search has got: no byte of the group that was not passed stands before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ahead {
    first: usize,
    second: usize,
}

impl Triggers {
    pub(crate) fn new(first: [u8; 3], second: Option<[u8; 2]>) -> Self {
        Self { first, second }
    }

    /// The first of the bytes at or behind `pos`; the input's end when there is none.
    pub(crate) fn find(&self, input: &[u8], pos: usize, ahead: &mut Ahead) -> usize {
        ahead.first = next(input, pos, ahead.first, &self.first, |rest, [first, second, third]| {
            memchr3(*first, *second, *third, rest)
        });
        let Some(group) = &self.second else { return ahead.first };
        if ahead.second < ahead.first {
            let search = |rest: &[u8], [first, second]: &[u8; 2]| memchr2(*first, *second, rest);
            ahead.second = next(input, pos, ahead.second, group, search);
        }
        ahead.first.min(ahead.second)
    }
}

/// The next byte of the group at or behind `pos`, given that none stands between `pos` and `known`.
fn next<const N: usize>(
    input: &[u8],
    pos: usize,
    known: usize,
    group: &[u8; N],
    search: impl Fn(&[u8], &[u8; N]) -> Option<usize>,
) -> usize {
    if known >= pos && input.get(known).is_some_and(|byte| group.contains(byte)) {
        return known;
    }
    let from = known.max(pos);
    search(input.get(from..).unwrap_or_default(), group).map_or(input.len(), |at| from + at)
}
