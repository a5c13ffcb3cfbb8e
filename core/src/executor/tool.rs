//! A tool of a Rust program: its handler, what it gets and what it gives.

use std::error::Error as StdError;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::hold::RunHold;
use crate::json::parse_json;
use crate::lifecycle::{OutputFacts, Run, UndoData};
use crate::store::StoreError;

/// Any error of a program's own code.
pub type Fault = Box<dyn StdError + Send + Sync>;

/// A tool's handler. A closure from [`ToolInput`] to [`ToolOutput`] is one.
pub trait Tool: Send + Sync {
    /// Runs the tool.
    ///
    /// # Errors
    ///
    /// Any error; the run has failed then.
    fn run(&self, input: &ToolInput) -> Result<ToolOutput, Fault>;

    /// Returns the changes that a run would make now, for the person who approves them. If they
    /// differ when the approved run is about to start, it does not start.
    ///
    /// # Errors
    ///
    /// Any error; the run has failed then.
    fn changes(&self, _input: &ToolInput) -> Result<Option<Value>, Fault> {
        Ok(None)
    }

    /// Undoes a run, from the undo data of its output. Only tools whose specification says
    /// `undoable` are undone.
    ///
    /// # Errors
    ///
    /// Any error; the run may be undone later.
    fn undo(&self, data: &UndoData) -> Result<(), Fault> {
        Err(format!("'{}' has no undo handler", data.tool_name).into())
    }
}

impl<F> Tool for F
where
    F: Fn(&ToolInput) -> Result<ToolOutput, Fault> + Send + Sync,
{
    fn run(&self, input: &ToolInput) -> Result<ToolOutput, Fault> {
        self(input)
    }
}

/// What a handler gets.
#[derive(Clone, Debug)]
pub struct ToolInput {
    /// The ids and the mode of the run.
    pub run: Run,
    /// The tool's name.
    pub tool_name: String,
    /// The arguments, after the schema's check.
    pub arguments: Arc<Value>,
    /// The run of the store, while its handler works.
    pub(super) hold: Option<RunHold>,
}

impl ToolInput {
    /// The key of the run, for services that take one; see
    /// [`Run::idempotency_key`](crate::lifecycle::Run::idempotency_key).
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        self.run.idempotency_key()
    }

    /// Says whether this process still has the run; a handler that works long asks now and then,
    /// and stops if it has not. A run without a store is always its own.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn has_run(&self) -> Result<bool, StoreError> {
        self.hold.as_ref().map_or(Ok(true), RunHold::renew)
    }
}

/// What a handler gives. The store keeps it in the same form for PHP, Python and Rust.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ToolOutput {
    /// Whether the tool did what it was asked for.
    pub success: bool,
    /// The result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Why there is no success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the tool made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<Value>>,
    /// What the tool's undo handler needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_metadata: Option<Value>,
}

impl ToolOutput {
    /// Makes the output of a tool that did what it was asked for.
    pub fn ok(data: impl Into<Value>) -> Self {
        Self { success: true, data: Some(data.into()), ..Self::default() }
    }

    /// Makes the output of a tool that ran and found no success.
    pub fn fail(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }

    /// Adds what the undo handler needs.
    #[must_use]
    pub fn with_undo(self, undo_metadata: impl Into<Value>) -> Self {
        Self { undo_metadata: Some(undo_metadata.into()), ..self }
    }

    /// Reads an output that a store kept, written by any of the languages.
    pub(super) fn read(kept: &RawValue) -> Option<Self> {
        let Ok(Value::Object(mut fields)) = parse_json(kept.get().as_bytes()) else { return None };
        let mut field = |name| fields.remove(name).filter(|value| !value.is_null());
        Some(Self {
            success: field("success") == Some(Value::Bool(true)),
            data: field("data"),
            error: field("error").map(|error| match error {
                Value::String(message) => message,
                other => other.to_string(),
            }),
            artifacts: field("artifacts").map(|made| match made {
                Value::Array(all) => all,
                one => vec![one],
            }),
            undo_metadata: field("undo_metadata"),
        })
    }

    pub(super) fn facts(&self) -> OutputFacts {
        OutputFacts {
            success: self.success,
            has_data: self.data.is_some(),
            has_error: self.error.is_some(),
            artifacts: self.artifacts.as_ref().map_or(0, Vec::len),
            has_undo_metadata: self.undo_metadata.is_some(),
        }
    }
}
