//! What kinds of packets carry a tool's result.

use crate::error::{Error, ErrorKind};
use crate::slug::slugs;
use crate::tree::{Hints, Key, Tree};

slugs! {
    /// The types of packets that carry a tool's result.
    pub enum PacketKind {
        /// A tool ran and gave a result.
        ToolResult => "tool_result",
        /// A handler finished; the older form.
        AiHandlerComplete => "ai_handler_complete",
    }
}

impl PacketKind {
    /// The kind with a name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownPacketType`] if there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::from_slug(name).ok_or_else(|| {
            Error::unknown(ErrorKind::UnknownPacketType, "packet type", name, Self::SLUGS)
        })
    }

    /// The kind of a packet; none if its type is missing or none of these.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    #[allow(
        clippy::inline_always,
        reason = "a packet is some 60 instructions; a call would spill its state"
    )]
    #[inline(always)]
    pub fn of<N: Tree>(packet: &N, hints: &mut Hints) -> Result<Option<Self>, N::Error> {
        let Some(kind) = hints.get(packet, Key::Type)? else { return Ok(None) };
        let Some(text) = kind.text() else { return Ok(None) };
        // The texts are compared as wholes, several words at a time; a `match` would go byte by
        // byte.
        let is = |kind: Self| *text == *kind.slug().as_bytes();
        Ok(if is(Self::ToolResult) {
            Some(Self::ToolResult)
        } else if is(Self::AiHandlerComplete) {
            Some(Self::AiHandlerComplete)
        } else {
            None
        })
    }
}
