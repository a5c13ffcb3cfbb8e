//! What a model is told of a tool.

use serde_json::{Value, json};

use crate::provider::write::object::insert;

/// What a model is told of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolDefinition<'t> {
    /// The name, which the provider must take.
    pub name: &'t str,
    /// What the tool does; empty for nothing.
    pub description: &'t str,
    /// The JSON Schema of the arguments; none for a tool that takes any object.
    pub input_schema: Option<&'t Value>,
    /// What is known of the tool's effect.
    pub hints: ToolHints,
}

/// What a program says of the effect that a tool has; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolHints {
    /// Whether the tool changes nothing.
    pub read_only: Option<bool>,
    /// Whether the tool may delete or overwrite something.
    pub destructive: Option<bool>,
}

impl<'t> ToolDefinition<'t> {
    /// A tool of which only the name is known.
    #[must_use]
    pub fn new(name: &'t str) -> Self {
        Self { name, ..Self::default() }
    }
}

/// The name and, if there is one, the description.
pub(in crate::provider) fn named(tool: &ToolDefinition<'_>) -> Value {
    let mut written = json!({"name": tool.name});
    if !tool.description.is_empty() {
        insert(&mut written, "description", tool.description);
    }
    written
}

/// The name, the description, and the schema under its key.
pub(in crate::provider) fn described(tool: &ToolDefinition<'_>, key: &str, schema: Value) -> Value {
    let mut written = named(tool);
    insert(&mut written, key, schema);
    written
}
