//! Where HTML tags and elements end, in text that arrives in pieces.
//!
//! The states are those of the tokenizer in the WHATWG standard. [`tag`] finds the end of one tag.
//! [`element`] finds the ends of elements in one pass with a stack. [`Hiding`] tracks the text in
//! which HTML knows no tags. An HTML tokenizer elsewhere reads the inside of a tag. It does not
//! find the ends, because no available tokenizer both gives offsets and can stop between two bytes.

pub(crate) mod element;
pub(crate) mod tag;

use element::{ContentState, MARKUP};

/// Tracks the text in which a `<` is not the start of a tag.
#[derive(Debug, Default)]
pub(crate) struct Hiding {
    until: usize,
    /// The content that is open, and the offset from which to search for its end.
    open: Option<(ContentState, usize)>,
}

impl Hiding {
    /// Whether the `<` at `pos` is hidden. The positions of successive calls must not fall.
    pub(crate) fn hides(&mut self, input: &[u8], pos: usize) -> bool {
        if let Some((hidden, from)) = &mut self.open {
            // An end counts only before this `<`. Calls that the search passed are not looked into.
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

    /// Hides the text from the `<!` or `<?` at `start` on.
    pub(crate) fn hide(&mut self, hidden: ContentState, start: usize) {
        self.hide_from(hidden, start + MARKUP);
    }

    /// Hides the text from `body` on.
    pub(crate) fn hide_from(&mut self, hidden: ContentState, body: usize) {
        self.open = Some((hidden, body));
    }
}
