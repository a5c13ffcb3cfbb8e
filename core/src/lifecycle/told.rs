//! The events that a run emits, one for each phase.

use super::event::{EventKind, FieldName, FieldValue, RunEvent};
use super::failure::RunFailure;
use super::phase::Phase;
use super::step::{Moment, Run};
use super::subject::{Subject, milliseconds};
use crate::registry::ToolSpec;

/// Returns the event of a phase.
pub(super) fn event(phase: &Phase, tool: &ToolSpec, run: &Run, now: Moment) -> RunEvent {
    let told = Told { tool, subject: Subject { tool: &tool.name, run, now } };
    told.event(phase)
}

/// Makes the events of a run.
struct Told<'e> {
    tool: &'e ToolSpec,
    subject: Subject<'e>,
}

impl Told<'_> {
    fn event(&self, phase: &Phase) -> RunEvent {
        let subject = self.subject;
        match phase {
            Phase::ToldRequested { request_id, .. } => {
                subject.approval_requested(request_id, self.tool.approval_message())
            }
            Phase::ToldDecided { request_id, refused, .. } => {
                subject.approval_decided(request_id, refused.is_none())
            }
            Phase::ToldStarted => subject.event(EventKind::Started, []),
            Phase::ToldCompleted { facts, lasted_ns } => subject.event(
                EventKind::Completed,
                [
                    (FieldName::DurationMs, milliseconds(*lasted_ns)),
                    (FieldName::OutputSummary, FieldValue::Output(*facts)),
                    (FieldName::ArtifactsCount, FieldValue::Count(facts.artifacts)),
                ],
            ),
            Phase::ToldUndoStoreFailed { class, message } => subject.event(
                EventKind::UndoStoreFailed,
                [
                    (FieldName::ErrorCode, FieldValue::from(class.as_str())),
                    (FieldName::ErrorMessage, FieldValue::from(message.as_str())),
                ],
            ),
            Phase::ToldFailure { failure, lasted_ns } => self.failure(failure, *lasted_ns),
            _ => subject.event(
                EventKind::Invoked,
                [
                    (FieldName::PayloadSummary, FieldValue::PayloadSummary),
                    (FieldName::Behavior, FieldValue::from(subject.run.behavior.as_deref())),
                ],
            ),
        }
    }

    fn failure(&self, failure: &RunFailure, lasted_ns: Option<u64>) -> RunEvent {
        let subject = self.subject;
        let duration = lasted_ns.map(|lasted| (FieldName::DurationMs, milliseconds(lasted)));
        match failure {
            RunFailure::Raised { class, message } => subject.event(
                EventKind::Failed,
                duration.into_iter().chain([
                    (FieldName::ErrorCode, FieldValue::from(class.as_str())),
                    (FieldName::ErrorMessage, FieldValue::from(message.as_str())),
                ]),
            ),
            RunFailure::Cancelled => subject.event(EventKind::Cancelled, duration),
            denial => {
                let detail = match denial {
                    RunFailure::InvalidInput { problems } | RunFailure::BadNumber { problems } => {
                        Some((FieldName::Problems, FieldValue::Problems(problems.clone())))
                    }
                    RunFailure::PermissionDenied { reason } => {
                        Some((FieldName::Detail, FieldValue::from(reason.as_str())))
                    }
                    _ => None,
                };
                let fields = [
                    (FieldName::Reason, FieldValue::from(denial.code().slug())),
                    (FieldName::Behavior, FieldValue::from(subject.run.behavior.as_deref())),
                    (
                        FieldName::AllowedBehaviors,
                        FieldValue::Texts(self.tool.allowed_behaviors.clone()),
                    ),
                ];
                subject.event(EventKind::Denied, fields.into_iter().chain(detail))
            }
        }
    }
}
