//! The tokens of JSON that stands complete in memory, for the readers that never stop within one.
//!
//! Functions take and return places, so that the places stay in a register. `None` stands for what
//! is not JSON, and for the end of the text.

#![allow(
    clippy::inline_always,
    reason = "a call for each of many short tokens is half of their cost"
)]

use crate::json::lexeme::{Escape, escape_length, is_short_escape};
use crate::json::marks::Marks;
use crate::progress::NeedMore;

/// What follows a value, and where.
pub(crate) enum AfterValue {
    /// Another value.
    Value(usize),
    /// Nothing: the outermost value is complete.
    End(usize),
}

/// A key or a text, from quote to quote.
pub(crate) struct StringEnd {
    /// The byte after the closing quote.
    pub(crate) place: usize,
    pub(crate) is_escaped: bool,
}

/// The place of the next byte that is not white space.
#[inline(always)]
pub(crate) fn skip_space(bytes: &[u8], mut place: usize) -> Option<usize> {
    while matches!(*bytes.get(place)?, b' ' | b'\n' | b'\r' | b'\t') {
        place += 1;
    }
    Some(place)
}

/// The place of the value behind a key, whose closing quote stands before `end`.
#[inline(always)]
pub(crate) fn value_of_key(bytes: &[u8], end: usize) -> Option<usize> {
    let colon = skip_space(bytes, end)?;
    if *bytes.get(colon)? == b':' { skip_space(bytes, colon + 1) } else { None }
}

/// The end of the string whose opening quote stands at `start`.
#[inline(always)]
pub(crate) fn string_end(bytes: &[u8], marks: &mut Marks<'_>, start: usize) -> Option<StringEnd> {
    let (mut place, mut is_escaped) = (marks.next(start + 1)?, false);
    loop {
        let length = match *bytes.get(place)? {
            b'"' => return Some(StringEnd { place: place + 1, is_escaped }),
            b'\\' => whole_escape(bytes, place)?,
            _ => return None,
        };
        is_escaped = true;
        place = marks.next(place + length)?;
    }
}

/// The length of an escape; most escapes need no call.
#[inline(always)]
fn whole_escape(bytes: &[u8], place: usize) -> Option<usize> {
    if is_short_escape(*bytes.get(place + 1)?) {
        return Some(2);
    }
    match escape_length(bytes.get(place..)?) {
        Ok(Escape::Whole(length)) => Some(length),
        Ok(Escape::Bad(_)) | Err(NeedMore) => None,
    }
}

/// The end of the word at `start`.
pub(crate) fn word_end(bytes: &[u8], start: usize, word: &[u8]) -> Option<usize> {
    bytes.get(start..)?.starts_with(word).then_some(start + word.len())
}
