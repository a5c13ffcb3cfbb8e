//! Markers that are searched for, and what stands where one is found.

use std::borrow::Cow;
use std::sync::Arc;

use crate::call::Span;
use crate::detect::engine::apart::{begins_line, closes_thought};
use crate::detect::engine::lead::MarkerLead;
use crate::detect::format::Data;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::Syntax;
use crate::progress::{NeedMore, Progress};

/// The number of bytes of a marker's text from which the byte to search for is chosen.
pub(super) const LOOKED_AT: usize = 64;

/// A marker that is searched for.
#[derive(Clone, Debug)]
pub(super) struct SoughtMarker {
    pub(super) marker: Marker,
    /// The offset in the marker of the byte that is searched for.
    pub(super) offset: usize,
    pub(super) does: Does,
    pub(super) lead: MarkerLead,
}

/// What a marker does.
#[derive(Clone, Debug)]
pub(super) enum Does {
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
    /// The same for a tag of reasoning that is written in another way, which may be a word of the
    /// text: it counts only where it stands apart.
    MarksApart(Mark),
    Closes(ClosingMarker),
}

/// A marker that closes a call or a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosingMarker {
    pub(crate) format: &'static str,
    pub(crate) closes: Closes,
    /// Whether nothing of the format is open behind it.
    pub(crate) is_last: bool,
}

/// What a marker closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closes {
    Wrapper,
    Call,
    Parameter,
    /// The name of a call; its arguments follow.
    Name,
}

/// What a marker does that belongs to the message and not to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It opens reasoning of the style with this index.
    OpensReasoning(usize),
    ClosesReasoning,
    /// It frames the message, and is not shown.
    Frames,
    /// The same; what follows is for a person, and no call of it counts.
    OpensAnswer,
    /// It opens the turn of somebody else.
    OpensTurn,
    /// It opens a call of this format, which is not looked for.
    OpensOther(&'static str),
    /// It is part of the markup of some call.
    Stray,
}

/// A marker of the message that stands in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandingMark {
    pub(crate) mark: Mark,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl StandingMark {
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.start + self.length)
    }

    /// Whether the other mark says more than this one.
    pub(super) fn yields_to(&self, mark: Mark, length: usize) -> bool {
        (self.mark.is_read(), self.length) < (mark.is_read(), length)
    }

    /// Whether a marker of this length opens a call here all the same.
    pub(crate) fn lets_open(&self, length: usize) -> bool {
        !self.mark.is_read() || self.length <= length
    }
}

impl Mark {
    /// Whether it is part of a message that is read.
    pub(super) fn is_read(self) -> bool {
        !matches!(self, Self::OpensOther(_) | Self::Stray)
    }
}

/// A marker that stands in the text and opens calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundMarker {
    /// The index of the format.
    pub(crate) index: usize,
    pub(crate) start: usize,
    pub(crate) length: usize,
    pub(crate) wraps: bool,
}

/// A place where a marker is looked for.
pub(crate) struct Place<'t> {
    pub(crate) input: &'t [u8],
    /// The offset of a byte of the marker.
    pub(crate) pos: usize,
    /// The offset before which no marker begins.
    pub(crate) floor: usize,
    /// The end of what counted last: a line may begin there.
    pub(crate) over: usize,
    /// The format whose wrapper is open: a marker may count only inside of it.
    pub(crate) open: Option<usize>,
    pub(crate) finished: bool,
}

/// The markers at a place of the text.
#[derive(Default)]
pub(crate) struct Here {
    /// The longest marker that opens calls.
    pub(crate) opened: Option<FoundMarker>,
    /// The other ones that open calls. Hardly any place has them.
    pub(crate) also_opened: Vec<FoundMarker>,
    /// The longest marker of the message.
    pub(crate) mark: Option<StandingMark>,
    /// A marker that closes a call or a part of it, and where it stands.
    pub(crate) closing: Option<(ClosingMarker, Span)>,
    /// Whether the text ends within a marker.
    pub(crate) cut: bool,
}

/// The fewest bytes of a marker that no prose holds.
pub(super) const TELLING: usize = 6;

pub(super) fn is_telling(marker: &Marker) -> bool {
    let lead = marker.lead();
    lead.len() >= TELLING && matches!(lead.first(), Some(b'<' | b'['))
}

impl SoughtMarker {
    /// Notes the marker in `here`, if it stands at the place.
    pub(super) fn try_at(&self, place: &Place<'_>, here: &mut Here) {
        let Place { input, pos, floor, finished, .. } = *place;
        let Some(from) = pos.checked_sub(self.offset).filter(|from| *from >= floor) else {
            return;
        };
        let text = input.get(from..).unwrap_or_default();
        // Many markers are looked for at the same byte, and few of them have these first bytes.
        if !self.lead.may_begin(text) || !self.counts(place) {
            return;
        }
        let length = match self.marker.at(text, b"", finished) {
            Ok(None) => return,
            Err(NeedMore) => {
                here.cut = true;
                return;
            }
            Ok(Some(length)) => length,
        };
        match self.stands_apart(Span::new(from, from + length), place) {
            Ok(true) => self.note(from, length, here),
            Ok(false) => {}
            Err(NeedMore) => here.cut = true,
        }
    }

    /// Whether it counts only apart from the words of the text.
    pub(super) fn is_apart(&self) -> bool {
        matches!(self.does, Does::MarksApart(_))
    }

    /// Whether it stands apart from the words of the text, if it has to.
    fn stands_apart(&self, tag: Span, place: &Place<'_>) -> Progress<bool> {
        let Place { input, over, finished, .. } = *place;
        match self.does {
            Does::MarksApart(Mark::ClosesReasoning) => closes_thought(tag, input, over, finished),
            Does::MarksApart(_) => Ok(begins_line(input, over, tag.start)),
            _ => Ok(true),
        }
    }

    /// Whether it is the tag of a tool.
    pub(super) fn is_tool_tag(&self) -> bool {
        let Does::OpensCalls { format, .. } = &self.does else { return false };
        matches!(&format.syntax, Syntax::Marked(marked) if marked.call.is_tool_tag())
    }

    /// Whether the marker counts at the place: it may do so only in a wrapper of its format.
    pub(super) fn counts(&self, place: &Place<'_>) -> bool {
        let Does::OpensCalls { index, inside: true, .. } = self.does else { return true };
        place.open == Some(index)
    }

    /// Notes what the marker does, which stands at `from`.
    pub(super) fn note(&self, from: usize, length: usize, here: &mut Here) {
        match &self.does {
            Does::OpensCalls { index, wraps, .. } => {
                let found = FoundMarker { index: *index, start: from, length, wraps: *wraps };
                match here.opened {
                    None => here.opened = Some(found),
                    Some(_) => here.also_opened.push(found),
                }
            }
            Does::Marks(mark) | Does::MarksApart(mark) => {
                if here.mark.is_none_or(|known| known.yields_to(*mark, length)) {
                    here.mark = Some(StandingMark { mark: *mark, start: from, length });
                }
            }
            Does::Closes(closing) => {
                here.closing = here.closing.or(Some((*closing, Span::new(from, from + length))));
            }
        }
    }
}

/// The part of a marker that no prose holds: a bracket or a fence in front of it stands in every
/// text, and looking at each one would cost more than all other markers.
pub(super) fn telling_part(marker: &Marker) -> Option<Cow<'_, Marker>> {
    if marker.lead().len() >= TELLING {
        return Some(Cow::Borrowed(marker));
    }
    let text = marker.texts().find(|text| text.len() >= TELLING)?;
    Marker::parse(std::str::from_utf8(text).ok()?).ok().map(Cow::Owned)
}

/// The offset of the byte by which a marker is searched for: a byte that is searched for already,
/// or else a rare one.
pub(super) fn searched_byte(lead: &[u8], known: impl Fn(u8) -> bool) -> usize {
    let bytes = || lead.iter().take(LOOKED_AT).enumerate();
    let known = bytes().find(|(_, byte)| known(**byte));
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
