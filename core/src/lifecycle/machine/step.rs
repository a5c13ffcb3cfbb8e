//! The steps that a run asks of its host, and the host's answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::event::{OutputFacts, RunEvent};
use super::failure::RunFailure;

/// A point in time, on the two clocks that a run needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Microseconds since 1970 in UTC, for timestamps.
    pub wall_us: i64,
    /// Nanoseconds of a clock that never goes back, for durations.
    pub ticks_ns: u64,
}

/// The ids and the mode of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The id of the run.
    #[serde(alias = "action_id")]
    pub run_id: String,
    /// The mode of the program that the run is in; a tool may be for some modes alone.
    #[serde(alias = "behavior")]
    pub mode: Option<String>,
    /// The id of what the run is part of, such as a pipeline's run, if it is part of something.
    #[serde(alias = "pipeline_run_id")]
    pub parent_id: Option<String>,
    /// The id of the request.
    pub request_id: Option<String>,
    /// What [`idempotency_key`](Self::idempotency_key) gives; empty in a run that was kept before
    /// runs had keys.
    #[serde(default)]
    pub key: String,
}

impl Run {
    /// Makes a run with this id that is part of nothing, with a new idempotency key.
    pub fn new(run_id: impl Into<String>) -> Self {
        Self {
            run_id: run_id.into(),
            mode: None,
            parent_id: None,
            request_id: None,
            key: Uuid::new_v4().to_string(),
        }
    }

    /// A key that is the same for each attempt of this run and for no other run, for services that
    /// take one. It is random, since a service may be shared with programs whose models count
    /// their calls alike.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        if self.key.is_empty() { &self.run_id } else { &self.key }
    }
}

/// The host's settings for its runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, named where it is set"
)]
pub struct Settings {
    /// Whether events are emitted.
    pub emit_events: bool,
    /// Whether a tool that needs approval asks for it.
    pub ask_approval: bool,
    /// How long a person has to decide, in milliseconds.
    pub approval_timeout_ms: u64,
    /// Whether undo data is stored.
    pub store_undo: bool,
    /// Whether the host has a policy that checks every run. A tool with a capability is checked in
    /// any case.
    pub ask_permission: bool,
}

impl Settings {
    /// How long a request for approval of a run in a store waits for a person by default.
    pub const APPROVAL_SECONDS: f64 = 86_400.0;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            emit_events: true,
            ask_approval: true,
            approval_timeout_ms: 86_400_000,
            store_undo: true,
            ask_permission: false,
        }
    }
}

/// The shortest time, in microseconds, for which a run is kept after the deadline of its approval.
const LEAST_KEPT: i64 = 3_600_000_000;

impl Settings {
    /// How long a person has to decide, in microseconds.
    #[must_use]
    pub fn approval_timeout(&self) -> i64 {
        i64::try_from(self.approval_timeout_ms.saturating_mul(1000)).unwrap_or(i64::MAX)
    }

    /// Returns until when a run is kept that begins to wait now. After the deadline of the
    /// decision, the run stays for the same length of time again, and for at least an hour.
    #[must_use]
    pub fn kept_until(&self, now: i64) -> i64 {
        let timeout = self.approval_timeout();
        now.saturating_add(timeout.saturating_add(timeout.max(LEAST_KEPT)))
    }
}

/// The next task for the host. It owns the values that it needs and does not borrow from the run.
///
/// A host matches every step, so a host that misses a new step does not compile.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Emit an event, then answer [`Answer::Done`] even if that failed.
    Emit(RunEvent),
    /// Give the payload as JSON. The answer is [`Answer::Arguments`].
    CheckInput,
    /// Replace the payload by these arguments for all later steps. The answer is [`Answer::Done`].
    ReplaceArguments {
        /// The validated arguments as JSON text, with integers in place of the payload's integral
        /// floats.
        arguments: String,
    },
    /// Check the caller's permission. The answer is [`Answer::Granted`] or [`Answer::Refused`].
    /// This step comes before a person is asked, and again after the approval.
    CheckPermission {
        /// The permission that the caller needs, as the tool names it.
        capability: Option<String>,
    },
    /// Count the run against the tool's limit. The answer is [`Answer::Granted`] or
    /// [`Answer::Limited`].
    CheckLimit,
    /// Record a request for approval. The answer is [`Answer::Requested`].
    RequestApproval {
        /// The question for the person.
        message: String,
    },
    /// Check whether the person decided. The answer is [`Answer::Decided`], [`Answer::TimedOut`],
    /// or [`Answer::Done`] to get this step again.
    AwaitApproval {
        /// The approval's request.
        request_id: String,
        /// How long a person has to decide, in milliseconds from the request.
        timeout_ms: u64,
    },
    /// Compute the fingerprint of the run
    /// ([`ApprovalDetail`](crate::lifecycle::ApprovalDetail)) again, from its arguments and the
    /// changes that it would make now. The answer is [`Answer::Fingerprint`]. The run ends if this
    /// fingerprint differs from the approved one.
    VerifyApproval,
    /// Cancel the request, then answer [`Answer::Done`].
    CancelApproval {
        /// The approval's request.
        request_id: String,
    },
    /// Run the handler. The answer is [`Answer::Output`] or [`Answer::Raised`].
    Run,
    /// Store the output's undo metadata. The answer is [`Answer::Done`] or [`Answer::Raised`].
    StoreUndo,
    /// The run has ended, with the handler's output or with this failure.
    Finished(Option<RunFailure>),
}

/// The answer to a [`Step`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// The host did the step.
    Done,
    /// The run may go on.
    Granted,
    /// The caller may not run the tool.
    Refused {
        /// The reason, in the host's words.
        reason: String,
    },
    /// The number under this JSON Pointer of the payload is not finite. It answers the first step,
    /// and the run is denied.
    BadNumber {
        /// Where the number is.
        path: String,
    },
    /// The payload as JSON.
    Arguments(Arc<Value>),
    /// The tool has run too often.
    Limited {
        /// After how many milliseconds the tool may be tried again.
        retry_after_ms: u64,
    },
    /// A person was asked.
    Requested {
        /// The approval's request.
        request_id: String,
        /// The fingerprint of the request. Without one, no fingerprints are compared after the
        /// approval.
        fingerprint: Option<String>,
    },
    /// The person decided, or the request was cancelled.
    Decided {
        /// Whether the tool may run.
        granted: bool,
        /// The reason; `user_denied` by default.
        reason: Option<String>,
        /// The fingerprint that the person saw, if it is known. It replaces the request's
        /// fingerprint.
        fingerprint: Option<String>,
    },
    /// The run's present fingerprint.
    Fingerprint(String),
    /// Nobody decided in time.
    TimedOut,
    /// The handler's output.
    Output(OutputFacts),
    /// The handler raised, or a check of whether the tool may run raised (a failed store, for
    /// example). The run fails.
    Raised {
        /// The class of what was raised.
        class: String,
        /// The message of what was raised.
        message: String,
    },
    /// The run is given up. This answer fits any step.
    Cancelled,
}

impl Answer {
    /// The answer's name, for messages.
    pub(in crate::lifecycle) fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Granted => "granted",
            Self::Refused { .. } => "refused",
            Self::BadNumber { .. } => "bad_number",
            Self::Arguments(_) => "arguments",
            Self::Limited { .. } => "limited",
            Self::Requested { .. } => "requested",
            Self::Decided { .. } => "decided",
            Self::Fingerprint(_) => "fingerprint",
            Self::TimedOut => "timed out",
            Self::Output(_) => "output",
            Self::Raised { .. } => "raised",
            Self::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_kept_for_its_time_out_and_as_long_again_or_an_hour() {
        let kept = |approval_timeout_ms| {
            Settings { approval_timeout_ms, ..Settings::default() }.kept_until(1)
        };
        assert_eq!(kept(60_000), 1 + 60_000_000 + 3_600_000_000);
        assert_eq!(kept(7_200_000), 1 + 2 * 7_200_000_000);
        assert_eq!(kept(u64::MAX), i64::MAX);
    }
}
