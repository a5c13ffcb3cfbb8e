//! The outcome of a step that reads text which arrives in pieces.

/// The text so far ends before the step can decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NeedMore;

/// What a step decided, or that it needs more text.
///
/// A step that needs more text is taken again with a longer text, or is told that no more will
/// come.
pub(crate) type Progress<T> = Result<T, NeedMore>;
