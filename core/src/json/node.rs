//! Where the values of a text stand.

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    /// A text without escapes.
    Plain,
    Escaped,
    Number,
    Literal,
}

/// A value or a key, where it stands, and how many nodes it takes with all that is in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) nodes: u32,
    pub(crate) kind: Kind,
}
