//! Where white space at the end of a growing text begins.

use crate::call::Span;

/// Where the last byte stands that is not white space; each byte is looked at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LastSolid {
    /// The offset up to which the text was looked at.
    checked: usize,
    /// The end of the last such byte before it.
    end: usize,
}

impl LastSolid {
    /// The end of `span` without the white space at its end.
    pub(crate) fn end(&mut self, span: Span, input: &[u8]) -> usize {
        if span.end < self.checked {
            return without_blank_end(input, span).end;
        }
        if self.checked < span.start {
            // What was passed over was no white space, but calls and frames.
            (self.checked, self.end) = (span.start, span.start);
        }
        let solid = without_blank_end(input, Span::new(self.checked, span.end));
        if !solid.is_empty() {
            self.end = solid.end;
        }
        self.checked = span.end;
        self.end.max(span.start)
    }
}

/// The span without the white space at its end.
pub(crate) fn without_blank_end(input: &[u8], span: Span) -> Span {
    Span::new(span.start, span.start + span.of(input).trim_ascii_end().len())
}
