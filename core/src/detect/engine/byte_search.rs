//! The next byte at which a call, a fence or hidden text may start.

use memchr::{memchr2, memchr3};
use wide::u8x16;

/// The number of bytes that one search looks for.
const GROUP: usize = 3;
/// The most groups of bytes.
const MOST_GROUPS: usize = 4;
/// The longest text that is searched in blocks, in bytes. In a short text the blocks take less time
/// than the start of one search for each group.
const SHORT: usize = 32;
/// The length of a block, in bytes.
const BLOCK: usize = 16;

/// Searches in groups for the few bytes of which every start marker holds one.
///
/// The next hit of each group is remembered. So each byte of the text is looked at once for each
/// group, however often another group is hit.
#[derive(Clone, Debug)]
pub(crate) struct ByteSearch {
    /// The bytes of each group; the last byte is repeated where there are fewer.
    groups: Vec<[u8; GROUP]>,
    /// For each byte, a block filled with it.
    blocks: Vec<u8x16>,
    known: [bool; 256],
}

/// For each group, the offset before which no unvisited byte of the group stands.
pub(crate) type Ahead = [usize; MOST_GROUPS];

impl Default for ByteSearch {
    fn default() -> Self {
        Self { groups: Vec::new(), blocks: Vec::new(), known: [false; 256] }
    }
}

impl ByteSearch {
    /// Adds a byte; false when there are too many.
    pub(crate) fn add(&mut self, byte: u8) -> bool {
        if self.contains(byte) {
            return true;
        }
        let place = self.blocks.len() % GROUP;
        if place == 0 {
            if self.groups.len() == MOST_GROUPS {
                return false;
            }
            self.groups.push([byte; GROUP]);
        } else if let Some(rest) = self.groups.last_mut().and_then(|group| group.get_mut(place..)) {
            rest.fill(byte);
        }
        self.blocks.push(u8x16::splat(byte));
        if let Some(known) = self.known.get_mut(usize::from(byte)) {
            *known = true;
        }
        true
    }

    #[inline]
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.known.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The first of the bytes at or after `pos`; the input's end when there is none.
    #[inline]
    pub(crate) fn find(&self, input: &[u8], pos: usize, ahead: &mut Ahead) -> usize {
        let rest = input.get(pos..).unwrap_or_default();
        if rest.len() <= SHORT {
            return self.find_in_short(rest).map_or(input.len(), |at| pos + at);
        }
        let mut nearest = input.len();
        for ([first, second, third], known) in self.groups.iter().zip(ahead) {
            if *known < pos || *known < nearest {
                // The remembered offset may be the end of an earlier, shorter text.
                let sure =
                    *known >= pos && input.get(*known).is_some_and(|byte| self.contains(*byte));
                if !sure {
                    let from = pos.max(*known);
                    let rest = input.get(from..).unwrap_or_default();
                    let found = if second == third {
                        memchr2(*first, *second, rest)
                    } else {
                        memchr3(*first, *second, *third, rest)
                    };
                    *known = found.map_or(input.len(), |at| from + at);
                }
                nearest = nearest.min(*known);
            }
        }
        nearest
    }

    #[inline]
    fn find_in_short(&self, text: &[u8]) -> Option<usize> {
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        for (index, block) in blocks.iter().enumerate() {
            let hits = self.hits(*block);
            if hits != 0 {
                return Some(index * BLOCK + hits.trailing_zeros() as usize);
            }
        }
        let found = rest.iter().position(|byte| self.contains(*byte));
        found.map(|at| blocks.len() * BLOCK + at)
    }

    /// A bit mask of the bytes in a block that are searched for.
    #[inline]
    fn hits(&self, block: [u8; BLOCK]) -> u32 {
        let block = u8x16::new(block);
        let hits = self.blocks.iter().fold(u8x16::ZERO, |hits, byte| hits | block.simd_eq(*byte));
        hits.to_bitmask()
    }
}
