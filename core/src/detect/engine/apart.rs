//! Whether markup stands apart from the words of a text: it has the beginning or the end of its
//! line for itself.

use crate::call::Span;
use crate::detect::profile::{ends_line, is_opened};
use crate::progress::Progress;

/// Whether nothing but blanks stands in front of a place in its line, or behind a call.
pub(super) fn begins_line(input: &[u8], floor: usize, at: usize) -> bool {
    let line = input.get(floor..at).unwrap_or_default();
    let solid = line.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    solid.is_none_or(|byte| *byte == b'\n')
}

/// Whether a blank stands right in front of a marker and right behind it, as in a sentence.
pub(super) fn stands_between_blanks(marker: Span, input: &[u8]) -> bool {
    let is_blank = |at: usize| matches!(input.get(at), Some(b' ' | b'\t'));
    marker.start.checked_sub(1).is_some_and(is_blank) && is_blank(marker.end)
}

/// Whether an end tag of reasoning that is written in another way counts where it stands, since
/// words about it do not: it begins or ends its line, and nothing near in front of it is its start
/// tag.
pub(super) fn closes_thought(
    tag: Span,
    input: &[u8],
    floor: usize,
    finished: bool,
) -> Progress<bool> {
    if is_opened(input.get(..tag.start).unwrap_or_default(), tag.of(input)) {
        return Ok(false);
    }
    let ends = || ends_line(input.get(tag.end..).unwrap_or_default(), finished);
    Ok(begins_line(input, floor, tag.start) || ends()?)
}
