//! What a run asks of its host, and what the host answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{Event, OutputFacts};
use super::failure::Failure;

/// A point in time, on the two clocks that a run needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Microseconds since 1970 in UTC, for timestamps.
    pub wall_us: i64,
    /// Nanoseconds of a clock that never goes back, for durations.
    pub ticks_ns: u64,
}

/// What a run is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The action's id.
    pub action_id: String,
    /// The behaviour (execution mode) it runs under.
    pub behavior: Option<String>,
    /// The pipeline's run.
    pub pipeline_run_id: Option<String>,
    /// The request.
    pub request_id: Option<String>,
}

impl Run {
    /// A run of an action outside any pipeline.
    pub fn new(action_id: impl Into<String>) -> Self {
        Self { action_id: action_id.into(), ..Self::default() }
    }
}

/// What a host wants of every run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own, named where it is set"
)]
pub struct Settings {
    /// Whether events are told.
    pub emit_events: bool,
    /// Whether a tool that needs approval asks for it.
    pub ask_approval: bool,
    /// How long a person has to decide, in milliseconds.
    pub approval_timeout_ms: u64,
    /// Whether what undoes a run is kept.
    pub store_undo: bool,
    /// Whether the host has a policy that is asked for every run; one is asked for a tool with a
    /// capability anyway.
    pub ask_permission: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            emit_events: true,
            ask_approval: true,
            approval_timeout_ms: 60_000,
            store_undo: true,
            ask_permission: false,
        }
    }
}

/// The least time, in microseconds, for which a run is kept after the deadline of its approval.
const LEAST_KEPT: i64 = 3_600_000_000;

impl Settings {
    /// How long a person has to decide, in microseconds.
    #[must_use]
    pub fn approval_timeout(&self) -> i64 {
        i64::try_from(self.approval_timeout_ms.saturating_mul(1000)).unwrap_or(i64::MAX)
    }

    /// Until when a run is kept that begins to wait now. Somebody who decides at the last moment
    /// leaves as much time again to take the run up, and an hour at least.
    #[must_use]
    pub fn kept_until(&self, now: i64) -> i64 {
        let timeout = self.approval_timeout();
        now.saturating_add(timeout.saturating_add(timeout.max(LEAST_KEPT)))
    }
}

/// What the host has to do next: a request that holds what it needs, free of the run.
///
/// A host matches every step, so that a new one does not compile until the host takes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Tell an event, then answer [`Answer::Done`] whatever became of it.
    Emit(Event),
    /// Give the payload as JSON: [`Answer::Arguments`].
    CheckInput,
    /// Put these arguments in the payload's place, for whatever comes after: [`Answer::Done`].
    ReplaceArguments {
        /// The validated arguments, as JSON text, with integers where the payload had integral
        /// floats.
        arguments: String,
    },
    /// Ask whether the caller may: [`Answer::Granted`] or [`Answer::Refused`]. It is asked before a
    /// person is, and again after that person approved.
    CheckPermission {
        /// What the caller must be allowed to do, as the tool names it.
        capability: Option<String>,
    },
    /// Count the run against the tool's limit: [`Answer::Granted`] or [`Answer::Limited`].
    CheckLimit,
    /// Record that a person is asked: [`Answer::Requested`].
    RequestApproval {
        /// What the person is asked.
        message: String,
    },
    /// Look whether the person decided: [`Answer::Decided`], [`Answer::TimedOut`], or
    /// [`Answer::Done`] to be asked again.
    AwaitApproval {
        /// The approval's request.
        request_id: String,
        /// How long a person has to decide, in milliseconds from the request.
        timeout_ms: u64,
    },
    /// Compute the fingerprint of the run anew ([`ApprovalDetail`](super::ApprovalDetail)), from
    /// its arguments and the changes that it would make now: [`Answer::Fingerprint`]. Another one
    /// than was approved ends the run.
    VerifyApproval,
    /// Cancel the request, then answer [`Answer::Done`].
    CancelApproval {
        /// The approval's request.
        request_id: String,
    },
    /// Run the handler: [`Answer::Output`] or [`Answer::Raised`].
    Run,
    /// Keep the output's undo metadata: [`Answer::Done`] or [`Answer::Raised`].
    StoreUndo,
    /// The end: with the handler's output, or with why there is none.
    Finished(Option<Failure>),
}

/// What came of a [`Step`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// It was done.
    Done,
    /// The run may go on.
    Granted,
    /// The caller may not.
    Refused {
        /// Why, in the host's words.
        reason: String,
    },
    /// The payload as JSON.
    Arguments(Arc<Value>),
    /// The tool has run too often.
    Limited {
        /// When it may be tried again, in milliseconds from now.
        retry_after_ms: u64,
    },
    /// A person was asked.
    Requested {
        /// The approval's request.
        request_id: String,
        /// The fingerprint of what the person is asked; without one nothing is compared after the
        /// approval.
        fingerprint: Option<String>,
    },
    /// The person decided, or the request was cancelled.
    Decided {
        /// Whether the tool may run.
        granted: bool,
        /// Why; `user_denied` stands for none.
        reason: Option<String>,
        /// The fingerprint that the person saw, if it was said; it counts instead of the request's.
        fingerprint: Option<String>,
    },
    /// The run's present fingerprint.
    Fingerprint(String),
    /// Nobody decided in time.
    TimedOut,
    /// The handler's output.
    Output(OutputFacts),
    /// Something raised: the handler, or what was asked whether the tool may run (a store, say),
    /// which fails the run.
    Raised {
        /// The class of what was raised.
        class: String,
        /// What that says.
        message: String,
    },
    /// The run is given up; an answer to any step.
    Cancelled,
}

impl Answer {
    /// The answer's name, for messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Granted => "granted",
            Self::Refused { .. } => "refused",
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

/// Where a run stands, as a person would say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// It goes on.
    Running,
    /// A person was asked and has not decided.
    PendingApproval,
    /// The handler gave an output.
    Completed,
    /// The handler raised.
    Failed,
    /// The tool was not allowed to run.
    Denied,
    /// The run was given up.
    Cancelled,
}

impl State {
    /// The state's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::PendingApproval => "pendingApproval",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Denied => "denied",
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
