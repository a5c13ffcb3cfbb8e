//! The outcome of reading a call's JSON, and the limits on that JSON.

use crate::call::{Arguments, Diagnostic, DiagnosticCode, RejectionCode, Span};
use crate::error::Error;
use crate::json::reason::Reason;
use crate::json::scanner::ScanFault;
use crate::option;
use crate::progress::{NeedMore, Progress};
use crate::slug::slugs;

slugs! {
    /// What is done about arguments that are almost JSON.
    #[derive(Default)]
    pub enum Repair {
        /// They are refused.
        #[default]
        Off => "off",
        /// A bounded set of unambiguous repairs is made, and each repair is noted on the call.
        Safe => "safe",
    }
}

impl Repair {
    /// Reads a program's choice.
    ///
    /// # Errors
    /// `invalid_option` for a word that is none.
    pub fn named(slug: &str) -> Result<Self, Error> {
        option::word("repair", &slug.into(), Self::SLUGS, Self::from_slug)
    }
}

/// Arguments that were read to their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadArguments {
    pub(crate) span: Span,
    pub(crate) notes: Vec<Diagnostic>,
    /// The JSON, if it differs from the text.
    pub(crate) made: Option<Box<str>>,
}

/// Why a value cannot be the arguments, and the offset at which that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadArguments {
    pub(crate) code: RejectionCode,
    pub(crate) reason: Reason,
    pub(crate) at: usize,
}

impl BadArguments {
    pub(crate) fn new(code: RejectionCode, at: usize, reason: impl Into<Reason>) -> Self {
        Self { code, reason: reason.into(), at }
    }

    /// Puts a scanner's fault into the words of a rejection.
    pub(crate) fn from_fault(fault: ScanFault) -> Self {
        match fault {
            ScanFault::Syntax(at, what) => {
                let reason = Reason::Failed("the arguments are not JSON", what);
                Self::new(RejectionCode::BadJson, at, reason)
            }
            ScanFault::TooDeep(at) => Self::too_deep(at),
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

/// What came of reading arguments in the text so far.
pub(crate) type ArgumentsProgress = Progress<Result<ReadArguments, BadArguments>>;

/// Why a reader of arguments stops before their end.
pub(crate) enum Stop {
    Unfinished(NeedMore),
    Bad(BadArguments),
}

impl Stop {
    /// Takes apart what a reader gives to the code around it.
    pub(crate) fn progress(read: Result<ReadArguments, Self>) -> ArgumentsProgress {
        match read {
            Ok(read) => Ok(Ok(read)),
            Err(Self::Bad(bad)) => Ok(Err(bad)),
            Err(Self::Unfinished(more)) => Err(more),
        }
    }
}

impl From<NeedMore> for Stop {
    fn from(more: NeedMore) -> Self {
        Self::Unfinished(more)
    }
}

/// The limits on the JSON of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tolerance {
    pub(crate) depth: usize,
    pub(crate) bytes: usize,
    /// What is done about arguments that are almost JSON.
    pub(crate) repair: Repair,
}

/// The diagnostic of arguments that were written `[]`.
pub(crate) fn empty_array(offset: usize) -> Diagnostic {
    let message = "[] counts as the empty object".to_owned();
    Diagnostic { code: DiagnosticCode::EmptyArray, message, offset }
}

impl ReadArguments {
    /// The arguments: a place in the text, or JSON that was made.
    pub(crate) fn arguments(&self) -> Arguments {
        match &self.made {
            Some(json) => Arguments::Made(json.clone()),
            None => Arguments::Verbatim(self.span),
        }
    }

    /// The JSON: what was made, or else its span of `text`.
    pub(crate) fn json(&self, text: &[u8]) -> Box<str> {
        match &self.made {
            Some(json) => json.clone(),
            None => String::from_utf8_lossy(self.span.of(text)).into_owned().into_boxed_str(),
        }
    }
}
