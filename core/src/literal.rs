//! Compares a text that may be cut off with what it should begin with.

/// Whether a text begins with a literal or a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// It does, and this many bytes belong to it.
    Whole(usize),
    /// The text ends before that can be told.
    NeedMore,
    No,
}

/// Compares plain text with the start of `rest`.
pub(crate) fn compare(text: &[u8], rest: &[u8]) -> Match {
    if rest.starts_with(text) {
        Match::Whole(text.len())
    } else if text.starts_with(rest) {
        Match::NeedMore
    } else {
        Match::No
    }
}
