//! The next byte at which a call, a fence or hidden text may start.

use memchr::{memchr2, memchr3};
use wide::u8x16;

/// Bytes that are searched for at once.
const GROUP: usize = 3;
/// Groups there may be.
const MOST_GROUPS: usize = 4;
/// Texts up to this length are looked through by blocks of their own: it takes less than to start
/// the searches.
const SHORT: usize = 32;
/// Bytes of a block.
const BLOCK: usize = 16;

/// Searches for the few bytes that every start marker holds, in groups.
///
/// The next byte of each group is remembered, so that each byte of the text is looked at once for
/// each group, however often another group is hit.
#[derive(Clone, Debug)]
pub(crate) struct ByteSearch {
    /// The bytes of each group, the last one again where there are fewer.
    groups: Vec<[u8; GROUP]>,
    /// Each byte, sixteen times.
    blocks: Vec<u8x16>,
    known: [bool; 256],
}

/// How far each group's search has got: no byte of the group that was not passed stands before.
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

    /// The first of the bytes at or behind `pos`; the input's end when there is none.
    #[inline]
    pub(crate) fn find(&self, input: &[u8], pos: usize, ahead: &mut Ahead) -> usize {
        let rest = input.get(pos..).unwrap_or_default();
        if rest.len() <= SHORT {
            return self.find_in_short(rest).map_or(input.len(), |at| pos + at);
        }
        let mut nearest = input.len();
        for ([first, second, third], known) in self.groups.iter().zip(ahead) {
            if *known < pos || *known < nearest {
                // What is known may be where an earlier text ended.
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

    /// Which bytes of a block are among those that are searched for, a bit each.
    #[inline]
    fn hits(&self, block: [u8; BLOCK]) -> u32 {
        let block = u8x16::new(block);
        let hits = self.blocks.iter().fold(u8x16::ZERO, |hits, byte| hits | block.simd_eq(*byte));
        hits.to_bitmask()
    }
}
