//! What surrounds calls in a text: code fences and HTML markup.

pub(crate) mod closing;
pub(crate) mod code_span;
pub(crate) mod enclosure;
pub(crate) mod fence;
pub(crate) mod markup;
