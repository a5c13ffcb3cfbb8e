//! The phases of a run.
//!
//! A phase is saved with its run, as JSON; a test takes each through JSON and back.

use serde::{Deserialize, Serialize};

use super::event::OutputFacts;
use super::failure::RunFailure;

/// The last step that was handed out, with the values that later steps need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(in crate::lifecycle) enum Phase {
    Created,
    ToldInvoked,
    CheckingInput,
    /// The arguments as JSON text, with integers in place of integral floats.
    ReplacingArguments {
        arguments: String,
    },
    CheckingPermission,
    CheckingLimit,
    RequestingApproval,
    ToldRequested {
        request_id: String,
        #[serde(default)]
        fingerprint: Option<String>,
    },
    AwaitingApproval {
        request_id: String,
        #[serde(default)]
        fingerprint: Option<String>,
    },
    ToldDecided {
        request_id: String,
        refused: Option<String>,
        #[serde(default)]
        approved: Option<String>,
        /// Whether that is something else than what was asked.
        #[serde(default)]
        changed: bool,
    },
    VerifyingApproval {
        request_id: String,
        approved: String,
    },
    RecheckingPermission,
    ToldStarted,
    Running {
        since_ns: u64,
    },
    ToldCompleted {
        facts: OutputFacts,
        lasted_ns: u64,
    },
    StoringUndo,
    ToldUndoStoreFailed {
        class: String,
        message: String,
    },
    CancellingApproval {
        request_id: String,
    },
    /// The event of the failure comes before the end of the run.
    ToldFailure {
        failure: RunFailure,
        lasted_ns: Option<u64>,
    },
    Completed,
    Ended {
        failure: RunFailure,
    },
}

impl Phase {
    /// Gives a phase that waits for approval without a fingerprint an empty one, which matches no
    /// run.
    pub(in crate::lifecycle) fn bind(&mut self) {
        let fingerprint = match self {
            Self::ToldRequested { fingerprint, .. }
            | Self::AwaitingApproval { fingerprint, .. } => fingerprint,
            Self::ToldDecided { approved, .. } => approved,
            _ => return,
        };
        fingerprint.get_or_insert_default();
    }

    /// Whether the host's answer to this phase decides whether the tool may run.
    pub(in crate::lifecycle) fn checks(&self) -> bool {
        matches!(
            self,
            Self::CheckingInput
                | Self::ReplacingArguments { .. }
                | Self::CheckingPermission
                | Self::CheckingLimit
                | Self::RequestingApproval
                | Self::AwaitingApproval { .. }
                | Self::VerifyingApproval { .. }
                | Self::RecheckingPermission
        )
    }

    /// Returns the phase that emits the event of a failure before the run.
    pub(in crate::lifecycle) fn denied(failure: RunFailure) -> Self {
        Self::ToldFailure { failure, lasted_ns: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input_schema::Problem;

    fn failures() -> Vec<RunFailure> {
        let text = || "tä\"x\\t".to_owned();
        vec![
            RunFailure::ModeNotAllowed { mode: None, allowed: vec![text()] },
            RunFailure::PermissionDenied { reason: text() },
            RunFailure::InvalidInput { problems: vec![Problem { path: text(), message: text() }] },
            RunFailure::BadNumber { problems: vec![Problem { path: text(), message: text() }] },
            RunFailure::RateLimited { retry_after_ms: u64::MAX },
            RunFailure::ApprovalDenied { request_id: text(), reason: text() },
            RunFailure::ApprovalTimeout { request_id: text(), timeout_ms: 1 << 53 },
            RunFailure::ChangedSince { request_id: text() },
            RunFailure::Raised { class: text(), message: text() },
            RunFailure::Cancelled,
            RunFailure::CallIdReused,
            RunFailure::SchemaLimit,
        ]
    }

    /// Every phase, with the numbers that JSON is most likely to lose.
    fn phases() -> Vec<Phase> {
        let id = || "q".to_owned();
        let facts = OutputFacts { success: true, artifacts: usize::MAX, ..OutputFacts::default() };
        let mut phases = vec![
            Phase::Created,
            Phase::ToldInvoked,
            Phase::CheckingInput,
            Phase::ReplacingArguments { arguments: r#"{"n":1e400}"#.to_owned() },
            Phase::CheckingPermission,
            Phase::CheckingLimit,
            Phase::RequestingApproval,
            Phase::ToldRequested { request_id: id(), fingerprint: None },
            Phase::AwaitingApproval { request_id: id(), fingerprint: Some(id()) },
            Phase::ToldDecided {
                request_id: id(),
                refused: Some(id()),
                approved: None,
                changed: false,
            },
            Phase::VerifyingApproval { request_id: id(), approved: id() },
            Phase::RecheckingPermission,
            Phase::ToldStarted,
            Phase::StoringUndo,
            Phase::ToldUndoStoreFailed { class: id(), message: id() },
            Phase::CancellingApproval { request_id: id() },
            Phase::Completed,
        ];
        for number in [0, 1, (1 << 53) + 1, u64::MAX] {
            phases.push(Phase::Running { since_ns: number });
            phases.push(Phase::ToldCompleted { facts, lasted_ns: number });
            let lasted_ns = Some(number);
            phases.push(Phase::ToldFailure { failure: RunFailure::Cancelled, lasted_ns });
        }
        for failure in failures() {
            phases.push(Phase::ToldFailure { failure: failure.clone(), lasted_ns: None });
            phases.push(Phase::Ended { failure });
        }
        phases
    }

    #[test]
    fn every_phase_survives_json() {
        for phase in phases() {
            let written = serde_json::to_string(&phase).unwrap();
            let read: Phase = serde_json::from_str(&written).unwrap();
            assert_eq!(read, phase, "{written}");
        }
    }
}
