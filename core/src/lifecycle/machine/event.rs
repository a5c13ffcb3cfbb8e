//! Events of a tool's run, each with its fields in a fixed order.
//!
//! A [`RunEvent`] owns its values and does not borrow from the run. A host makes its own map of the
//! fields, in order.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::input_schema::Problem;
use crate::slug::slugs;

slugs! {
    /// The kind of an event.
    #[non_exhaustive]
    pub enum EventKind {
        /// A tool was asked to run.
        Invoked => "tool.invoked",
        /// The tool's handler is about to run.
        Started => "tool.started",
        /// The handler gave an output, which reports success or failure.
        Completed => "tool.completed",
        /// The handler raised.
        Failed => "tool.failed",
        /// The tool may not run.
        Denied => "tool.denied",
        /// The run was given up before the handler ended.
        Cancelled => "tool.cancelled",
        /// The handler was cut off, and nobody knows what it did.
        Interrupted => "tool.interrupted",
        /// The run was undone.
        Undone => "tool.undone",
        /// The run could not be undone.
        UndoFailed => "tool.undo_failed",
        /// The run completed, but its undo data could not be stored.
        UndoStoreFailed => "tool.undo_store_failed",
        /// A person was asked.
        ApprovalRequested => "approval.requested",
        /// The person decided.
        ApprovalDecided => "approval.decided",
    }
}

slugs! {
    /// The name of an event's field.
    ///
    /// The set is closed. So a host can keep one interned string for each name, in an array in the
    /// order of [`FieldName::ALL`] (`name as usize` is the index).
    #[non_exhaustive]
    pub enum FieldName {
        /// The tool.
        ToolName => "tool_name",
        /// The id of the run.
        RunId => "run_id",
        /// What the run is part of, such as a pipeline's run.
        ParentId => "parent_id",
        /// The request that the run is part of. In an event of an approval, the approval's
        /// request.
        RequestId => "request_id",
        /// When the event happened.
        Timestamp => "timestamp",
        /// A short summary of the payload.
        PayloadSummary => "payload_summary",
        /// The mode that the caller runs in.
        Mode => "mode",
        /// How long the run took.
        DurationMs => "duration_ms",
        /// The known facts about the output.
        OutputSummary => "output_summary",
        /// How many artifacts the output has.
        ArtifactsCount => "artifacts_count",
        /// The class of an error.
        ErrorCode => "error_code",
        /// What an error says.
        ErrorMessage => "error_message",
        /// Why something was not done.
        Reason => "reason",
        /// The reason in the policy's words, or what is known of an interruption.
        Detail => "detail",
        /// Where arguments do not match their schema.
        Problems => "problems",
        /// The modes that the tool may run in.
        AllowedModes => "allowed_modes",
        /// When the run that is undone ran.
        RanAt => "ran_at",
        /// The question for the person.
        ApprovalMessage => "approval_message",
        /// What the person decided.
        Decision => "decision",
        /// The name of the person who decided.
        DecidedBy => "decided_by",
        /// Whether the output reports success.
        Success => "success",
        /// Whether the output has data.
        HasData => "has_data",
        /// Whether the output has an error.
        HasError => "has_error",
        /// Whether the output has artifacts.
        HasArtifacts => "has_artifacts",
        /// Whether the output says how to undo the run.
        HasUndoMetadata => "has_undo_metadata",
        /// Whether the person approved something else than what was asked: other arguments, or what
        /// the run would change by then.
        Changed => "changed",
    }
}

/// Facts about a handler's output that need no look into its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "the event's own fields, each of them a yes or no"
)]
pub struct OutputFacts {
    /// Whether the output reports success.
    pub success: bool,
    /// Whether the output has data.
    pub has_data: bool,
    /// Whether the output has an error.
    pub has_error: bool,
    /// How many artifacts the output has.
    pub artifacts: usize,
    /// Whether the output says how to undo the run.
    pub has_undo_metadata: bool,
}

impl OutputFacts {
    /// Returns the facts by name, in the event's order.
    #[must_use]
    pub fn entries(self) -> [(FieldName, bool); 5] {
        [
            (FieldName::Success, self.success),
            (FieldName::HasData, self.has_data),
            (FieldName::HasError, self.has_error),
            (FieldName::HasArtifacts, self.artifacts > 0),
            (FieldName::HasUndoMetadata, self.has_undo_metadata),
        ]
    }
}

/// The value of an event's field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// Nothing.
    Null,
    /// A text.
    Text(String),
    /// A count.
    Count(usize),
    /// Yes or no.
    Flag(bool),
    /// A duration in milliseconds.
    Milliseconds(f64),
    /// A list of texts.
    Texts(Vec<String>),
    /// The known facts about the output, as a map.
    Output(OutputFacts),
    /// Where arguments do not match their schema, as a list of maps of `path` and `message`.
    Problems(Vec<Problem>),
    /// The summary of the payload, which the host makes.
    PayloadSummary,
}

/// One event of a tool's run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEvent {
    /// The kind of the event.
    pub kind: EventKind,
    /// The fields, in order.
    pub fields: Vec<(FieldName, FieldValue)>,
}

impl RunEvent {
    /// Returns the fields as JSON. `payload_summary` is the value of that field.
    #[must_use]
    pub fn to_json(&self, payload_summary: &Value) -> Value {
        let field = |field: &FieldValue| match field {
            FieldValue::Null => Value::Null,
            FieldValue::Text(text) => json!(text),
            FieldValue::Count(count) => json!(count),
            FieldValue::Flag(flag) => json!(flag),
            FieldValue::Milliseconds(duration) => json!(duration),
            FieldValue::Texts(texts) => json!(texts),
            FieldValue::Output(facts) => {
                facts.entries().into_iter().map(|(name, is)| (name.slug(), json!(is))).collect()
            }
            FieldValue::Problems(problems) => problems
                .iter()
                .map(|problem| json!({"path": problem.path, "message": problem.message}))
                .collect(),
            FieldValue::PayloadSummary => payload_summary.clone(),
        };
        let fields = self.fields.iter().map(|(name, value)| (name.slug().to_owned(), field(value)));
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

impl From<&str> for FieldValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for FieldValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<&str>> for FieldValue {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}
