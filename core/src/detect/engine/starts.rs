//! The next place at which anything but text may begin.
//!
//! Such a place is found by one byte, which is searched for in blocks. A table then tells what may
//! stand around it, by the byte before it and the two bytes after it. So nearly all of a text is
//! passed without a look at what stands there.

use crate::detect::engine::byte_search::{BLOCK, ByteSearch, FEW, Window};
use crate::detect::engine::signs::TextSigns;

/// The number of bytes from which on a search in blocks takes less time than a look at each byte.
const SHORT: usize = 2 * FEW;

/// What may begin at a place, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    /// A marker of a format or of the message.
    pub(crate) const MARKER: Self = Self(1);
    /// An object or array.
    pub(crate) const JSON: Self = Self(2 | 16);
    /// JSON whose first bracket white space follows.
    pub(crate) const SPACED_JSON: Self = Self(16);
    /// A code block, or code within a line.
    pub(crate) const CODE: Self = Self(4);
    /// An HTML tag.
    pub(crate) const TAG: Self = Self(8);

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn of(self, wanted: Self) -> Self {
        Self(self.0 & wanted.0)
    }

    pub(crate) const fn has(self, one: Self) -> bool {
        self.0 & one.0 != 0
    }
}

/// A place, and what may begin there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) at: usize,
    pub(crate) kinds: Kinds,
}

/// The kinds of starts that a byte allows, by the bytes before and after it.
#[derive(Clone, Debug)]
struct Row {
    /// The kinds of starts that the byte allows by itself, where the text ends after it.
    any: Kinds,
    /// The kinds of starts that remain possible, for each byte before it.
    before: [Kinds; 256],
    /// For each byte after it, the index of what follows.
    after: [u16; 256],
    /// What may follow the byte and the one after it. The first one is for a byte after it with
    /// which nothing was added.
    followed: Vec<Followed>,
}

/// What may follow two bytes.
#[derive(Clone, Copy, Debug)]
struct Followed {
    /// What may stand there as long as the text ends after the two.
    any: Kinds,
    /// What each byte behind them lets stand there.
    behind: [Kinds; 256],
}

/// A byte by which a start is found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartByte {
    pub(crate) byte: u8,
    /// The byte before it; `None` for any.
    pub(crate) before: Option<u8>,
    /// The byte after it; `None` for any.
    pub(crate) after: Option<u8>,
    /// The byte behind that one; `None` for any.
    pub(crate) behind: Option<u8>,
}

/// The bytes by which starts are found.
#[derive(Clone, Debug)]
pub(crate) struct Starts {
    bytes: ByteSearch,
    /// For each byte, one more than the index of its row; 0 for a byte with which nothing begins.
    row_of: [u16; 256],
    rows: Vec<Row>,
    /// Of what all that begins is not just text; `None` where anything may be.
    pub(crate) signs: Option<TextSigns>,
}

/// The blocks that were searched last, so that each block is searched once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ahead {
    /// The offset from which on nothing stands before the blocks.
    from: usize,
    window: Window,
    /// The end of what was searched of them.
    end: usize,
}

impl Row {
    fn new() -> Self {
        let followed = Followed { any: Kinds::NONE, behind: [Kinds::NONE; 256] };
        let before = [Kinds::NONE; 256];
        Self { any: Kinds::NONE, before, after: [0; 256], followed: vec![followed] }
    }

    /// What may follow this byte after the row's.
    #[inline]
    fn after(&self, byte: u8) -> Option<&Followed> {
        self.followed.get(usize::from(*self.after.get(usize::from(byte))?))
    }

    fn add(&mut self, before: Option<u8>, after: Option<u8>, behind: Option<u8>, kinds: Kinds) {
        self.any = self.any.and(kinds);
        let before = before.map_or(0..=u8::MAX, |byte| byte..=byte);
        before.for_each(|byte| allow(&mut self.before, byte, kinds));
        let Some(after) = after else {
            self.followed.iter_mut().for_each(|followed| followed.add(behind, kinds));
            return;
        };
        let known = self.after.get(usize::from(after)).copied().unwrap_or_default();
        let index = if known == 0 { self.followed.len() } else { usize::from(known) };
        if known == 0 {
            self.followed.extend(self.followed.first().copied());
            if let Some(place) = self.after.get_mut(usize::from(after)) {
                *place = u16::try_from(index).unwrap_or_default();
            }
        }
        if let Some(followed) = self.followed.get_mut(index) {
            followed.add(behind, kinds);
        }
    }
}

impl Followed {
    fn add(&mut self, behind: Option<u8>, kinds: Kinds) {
        self.any = self.any.and(kinds);
        let behind = behind.map_or(0..=u8::MAX, |byte| byte..=byte);
        behind.for_each(|byte| allow(&mut self.behind, byte, kinds));
    }
}

fn allow(table: &mut [Kinds; 256], byte: u8, kinds: Kinds) {
    if let Some(known) = table.get_mut(usize::from(byte)) {
        *known = known.and(kinds);
    }
}

impl Default for Starts {
    fn default() -> Self {
        Self { bytes: ByteSearch::default(), row_of: [0; 256], rows: Vec::new(), signs: None }
    }
}

impl Starts {
    /// Adds what begins with this byte and the one after it; `None` stands for any byte.
    pub(crate) fn add(&mut self, byte: u8, after: Option<u8>, kinds: Kinds) {
        self.add_inside(StartByte { byte, before: None, after, behind: None }, kinds);
    }

    /// Adds what is found by a byte inside it.
    pub(crate) fn add_inside(&mut self, found: StartByte, kinds: Kinds) {
        let StartByte { byte, before, after, behind } = found;
        let Some(row) = self.row_of.get_mut(usize::from(byte)) else { return };
        if *row == 0 {
            self.rows.push(Row::new());
            *row = u16::try_from(self.rows.len()).unwrap_or_default();
            self.bytes.add(byte);
        }
        if let Some(row) = self.rows.get_mut(usize::from(*row).wrapping_sub(1)) {
            row.add(before, after, behind, kinds);
        }
    }

    /// Whether anything may begin with the byte.
    #[inline]
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.row_of.get(usize::from(byte)).is_some_and(|row| *row != 0)
    }

    /// What may begin at a place, of what is wanted.
    #[inline]
    pub(crate) fn kinds(&self, text: &[u8], at: usize, wanted: Kinds) -> Kinds {
        let row = text.get(at).and_then(|byte| self.row_of.get(usize::from(*byte)));
        let row = row.and_then(|row| self.rows.get(usize::from(*row).wrapping_sub(1)));
        let Some(row) = row else { return Kinds::NONE };
        let kinds = match text.get(at + 1).map(|after| row.after(*after)) {
            None => row.any,
            Some(None) => Kinds::NONE,
            Some(Some(followed)) => {
                let behind = text.get(at + 2);
                let known = behind.and_then(|behind| followed.behind.get(usize::from(*behind)));
                known.map_or(followed.any, |known| *known)
            }
        };
        let kinds = kinds.of(wanted);
        if kinds == Kinds::NONE {
            return kinds;
        }
        let before = text.get(at.wrapping_sub(1));
        let before = before.and_then(|before| row.before.get(usize::from(*before)));
        before.map_or(kinds, |known| kinds.of(*known))
    }

    /// The first start in a part of the text that begins at `from` and holds these hits, a bit for
    /// each byte.
    #[inline]
    fn first_of(&self, text: &[u8], from: usize, mut hits: u64, wanted: Kinds) -> Option<Start> {
        while hits != 0 {
            let at = from + hits.trailing_zeros() as usize;
            let kinds = self.kinds(text, at, wanted);
            if kinds != Kinds::NONE {
                return Some(Start { at, kinds });
            }
            hits &= hits - 1;
        }
        None
    }

    /// The first start in a window, from `pos` on.
    #[inline]
    fn in_window(&self, text: &[u8], pos: usize, wanted: Kinds, window: &Window) -> Option<Start> {
        let mut from = window.start.max(pos);
        loop {
            let passed = from - window.start;
            let hits = window.hits.get(passed / BLOCK)? >> (passed % BLOCK);
            if let Some(start) = self.first_of(text, from, hits, wanted) {
                return Some(start);
            }
            from += BLOCK - passed % BLOCK;
        }
    }

    /// As `find`, in the few bytes that are left, such as a piece of a stream.
    #[inline(never)]
    fn find_in_short(&self, text: &[u8], mut pos: usize, wanted: Kinds) -> Option<Start> {
        let (few, rest) = text.get(pos..)?.as_chunks::<FEW>();
        for bytes in few {
            let hits = u64::from(self.bytes.hits_in_few(*bytes));
            if let Some(start) = self.first_of(text, pos, hits, wanted) {
                return Some(start);
            }
            pos += FEW;
        }
        let places = rest.iter().zip(pos..).filter(|(byte, _)| self.contains(**byte));
        let mut starts = places.map(|(_, at)| Start { at, kinds: self.kinds(text, at, wanted) });
        starts.find(|start| start.kinds != Kinds::NONE)
    }

    /// The first place from `pos` on at which something wanted may begin; the end of the text when
    /// there is none.
    ///
    /// A later search with the same `ahead` may want less, but nothing more.
    #[inline]
    pub(crate) fn find(&self, text: &[u8], pos: usize, wanted: Kinds, ahead: &mut Ahead) -> Start {
        let found = if pos >= ahead.end && text.len() <= pos + SHORT {
            let plain = self.bytes.lacks_in_end(text, pos);
            if plain { None } else { self.find_in_short(text, pos, wanted) }
        } else {
            self.find_in_long(text, pos, wanted, ahead)
        };
        found.unwrap_or(Start { at: text.len(), kinds: Kinds::NONE })
    }

    #[inline(never)]
    fn find_in_long(
        &self,
        text: &[u8],
        mut pos: usize,
        wanted: Kinds,
        ahead: &mut Ahead,
    ) -> Option<Start> {
        if pos >= ahead.from && pos < ahead.end {
            let start = self.in_window(text, pos, wanted, &ahead.window);
            if start.is_some() {
                return start;
            }
            pos = ahead.end;
        }
        if text.len() <= pos + SHORT {
            return self.find_in_short(text, pos, wanted);
        }
        let look = |window: &Window| self.in_window(text, 0, wanted, window);
        let (window, start) = self.bytes.find(text, pos, look)?;
        let end = text.len().min(window.start + window.hits.len() * BLOCK);
        *ahead = Ahead { from: pos, window, end };
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// What may begin at a place, found without any search or table.
    fn plainly(all: &[(StartByte, Kinds)], text: &[u8], at: usize) -> Kinds {
        let fits = |known: Option<u8>, place: usize| {
            known.is_none_or(|byte| text.get(place).is_none_or(|other| *other == byte))
        };
        let here = || all.iter().filter(|(found, _)| text.get(at) == Some(&found.byte));
        let any = |kinds: Kinds, (_, more): &(StartByte, Kinds)| kinds.and(*more);
        let follows = |(found, _): &&(StartByte, Kinds)| {
            fits(found.after, at + 1) && fits(found.behind, at + 2)
        };
        let precedes = |(found, _): &&(StartByte, Kinds)| fits(found.before, at.wrapping_sub(1));
        let kinds = here().filter(follows).fold(Kinds::NONE, any);
        kinds.of(here().filter(precedes).fold(Kinds::NONE, any))
    }

    proptest! {
        #[test]
        fn the_search_finds_what_a_look_at_each_byte_finds(
            all in vec((any::<[u8; 4]>(), any::<[bool; 3]>(), 1..32_u8), 1..12),
            text in vec((any::<u8>(), 0..40_usize, any::<bool>()), 0..400),
            wanted in 1..32_u8,
            steps in vec(0..90_usize, 0..40),
            cut in 0..400_usize,
        ) {
            // Most bytes are plain; the others are often a start.
            let text: Vec<u8> = text.iter().flat_map(|(byte, at, whole)| {
                match all.get(*at) {
                    Some((bytes, ..)) if *whole => bytes.to_vec(),
                    Some(([_, second, ..], ..)) => vec![*second],
                    None => vec![*byte],
                }
            }).collect();
            let found = |(bytes, known, kinds): &([u8; 4], [bool; 3], u8)| {
                let [before, byte, after, behind] = *bytes;
                let [knows_before, knows_after, knows_behind] = *known;
                let found = StartByte {
                    byte,
                    before: knows_before.then_some(before),
                    after: knows_after.then_some(after),
                    behind: knows_behind.then_some(behind),
                };
                (found, Kinds(*kinds))
            };
            let all: Vec<_> = all.iter().map(found).collect();
            let mut starts = Starts::default();
            for (found, kinds) in &all {
                starts.add_inside(*found, *kinds);
            }
            let (mut ahead, mut pos, wanted) = (Ahead::default(), 0, Kinds(wanted));
            // The text grows once, as in a stream.
            for text in [text.get(..cut).unwrap_or(&text), &text] {
                for step in &steps {
                    let found = starts.find(text, pos, wanted, &mut ahead);
                    let expected = (pos..text.len()).find_map(|at| {
                        let kinds = plainly(&all, text, at).of(wanted);
                        (kinds != Kinds::NONE).then_some(Start { at, kinds })
                    });
                    let none = Start { at: text.len(), kinds: Kinds::NONE };
                    prop_assert_eq!(found, expected.unwrap_or(none));
                    // A reader may give the search back an earlier place than the one it found.
                    pos = (pos + step).min(found.at);
                    if step % 3 == 0 {
                        pos = found.at.saturating_add(1).min(text.len());
                    }
                }
            }
        }
    }
}
