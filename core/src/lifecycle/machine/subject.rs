//! The fields that events share: which tool, which run, and when.

use std::sync::LazyLock;

use super::event::{EventKind, FieldName, FieldValue, RunEvent};
use super::step::{Moment, Run};
use crate::lifecycle::time::isoformat;
use crate::redact::Redaction;

/// The default names of secrets, which no event tells.
static SECRETS: LazyLock<Redaction> = LazyLock::new(Redaction::default);

/// The tool, the run and the moment of an event.
#[derive(Clone, Copy)]
pub(in crate::lifecycle) struct Subject<'e> {
    pub(in crate::lifecycle) tool: &'e str,
    pub(in crate::lifecycle) run: &'e Run,
    pub(in crate::lifecycle) now: Moment,
}

impl Subject<'_> {
    /// Makes an event of the tool, with the fields that all events begin with, and without what
    /// looks like a secret: listeners write logs.
    pub(in crate::lifecycle) fn event(
        self,
        kind: EventKind,
        fields: impl IntoIterator<Item = (FieldName, FieldValue)>,
    ) -> RunEvent {
        let mut all = Vec::with_capacity(9);
        all.extend([
            (FieldName::ToolName, FieldValue::from(self.tool)),
            (FieldName::RunId, FieldValue::from(self.run.run_id.as_str())),
            (FieldName::ParentId, FieldValue::from(self.run.parent_id.as_deref())),
            (FieldName::RequestId, FieldValue::from(self.run.request_id.as_deref())),
            self.timestamp(),
        ]);
        all.extend(fields);
        RunEvent { kind, fields: all }.without_secrets(&SECRETS).into_owned()
    }

    /// Makes the event of a request for approval. Its `request_id` is the id of that request.
    pub(in crate::lifecycle) fn approval_requested(
        self,
        request_id: &str,
        message: String,
    ) -> RunEvent {
        let fields = vec![
            (FieldName::RequestId, FieldValue::from(request_id)),
            (FieldName::ToolName, FieldValue::from(self.tool)),
            (FieldName::RunId, FieldValue::from(self.run.run_id.as_str())),
            (FieldName::ParentId, FieldValue::from(self.run.parent_id.as_deref())),
            (FieldName::ApprovalMessage, FieldValue::from(message)),
            self.timestamp(),
        ];
        RunEvent { kind: EventKind::ApprovalRequested, fields }
    }

    /// Makes the event of a decision. The approval names the person who decided; the event does
    /// not. It says so where something else was approved than what was asked.
    pub(in crate::lifecycle) fn approval_decided(
        self,
        request_id: &str,
        granted: bool,
        changed: bool,
    ) -> RunEvent {
        let mut fields = vec![
            (FieldName::RequestId, FieldValue::from(request_id)),
            (FieldName::ToolName, FieldValue::from(self.tool)),
            (FieldName::RunId, FieldValue::from(self.run.run_id.as_str())),
            (FieldName::Decision, FieldValue::from(if granted { "approved" } else { "denied" })),
            (FieldName::DecidedBy, FieldValue::Null),
            (FieldName::ParentId, FieldValue::from(self.run.parent_id.as_deref())),
            self.timestamp(),
        ];
        if changed {
            fields.push((FieldName::Changed, FieldValue::Flag(true)));
        }
        RunEvent { kind: EventKind::ApprovalDecided, fields }
    }

    fn timestamp(self) -> (FieldName, FieldValue) {
        (FieldName::Timestamp, FieldValue::from(isoformat(self.now.wall_us)))
    }
}

/// Makes the field of a duration.
#[allow(
    clippy::cast_precision_loss,
    reason = "a duration of weeks keeps its nanoseconds, and more is not asked"
)]
pub(in crate::lifecycle) fn milliseconds(nanoseconds: u64) -> FieldValue {
    FieldValue::Milliseconds(nanoseconds as f64 / 1e6)
}
