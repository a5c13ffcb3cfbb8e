//! Reads the inside of a string, sixteen bytes at a time.
//!
//! Strings of code have an escape every few bytes, so a search for the next escape would start many
//! times. Here the special characters of a block become the bits of one word. An escape is passed
//! by clearing bits.

use wide::u8x16;

use crate::json::lexeme::{Escape, escape_length, is_short_escape};
use crate::progress::NeedMore;

/// The number of bytes that are looked at together.
pub(crate) const BLOCK: usize = 16;

/// What follows the plain characters and whole escapes of a block; places count from the start of
/// the block.
pub(crate) enum RunEnd {
    /// This number of bytes is part of the string, and the string goes on.
    Goes(usize),
    Quote(usize),
    /// The input ends here, or inside the escape that starts here.
    OutOfInput(usize),
    Bad(usize, &'static str),
}

/// Looks at the next block of a string's inside, and notes in `escaped` whether it holds a
/// backslash.
#[inline]
pub(crate) fn run_end(rest: &[u8], escaped: &mut bool) -> RunEnd {
    let block = rest.first_chunk::<BLOCK>().copied().unwrap_or_else(|| padded(rest));
    let mut specials = specials(block);
    while specials != 0 {
        let at = specials.trailing_zeros() as usize;
        match rest.get(at) {
            Some(b'"') => return RunEnd::Quote(at),
            Some(b'\\') => {}
            Some(_) => return RunEnd::Bad(at, "a control character must be escaped"),
            None => return RunEnd::OutOfInput(at),
        }
        *escaped = true;
        let next = if rest.get(at + 1).is_some_and(|kind| is_short_escape(*kind)) {
            at + 2
        } else {
            match escape_length(rest.get(at..).unwrap_or_default()) {
                Ok(Escape::Whole(length)) => at + length,
                Ok(Escape::Bad(what)) => return RunEnd::Bad(at, what),
                Err(NeedMore) => return RunEnd::OutOfInput(at),
            }
        };
        if next >= BLOCK {
            return RunEnd::Goes(next);
        }
        specials &= u32::MAX << next;
    }
    RunEnd::Goes(BLOCK)
}

/// The last bytes of the input, padded with zeros.
///
/// Zeros are control characters, so the run stops at them.
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    for (place, byte) in block.iter_mut().zip(rest) {
        *place = *byte;
    }
    block
}

/// A bit mask of the bytes that are quotes, backslashes or control characters.
#[inline]
pub(crate) fn specials(block: [u8; BLOCK]) -> u32 {
    let block = u8x16::new(block);
    let quotes = block.simd_eq(u8x16::splat(b'"'));
    let backslashes = block.simd_eq(u8x16::splat(b'\\'));
    let controls = block.simd_eq(block.min(u8x16::splat(0x1f)));
    (quotes | backslashes | controls).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::specials;

    #[test]
    fn each_byte_is_judged_alone() {
        for byte in 0..=u8::MAX {
            for at in 0..16 {
                let mut block = [b'x'; 16];
                *block.get_mut(at).unwrap() = byte;
                let special = matches!(byte, b'"' | b'\\' | 0..0x20);
                assert_eq!(specials(block), u32::from(special) << at, "{byte} at {at}");
            }
        }
    }
}
