//! The fields that events share: which tool, which action, and when.

use super::event::{Event, EventKind, Field, FieldName};
use super::step::{Moment, Run};
use super::time::isoformat;

/// The tool, the run and the moment of an event.
#[derive(Clone, Copy)]
pub(super) struct Subject<'e> {
    pub(super) tool: &'e str,
    pub(super) run: &'e Run,
    pub(super) now: Moment,
}

impl Subject<'_> {
    /// Makes an event of the tool, with the fields that all events begin with.
    pub(super) fn event(
        self,
        kind: EventKind,
        fields: impl IntoIterator<Item = (FieldName, Field)>,
    ) -> Event {
        let mut all = Vec::with_capacity(9);
        all.extend([
            (FieldName::ToolName, Field::from(self.tool)),
            (FieldName::ActionId, Field::from(self.run.action_id.as_str())),
            (FieldName::PipelineRunId, Field::from(self.run.pipeline_run_id.as_deref())),
            (FieldName::RequestId, Field::from(self.run.request_id.as_deref())),
            self.timestamp(),
        ]);
        all.extend(fields);
        Event { kind, fields: all }
    }

    /// Makes the event of a request for approval. Its `request_id` is the id of that request.
    pub(super) fn approval_requested(self, request_id: &str, message: String) -> Event {
        let fields = vec![
            (FieldName::RequestId, Field::from(request_id)),
            (FieldName::ToolName, Field::from(self.tool)),
            (FieldName::ActionId, Field::from(self.run.action_id.as_str())),
            (FieldName::PipelineRunId, Field::from(self.run.pipeline_run_id.as_deref())),
            (FieldName::ApprovalMessage, Field::from(message)),
            self.timestamp(),
        ];
        Event { kind: EventKind::ApprovalRequested, fields }
    }

    /// Makes the event of a decision. The approval names the person who decided; the event does
    /// not.
    pub(super) fn approval_decided(self, request_id: &str, granted: bool) -> Event {
        let fields = vec![
            (FieldName::RequestId, Field::from(request_id)),
            (FieldName::ToolName, Field::from(self.tool)),
            (FieldName::ActionId, Field::from(self.run.action_id.as_str())),
            (FieldName::Decision, Field::from(if granted { "approved" } else { "denied" })),
            (FieldName::DecidedBy, Field::Null),
            (FieldName::PipelineRunId, Field::from(self.run.pipeline_run_id.as_deref())),
            self.timestamp(),
        ];
        Event { kind: EventKind::ApprovalDecided, fields }
    }

    fn timestamp(self) -> (FieldName, Field) {
        (FieldName::Timestamp, Field::from(isoformat(self.now.wall_us)))
    }
}

/// Makes the field of a duration.
#[allow(
    clippy::cast_precision_loss,
    reason = "a duration of weeks keeps its nanoseconds, and more is not asked"
)]
pub(super) fn milliseconds(nanoseconds: u64) -> Field {
    Field::Milliseconds(nanoseconds as f64 / 1e6)
}
