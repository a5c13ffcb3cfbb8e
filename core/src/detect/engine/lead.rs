//! A quick look at whether a marker may stand at a place.

use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, LiteralDialect, Marked, Syntax};
use crate::detect::rule::name::{MAX_NAME, is_name_byte};

/// The number of bytes that are compared at once.
const COMPARED: usize = 8;
/// The most white space that is passed before and after a name.
const MOST_SPACE: usize = 64;

/// The first bytes of a marker's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarkerLead {
    /// The offset in the marker of the byte that is searched for.
    offset: usize,
    text: [u8; COMPARED],
    length: usize,
    /// The bits of the text in a little-endian number.
    mask: u64,
    /// Whether a name and a round bracket must follow.
    pub(super) names_function: bool,
}

impl MarkerLead {
    /// `opens` is the syntax whose calls the marker opens, and whether it opens their wrapper.
    pub(super) fn new(marker: &Marker, offset: usize, opens: Option<(&Syntax, bool)>) -> Self {
        let mut text = [0; COMPARED];
        for (place, byte) in text.iter_mut().zip(marker.lead()) {
            *place = *byte;
        }
        let length = marker.lead().len().min(COMPARED);
        let names_function = marker.written().len() == marker.lead().len()
            && marker.lead().len() <= COMPARED
            && matches!(opens, Some((Syntax::Marked(shape), true)) if lists_functions(shape));
        let mask = u64::MAX.checked_shr(bits_beyond(length)).unwrap_or_default();
        Self { offset, text, length, mask, names_function }
    }

    /// Whether this stands wherever the other one does.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let asks_more =
            self.names_function && !(other.names_function && self.length == other.length);
        let text = other.text.get(..other.length).unwrap_or_default();
        self.offset == other.offset
            && !asks_more
            && text.starts_with(self.text.get(..self.length).unwrap_or_default())
    }

    /// Whether the marker may stand around the byte at `pos`.
    #[inline]
    pub(super) fn may_stand(&self, input: &[u8], pos: usize) -> bool {
        let Some(here) = pos.checked_sub(self.offset).and_then(|start| input.get(start..)) else {
            return false;
        };
        self.may_begin(here) && (!self.names_function || may_name_function(here.get(self.length..)))
    }

    /// Whether the first bytes of a text are those of the marker, as far as there are any.
    #[inline]
    pub(super) fn may_begin(&self, here: &[u8]) -> bool {
        match here.first_chunk() {
            Some(here) => u64::from_le_bytes(*here) & self.mask == u64::from_le_bytes(self.text),
            None => self.text.iter().take(self.length).zip(here).all(|(one, other)| one == other),
        }
    }
}

/// The bits of a number that are not compared for a text of this length.
fn bits_beyond(length: usize) -> u32 {
    u32::try_from(8 * COMPARED.saturating_sub(length)).unwrap_or(u64::BITS)
}

/// Whether the wrapper's text goes on with `name(`, as anything else is prose.
fn lists_functions(marked: &Marked) -> bool {
    let closes = marked.wrapper.iter().flat_map(|wrapper| &wrapper.close);
    let mut closes = closes.filter_map(|close| close.lead().first());
    marked.plain
        && marked.body == Body::Literal(LiteralDialect::Python)
        && marked.call.open.is_empty()
        && marked.call.name_end.is_empty()
        && !closes.any(|byte| is_name_byte(*byte))
}

/// The number of bytes at the start of a text, up to `most`, that belong to something.
fn passed(text: &[u8], most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let near = text.get(..most).unwrap_or(text);
    near.iter().position(|byte| !belongs(*byte)).unwrap_or(near.len())
}

/// Whether a name with a round bracket behind it stands here, or may once there is more text.
pub(super) fn may_name_function(rest: Option<&[u8]>) -> bool {
    let Some(rest) = rest else { return true };
    let begins = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    // Most brackets stand in front of something else.
    if rest.first().is_some_and(|byte| !begins(byte) && !byte.is_ascii_whitespace()) {
        return false;
    }
    let space = |rest| passed(rest, MOST_SPACE, |byte| byte.is_ascii_whitespace());
    let before = space(rest);
    let rest = rest.get(before..).unwrap_or_default();
    if rest.first().is_some_and(|byte| !begins(byte)) {
        return before == MOST_SPACE;
    }
    let name = passed(rest, MAX_NAME, is_name_byte);
    let rest = rest.get(name..).unwrap_or_default();
    let behind = space(rest);
    name == MAX_NAME || behind == MOST_SPACE || rest.get(behind).is_none_or(|byte| *byte == b'(')
}
