//! What a reader of calls is given at each step, and what comes of the step.

use crate::call::{Diagnostic, DiagnosticCode, Span};
use crate::detect::candidate::{Candidate, Refusal};
use crate::detect::rule::accept::CallRules;

/// The state of the detection that a reader needs.
pub(crate) struct Context<'c> {
    pub(crate) rules: &'c CallRules,
    /// No more text will come.
    pub(crate) finished: bool,
}

/// What came of reading one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    Call(Box<Candidate>),
    /// Not a call of this format.
    Prose,
    Refused(Refusal),
}

/// The part of the arguments that is read so far.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReadSoFar<'r> {
    Verbatim(Span),
    Made(&'r [u8]),
}

/// The diagnostic of a call whose end marker is missing.
pub(crate) fn missing_end(offset: usize) -> Diagnostic {
    let message = "the end of the markup is missing".to_owned();
    Diagnostic { code: DiagnosticCode::MissingEnd, message, offset }
}
