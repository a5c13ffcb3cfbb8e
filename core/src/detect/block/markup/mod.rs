//! Where HTML tags and elements end, in text that arrives in pieces.
//!
//! The states follow the WHATWG standard's tokenizer. [`tag`] finds the end of one tag;
//! [`element`] finds the ends of elements, all in one pass with a stack; [`Hiding`] knows which
//! text HTML does not look into. What is inside a tag is read by an HTML tokenizer elsewhere; none
//! that could be had gives offsets and can stop between two bytes.

pub(crate) mod element;
pub(crate) mod tag;

use element::{ContentState, MARKUP};

/// The part of the text in which a `<` is not the start of a tag.
#[derive(Debug, Default)]
pub(crate) struct Hiding {
    until: usize,
    /// An open stretch, and from where to search for its end.
    open: Option<(ContentState, usize)>,
}

impl Hiding {
    /// Whether the `<` at `pos` is hidden; asked from front to back.
    pub(crate) fn hides(&mut self, input: &[u8], pos: usize) -> bool {
        if let Some((hidden, from)) = &mut self.open {
            // Only what ends before this `<` counts: calls that were passed are not looked into.
            let reach = if matches!(hidden, ContentState::RawText(_)) {
                input
            } else {
                input.get(..pos).unwrap_or_default()
            };
            match hidden.end(reach, *from) {
                Ok(end) if end <= pos => {
                    self.until = self.until.max(end);
                    self.open = None;
                }
                Ok(end) | Err(end) => *from = end,
            }
        }
        self.open.is_some() || pos < self.until
    }

    /// Hides everything before `end`.
    pub(crate) fn until(&mut self, end: usize) {
        self.until = self.until.max(end);
    }

    /// Hides from the markup at `start` on.
    pub(crate) fn hide(&mut self, hidden: ContentState, start: usize) {
        self.hide_from(hidden, start + MARKUP);
    }

    /// Hides from `body` on.
    pub(crate) fn hide_from(&mut self, hidden: ContentState, body: usize) {
        self.open = Some((hidden, body));
    }
}
