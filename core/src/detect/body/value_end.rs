//! Where the value of a tagged parameter ends.
//!
//! A value may hold its own end tag: a tag ends the value only where the structure can continue
//! after it.

use memchr::memmem;

use crate::call::Span;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{CallShape, EndRule, Marked, Parameter};
use crate::progress::{NeedMore, Progress};

/// The most white space that is skipped after an end tag, in bytes.
const MOST_SPACE: usize = 1024;

/// The next end of a value, shared by all values of one format that begin before it.
///
/// Many openings may share one end, or all lack an end. Without this record each opening would
/// search the text again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueEnds {
    /// The offset at which the search began.
    from: usize,
    /// The offset before which no end of a value begins.
    pub(super) searched: usize,
    found: Option<Span>,
    next_call: NextCall,
}

/// Where the next call opens.
#[derive(Clone, Copy, Debug, Default)]
struct NextCall {
    from: usize,
    searched: usize,
    at: Option<usize>,
}

/// The parts of a format that end or continue a value.
pub(super) struct Shapes<'f> {
    pub(super) parameter: &'f Parameter,
    pub(super) call: &'f CallShape,
    pub(super) marked: &'f Marked,
}

impl Shapes<'_> {
    /// Whether the call's parameters end here.
    ///
    /// They end at the end marker of the call. If that may be missing, they also end at the next
    /// call and at the end of the wrapper.
    pub(super) fn ends_call(&self, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        let wrapper = self.marked.wrapper.as_ref();
        let close = Marker::first(&self.call.close, rest, b"", finished);
        if self.call.end == EndRule::Required {
            return close;
        }
        let wrapper =
            wrapper.map_or(Ok(None), |wrapper| Marker::first(&wrapper.close, rest, b"", finished));
        let open = Marker::first(&self.call.open, rest, b"", finished);
        match (close, wrapper, open) {
            (Ok(Some(length)), ..) | (_, Ok(Some(length)), _) | (.., Ok(Some(length))) => {
                Ok(Some(length))
            }
            (Ok(None), Ok(None), Ok(None)) => Ok(None),
            _ => Err(NeedMore),
        }
    }

    pub(super) fn opens_parameter(&self, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        let opened = Marker::first(&self.parameter.open, rest, b"", finished)?;
        let Some(length) = opened else { return Ok(None) };
        match rest.get(length) {
            Some(b'/') => Ok(None),
            None if !finished => Err(NeedMore),
            _ => Ok(Some(length)),
        }
    }

    /// Whether the structure can continue with `rest` after the end of a value.
    fn may_continue(&self, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        let space = blank(rest);
        if space > MOST_SPACE {
            return Ok(None);
        }
        let rest = rest.get(space..).unwrap_or_default();
        if rest.is_empty() {
            // The end of the text cuts the call off, whatever its value is.
            return if finished { Ok(None) } else { Err(NeedMore) };
        }
        match (self.ends_call(rest, finished), self.opens_parameter(rest, finished)) {
            (Ok(Some(length)), _) | (_, Ok(Some(length))) => Ok(Some(length)),
            (Ok(None), Ok(None)) => Ok(None),
            _ => Err(NeedMore),
        }
    }
}

impl ValueEnds {
    /// The end of the value that starts at `start`; `None` when it has none.
    pub(super) fn next(
        &mut self,
        input: &[u8],
        start: usize,
        finished: bool,
        shapes: &Shapes<'_>,
        key: &[u8],
    ) -> Progress<Option<Span>> {
        let echoes = shapes.parameter.close.iter().any(Marker::echoes);
        let known = !echoes && start >= self.from;
        if let Some(found) = self.found.filter(|found| known && found.start >= start) {
            return Ok(Some(found));
        }
        if !known || self.found.is_some() || self.searched < start {
            *self = Self { from: start, searched: start, found: None, ..*self };
        }
        // An end marker that holds the parameter's name is searched for only up to the next call.
        // Otherwise the text would be searched once for each name.
        let next_call =
            if echoes { self.next_call.find(input, start, &shapes.call.open) } else { None };
        let input = next_call.and_then(|at| input.get(..at)).unwrap_or(input);
        let finished = finished || next_call.is_some();
        let Some(lead) = shapes.parameter.close.first().map(Marker::lead) else {
            return Ok(None);
        };
        loop {
            let rest = input.get(self.searched..).unwrap_or_default();
            let Some(at) = memmem::find(rest, lead) else {
                self.searched = self.searched.max((input.len() + 1).saturating_sub(lead.len()));
                return if finished { Ok(None) } else { Err(NeedMore) };
            };
            let place = self.searched + at;
            let rest = input.get(place..).unwrap_or_default();
            match Marker::first(&shapes.parameter.close, rest, key, finished) {
                Err(NeedMore) => {
                    self.searched = place;
                    return Err(NeedMore);
                }
                Ok(None) => self.searched = place + 1,
                Ok(Some(length)) => {
                    let after = rest.get(length..).unwrap_or_default();
                    match shapes.may_continue(after, finished) {
                        Ok(Some(_)) => {
                            let found = Span::new(place, place + length);
                            self.searched = found.end;
                            self.found = Some(found);
                            return Ok(Some(found));
                        }
                        Err(NeedMore) => {
                            self.searched = place;
                            return Err(NeedMore);
                        }
                        Ok(None) => self.searched = place + 1,
                    }
                }
            }
        }
    }
}

impl NextCall {
    /// Where the first call after `start` opens, in the text so far.
    fn find(&mut self, input: &[u8], start: usize, open: &[Marker]) -> Option<usize> {
        if start < self.from || self.at.is_some_and(|at| at < start) || self.searched < start {
            *self = Self { from: start, searched: start, at: None };
        }
        let lead = open.first().map(Marker::lead)?;
        if self.at.is_none() {
            let rest = input.get(self.searched..).unwrap_or_default();
            self.at = memmem::find(rest, lead).map(|at| self.searched + at);
            self.searched = self.searched.max((input.len() + 1).saturating_sub(lead.len()));
        }
        self.at
    }
}

/// The length of the white space at the start of the text, counted to just above the limit.
fn blank(text: &[u8]) -> usize {
    text.iter().take(MOST_SPACE + 1).take_while(|byte| byte.is_ascii_whitespace()).count()
}
