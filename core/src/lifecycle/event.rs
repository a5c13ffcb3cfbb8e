//! What is told of a tool's run, in the words and the order of stageflow's events.
//!
//! An [`Event`] borrows from the run that tells it; a host makes its own map of the fields, in order.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::input_schema::Problem;

/// Declares the kinds with their names.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $name:literal,)+) => {
        /// What an event tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventKind { $($(#[$doc])* $kind,)+ }

        impl EventKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// The event's name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }
        }
    };
}

kinds! {
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

/// What is known of a handler's output without looking into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "the event's own fields, each of them a yes or no")]
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
    pub fn entries(self) -> [(&'static str, bool); 5] {
        [
            ("success", self.success),
            ("has_data", self.has_data),
            ("has_error", self.has_error),
            ("has_artifacts", self.artifacts > 0),
            ("has_undo_metadata", self.has_undo_metadata),
        ]
    }
}

/// The value of an event's field.
#[derive(Clone, Debug, PartialEq)]
pub enum Field<'e> {
    /// Nothing.
    Null,
    /// A text.
    Text(Cow<'e, str>),
    /// A count.
    Count(usize),
    /// A duration in milliseconds.
    Milliseconds(f64),
    /// A list of texts.
    Texts(&'e [String]),
    /// What is known of the output, a map.
    Output(OutputFacts),
    /// Where arguments do not match their schema, a list of maps of `path` and `message`.
    Problems(&'e [Problem]),
    /// The summary of the payload, which the host has made.
    PayloadSummary,
}

/// Something that is told of a tool's run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'e> {
    /// What it tells.
    pub kind: EventKind,
    /// What it says, in order.
    pub fields: Vec<(&'static str, Field<'e>)>,
}

impl Event<'_> {
    /// The fields as JSON, with a summary of the payload in its place.
    #[must_use]
    pub fn to_json(&self, payload_summary: &Value) -> Value {
        let field = |field: &Field<'_>| match field {
            Field::Null => Value::Null,
            Field::Text(text) => json!(text),
            Field::Count(count) => json!(count),
            Field::Milliseconds(duration) => json!(duration),
            Field::Texts(texts) => json!(texts),
            Field::Output(facts) => facts.entries().into_iter().map(|(name, is)| (name, json!(is))).collect(),
            Field::Problems(problems) => problems
                .iter()
                .map(|problem| json!({"path": problem.path, "message": problem.message}))
                .collect(),
            Field::PayloadSummary => payload_summary.clone(),
        };
        let fields = self.fields.iter().map(|(name, value)| ((*name).to_owned(), field(value)));
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

impl<'e> From<&'e str> for Field<'e> {
    fn from(text: &'e str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Field<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'e> From<Option<&'e str>> for Field<'e> {
    fn from(text: Option<&'e str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}
