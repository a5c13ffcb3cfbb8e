//! What kinds of packets carry a tool's result.

use crate::error::{Error, ErrorKind};
use crate::tree::{Hints, Key, Tree};

/// The types of packets that carry a tool's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PacketKind {
    /// A tool ran and gave a result.
    ToolResult,
    /// A handler finished; the older form.
    AiHandlerComplete,
}

impl PacketKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::ToolResult, Self::AiHandlerComplete];

    /// The type as it is written in a packet.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolResult => "tool_result",
            Self::AiHandlerComplete => "ai_handler_complete",
        }
    }

    /// The kind with a name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownPacketType`] if there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|kind| kind.as_str()).collect();
            let message = format!("unknown packet type {name:?}; known: {}", known.join(", "));
            Error::new(ErrorKind::UnknownPacketType, message)
        })
    }

    /// The kind of a packet; none if its type is missing or another one.
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
        // Compared as wholes, some words at a time; a `match` would go byte by byte.
        let is = |kind: Self| *text == *kind.as_str().as_bytes();
        Ok(if is(Self::ToolResult) {
            Some(Self::ToolResult)
        } else if is(Self::AiHandlerComplete) {
            Some(Self::AiHandlerComplete)
        } else {
            None
        })
    }
}
