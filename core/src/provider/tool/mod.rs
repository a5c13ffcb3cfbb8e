//! The tools of a request: their names, and their schemas as each provider takes them.

pub(in crate::provider) mod definition;
pub(in crate::provider) mod dump;
pub(in crate::provider) mod portable_schema;
pub(in crate::provider) mod schema;
pub(in crate::provider) mod strict;
pub(crate) mod tool_name;

pub(in crate::provider) use definition::{ToolDefinition, ToolHints, described, named};
pub(in crate::provider) use tool_name::NameRule;
