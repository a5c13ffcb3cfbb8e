//! Why a provider's call has no tool: a code and a message.

use crate::call::RejectionCode;

/// Why a call was not resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallProblem {
    /// No tool has this id, name or alias.
    UnknownTool,
    /// The arguments are a text that is not JSON. The message says where the error is.
    BadJson(String),
    /// The arguments are not an object. The text names their kind.
    NoObject(&'static str),
    /// A number of the arguments is beyond a float.
    BadNumber,
    /// The call is the provider's own, or of a kind that is not known. The text names the kind.
    UnknownKind(String),
    /// The call or its wrapper is not an object. The text names its kind.
    NoCall(&'static str),
}

impl CallProblem {
    /// The code: a call that is not resolved is refused like one that was found in a text.
    #[must_use]
    pub fn code(&self) -> RejectionCode {
        match self {
            Self::UnknownTool => RejectionCode::UnknownTool,
            Self::BadJson(_) => RejectionCode::BadJson,
            Self::BadNumber => RejectionCode::BadNumber,
            Self::UnknownKind(_) => RejectionCode::UnknownKind,
            Self::NoObject(_) => RejectionCode::NotAnObject,
            Self::NoCall(_) => RejectionCode::BadShape,
        }
    }

    /// Returns the message for a call that asked for a tool by this name.
    #[must_use]
    pub fn message(&self, name: &str) -> String {
        match self {
            Self::UnknownTool => format!("There is no tool '{name}'"),
            Self::BadJson(problem) => format!("Invalid JSON arguments: {problem}"),
            Self::NoObject(kind) => {
                format!("Invalid JSON arguments: expected an object, not {kind}")
            }
            Self::BadNumber => "Invalid JSON arguments: a number is not finite".to_owned(),
            Self::UnknownKind(kind) => {
                format!("Failed to parse tool call: a '{kind}' is not the program's to run")
            }
            Self::NoCall(kind) => {
                format!("Failed to parse tool call: expected an object, not {kind}")
            }
        }
    }
}
