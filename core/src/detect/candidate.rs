//! What the body scanners hand to the engine: a call as it was found, before the rules apply.

use crate::call::{Arguments, Diagnostic, RejectionCode, Span};
use crate::json::outcome::BadArguments;
use crate::json::reason::Reason;

/// A call as written; only the syntax of its arguments is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) format: &'static str,
    pub(crate) name: Vec<u8>,
    /// Whether each byte of the name, and its length, is known to be that of a tool's name.
    pub(crate) is_name_plain: bool,
    pub(crate) id: Option<Vec<u8>>,
    pub(crate) arguments: Arguments,
    pub(crate) span: Span,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether the call is prose, and no refusal, when its name is not known, as in bare JSON.
    pub(crate) prose_if_unknown: bool,
    /// The number of the call in the events, if its start was already reported.
    pub(crate) number: Option<usize>,
}

/// Why a body scanner refused a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) format: Option<&'static str>,
    pub(crate) code: RejectionCode,
    pub(crate) reason: Reason,
    /// From the candidate's first byte to the byte that decided.
    pub(crate) span: Span,
    /// The name in bare JSON. If no known tool has this name, the object is prose.
    pub(crate) claimed: Option<Vec<u8>>,
}

impl Refusal {
    pub(crate) fn new(
        format: &'static str,
        code: RejectionCode,
        span: Span,
        reason: impl Into<Reason>,
    ) -> Self {
        Self { format: Some(format), code, reason: reason.into(), span, claimed: None }
    }

    pub(crate) fn from_arguments(format: &'static str, start: usize, bad: BadArguments) -> Self {
        Self::new(format, bad.code, Span::new(start, bad.at), bad.reason)
    }

    pub(crate) fn claiming(mut self, name: Vec<u8>) -> Self {
        self.claimed = Some(name);
        self
    }

    pub(crate) fn incomplete(format: &'static str, span: Span) -> Self {
        Self::new(format, RejectionCode::Incomplete, span, "the text ends inside the call")
    }
}

/// What a body scanner decided about a stretch of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// One or more calls; together they own everything from the first one's start to `end`.
    Calls { calls: Vec<Found>, end: usize },
    /// Not a call; the search goes on at `resume`.
    Prose { resume: usize },
    /// Refused; the search goes on at `resume`.
    Refused { refusal: Refusal, resume: usize },
    /// Larger than allowed: the rest of the JSON is text, however long it is.
    Oversized { refusal: Option<Refusal> },
}

impl Found {
    /// Moves what was found in repaired JSON to the span of the original text.
    pub(crate) fn place(&mut self, json: &str, span: Span, repairs: &[Diagnostic]) {
        let candidate = match self {
            Self::Call(candidate) => candidate,
            Self::Refused(refusal) => {
                refusal.span = span;
                return;
            }
        };
        if let Arguments::Verbatim(arguments) = candidate.arguments {
            let made = json.get(arguments.start..arguments.end).unwrap_or_default();
            candidate.arguments = Arguments::Made(made.into());
        }
        for note in &mut candidate.diagnostics {
            note.offset = span.start;
        }
        candidate.diagnostics.extend_from_slice(repairs);
        candidate.span = span;
    }
}

/// A call that was found, or its refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Call(Candidate),
    Refused(Refusal),
}
