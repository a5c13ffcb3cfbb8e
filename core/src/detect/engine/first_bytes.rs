//! A quick look at whether a sign may stand at a place.
//!
//! Where the halves of the bytes of a window meet by chance, no window stands, and where one stands
//! it is mostly the beginning of another word. Both are told from the first bytes, without a look
//! at any sign.

use crate::detect::engine::window_tables::{Allowed, ByteWindow, WIDTH};
use crate::detect::format::near_token::is_gap;

/// The number of places in which bytes are noted, of two bits each.
const PLACES: usize = 4096;
const PLACES_OF_ONE: usize = 32;
const LENGTH: usize = PLACES / PLACES_OF_ONE;
/// The kind of a window behind which anything may follow.
const ANY: u64 = 1;
/// The kind of a window behind whose first byte a word must begin.
const BEFORE_WORD: u64 = 2;
/// The bits of three letters.
const THREE: u32 = 0x00FF_FFFF;
/// The number of bytes that are looked at.
const LOOKED_AT: usize = 1 + WORD;
/// The number of letters of a word that are looked at.
pub(crate) const WORD: usize = 4;

/// The first letters of a word, in small letters.
pub(crate) type WordStart = [u8; WORD];

/// What may stand at the first bytes of windows.
#[derive(Clone, Debug)]
pub(crate) struct FirstBytes {
    windows: NumberSet,
    words: NumberSet,
}

impl FirstBytes {
    /// What may stand at no window; words begin with one of `words`.
    pub(crate) fn new(words: &[WordStart]) -> Self {
        let mut known = NumberSet([0; LENGTH]);
        for word in words {
            known.add(small_letters(*word).0, ANY);
            let [one, two, three, _] = *word;
            known.add(small_letters([one, two, three, three]).0 & THREE, ANY);
        }
        Self { windows: NumberSet([0; LENGTH]), words: known }
    }

    /// Adds a window; `is_word` says whether a word begins behind its first byte.
    pub(crate) fn add(&mut self, window: ByteWindow, is_word: bool) {
        let [one, two, three, _] = window;
        let kind = if is_word { BEFORE_WORD } else { ANY };
        for (one, two) in one.bytes().flat_map(|one| two.bytes().map(move |two| (one, two))) {
            if three == Allowed::Any {
                self.windows.add(pair(one, two), kind);
            } else {
                three.bytes().for_each(|three| self.windows.add(triple([one, two, three]), kind));
            }
        }
    }

    /// Whether a window may stand at the start of a text.
    #[inline]
    pub(crate) fn may_stand(&self, here: &[u8]) -> bool {
        let Some([one, word @ ..]) = here.first_chunk::<LOOKED_AT>() else { return true };
        let [two, three, ..] = *word;
        let known = self.windows.of(triple([*one, two, three]));
        let known_pair = self.windows.of(pair(*one, two));
        // Without four letters in a row, something may stand between the letters of a word. All
        // is looked at, since which part of it tells changes from place to place.
        let (letters, are_letters) = small_letters(*word);
        let begins_word = self.words.of(letters) | u64::from(!are_letters);
        let stands = known | known_pair;
        (stands | (known & BEFORE_WORD) >> 1 & begins_word) & ANY != 0
            && (stands & ANY != 0 || self.may_be_split(*word))
    }

    /// Whether letters with one byte between them may be the beginning of a word.
    fn may_be_split(&self, [one, two, gap, three]: WordStart) -> bool {
        let (letters, are_letters) = small_letters([one, two, three, three]);
        !is_gap(gap) || !are_letters || self.words.of(letters & THREE) & ANY != 0
    }
}

/// Four bytes as small letters, and whether all of them are letters.
#[inline]
fn small_letters(word: WordStart) -> (u32, bool) {
    let each = |byte: u8| u32::from_le_bytes([byte; WORD]);
    let small = u32::from_le_bytes(word) | each(b' ');
    // A sum's highest bit tells whether a byte is at least as large as another one.
    let from_a = small.wrapping_add(each(0x80 - b'a'));
    let beyond_z = small.wrapping_add(each(0x80 - b'z' - 1));
    (small, from_a & !beyond_z & !small & each(0x80) == each(0x80))
}

/// A number for two bytes, other than that of three.
fn pair(one: u8, two: u8) -> u32 {
    u32::from_le_bytes([one, two, 0, u8::MAX])
}

fn triple([one, two, three]: [u8; WIDTH]) -> u32 {
    u32::from_le_bytes([one, two, three, 0])
}

/// A set of numbers, each of some kinds. It may also hold numbers that were not added.
#[derive(Clone, Copy, Debug)]
struct NumberSet([u64; LENGTH]);

impl NumberSet {
    /// The place of a number, and of the lowest bit of its kinds there.
    fn place(number: u32) -> (usize, usize) {
        let place = mixed(number, PLACES);
        (place / PLACES_OF_ONE, place % PLACES_OF_ONE * 2)
    }

    fn add(&mut self, number: u32, kind: u64) {
        let (at, bit) = Self::place(number);
        self.0.get_mut(at).into_iter().for_each(|kinds| *kinds |= kind << bit);
    }

    /// The kinds of which the number may be, in the lowest bits.
    #[inline]
    fn of(&self, number: u32) -> u64 {
        let (at, bit) = Self::place(number);
        self.0.get(at).copied().unwrap_or_default() >> bit & (ANY | BEFORE_WORD)
    }
}

/// A number below `most`, a power of two, that depends on all bytes of a number.
#[inline]
pub(crate) fn mixed(number: u32, most: usize) -> usize {
    // A product with a large odd number mixes the bits of all bytes into its upper ones.
    (number.wrapping_mul(0x9E37_79B1) >> (u32::BITS - most.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_first_bytes_may_be_a_sign() {
        let mut first = FirstBytes::new(&[*b"tool", *b"thin"]);
        first.add(b"</s>".map(Allowed::One), false);
        first.add(b"<too".map(Allowed::One), true);
        first.add(b"<thi".map(Allowed::One), true);
        first.add([Allowed::One(b'<'), Allowed::One(b'|'), Allowed::Any, Allowed::Any], false);
        first.add([Allowed::One(b'['), Allowed::Name, Allowed::Any, Allowed::Any], false);
        for text in [
            "</script>",
            "<TOOL",
            "<tool:",
            "<to ol",
            "<to--",
            "<th|in",
            "<|any",
            "[a(b)",
            "[ a(b",
            "<x",
        ] {
            let text = text.replace("TOOL", "toOL");
            assert!(first.may_stand(text.as_bytes()), "{text}");
        }
        for text in [
            "<p>text",
            "<toaster",
            "<thead>",
            "<th scope",
            "<to_do",
            "<tbody>",
            "[1, 2]",
            "</p></p>",
        ] {
            assert!(!first.may_stand(text.as_bytes()), "{text}");
        }
    }
}
