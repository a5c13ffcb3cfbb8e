//! A value of a tagged parameter that is JSON, and whose strings hold tags of the format.
//!
//! Behind `{"x": "` an end tag may end a text or be text of a string. It is text of a string where
//! the JSON is complete behind it and the structure goes on there.

use crate::call::Span;
use crate::detect::body::own_markup::{OwnMarkup, StandingTag, Tag};
use crate::json::scanner::Scanned;
use crate::json::scanner::Scanner;
use crate::progress::{NeedMore, Progress};

/// The most brackets that are open inside each other.
const DEEPEST: usize = 512;

/// A value that may be JSON.
#[derive(Clone, Debug)]
pub(super) struct JsonValue {
    start: usize,
    /// Whether the parameter is known to be no text.
    pub(super) is_no_text: bool,
    read: JsonRead,
}

#[derive(Clone, Debug)]
enum JsonRead {
    Nothing,
    Begun(Box<Scanner>),
    /// The JSON ends at this offset.
    Whole(usize),
    /// It is JSON up to this end tag.
    Closed(Span),
    /// It is not JSON that an end tag follows.
    Other,
}

impl JsonValue {
    pub(super) fn new(start: usize, is_no_text: bool) -> Self {
        Self { start, is_no_text, read: JsonRead::Nothing }
    }

    /// The end tag behind the JSON; `None` where the value is not JSON that an end tag follows.
    pub(super) fn end_tag(
        &mut self,
        input: &[u8],
        (limit, finished): (usize, bool),
        own: &OwnMarkup<'_>,
        key: &[u8],
    ) -> Progress<Option<Span>> {
        loop {
            match &mut self.read {
                JsonRead::Closed(end) => return Ok(Some(*end)),
                JsonRead::Other => return Ok(None),
                JsonRead::Nothing => {
                    let value = input.get(self.start..).unwrap_or_default();
                    let begin = self.start + value.len() - value.trim_ascii_start().len();
                    let is_json = matches!(input.get(begin), Some(b'{' | b'['));
                    let scanner = || JsonRead::Begun(Box::new(Scanner::new(begin, DEEPEST)));
                    self.read = if is_json { scanner() } else { JsonRead::Other };
                }
                JsonRead::Begun(scanner) => {
                    // What stands beyond the limit decides nothing.
                    let known = input.get(..limit.saturating_add(1)).unwrap_or(input);
                    let end = whole(scanner, known);
                    match end {
                        Ok(end) => self.read = end.map_or(JsonRead::Other, JsonRead::Whole),
                        Err(NeedMore) if finished || input.len() > limit => {
                            self.read = JsonRead::Other;
                        }
                        Err(NeedMore) => return Err(NeedMore),
                    }
                }
                JsonRead::Whole(end) => {
                    let closed = closing(*end, input, finished, own, key)?;
                    self.read = closed.map_or(JsonRead::Other, JsonRead::Closed);
                }
            }
        }
    }
}

/// Where the JSON ends; `None` where it is none.
fn whole(scanner: &mut Scanner, input: &[u8]) -> Progress<Option<usize>> {
    while !scanner.done() {
        if matches!(scanner.next(input)?, Scanned::Fault(_)) {
            return Ok(None);
        }
    }
    Ok(Some(scanner.pos()))
}

/// The end tag that follows JSON, where the structure goes on behind it.
fn closing(
    end: usize,
    input: &[u8],
    finished: bool,
    own: &OwnMarkup<'_>,
    key: &[u8],
) -> Progress<Option<Span>> {
    let rest = input.get(end..).unwrap_or_default();
    let mut pos = end + rest.len() - rest.trim_ascii_start().len();
    let begin = pos;
    let found = own.find(input, &mut pos, key, finished)?;
    let closes = |standing: &StandingTag| {
        standing.tag == Tag::ClosesParameter && standing.span.start == begin
    };
    let Some(StandingTag { span, .. }) = found.filter(closes) else { return Ok(None) };
    let behind = input.get(span.end..).unwrap_or_default();
    Ok(own.continues(behind, finished)?.map(|_| span))
}

/// Whether a call may begin in a part of the text.
pub(super) fn may_begin_call(part: Span, input: &[u8], own: &OwnMarkup<'_>, key: &[u8]) -> bool {
    let text = input.get(..part.end).unwrap_or(input);
    let mut pos = part.start;
    while let Ok(Some(standing)) = own.find(text, &mut pos, key, true) {
        if matches!(standing.tag, Tag::OpensCall | Tag::OpensWrapper) {
            return true;
        }
        pos = standing.span.end;
    }
    false
}
