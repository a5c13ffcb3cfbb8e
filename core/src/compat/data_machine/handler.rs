//! Whose packet it is.

use crate::tree::{Hints, Key, Tree};

/// What stands under `handler_tool` in metadata.
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
