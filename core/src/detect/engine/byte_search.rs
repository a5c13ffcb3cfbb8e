//! Looks for a few bytes in sixty-four bytes of a text at once.
//!
//! A byte is looked up by its lower four bits, and found where the entry is the byte itself. So one
//! look-up searches for up to sixteen bytes.

use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, u8x16, u8x64};
use wide::u8x16 as Few;

/// The number of bytes that are looked at together.
pub(crate) const BLOCK: usize = 64;
/// The number of bytes that are looked at together in a text that is shorter than a block.
pub(crate) const FEW: usize = 16;
/// The number of bytes that are searched for one after the other.
const GROUP: usize = 4;
/// The number of blocks in a window.
const BLOCKS: usize = 4;
/// The bit by which two bytes of one entry may differ, as the cases of a letter do.
const FOLDED: u8 = 0x20;
/// The number of entries in a table.
const ENTRIES: usize = 16;
/// Enough tables for any bytes: each lower half is shared by eight bytes that differ in more than
/// the folded bit.
const MOST_TABLES: usize = 8;

type LookupTable = [u8; ENTRIES];

/// Searches for a set of bytes. It may also find bytes that differ from one of them in one bit.
#[derive(Clone, Debug)]
pub(crate) struct ByteSearch {
    tables: Vec<LookupTable>,
    /// For each byte, as many of it as are compared at once. The last byte fills its group.
    each: Vec<[Few; GROUP]>,
    added: Vec<u8>,
    level: Level,
}

/// A few blocks, in which some of the bytes stand.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    pub(crate) start: usize,
    /// For each block, a bit for each byte; the lowest bit is the first byte.
    pub(crate) hits: [u64; BLOCKS],
}

impl Default for ByteSearch {
    fn default() -> Self {
        Self { tables: Vec::new(), each: Vec::new(), added: Vec::new(), level: Level::new() }
    }
}

impl ByteSearch {
    /// Adds a byte to the set.
    pub(crate) fn add(&mut self, byte: u8) {
        self.added.push(byte);
        let groups = self.added.chunks(GROUP).map(|group| {
            std::array::from_fn(|at| Few::splat(group.get(at).copied().unwrap_or(byte)))
        });
        self.each = groups.collect();
        let (folded, at) = (byte | FOLDED, usize::from(byte) % ENTRIES);
        for table in &mut self.tables {
            match table.get_mut(at) {
                Some(entry) if *entry == folded => return,
                Some(entry) if *entry == free(at) => {
                    *entry = folded;
                    return;
                }
                _ => {}
            }
        }
        let mut table: LookupTable = std::array::from_fn(free);
        if let Some(entry) = table.get_mut(at) {
            *entry = folded;
        }
        self.tables.push(table);
    }

    /// The first window from `start` on in which one of the bytes stands and `look` finds
    /// something; `None` when there is none.
    #[inline]
    pub(crate) fn find<T>(
        &self,
        text: &[u8],
        start: usize,
        mut look: impl FnMut(&Window) -> Option<T>,
    ) -> Option<(Window, T)> {
        match self.tables.as_slice() {
            [] => None,
            [one] => {
                dispatch!(self.level, simd => first_window(simd, &[*one], text, start, &mut look))
            }
            [one, two] => {
                let tables = [*one, *two];
                dispatch!(self.level, simd => first_window(simd, &tables, text, start, &mut look))
            }
            more => {
                let mut tables = [std::array::from_fn(free); MOST_TABLES];
                for (place, table) in tables.iter_mut().zip(more) {
                    *place = *table;
                }
                dispatch!(self.level, simd => first_window(simd, &tables, text, start, &mut look))
            }
        }
    }

    /// Whether it is plain that none of the bytes stands in the end of a text from `start` on,
    /// which is at most twice as long as a few bytes.
    #[inline]
    pub(crate) fn lacks_in_end(&self, text: &[u8], start: usize) -> bool {
        let (Some(last), Some(rest)) = (text.last_chunk(), text.get(start..)) else { return false };
        let hits = self.hits_in_few(*last);
        match rest.first_chunk() {
            Some(first) => hits == 0 && (rest.len() == FEW || self.hits_in_few(*first) == 0),
            None => hits >> (FEW - rest.len()) == 0,
        }
    }

    /// Where the bytes stand in a few bytes, a bit for each; the lowest bit is the first byte.
    #[inline]
    pub(crate) fn hits_in_few(&self, bytes: [u8; FEW]) -> u32 {
        let bytes = Few::new(bytes);
        let hits = self.each.iter().fold(Few::ZERO, |hits, [first, second, third, fourth]| {
            let (first, second) = (bytes.simd_eq(*first), bytes.simd_eq(*second));
            let (third, fourth) = (bytes.simd_eq(*third), bytes.simd_eq(*fourth));
            hits | (first | second) | (third | fourth)
        });
        hits.to_bitmask()
    }
}

/// An entry that no byte matches: the lower half of such a byte is another one.
fn free(at: usize) -> u8 {
    u8::from(at == 0) | FOLDED
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn first_window<S: Simd, T, const N: usize>(
    simd: S,
    tables: &[LookupTable; N],
    text: &[u8],
    mut start: usize,
    look: &mut impl FnMut(&Window) -> Option<T>,
) -> Option<(Window, T)> {
    let tables = tables.map(|table| u8x64::block_splat(u8x16::load_array(simd, table)));
    let (blocks, rest) = text.get(start..)?.as_chunks::<BLOCK>();
    let (windows, last) = blocks.as_chunks::<BLOCKS>();
    for [first, second, third, fourth] in windows {
        let first = hits(simd, &tables, first);
        let second = hits(simd, &tables, second);
        let third = hits(simd, &tables, third);
        let fourth = hits(simd, &tables, fourth);
        if (first | second | third | fourth).any_true() {
            let hits =
                [first.to_bitmask(), second.to_bitmask(), third.to_bitmask(), fourth.to_bitmask()];
            let window = Window { start, hits };
            if let Some(found) = look(&window) {
                return Some((window, found));
            }
        }
        start += BLOCKS * BLOCK;
    }
    let mut window = Window { start, hits: [0; BLOCKS] };
    let mut places = window.hits.iter_mut();
    for (block, place) in last.iter().zip(&mut places) {
        *place = hits(simd, &tables, block).to_bitmask();
    }
    if !rest.is_empty() {
        // The bytes before the rest fill the block.
        let (block, behind) = match text.last_chunk::<BLOCK>() {
            Some(block) => (*block, BLOCK - rest.len()),
            None => (filled(rest), 0),
        };
        let hits = hits(simd, &tables, &block).to_bitmask() >> behind;
        *places.next()? = hits & !(u64::MAX << rest.len());
    }
    if window.hits == [0; BLOCKS] {
        return None;
    }
    look(&window).map(|found| (window, found))
}

/// A block that begins with these bytes.
fn filled(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    for (place, byte) in block.iter_mut().zip(bytes) {
        *place = *byte;
    }
    block
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn hits<S: Simd, const N: usize>(
    simd: S,
    tables: &[u8x64<S>; N],
    block: &[u8; BLOCK],
) -> <u8x64<S> as SimdBase<S>>::Mask {
    let bytes = u8x64::load_array_ref(simd, block);
    let (places, folded) = (bytes & 15, bytes | FOLDED);
    let mut hits = <u8x64<S> as SimdBase<S>>::Mask::splat(simd, false);
    for table in tables {
        hits |= table.swizzle_dyn_within_blocks(places).simd_eq(folded);
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(search: &ByteSearch, text: &[u8]) -> Vec<usize> {
        let (mut places, mut start) = (Vec::new(), 0);
        while let Some((window, ())) = search.find(text, start, |_| Some(())) {
            for at in 0..BLOCKS * BLOCK {
                if window.hits[at / BLOCK] & (1 << (at % BLOCK)) != 0 {
                    places.push(window.start + at);
                }
            }
            start = window.start + BLOCKS * BLOCK;
        }
        places
    }

    #[test]
    fn each_byte_is_found_wherever_it_stands() {
        let sets: [&[u8]; 4] = [b"<", b"<`~{", b"<`~{[]->&=:\xE2", b"\0\x10 0@P`p\x80\x90"];
        for set in sets {
            let mut search = ByteSearch::default();
            for byte in set {
                search.add(*byte);
            }
            for length in [1, 15, 63, 64, 65, 255, 256, 257, 600] {
                for byte in 0..=u8::MAX {
                    // No byte of a set is an `x`, and none becomes one when it is folded.
                    let mut text = vec![b'x'; length];
                    let places = [0, length / 2, length - 1];
                    for at in places {
                        text[at] = byte;
                    }
                    let folded = |known: &u8| known | FOLDED == byte | FOLDED;
                    let mut expected =
                        if set.iter().any(folded) { places.to_vec() } else { Vec::new() };
                    expected.dedup();
                    assert_eq!(found(&search, &text), expected, "{byte} in {length}");
                }
            }
        }
    }
}
