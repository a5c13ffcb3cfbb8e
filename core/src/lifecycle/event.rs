//! What is told of a tool's run: events, each with its fields in a fixed order.
//!
//! An [`Event`] holds what it says, free of the run that tells it; a host makes its own map of the
//! fields, in order.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::input_schema::Problem;

/// Declares a closed set of names.
macro_rules! names {
    ($(#[$set_doc:meta])* $set:ident: $($(#[$doc:meta])* $item:ident => $name:literal,)+) => {
        $(#[$set_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $set { $($(#[$doc])* $item,)+ }

        impl $set {
            /// All of them, in the order of their number.
            pub const ALL: &'static [Self] = &[$(Self::$item,)+];

            /// The name as it is written.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$item => $name,)+ }
            }
        }
    };
}

names! {
    /// What an event tells.
    EventKind:
    /// A tool was asked to run.
    Invoked => "tool.invoked",
    /// Its handler is about to run.
    Started => "tool.started",
    /// Its handler gave an output, be it of success or of failure.
    Completed => "tool.completed",
    /// Its handler raised.
    Failed => "tool.failed",
    /// It may not run.
    Denied => "tool.denied",
    /// Its run was given up before the handler ended.
    Cancelled => "tool.cancelled",
    /// Its run was undone.
    Undone => "tool.undone",
    /// Its run could not be undone.
    UndoFailed => "tool.undo_failed",
    /// Its run completed, but what would undo it could not be stored.
    UndoStoreFailed => "tool.undo_store_failed",
    /// A person was asked.
    ApprovalRequested => "approval.requested",
    /// That person decided.
    ApprovalDecided => "approval.decided",
}

names! {
    /// What a field of an event is about.
    ///
    /// The set is closed, so that a host can keep one interned string for each, in an array in the
    /// order of [`FieldName::ALL`] (`name as usize` is the place in it).
    FieldName:
    /// The tool.
    ToolName => "tool_name",
    /// The action that is run.
    ActionId => "action_id",
    /// The pipeline's run that the action is part of.
    PipelineRunId => "pipeline_run_id",
    /// The request that the action is part of; of an approval's event, the approval.
    RequestId => "request_id",
    /// When it happened.
    Timestamp => "timestamp",
    /// What the payload holds, in short.
    PayloadSummary => "payload_summary",
    /// The behavior that the caller runs in.
    Behavior => "behavior",
    /// How long it took.
    DurationMs => "duration_ms",
    /// What is known of the output.
    OutputSummary => "output_summary",
    /// How many artifacts the output has.
    ArtifactsCount => "artifacts_count",
    /// The class of an error.
    ErrorCode => "error_code",
    /// What an error says.
    ErrorMessage => "error_message",
    /// Why something was not done.
    Reason => "reason",
    /// The reason in the words of a policy.
    Detail => "detail",
    /// Where arguments do not match their schema.
    Problems => "problems",
    /// The behaviors that the tool may run in.
    AllowedBehaviors => "allowed_behaviors",
    /// When the action was run that is undone.
    OriginalActionTimestamp => "original_action_timestamp",
    /// What the person is asked.
    ApprovalMessage => "approval_message",
    /// What the person decided.
    Decision => "decision",
    /// Who decided.
    DecidedBy => "decided_by",
    /// Whether the output tells of success.
    Success => "success",
    /// Whether the output has data.
    HasData => "has_data",
    /// Whether the output has an error.
    HasError => "has_error",
    /// Whether the output has artifacts.
    HasArtifacts => "has_artifacts",
    /// Whether the output says how to undo the run.
    HasUndoMetadata => "has_undo_metadata",
}

/// What is known of a handler's output without looking into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "the event's own fields, each of them a yes or no"
)]
pub struct OutputFacts {
    /// Whether it tells of success.
    pub success: bool,
    /// Whether it has data.
    pub has_data: bool,
    /// Whether it has an error.
    pub has_error: bool,
    /// How many artifacts it has.
    pub artifacts: usize,
    /// Whether it says how to undo the run.
    pub has_undo_metadata: bool,
}

impl OutputFacts {
    /// The facts by name, in the event's order.
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
pub enum Field {
    /// Nothing.
    Null,
    /// A text.
    Text(String),
    /// A count.
    Count(usize),
    /// A duration in milliseconds.
    Milliseconds(f64),
    /// A list of texts.
    Texts(Vec<String>),
    /// What is known of the output, a map.
    Output(OutputFacts),
    /// Where arguments do not match their schema, a list of maps of `path` and `message`.
    Problems(Vec<Problem>),
    /// The summary of the payload, which the host has made.
    PayloadSummary,
}

/// Something that is told of a tool's run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What it tells.
    pub kind: EventKind,
    /// What it says, in order.
    pub fields: Vec<(FieldName, Field)>,
}

impl Event {
    /// The fields as JSON, with a summary of the payload in its place.
    #[must_use]
    pub fn to_json(&self, payload_summary: &Value) -> Value {
        let field = |field: &Field| match field {
            Field::Null => Value::Null,
            Field::Text(text) => json!(text),
            Field::Count(count) => json!(count),
            Field::Milliseconds(duration) => json!(duration),
            Field::Texts(texts) => json!(texts),
            Field::Output(facts) => {
                facts.entries().into_iter().map(|(name, is)| (name.name(), json!(is))).collect()
            }
            Field::Problems(problems) => problems
                .iter()
                .map(|problem| json!({"path": problem.path, "message": problem.message}))
                .collect(),
            Field::PayloadSummary => payload_summary.clone(),
        };
        let fields = self.fields.iter().map(|(name, value)| (name.name().to_owned(), field(value)));
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<&str>> for Field {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}
