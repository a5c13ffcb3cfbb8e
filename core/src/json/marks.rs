//! Finds where strings may end: the quotes, backslashes and control characters of a text.
//!
//! The strings of a line are short and hold escapes, so a search for the end of each string would
//! start many times. Here a block of 64 bytes becomes the bits of one word. The word serves all
//! strings that begin and end in the block.

use crate::json::run::{self, specials};

const BLOCK: usize = 64;

/// The marks of a text, found a block at a time from its start to its end.
pub(crate) struct Marks<'t> {
    bytes: &'t [u8],
    /// The start of the known block.
    start: usize,
    /// A bit for each mark in the known block.
    bits: u64,
}

impl<'t> Marks<'t> {
    pub(crate) fn of(bytes: &'t [u8]) -> Self {
        Self { bytes, start: 0, bits: bits(bytes) }
    }

    /// The first mark at or after a place.
    #[inline]
    pub(crate) fn next(&mut self, place: usize) -> Option<usize> {
        match place.checked_sub(self.start) {
            Some(inside) if inside < BLOCK && self.bits >> inside != 0 => {
                Some(place + (self.bits >> inside).trailing_zeros() as usize)
            }
            _ => self.search(place),
        }
    }

    /// The place up to which the text was looked at.
    pub(crate) fn reached(&self) -> usize {
        self.start + BLOCK
    }

    /// The first mark at or after a place beyond the known block.
    #[inline(never)]
    fn search(&mut self, place: usize) -> Option<usize> {
        self.start = place;
        loop {
            let rest = self.bytes.get(self.start..).unwrap_or_default();
            self.bits = bits(rest);
            if self.bits != 0 {
                return Some(self.start + self.bits.trailing_zeros() as usize);
            }
            if rest.len() <= BLOCK {
                return None;
            }
            self.start += BLOCK;
        }
    }
}

/// The marks of the first block of a text.
#[inline]
fn bits(rest: &[u8]) -> u64 {
    let Some(block) = rest.first_chunk::<BLOCK>() else { return last_bits(rest) };
    let (lanes, _) = block.as_chunks::<{ run::BLOCK }>();
    lanes.iter().rev().fold(0, |bits, lane| bits << run::BLOCK | u64::from(specials(*lane)))
}

/// The marks of a text that is shorter than a block.
fn last_bits(rest: &[u8]) -> u64 {
    let mut block = [b' '; BLOCK];
    block.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
    bits(&block)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_mark(byte: u8) -> bool {
        matches!(byte, b'"' | b'\\' | 0..0x20)
    }

    #[test]
    fn each_byte_is_judged_alone() {
        for byte in 0..=u8::MAX {
            for at in 0..130 {
                let mut text = [b'x'; 130];
                *text.get_mut(at).unwrap() = byte;
                assert_eq!(Marks::of(&text).next(0), is_mark(byte).then_some(at), "{byte} at {at}");
            }
        }
    }

    proptest! {
        /// A plain search gives the expected marks, from any place on.
        #[test]
        fn it_finds_the_next(text in prop::collection::vec(any::<u8>(), 0..300), skips in prop::collection::vec(0_usize..150, 1..20)) {
            let (mut marks, mut from) = (Marks::of(&text), 0);
            for skip in skips {
                let expected = text.iter().skip(from).position(|byte| is_mark(*byte)).map(|at| from + at);
                prop_assert_eq!(marks.next(from), expected);
                from += skip;
            }
        }
    }
}
