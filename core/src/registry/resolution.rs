//! What came of a call whose tool was looked up: its tool or its problem, and its parts.

use std::borrow::Cow;

use super::call_problem::CallProblem;
use crate::tree::Tree;

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallArguments<N, A> {
    /// No arguments: absent, null or empty.
    Empty,
    /// The host's own object, as it is in the call.
    Host(N),
    /// The value that the host built from the JSON text of an object.
    Built(A),
}

/// The id or the name of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallLabel<N> {
    /// The host's own text.
    Host(N),
    /// A value that is not a text, and the text that shows it.
    Value(N, String),
    /// The text for an absent value.
    Shown(String),
}

impl<N: Tree> CallLabel<N> {
    /// Returns the text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Value(_, text) | Self::Shown(text) => Cow::Borrowed(text),
            Self::Host(node) => match node.text() {
                Some(Cow::Borrowed(bytes)) => String::from_utf8_lossy(bytes),
                Some(Cow::Owned(bytes)) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
                None => Cow::Borrowed(""),
            },
        }
    }
}

/// The result of reading a call and looking its tool up.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution<N, A, T> {
    /// A tool exists for the call.
    Resolved {
        /// The value that the lookup returned.
        tool: T,
        /// The call's id; empty if the call has none.
        call_id: CallLabel<N>,
        /// The name in the call.
        name: CallLabel<N>,
        /// The call's arguments.
        arguments: CallArguments<N, A>,
    },
    /// No tool has the name, or the call cannot be read.
    Unresolved {
        /// The call's id; empty if the call has none.
        call_id: CallLabel<N>,
        /// The name in the call.
        name: CallLabel<N>,
        /// The call's arguments, if they could be read.
        arguments: CallArguments<N, A>,
        /// The reason.
        problem: CallProblem,
    },
}
