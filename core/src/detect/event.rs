//! What a stream of detection tells.

use crate::call::{Arguments, Span};

/// Something a stream is now sure of; offsets are bytes into everything fed so far.
///
/// A call begins, gives its arguments bit by bit, and ends; what belongs together bears the same
/// number, counted from 0. A call that nothing marks in the text begins and ends at once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Text that is not part of a call.
    Text(Span),
    /// A call begins; its name is sure.
    CallStart {
        /// The call's number among those that began.
        number: usize,
        /// The tool's name, an alias resolved.
        name: Box<str>,
    },
    /// The next bit of a call's arguments: the bits add up to the JSON of the arguments.
    ArgumentsDelta {
        /// The call's number.
        number: usize,
        /// Where the bit stands, or the bit itself.
        json: Arguments,
    },
    /// A call ends.
    CallEnd {
        /// The call's number.
        number: usize,
        /// The index of the complete call; none: it was refused, and a rejection tells why. Its
        /// text comes as text.
        call: Option<usize>,
    },
    /// Something was refused; the index is that of the rejection. Its text comes as text.
    Rejection(usize),
}
