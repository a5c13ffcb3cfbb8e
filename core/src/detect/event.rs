//! The events of a stream.

use crate::call::{Arguments, Span};

/// Something that a stream has decided; offsets are bytes into everything fed so far.
///
/// A call begins, gives its arguments piece by piece, and ends. The events of one call have the
/// same number, counted from 0. A call without markers begins and ends at once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Text that is not part of a call.
    Text(Span),
    /// Reasoning, without the white space around it.
    Reasoning(Span),
    /// A marker shows that everything so far was reasoning, which is now reported as such. Text and
    /// calls that were reported before do not count. The span is empty where the reasoning is.
    ReasoningEnd(Span),
    /// A call begins; its name is known.
    CallStart {
        /// The number of the call.
        number: usize,
        /// The tool's name; an alias is resolved.
        name: Box<str>,
        /// The id that the call will have. Only an id that the text writes behind the arguments
        /// replaces it.
        id: Box<str>,
        /// Whether no marker behind it can show that the call was only a thought.
        certain: bool,
    },
    /// The next piece of a call's arguments; the pieces add up to the JSON of the arguments.
    ArgumentsDelta {
        /// The call's number.
        number: usize,
        /// The place of the piece in the text, or the piece itself.
        json: Arguments,
    },
    /// A call ends.
    CallEnd {
        /// The call's number.
        number: usize,
        /// The index of the complete call.
        call: usize,
    },
    /// What began as a call is none, or a call that ended stands in reasoning; a rejection says
    /// why. The text of what is no call is reported as text, unless the text ends inside it.
    CallRetracted {
        /// The call's number.
        number: usize,
    },
    /// Something was refused; the number is the index of the rejection. Its text is reported as
    /// text.
    Rejection(usize),
}
