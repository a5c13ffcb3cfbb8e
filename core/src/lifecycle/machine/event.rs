//! Events of a tool's run, each with its fields in a fixed order.
//!
//! A [`RunEvent`] owns its values and does not borrow from the run. A host makes its own map of the
//! fields, in order.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::input_schema::Problem;
use crate::redact::Redaction;
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
    /// The event without the secrets in what it tells of errors, refusals and wrong arguments. An
    /// event that a run emits has none by the default names; an executor has names of its own.
    ///
    /// ```
    /// use toolwire::lifecycle::{EventKind, FieldName, FieldValue, RunEvent};
    /// use toolwire::redact::Redaction;
    ///
    /// let fields = vec![(FieldName::ErrorMessage, FieldValue::from("iban=DE12 is unknown"))];
    /// let event = RunEvent { kind: EventKind::Failed, fields };
    /// let masked = event.without_secrets(&Redaction::new(["iban"]));
    /// assert_eq!(masked.fields[0].1, FieldValue::from("iban=[redacted] is unknown"));
    /// ```
    #[must_use]
    pub fn without_secrets(&self, redaction: &Redaction) -> Cow<'_, Self> {
        if !self.fields.iter().any(|(name, value)| tells(*name, value)) {
            return Cow::Borrowed(self);
        }
        let fields = self.fields.iter().map(|(name, value)| {
            let told = tells(*name, value);
            (*name, if told { masked(value, redaction) } else { value.clone() })
        });
        Cow::Owned(Self { kind: self.kind, fields: fields.collect() })
    }

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

/// Whether a field has words of a host, of a tool or of a model.
fn tells(name: FieldName, value: &FieldValue) -> bool {
    let is_told = matches!(name, FieldName::ErrorMessage | FieldName::Detail | FieldName::Problems);
    is_told && matches!(value, FieldValue::Text(_) | FieldValue::Problems(_))
}

fn masked(value: &FieldValue, redaction: &Redaction) -> FieldValue {
    let text = |text: &str| {
        let masked = redaction.masked_text(text.as_bytes());
        String::from_utf8_lossy(&masked).into_owned()
    };
    match value {
        FieldValue::Text(told) => FieldValue::Text(text(told)),
        FieldValue::Problems(problems) => {
            let problem = |Problem { path, message }: &Problem| Problem {
                path: text(path),
                message: text(message),
            };
            FieldValue::Problems(problems.iter().map(problem).collect())
        }
        other => other.clone(),
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
