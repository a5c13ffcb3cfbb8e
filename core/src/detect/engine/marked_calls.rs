//! The calls that start at one marker, while it is not yet known which format they are written in.

use crate::call::Span;
use crate::detect::body::marked::MarkedReader;
use crate::detect::candidate::{Found, Refusal};
use crate::detect::engine::config::Config;
use crate::detect::engine::sought_marker::FoundMarker;
use crate::detect::format::shape::{EndRule, Syntax};

/// The calls that start at one place, and the formats that they may be written in.
#[derive(Debug)]
pub(super) struct MarkedCalls {
    pub(super) reader: MarkedReader,
    pub(super) index: usize,
    /// The marker with which they begin.
    pub(super) opening: Span,
    /// The formats that are tried next when this one fails.
    pub(super) others: Vec<FoundMarker>,
    /// The refusal that got furthest, the offset to resume at, and the brackets to rule out.
    pub(super) refusal: Option<(Refusal, usize, Vec<usize>)>,
    /// Calls and refusals that are not handed out yet, because spans depend on the text that
    /// follows.
    pub(super) held: Vec<Found>,
    /// Where the next call's share of the wrapper starts.
    pub(super) share: usize,
    /// Whether anything was handed out or refused.
    pub(super) resolved: bool,
    /// The number of the call being read, if its start was reported.
    pub(super) number: Option<usize>,
}

impl MarkedCalls {
    /// `None` for the marker of a format that the configuration does not have.
    pub(super) fn new(
        opened: FoundMarker,
        others: Vec<FoundMarker>,
        config: &Config,
    ) -> Option<Self> {
        let FoundMarker { index, start, length, wraps } = opened;
        let format = config.formats.get(index)?;
        let reader = MarkedReader::new(format, start, length, wraps, config.tolerance);
        let (refusal, held, number) = (None, Vec::new(), None);
        let (opening, resolved) = (Span::new(start, start + length), false);
        Some(Self { reader, index, opening, others, refusal, held, share: start, resolved, number })
    }

    /// The first byte that is not handed out.
    pub(super) fn start(&self) -> usize {
        self.share_start().min(self.reader.start().max(self.share))
    }

    pub(super) fn share_start(&self) -> usize {
        let first = self.held.iter().find_map(|found| match found {
            Found::Call(candidate) => Some(candidate.span.start),
            Found::Refused(_) => None,
        });
        first.unwrap_or(self.share)
    }

    /// Whether a call may be handed out before the end of its wrapper is known.
    pub(super) fn hands_out_early(&self) -> bool {
        match &self.reader.format().syntax {
            Syntax::Marked(marked) => {
                let end = marked.wrapper.as_ref().map(|wrapper| wrapper.end);
                !marked.plain && end != Some(EndRule::Required)
            }
            _ => false,
        }
    }
}

/// The end of the last of these calls, whether it counts or is refused.
pub(super) fn held_end(held: &[Found]) -> usize {
    held.last().map_or(0, |last| match last {
        Found::Refused(refusal) => refusal.span.end,
        Found::Call(candidate) => candidate.span.end,
    })
}
