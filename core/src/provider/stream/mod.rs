//! The pieces of a streamed response, joined to calls and results.
//!
//! What came whole is read by the rules of `read`.

pub(in crate::provider) mod accumulator;
pub(in crate::provider) mod event;
pub(in crate::provider) mod own_item;
pub(in crate::provider) mod own_slot;
pub(in crate::provider) mod piece;
pub(in crate::provider) mod slot;

pub(in crate::provider) use accumulator::Accumulator;
pub(in crate::provider) use event::{kind_of, object, push, whole};
pub(in crate::provider) use piece::{CallPiece, filled};
pub(in crate::provider) use slot::EndMark;
