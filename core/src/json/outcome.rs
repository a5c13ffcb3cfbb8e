//! What reading a call's JSON gave, and what that JSON may be.

use crate::call::{Arguments, Diagnostic, DiagnosticCode, RejectionCode, Span};
use crate::json::scanner::Fault;
use crate::slug::slugs;

slugs! {
    /// What is done about arguments that are almost JSON.
    pub enum Repair {
        /// They are refused.
        Off => "off",
        /// A bounded set of unambiguous repairs is made, and noted on the call.
        Safe => "safe",
    }
}

/// Arguments that were read to their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadArguments {
    pub(crate) span: Span,
    pub(crate) notes: Vec<Diagnostic>,
    /// The JSON, where it is not that of the text.
    pub(crate) made: Option<Box<str>>,
}

/// Why a value is not arguments, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadArguments {
    pub(crate) code: RejectionCode,
    pub(crate) message: String,
    pub(crate) at: usize,
}

impl BadArguments {
    pub(crate) fn new(code: RejectionCode, at: usize, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at }
    }

    /// A scanner's fault in the words of a rejection.
    pub(crate) fn from_fault(fault: Fault) -> Self {
        match fault {
            Fault::Syntax(at, what) => {
                Self::new(RejectionCode::BadJson, at, format!("the arguments are not JSON: {what}"))
            }
            Fault::TooDeep(at) => Self::too_deep(at),
        }
    }

    pub(crate) fn too_deep(at: usize) -> Self {
        Self::new(RejectionCode::TooDeep, at, "the JSON nests deeper than max_depth")
    }

    pub(crate) fn too_large(at: usize) -> Self {
        Self::new(RejectionCode::TooLarge, at, "the arguments exceed max_arguments")
    }

    pub(crate) fn not_an_object(at: usize) -> Self {
        Self::new(RejectionCode::NotAnObject, at, "the arguments are JSON, but not an object")
    }
}

/// What one step gave.
pub(crate) enum Progress {
    NeedMore,
    Read(ReadArguments),
    Bad(BadArguments),
}

/// What one call's JSON may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    pub(crate) depth: usize,
    pub(crate) bytes: usize,
    /// Whether what is almost JSON is repaired.
    pub(crate) repair: Repair,
}

/// The note on arguments that were written `[]`.
pub(crate) fn empty_array(offset: usize) -> Diagnostic {
    let message = "[] counts as the empty object".to_owned();
    Diagnostic { code: DiagnosticCode::EmptyArray, message, offset }
}

impl ReadArguments {
    /// The arguments, in the text they were read from or as they were made.
    pub(crate) fn arguments(&self) -> Arguments {
        match &self.made {
            Some(json) => Arguments::Made(json.clone()),
            None => Arguments::Verbatim(self.span),
        }
    }

    /// The JSON, out of the text it was read from.
    pub(crate) fn json(&self, text: &[u8]) -> Box<str> {
        match &self.made {
            Some(json) => json.clone(),
            None => String::from_utf8_lossy(self.span.of(text)).into_owned().into_boxed_str(),
        }
    }
}
