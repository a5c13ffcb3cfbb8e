//! A place in an example that is being read.

use crate::detect::format::marker::Marker;
use crate::detect::write::layout::{ID, NAME, WORD};
use crate::detect::write::plain::spelled;

/// A place in an example.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'e> {
    text: &'e str,
    pos: usize,
    /// Whether a line break stood between two markers.
    pub(super) saw_lines: bool,
}

impl<'e> Cursor<'e> {
    pub(super) fn new(text: &'e str) -> Self {
        Self { text, pos: 0, saw_lines: false }
    }

    /// The whole example.
    pub(super) fn whole(&self) -> &'e [u8] {
        self.text.as_bytes()
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'e str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    /// Moves behind a text that stands here.
    pub(super) fn skip(&mut self, text: &str) {
        self.pos += text.len();
    }

    /// Reads up to an offset of the example.
    pub(super) fn to(&mut self, end: usize) -> Option<&'e str> {
        let text = self.text.get(self.pos..end)?;
        self.pos = end;
        Some(text)
    }

    /// Reads white space.
    pub(super) fn gap(&mut self) -> &'e str {
        let rest = self.rest();
        let gap = rest.strip_suffix(rest.trim_ascii_start()).unwrap_or_default();
        self.skip(gap);
        self.saw_lines |= gap.contains('\n');
        gap
    }

    /// Reads bytes of a kind, up to one of the markers.
    pub(super) fn while_not(&mut self, markers: &[Marker], belongs: fn(u8) -> bool) -> &'e str {
        let start = self.pos;
        while self.rest().bytes().next().is_some_and(belongs)
            && matched(markers, self.rest(), b"").is_none()
        {
            self.pos += 1;
        }
        let text = self.text.get(start..self.pos).unwrap_or_default();
        self.saw_lines |= text.contains('\n');
        text
    }

    /// The id in the first of the markers that stands here.
    pub(super) fn id(&self, markers: &[Marker]) -> Option<&'e str> {
        let rest = self.rest();
        let (start, end) = matched(markers, rest, b"")?.0.id(rest.as_bytes())?;
        rest.get(start..end)
    }

    /// Reads one of the markers, with holes where names and words stand in it.
    pub(super) fn marker(&mut self, markers: &[Marker], name: &[u8]) -> Option<String> {
        let rest = self.rest();
        let (marker, length) = matched(markers, rest, name)?;
        self.pos += length;
        if marker.echoes() {
            return Some(spelled(marker, WORD, NAME));
        }
        let text = rest.get(..length)?;
        match marker.word(rest.as_bytes()).filter(|(_, end)| *end <= length) {
            Some((start, end)) => {
                let hole = if marker.id(rest.as_bytes()).is_some() { ID } else { WORD };
                Some([rest.get(..start)?, hole, rest.get(end..length)?].concat())
            }
            None => Some(text.to_owned()),
        }
    }

    /// The text in front of the first of the markers.
    pub(super) fn until(&self, markers: &[Marker], name: &[u8]) -> Option<&'e str> {
        let rest = self.rest();
        let mut places = rest.char_indices().map(|(at, _)| at);
        let at = places
            .find(|at| matched(markers, rest.get(*at..).unwrap_or_default(), name).is_some())?;
        rest.get(..at)
    }
}

/// The first of the markers that stands at the start of the text, and its length.
fn matched<'m>(markers: &'m [Marker], rest: &str, name: &[u8]) -> Option<(&'m Marker, usize)> {
    markers
        .iter()
        .find_map(|marker| Some((marker, marker.at(rest.as_bytes(), name, true).ok().flatten()?)))
}
