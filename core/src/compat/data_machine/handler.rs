//! Reads which handler a packet belongs to.

use crate::tree::{Hints, Key, Tree};

/// The value of `handler_tool` in the metadata.
#[allow(
    clippy::inline_always,
    reason = "a packet is some 60 instructions; a call would spill its state"
)]
#[inline(always)]
pub(super) fn handler_in<N: Tree>(
    metadata: Option<&N>,
    hints: &mut Hints,
) -> Result<Option<N>, N::Error> {
    metadata.map_or(Ok(None), |metadata| hints.get(metadata, Key::HandlerTool))
}
