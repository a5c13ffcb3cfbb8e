//! The places of the values of a text.

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    Object,
    Array,
    /// A text without escapes.
    Plain,
    Escaped,
    Number,
    Literal,
}

/// A value or a key: its place, and the number of nodes that it takes with all its content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeNode {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) nodes: u32,
    pub(crate) kind: NodeKind,
}
