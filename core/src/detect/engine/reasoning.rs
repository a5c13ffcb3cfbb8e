//! The framing tokens and the reasoning of a message, as they are read.

use memchr::memmem;

use crate::detect::profile::ReasoningStyle;
use crate::progress::NeedMore;

/// A framing marker, and the white space that belongs to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
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
        Self { style, start, pos: start }
    }

    /// The offset up to which the text is certainly reasoning.
    pub(super) fn sure(&self) -> usize {
        self.pos
    }

    /// The end of the reasoning; `None` when the text so far holds none.
    pub(super) fn step(
        &mut self,
        style: &ReasoningStyle,
        input: &[u8],
        finished: bool,
    ) -> Option<End> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let mut undecided = rest.len();
        let mut first: Option<End> = None;
        let closing = style.close.iter().map(|marker| (marker, true));
        for (marker, belongs) in closing.chain(style.ends_at.iter().map(|marker| (marker, false))) {
            for at in memmem::find_iter(rest, marker.lead()) {
                if first.as_ref().is_some_and(|first| first.at <= at) {
                    break;
                }
                match marker.at(rest.get(at..).unwrap_or_default(), b"", finished) {
                    Ok(Some(length)) => {
                        first = Some(End { at, length: if belongs { length } else { 0 } });
                        break;
                    }
                    Err(NeedMore) => {
                        undecided = undecided.min(at);
                        break;
                    }
                    Ok(None) => {}
                }
            }
            if !finished {
                undecided = undecided.min(rest.len() - begun(rest, marker.lead()));
            }
        }
        if let Some(end) = first.filter(|end| end.at <= undecided) {
            return Some(End { at: self.pos + end.at, ..end });
        }
        self.pos += undecided;
        None
    }
}

/// The length of the end of `text` with which `marker` may begin.
fn begun(text: &[u8], marker: &[u8]) -> usize {
    let longest = marker.len().saturating_sub(1).min(text.len());
    let ends = |length: &usize| marker.get(..*length).is_some_and(|part| text.ends_with(part));
    (1..=longest).rev().find(ends).unwrap_or_default()
}
