//! Compares a text, which may be cut off, with its expected beginning.

/// Whether a text begins with a literal or a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// The text begins with the literal, which has this many bytes.
    Whole(usize),
    /// The text ends too early to decide.
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
