//! The events that a run emits.

use super::event::{EventKind, FieldName, FieldValue, OutputFacts, RunEvent};
use super::failure::RunFailure;
use super::step::{Moment, Run};
use super::subject::{Subject, milliseconds};
use crate::registry::ToolSpec;

/// Makes the events of a run.
pub(in crate::lifecycle) struct Told<'e> {
    tool: &'e ToolSpec,
    subject: Subject<'e>,
}

impl<'e> Told<'e> {
    pub(in crate::lifecycle) fn new(tool: &'e ToolSpec, run: &'e Run, now: Moment) -> Self {
        Self { tool, subject: Subject { tool: &tool.name, run, now } }
    }

    pub(in crate::lifecycle) fn invoked(&self) -> RunEvent {
        let fields = [
            (FieldName::PayloadSummary, FieldValue::PayloadSummary),
            (FieldName::Mode, FieldValue::from(self.subject.run.mode.as_deref())),
        ];
        self.subject.event(EventKind::Invoked, fields)
    }

    pub(in crate::lifecycle) fn requested(&self, request_id: &str) -> RunEvent {
        self.subject.approval_requested(request_id, self.tool.approval_message())
    }

    pub(in crate::lifecycle) fn decided(
        &self,
        request_id: &str,
        is_granted: bool,
        is_changed: bool,
    ) -> RunEvent {
        self.subject.approval_decided(request_id, is_granted, is_changed)
    }

    pub(in crate::lifecycle) fn started(&self) -> RunEvent {
        self.subject.event(EventKind::Started, [])
    }

    pub(in crate::lifecycle) fn completed(&self, facts: OutputFacts, lasted_ns: u64) -> RunEvent {
        let fields = [
            (FieldName::DurationMs, milliseconds(lasted_ns)),
            (FieldName::OutputSummary, FieldValue::Output(facts)),
            (FieldName::ArtifactsCount, FieldValue::Count(facts.artifacts)),
        ];
        self.subject.event(EventKind::Completed, fields)
    }

    pub(in crate::lifecycle) fn undo_store_failed(&self, class: &str, message: &str) -> RunEvent {
        let fields = [
            (FieldName::ErrorCode, FieldValue::from(class)),
            (FieldName::ErrorMessage, FieldValue::from(message)),
        ];
        self.subject.event(EventKind::UndoStoreFailed, fields)
    }

    pub(in crate::lifecycle) fn failure(
        &self,
        failure: &RunFailure,
        lasted_ns: Option<u64>,
    ) -> RunEvent {
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
                    (FieldName::Mode, FieldValue::from(subject.run.mode.as_deref())),
                    (FieldName::AllowedModes, FieldValue::Texts(self.tool.allowed_modes.clone())),
                ];
                subject.event(EventKind::Denied, fields.into_iter().chain(detail))
            }
        }
    }
}
