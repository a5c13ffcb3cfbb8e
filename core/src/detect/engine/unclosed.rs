//! What the text has opened and not closed, so that an end marker closes something.

use crate::call::Span;
use crate::detect::engine::sought_marker::{Closes, ClosingMarker};

/// What was opened since the last end marker, and is no call that was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unclosed {
    wrapper: bool,
    call: bool,
    /// Whether a call was refused there, so that its end markers are of no interest.
    refused: bool,
    /// The last marker that began its line and opened no call.
    pub(super) opening: Option<Span>,
    /// The end of the last end marker, and whether nothing but such markers and white space stands
    /// between it and a call.
    pub(super) last: (usize, bool),
}

impl Unclosed {
    /// What is open behind the marker that opens a wrapper or a call.
    pub(super) fn opened(self, wraps: bool) -> Self {
        Self { wrapper: wraps || self.wrapper, call: !wraps || self.call, refused: false, ..self }
    }

    /// What is open behind a call.
    pub(super) fn behind_call(wrapper: bool) -> Self {
        Self { wrapper, ..Self::default() }
    }

    /// What may be open where a call was refused.
    pub(super) fn behind_refusal() -> Self {
        Self { wrapper: true, call: true, refused: true, ..Self::default() }
    }

    /// Takes an end marker; returns whether it closes nothing.
    pub(super) fn close(&mut self, ClosingMarker { closes, is_last, .. }: ClosingMarker) -> bool {
        let known = match closes {
            Closes::Wrapper => self.wrapper,
            Closes::Call => self.call,
            Closes::Parameter => self.refused,
            Closes::Name => self.call || self.refused,
        };
        match closes {
            Closes::Name => {}
            _ if is_last => *self = Self::default(),
            Closes::Call => self.call = false,
            Closes::Wrapper | Closes::Parameter => {}
        }
        !known
    }
}
