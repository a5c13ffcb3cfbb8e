//! The markers around the parts of a message, ready for the engine.

use std::sync::Arc;

use crate::detect::format::marker::Marker;

/// How a message is divided into reasoning, framing and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageShape {
    pub(crate) reasoning: Vec<ReasoningStyle>,
    /// The tokens that frame parts of the message and are not shown.
    pub(crate) frames: Vec<Marker>,
    /// The index of the reasoning in which the message begins.
    pub(crate) begun: Option<usize>,
    /// Whether a call inside the reasoning counts.
    pub(crate) calls_in_reasoning: bool,
}

/// One way to write reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReasoningStyle {
    pub(crate) style: Arc<str>,
    pub(crate) open: Vec<Marker>,
    pub(crate) close: Vec<Marker>,
    /// The markers that end the reasoning but do not belong to it.
    pub(crate) ends_at: Vec<Marker>,
}
