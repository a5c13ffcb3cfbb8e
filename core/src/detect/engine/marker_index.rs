//! Where calls between markers may start: the markers of all formats, found by one byte of each.

use std::sync::Arc;

use crate::detect::engine::byte_search::ByteSearch;
use crate::detect::format::Data;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::Syntax;
use crate::detect::profile::MessageShape;
use crate::progress::{NeedMore, Progress};

/// The number of bytes of a marker's text from which the byte to search for is chosen.
const LOOKED_AT: usize = 64;
/// What tokens begin with, so that they are told from other text.
const TOKEN_BEGINNINGS: [&[u8]; 2] = [b"<|", "<｜".as_bytes()];

/// A marker that is searched for.
#[derive(Clone, Debug)]
struct Start {
    marker: Marker,
    /// The offset in the marker of the byte that is searched for.
    offset: usize,
    does: Does,
}

/// What a marker does.
#[derive(Clone, Debug)]
enum Does {
    OpensCalls {
        format: Arc<Data>,
        /// The index of the format.
        index: usize,
        /// Whether it opens a wrapper; otherwise it opens a call.
        wraps: bool,
        /// Whether it counts only where a wrapper of its format is open.
        inside: bool,
    },
    Marks(Mark),
}

/// What a marker does that belongs to the message and not to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It opens reasoning of the style with this index.
    OpensReasoning(usize),
    ClosesReasoning,
    /// It frames the message, and is not shown.
    Frames,
}

/// A marker of the message that stands in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandingMark {
    pub(crate) mark: Mark,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

/// The markers, by the byte that is searched for and the byte after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkerIndex {
    all: Vec<Start>,
    /// The formats, each with its index, that have markers which open a call where the text begins.
    first: Vec<(Arc<Data>, usize)>,
    /// For each byte after the searched byte, the indices of the markers that may stand there.
    buckets: Vec<Vec<usize>>,
    /// The indices of the markers that begin before the byte that is searched for.
    early: Vec<usize>,
    /// Whether each byte stands before the searched byte in one of the `early` markers.
    early_bytes: Vec<bool>,
    /// For each byte by which markers are searched for, the bytes that may follow it. A byte with
    /// which only fences or JSON begin is not in the list.
    followers: Vec<(u8, Followers)>,
}

/// For each byte, whether it may follow.
type Followers = [bool; 256];

/// A marker that stands in the text.
#[derive(Clone, Debug)]
pub(crate) struct FoundMarker {
    pub(crate) format: Arc<Data>,
    pub(crate) index: usize,
    pub(crate) start: usize,
    pub(crate) length: usize,
    pub(crate) wraps: bool,
}

/// The markers at a place of the text.
pub(crate) struct Here {
    pub(crate) opened: Vec<FoundMarker>,
    /// The longest marker of the message.
    pub(crate) mark: Option<StandingMark>,
    /// Whether the text ends within a marker.
    pub(crate) cut: bool,
}

impl MarkerIndex {
    /// Adds the markers of a format; returns false when they share too few bytes with the others.
    pub(crate) fn add(
        &mut self,
        format: &Arc<Data>,
        index: usize,
        triggers: &mut ByteSearch,
    ) -> bool {
        let Syntax::Marked(marked) = &format.syntax else { return true };
        if !marked.call.open_first.is_empty() {
            self.first.push((Arc::clone(format), index));
        }
        let wrapper = marked.wrapper.iter().flat_map(|wrapper| &wrapper.open);
        let wrappers = wrapper.map(|marker| (marker, true, false));
        let calls = marked.call.open.iter().map(|marker| (marker, false, !marked.bare));
        wrappers.chain(calls).all(|(marker, wraps, inside)| {
            let format = Arc::clone(format);
            self.push(marker, Does::OpensCalls { format, index, wraps, inside }, triggers)
        })
    }

    /// Takes a wrapper of the format that holds no call for a frame; returns false when its markers
    /// share too few bytes with the others.
    pub(crate) fn add_empty_wrapper(&mut self, format: &Data, triggers: &mut ByteSearch) -> bool {
        let Syntax::Marked(marked) = &format.syntax else { return true };
        let wrappers = marked.wrapper.iter().flat_map(|wrapper| {
            let empty = |open: &Marker, close: &Marker| {
                Marker::parse(&format!("{}{{space}}{}", open.written(), close.written())).ok()
            };
            wrapper.open.iter().flat_map(move |open| {
                wrapper.close.iter().filter_map(move |close| empty(open, close))
            })
        });
        let wrappers: Vec<_> = wrappers.collect();
        wrappers.iter().all(|marker| self.push(marker, Does::Marks(Mark::Frames), triggers))
    }

    /// Adds the markers of the message; returns false when they share too few bytes.
    pub(crate) fn add_message(&mut self, shape: &MessageShape, triggers: &mut ByteSearch) -> bool {
        let opens = shape.reasoning.iter().enumerate().flat_map(|(index, style)| {
            style.open.iter().map(move |marker| (marker, Mark::OpensReasoning(index)))
        });
        // A marker that also ends other parts of a message says nothing of what stands before it.
        let closes = shape.reasoning.iter().flat_map(|style| &style.close);
        let closes = closes.filter(|marker| !shape.frames.contains(marker));
        let closes = closes.map(|marker| (marker, Mark::ClosesReasoning));
        let frames = shape.frames.iter().map(|marker| (marker, Mark::Frames));
        opens
            .chain(closes)
            .chain(frames)
            .all(|(marker, mark)| self.push(marker, Does::Marks(mark), triggers))
    }

    /// Adds a marker; returns false when its searched byte is one too many.
    fn push(&mut self, marker: &Marker, does: Does, triggers: &mut ByteSearch) -> bool {
        let offset = searched_byte(marker.lead(), triggers);
        let byte = marker.lead().get(offset).copied().unwrap_or_default();
        self.follows(byte, marker.lead().get(offset + 1).copied());
        self.all.push(Start { marker: marker.clone(), offset, does });
        triggers.add(byte)
    }

    /// Sorts the markers by length: of two markers at the same place, the longer one counts.
    pub(crate) fn arrange(&mut self) {
        self.all.sort_by_key(|start| std::cmp::Reverse(start.marker.lead().len()));
        self.buckets = vec![Vec::new(); 256];
        self.early_bytes = vec![false; 256];
        for (at, start) in self.all.iter().enumerate() {
            let next = start.marker.lead().get(start.offset + 1).map(|byte| usize::from(*byte));
            for (byte, bucket) in self.buckets.iter_mut().enumerate() {
                if next.is_none_or(|next| next == byte) {
                    bucket.push(at);
                }
            }
            if start.offset > 0 {
                self.early.push(at);
                for byte in start.marker.lead().iter().take(start.offset) {
                    if let Some(early) = self.early_bytes.get_mut(usize::from(*byte)) {
                        *early = true;
                    }
                }
            }
        }
    }

    /// Records that a marker is searched for by `byte`, with `next` after it; `None` is any byte.
    fn follows(&mut self, byte: u8, next: Option<u8>) {
        if !self.followers.iter().any(|(known, _)| *known == byte) {
            self.followers.push((byte, [false; 256]));
        }
        let known = self.followers.iter_mut().find(|(known, _)| *known == byte);
        if let Some((_, followers)) = known {
            match next.and_then(|next| followers.get_mut(usize::from(next))) {
                Some(follows) => *follows = true,
                None => followers.fill(true),
            }
        }
    }

    /// Whether a marker may hold this byte with `next` after it.
    #[inline]
    pub(crate) fn may_stand(&self, byte: u8, next: Option<u8>) -> bool {
        let known = self.followers.iter().find(|(known, _)| *known == byte);
        known.is_some_and(|(_, followers)| {
            next.is_none_or(|next| followers.get(usize::from(next)).copied().unwrap_or_default())
        })
    }

    /// The markers that hold the byte at `pos` and do not begin before `floor`.
    ///
    /// A marker that counts only inside a wrapper is listed only if `open` is its format.
    pub(crate) fn at(
        &self,
        input: &[u8],
        pos: usize,
        floor: usize,
        open: Option<usize>,
        finished: bool,
    ) -> Here {
        let mut here = Here { opened: Vec::new(), mark: None, cut: false };
        match input.get(pos + 1) {
            Some(next) => {
                let bucket = self.buckets.get(usize::from(*next));
                for at in bucket.into_iter().flatten() {
                    self.try_start(*at, input, pos, floor, open, finished, &mut here);
                }
            }
            None => {
                for at in 0..self.all.len() {
                    self.try_start(at, input, pos, floor, open, finished, &mut here);
                }
            }
        }
        here
    }

    #[allow(clippy::too_many_arguments, reason = "the step of a loop, taken out of it twice")]
    fn try_start(
        &self,
        at: usize,
        input: &[u8],
        pos: usize,
        floor: usize,
        open: Option<usize>,
        finished: bool,
        here: &mut Here,
    ) {
        let Some(start) = self.all.get(at) else { return };
        if start.marker.lead().get(start.offset) != input.get(pos) {
            return;
        }
        let Some(from) = pos.checked_sub(start.offset).filter(|from| *from >= floor) else {
            return;
        };
        if matches!(start.does, Does::OpensCalls { index, inside: true, .. } if open != Some(index))
        {
            return;
        }
        let length = match start.marker.at(input.get(from..).unwrap_or_default(), b"", finished) {
            Ok(None) => return,
            Err(NeedMore) => {
                here.cut = true;
                return;
            }
            Ok(Some(length)) => length,
        };
        match &start.does {
            Does::OpensCalls { format, index, wraps, .. } => here.opened.push(FoundMarker {
                format: Arc::clone(format),
                index: *index,
                start: from,
                length,
                wraps: *wraps,
            }),
            Does::Marks(mark) if here.mark.is_none_or(|known| known.length < length) => {
                here.mark = Some(StandingMark { mark: *mark, start: from, length });
            }
            Does::Marks(_) => {}
        }
    }

    /// Whether a marker may open a call only where the text begins.
    pub(crate) fn may_open_first(&self) -> bool {
        !self.first.is_empty()
    }

    /// The markers that open a call where the text begins.
    pub(crate) fn first(&self, input: &[u8], finished: bool) -> Progress<Vec<FoundMarker>> {
        let mut found = Vec::new();
        for (format, index) in &self.first {
            let Syntax::Marked(marked) = &format.syntax else { continue };
            if let Some(length) = Marker::first(&marked.call.open_first, input, b"", finished)? {
                let (format, index) = (Arc::clone(format), *index);
                found.push(FoundMarker { format, index, start: 0, length, wraps: false });
            }
        }
        Ok(found)
    }

    /// Whether a marker may begin with text up to this byte, before the byte it is found by.
    #[inline]
    pub(crate) fn may_begin_before(&self, byte: u8) -> bool {
        self.early_bytes.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The length of the end of `text` that only the beginning of a token can be.
    ///
    /// A token begins with `<|`, which is too rare in other text to be anything else when a letter
    /// of the token follows.
    /// As long as more text may come, the end counts too that may become such a beginning.
    pub(crate) fn cut_token(&self, text: &[u8], finished: bool) -> usize {
        let near = text.get(text.len().saturating_sub(LOOKED_AT)..).unwrap_or(text);
        let Some(at) = memchr::memrchr(b'<', near) else { return 0 };
        let end = near.get(at..).unwrap_or_default();
        let begins = |start: &Start| {
            let waits = matches!(start.does, Does::OpensCalls { inside: true, .. });
            let lead = start.marker.lead();
            !waits && lead.len() > end.len() && lead.starts_with(end)
        };
        let is_token = TOKEN_BEGINNINGS.iter().any(|token| {
            let begins = end.starts_with(token) && (end.len() > token.len() || !finished);
            begins || (!finished && token.starts_with(end))
        });
        if is_token && self.all.iter().any(begins) { end.len() } else { 0 }
    }

    /// The length of the end of `text` that may be the beginning of a marker.
    pub(crate) fn held_back(&self, text: &[u8]) -> usize {
        let Some(last) = text.last().filter(|last| self.may_begin_before(**last)) else {
            return 0;
        };
        let early = self.early.iter().filter_map(|at| self.all.get(*at));
        let begun = early.filter_map(|start| {
            let lead = start.marker.lead().get(..start.offset)?;
            let ends = |length: &usize| {
                let part = lead.get(..*length).unwrap_or_default();
                part.last() == Some(last) && text.ends_with(part)
            };
            (1..=lead.len()).rev().find(ends)
        });
        begun.max().unwrap_or_default()
    }
}

/// The offset of the byte by which a marker is searched for: a byte that is searched for already,
/// or else a rare one.
fn searched_byte(lead: &[u8], triggers: &ByteSearch) -> usize {
    let bytes = || lead.iter().take(LOOKED_AT).enumerate();
    let known = bytes().find(|(_, byte)| triggers.contains(**byte));
    let rare = bytes().max_by_key(|(at, byte)| {
        let rarity = match byte {
            0x80.. => 5,
            b' ' | b'.' | b',' | b'\n' => 0,
            byte if byte.is_ascii_lowercase() => 1,
            byte if byte.is_ascii_alphanumeric() => 2,
            b'-' | b'"' | b'\'' | b':' | b'(' | b')' => 3,
            _ => 6,
        };
        (rarity, std::cmp::Reverse(*at))
    });
    known.or(rare).map_or(0, |(at, _)| at)
}
