//! Why a tool's run ended without an output: a code, its details and a message.

use serde::{Deserialize, Serialize};

use super::state::RunState;
use crate::input_schema::{Mismatch, Problem, listed};
use crate::provider::Ending;
use crate::registry::{AskRefusal, CallProblem};
use crate::slug::slugs;
use crate::visible::made_visible;

slugs! {
    /// The kind of a [`RunFailure`]. For a denial, it is the reason in the event `tool.denied`.
    #[non_exhaustive]
    pub enum FailureCode {
        /// The run's mode is not among those that the tool allows.
        ModeNotAllowed => "mode_not_allowed",
        /// The host's policy refused.
        PermissionDenied => "permission_denied",
        /// The arguments do not match the tool's schema.
        InvalidInput => "invalid_input",
        /// A number of the arguments is not finite, so it is not the number that was asked for.
        BadNumber => "bad_number",
        /// The tool has run too often.
        RateLimited => "rate_limited",
        /// A person refused, or the request was cancelled.
        ApprovalDenied => "approval_denied",
        /// Nobody decided in time.
        ApprovalTimeout => "approval_timeout",
        /// The run would do something else than what was approved.
        ChangedSince => "changed_since",
        /// The handler raised.
        Raised => "raised",
        /// The run was given up.
        Cancelled => "cancelled",
        /// The id of the call belongs to the run of another call.
        CallIdReused => "call_id_reused",
        /// The tool's schema cannot be applied to the arguments within the limits.
        SchemaLimit => "schema_limit",
        /// There is not one call that can be read; [`RunFailure::slug`] says why.
        BadCall => "bad_call",
        /// No tool has the name that the call asks for.
        ToolNotFound => "tool_not_found",
    }
}

/// Why a run ended without an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunFailure {
    /// The run's mode is not among those that the tool allows.
    #[serde(alias = "behavior_not_allowed")]
    ModeNotAllowed {
        /// The mode, if there was one.
        #[serde(alias = "behavior")]
        mode: Option<String>,
        /// The modes that the tool allows.
        allowed: Vec<String>,
    },
    /// The host's policy refused.
    PermissionDenied {
        /// The reason, in the host's words.
        reason: String,
    },
    /// The arguments do not match the tool's schema.
    InvalidInput {
        /// Where the arguments do not match.
        problems: Vec<Problem>,
    },
    /// A number of the arguments is not finite.
    BadNumber {
        /// Where the number is.
        problems: Vec<Problem>,
    },
    /// The tool has run too often.
    RateLimited {
        /// After how many milliseconds the tool may be tried again.
        retry_after_ms: u64,
    },
    /// A person refused, or the request was cancelled.
    ApprovalDenied {
        /// The approval's request.
        request_id: String,
        /// The reason.
        reason: String,
    },
    /// Nobody decided in time.
    ApprovalTimeout {
        /// The approval's request.
        request_id: String,
        /// How long the run waited, in milliseconds.
        timeout_ms: u64,
    },
    /// The present fingerprint differs from the approved one.
    ChangedSince {
        /// The approval's request.
        request_id: String,
    },
    /// The handler raised.
    Raised {
        /// The class of what it raised.
        class: String,
        /// The message of what it raised.
        message: String,
    },
    /// The run was given up.
    Cancelled,
    /// The id of the call belongs to the run of another call.
    CallIdReused,
    /// The tool's schema cannot be applied to the arguments within the limits.
    SchemaLimit,
    /// There is not one call that can be read. Such a run is kept in no store.
    #[serde(skip)]
    BadCall {
        /// What was refused, and why.
        refusal: AskRefusal,
    },
    /// No tool has the name that the call asks for. Such a run is kept in no store.
    #[serde(skip)]
    ToolNotFound,
}

impl From<AskRefusal> for RunFailure {
    fn from(refusal: AskRefusal) -> Self {
        Self::BadCall { refusal }
    }
}

impl RunFailure {
    /// The reason of a denial for which the person gave none.
    pub(in crate::lifecycle) const USER_DENIED: &str = "user_denied";

    /// The reason of a denial whose request was cancelled.
    pub(in crate::lifecycle) const CANCELLED: &str = "cancelled";

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> FailureCode {
        match self {
            Self::ModeNotAllowed { .. } => FailureCode::ModeNotAllowed,
            Self::PermissionDenied { .. } => FailureCode::PermissionDenied,
            Self::InvalidInput { .. } => FailureCode::InvalidInput,
            Self::BadNumber { .. } => FailureCode::BadNumber,
            Self::RateLimited { .. } => FailureCode::RateLimited,
            Self::ApprovalDenied { .. } => FailureCode::ApprovalDenied,
            Self::ApprovalTimeout { .. } => FailureCode::ApprovalTimeout,
            Self::ChangedSince { .. } => FailureCode::ChangedSince,
            Self::Raised { .. } => FailureCode::Raised,
            Self::Cancelled => FailureCode::Cancelled,
            Self::CallIdReused => FailureCode::CallIdReused,
            Self::SchemaLimit => FailureCode::SchemaLimit,
            Self::BadCall { .. } => FailureCode::BadCall,
            Self::ToolNotFound => FailureCode::ToolNotFound,
        }
    }

    /// The state of a run that ended with this.
    #[must_use]
    pub fn state(&self) -> RunState {
        match self {
            Self::Raised { .. } | Self::BadCall { .. } | Self::ToolNotFound => RunState::Failed,
            Self::Cancelled => RunState::Cancelled,
            Self::ApprovalTimeout { .. } => RunState::Expired,
            _ => RunState::Denied,
        }
    }

    /// The code as a host shows it: for a call that cannot be read, why it cannot.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            Self::BadCall { refusal } => refusal.code,
            _ => self.code().slug(),
        }
    }

    /// Makes the failure of a call whose number under this JSON Pointer is not finite.
    #[must_use]
    pub fn bad_number(path: String) -> Self {
        let message = "must be a finite number".to_owned();
        Self::BadNumber { problems: vec![Problem { path, message }] }
    }

    /// Whether the tool was not allowed to run, in contrast to a run that failed.
    #[must_use]
    pub fn is_denial(&self) -> bool {
        let failed = [
            FailureCode::Raised,
            FailureCode::Cancelled,
            FailureCode::BadCall,
            FailureCode::ToolNotFound,
        ];
        !failed.contains(&self.code())
    }

    /// Returns the message, for a tool of this name. A model chose the name, and arguments may be
    /// quoted, so characters that nobody sees are marks.
    #[must_use]
    pub fn message(&self, tool: &str) -> String {
        made_visible(self.raw_message(tool))
    }

    /// Returns what the model is told of the run, for a tool of this name.
    ///
    /// ```
    /// use toolwire::lifecycle::RunFailure;
    /// use toolwire::provider::{AnswerOptions, AnsweredCall, Provider, ToolAnswer};
    ///
    /// let call = AnsweredCall::new("toolu_1", "send", Provider::Anthropic);
    /// let ending = RunFailure::RateLimited { retry_after_ms: 1500 }.ending("send");
    /// let answer = ToolAnswer { call, ending };
    /// let block = answer.dump(Provider::Anthropic, &AnswerOptions::default());
    /// assert_eq!(block["content"], "Tool 'send' denied: rate limited, try again in 1.500 s");
    /// ```
    #[must_use]
    pub fn ending(&self, tool: &str) -> Ending {
        let problems = match self {
            Self::InvalidInput { problems } | Self::BadNumber { problems } => problems.clone(),
            Self::BadCall { refusal } => vec![refusal.problem.clone()],
            Self::SchemaLimit => Vec::new(),
            _ => return Ending::Failed { message: self.message(tool), data: None },
        };
        Ending::WrongArguments { code: self.slug().to_owned(), problems }
    }

    fn raw_message(&self, tool: &str) -> String {
        match self {
            Self::ModeNotAllowed { mode, allowed } => {
                let mode = mode.as_ref().map_or_else(
                    || "without a mode".to_owned(),
                    |mode| format!("in the mode '{mode}'"),
                );
                let allowed = allowed.join(", ");
                format!("Tool '{tool}' denied: it may not run {mode}, only in: {allowed}")
            }
            Self::PermissionDenied { reason } => format!("Tool '{tool}' denied: {reason}"),
            Self::InvalidInput { problems } | Self::BadNumber { problems } => {
                format!("Tool '{tool}' denied: invalid input: {}", listed(problems))
            }
            Self::RateLimited { retry_after_ms } => {
                let (seconds, thousandths) = (retry_after_ms / 1000, retry_after_ms % 1000);
                format!(
                    "Tool '{tool}' denied: rate limited, try again in {seconds}.{thousandths:03} s"
                )
            }
            Self::ApprovalDenied { reason, .. } => {
                format!("Tool '{tool}' was not approved: {reason}")
            }
            Self::ApprovalTimeout { .. } => {
                format!("Tool '{tool}' was not approved: nobody decided in time")
            }
            Self::ChangedSince { .. } => {
                format!("Tool '{tool}' denied: it would do something else than what was approved")
            }
            Self::Raised { message, .. } if message.is_empty() => {
                format!("Tool '{tool}' failed")
            }
            Self::Raised { message, .. } => format!("Tool '{tool}' failed: {message}"),
            Self::Cancelled => format!("Tool '{tool}' was cancelled"),
            Self::CallIdReused => format!(
                "Tool '{tool}' denied: the id of the call belongs to another call; give each \
                 conversation a scope of its own"
            ),
            Self::SchemaLimit => {
                format!("Tool '{tool}' denied: invalid input: {}", Mismatch::Limit)
            }
            Self::BadCall { refusal } => {
                let Problem { path, message } = &refusal.problem;
                let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
                if tool.is_empty() {
                    format!("No tool was called: {place}{message}")
                } else {
                    format!("Tool '{tool}' was not called: {place}{message}")
                }
            }
            Self::ToolNotFound => not_found_message(tool),
        }
    }
}

/// The message for a call of a tool that is not registered.
#[must_use]
pub fn not_found_message(name: &str) -> String {
    made_visible(CallProblem::UnknownTool.message(name))
}

/// The message for a run whose end the store does not have, because the process that ended it no
/// longer had it.
#[must_use]
pub fn lost_message(id: &str) -> String {
    made_visible(format!(
        "the end of the run '{id}' was not kept: its handler worked for longer than its lease, or \
         another process has the run"
    ))
}

/// The message for a run that could not be undone.
#[must_use]
pub fn undo_message(tool: &str, run_id: &str, reason: &str) -> String {
    made_visible(format!("Tool '{tool}' did not undo the run '{run_id}': {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_names_mode_and_list() {
        let denied = |mode: Option<&str>, allowed: &[&str]| {
            let allowed = allowed.iter().map(|name| (*name).to_owned()).collect();
            RunFailure::ModeNotAllowed { mode: mode.map(str::to_owned), allowed }.message("edit")
        };
        assert_eq!(
            denied(Some("chat"), &["a", "it's"]),
            "Tool 'edit' denied: it may not run in the mode 'chat', only in: a, it's"
        );
        assert_eq!(
            denied(None, &["a"]),
            "Tool 'edit' denied: it may not run without a mode, only in: a"
        );
    }

    #[test]
    fn wrong_arguments_are_told_by_their_places() {
        let problems = vec![Problem { path: "/a".to_owned(), message: "no".to_owned() }];
        let told = |failure: &RunFailure| match failure.ending("t") {
            Ending::WrongArguments { code, problems } => (code, problems.len()),
            other => (format!("{other:?}"), 0),
        };
        let input = RunFailure::InvalidInput { problems: problems.clone() };
        assert_eq!(told(&input), ("invalid_input".to_owned(), 1));
        assert_eq!(told(&RunFailure::BadNumber { problems }), ("bad_number".to_owned(), 1));
        assert_eq!(told(&RunFailure::SchemaLimit), ("schema_limit".to_owned(), 0));
        let cancelled = "Failed { message: \"Tool 't' was cancelled\", data: None }";
        assert_eq!(told(&RunFailure::Cancelled).0, cancelled);
    }

    #[test]
    fn a_saved_failure_has_its_code_as_the_tag() {
        // The runs of these are kept in no store.
        let unkept = [FailureCode::BadCall, FailureCode::ToolNotFound];
        for code in FailureCode::ALL.iter().filter(|code| !unkept.contains(code)) {
            let written = serde_json::json!({
                "code": code.slug(), "mode": null, "allowed": [], "reason": "", "problems": [],
                "retry_after_ms": 0, "request_id": "", "timeout_ms": 0, "class": "", "message": "",
            });
            let failure: RunFailure = serde_json::from_value(written).unwrap();
            assert_eq!(failure.code(), *code);
        }
    }

    #[test]
    fn characters_that_nobody_sees_are_marks_in_every_message() {
        let name = "a\0b\u{1b}\u{202e}c\r";
        let marks = "a⟨U+0000⟩b⟨U+001B⟩⟨U+202E⟩c⟨U+000D⟩";
        let raised = RunFailure::Raised { class: name.into(), message: name.into() };
        for message in [
            RunFailure::CallIdReused.message(name),
            RunFailure::PermissionDenied { reason: name.into() }.message("t"),
            raised.message("t"),
            not_found_message(name),
            undo_message(name, "a", name),
            crate::Error::new(crate::ErrorKind::InvalidOption, format!("no {name}")).to_string(),
        ] {
            assert!(message.contains(marks), "{message:?}");
            assert!(!message.contains(|c: char| c.is_control() || c == '\u{202e}'));
        }
    }

    #[test]
    fn a_cause_without_words_is_left_out() {
        let raised = |message: &str| {
            RunFailure::Raised { class: "E".into(), message: message.into() }.message("t")
        };
        assert_eq!(raised(""), "Tool 't' failed");
        assert_eq!(raised("boom"), "Tool 't' failed: boom");
    }
}
