//! The framing tokens and the reasoning of a message, as they are read.

use memchr::{memchr_iter, memmem};

use crate::call::Span;
use crate::detect::format::marker::Marker;
use crate::detect::profile::{FrameTokens, InnerMarkers, ReasoningStyle, ThoughtTags};
use crate::progress::NeedMore;

/// The bytes in which the end of reasoning is searched for first. The next parts double, so that
/// many short thoughts do not each search the whole text for a marker that never comes.
const NEAR: usize = 512;
/// The number of places with a marker's first byte that are looked at before its text is searched
/// for.
const FEW: usize = 8;

/// A framing marker, and the white space that belongs to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FramingMarker {
    pub(super) start: usize,
    pub(super) pos: usize,
    /// The style of the reasoning that begins after the marker.
    pub(super) opens: Option<usize>,
}

/// Looks for the end of reasoning.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReasoningReader {
    pub(super) style: usize,
    pub(super) start: usize,
    /// The offset before which no marker that ends the reasoning begins.
    pos: usize,
    /// The offset from which the text may be a call that counts.
    pub(super) held_from: usize,
}

/// Where reasoning ends.
pub(super) struct End {
    pub(super) at: usize,
    /// The length of the marker, if it belongs to the reasoning.
    pub(super) length: usize,
}

impl ReasoningReader {
    /// Starts after the marker that opens the reasoning.
    pub(super) fn new(style: usize, start: usize) -> Self {
        Self { style, start, pos: start, held_from: start }
    }

    /// The offset up to which the text is certainly reasoning.
    pub(super) fn sure(&self) -> usize {
        self.pos.min(self.held_from)
    }

    /// The offset before which no marker that ends the reasoning begins.
    pub(super) fn searched(&self) -> usize {
        self.pos
    }

    /// The end of the reasoning; `None` when the text so far holds none.
    ///
    /// The framing tokens in front of it are added to `frames`.
    pub(super) fn step(
        &mut self,
        style: &ReasoningStyle,
        markers: &InnerMarkers,
        input: &[u8],
        finished: bool,
        frames: &mut Vec<Span>,
    ) -> Option<End> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let mut part = Span::new(0, NEAR);
        let (first, cut) = loop {
            let own = first_end(style, rest, part, finished);
            let (first, cut) = self.other_end(&markers.tags, own, part, input, finished);
            if first.is_some() || cut.is_some() || part.end >= rest.len() {
                break (first, cut);
            }
            part = Span::new(part.end, part.end.saturating_mul(2));
        };
        let mut undecided = cut.unwrap_or(rest.len());
        if !finished {
            let markers = style.close.iter().chain(&style.ends_at);
            let begun = markers.map(|marker| begun(rest, marker.lead())).max();
            undecided = undecided.min(rest.len() - begun.unwrap_or_default());
        }
        let decided = first.as_ref().map_or(undecided, |end| end.at.min(undecided));
        let decided = self.add_frames(&markers.inner, rest, decided, finished, frames);
        if let Some(end) = first.filter(|end| end.at <= decided) {
            return Some(End { at: self.pos + end.at, ..end });
        }
        self.pos += decided;
        None
    }

    /// An end tag in a part of the text that is written in another way, if it stands in front of
    /// the first marker of the style's own.
    fn other_end(
        &self,
        tags: &ThoughtTags,
        (first, cut): (Option<End>, Option<usize>),
        part: Span,
        input: &[u8],
        finished: bool,
    ) -> (Option<End>, Option<usize>) {
        let own = first.as_ref().map_or(part.end, |end| end.at);
        let to = (self.pos + own).min(input.len());
        match tags.first(input, self.start, (self.pos + part.start, to), finished) {
            Ok(None) => (first, cut),
            Ok(Some((at, length))) => (Some(End { at: at - self.pos, length }), cut),
            Err(at) => {
                let at = at - self.pos;
                (first, Some(cut.map_or(at, |cut| cut.min(at))))
            }
        }
    }

    /// Adds the framing tokens before `decided`, and returns up to where the text is decided now.
    fn add_frames(
        &self,
        inner: &FrameTokens,
        rest: &[u8],
        decided: usize,
        finished: bool,
        frames: &mut Vec<Span>,
    ) -> usize {
        let mut end = 0;
        for at in FrameTokens::places(rest, decided) {
            if at < end {
                continue;
            }
            let length = match inner.longest(rest.get(at..).unwrap_or_default(), finished) {
                Ok(Some(length)) => length,
                Ok(None) => continue,
                Err(NeedMore) => return at,
            };
            end = at + length;
            if end > decided {
                return if finished { decided } else { at };
            }
            frames.push(Span::new(self.pos + at, self.pos + end));
        }
        decided
    }
}

/// Reasoning that is searched for calls that count.
#[derive(Debug)]
pub(super) struct SearchedThought {
    reader: ReasoningReader,
    /// The first marker that ends it behind the code that was read last.
    end: Option<usize>,
}

impl SearchedThought {
    /// Starts after the marker that opens the reasoning.
    pub(super) fn new(style: usize, start: usize) -> Self {
        Self { reader: ReasoningReader::new(style, start), end: None }
    }

    pub(super) fn style(&self) -> usize {
        self.reader.style
    }

    /// Whether a marker at or behind `start` is known that ends the reasoning.
    pub(super) fn find_end(
        &mut self,
        style: &ReasoningStyle,
        start: usize,
        input: &[u8],
        finished: bool,
    ) -> bool {
        if self.end.is_none_or(|end| end < start) {
            self.reader.pos = self.reader.pos.max(start);
            let none = InnerMarkers::default();
            let end = self.reader.step(style, &none, input, finished, &mut Vec::new());
            self.end = end.map(|end| end.at);
        }
        self.end.is_some()
    }

    /// The text that is certainly not behind the reasoning.
    pub(super) fn known<'i>(&self, input: &'i [u8]) -> &'i [u8] {
        input.get(..self.end.unwrap_or(self.reader.pos)).unwrap_or(input)
    }

    pub(super) fn ends_at(&self, end: usize) -> bool {
        self.end == Some(end)
    }
}

/// The first end of the reasoning that begins in a part of the text, and the first place before it
/// where one may begin that the text cuts off.
fn first_end(
    style: &ReasoningStyle,
    rest: &[u8],
    part: Span,
    finished: bool,
) -> (Option<End>, Option<usize>) {
    let (mut first, mut cut): (Option<End>, Option<usize>) = (None, None);
    let closing = style.close.iter().map(|marker| (marker, true));
    for (marker, belongs) in closing.chain(style.ends_at.iter().map(|marker| (marker, false))) {
        // What begins behind the first end ends nothing.
        let nearest = first.as_ref().map_or(part.end.min(rest.len()), |first| first.at);
        for at in places(rest, marker, Span::new(part.start, nearest)) {
            match marker.at(rest.get(at..).unwrap_or_default(), b"", finished) {
                Ok(Some(length)) => {
                    first = Some(End { at, length: if belongs { length } else { 0 } });
                    break;
                }
                Err(NeedMore) => {
                    cut = Some(cut.map_or(at, |cut| cut.min(at)));
                    break;
                }
                Ok(None) => {}
            }
        }
    }
    (first, cut)
}

/// Where a marker may begin in a part of the text.
fn places<'t>(text: &'t [u8], marker: &'t Marker, part: Span) -> impl Iterator<Item = usize> + 't {
    let lead = marker.lead();
    let reach = part.end.saturating_add(lead.len()).min(text.len());
    let mut searched = part.start;
    let place = move || {
        let at = searched + lead_in(text.get(searched..reach)?, lead)?;
        searched = at + lead.len();
        Some(at)
    };
    std::iter::from_fn(place).take_while(move |at| *at < part.end)
}

/// The first place of a marker's lead in a text.
fn lead_in(text: &[u8], lead: &[u8]) -> Option<usize> {
    // Thoughts have few of the bytes that markers begin with, and to prepare a search for the whole
    // lead takes longer than to look at these.
    let mut begun = memchr_iter(*lead.first()?, text);
    let begins = |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(lead));
    begun.by_ref().take(FEW).find(begins).or_else(|| {
        let from = begun.next()?;
        memmem::find(text.get(from..)?, lead).map(|at| from + at)
    })
}

/// The length of the end of `text` with which `marker` may begin.
fn begun(text: &[u8], marker: &[u8]) -> usize {
    let longest = marker.len().saturating_sub(1).min(text.len());
    let ends = |length: &usize| marker.get(..*length).is_some_and(|part| text.ends_with(part));
    (1..=longest).rev().find(ends).unwrap_or_default()
}
