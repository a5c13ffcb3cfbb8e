//! The description of a tool and its limits.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::limit::RateLimit;
use crate::error::{Error, ErrorKind};
use crate::input_schema::InputSchema;
use crate::provider::ToolHints;

/// The description of a tool and its limits. The host knows how to run the tool.
#[derive(Clone, Debug, Default)]
pub struct ToolSpec {
    /// The tool's name, for people and models.
    pub name: String,
    /// What the registry and the records of runs know the tool by. It is the name unless the
    /// program gives another one, for example to keep the runs that wait while it renames the tool.
    pub id: String,
    /// What the tool does.
    pub description: String,
    /// The schema of the arguments. Without a schema, the arguments are not checked.
    pub input_schema: Option<Arc<InputSchema>>,
    /// The modes of the program in which the tool may run. An empty list allows all.
    pub allowed_modes: Vec<String>,
    /// Whether a person has to approve each run.
    pub requires_approval: bool,
    /// The question for that person; `Approve {name}?` by default.
    pub approval_message: Option<String>,
    /// Whether a run can be undone.
    pub undoable: bool,
    /// The type of artifact that the tool makes.
    pub artifact_type: Option<String>,
    /// Other names of the tool.
    pub aliases: Vec<String>,
    /// The permission that a caller needs, as the host names it (a WordPress capability, for
    /// example).
    pub capability: Option<String>,
    /// How often and for how long the tool may run.
    pub limits: ToolLimits,
    /// What the program says of the tool's effect.
    pub hints: ToolHints,
}

/// How often and for how long a tool may run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolLimits {
    /// How often the tool may run.
    pub rate: Option<RateLimit>,
    /// For how long a run of the tool may work, in microseconds. A handler of a run in a store that
    /// has not ended ten seconds after it loses the run, which is `interrupted` then.
    pub timeout: Option<i64>,
}

impl ToolSpec {
    /// Makes a tool that may always run and needs no approval. Its id is its name.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { id: name.clone(), name, ..Self::default() }
    }

    /// Sets another id than the name.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Sets the schema of the arguments. Null and `{}` mean no schema.
    ///
    /// # Errors
    ///
    /// `invalid_schema` and `schema_limit`, see [`InputSchema::new`].
    pub fn with_schema(mut self, schema: &Value) -> Result<Self, Error> {
        let none = schema.is_null() || schema.as_object().is_some_and(serde_json::Map::is_empty);
        self.input_schema =
            if none { None } else { Some(Arc::new(InputSchema::new(&self.name, schema)?)) };
        Ok(self)
    }

    /// Checks the required fields of a tool.
    ///
    /// # Errors
    ///
    /// `invalid_tool` when the name or the id is empty, or an alias is given twice.
    pub fn check(&self) -> Result<(), Error> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidTool, message));
        if self.name.is_empty() || self.id.is_empty() {
            return invalid("a tool needs a name and an id".to_owned());
        }
        let mut seen = BTreeSet::new();
        match self.aliases.iter().find(|alias| alias.is_empty() || !seen.insert(alias.as_str())) {
            Some(alias) => invalid(format!(
                "the alias \"{alias}\" of \"{}\" is empty or given twice",
                self.name
            )),
            None => Ok(()),
        }
    }

    /// Whether the tool may run in a mode. A tool without a list may run in any mode, and without
    /// one.
    #[must_use]
    pub fn runs_in(&self, mode: Option<&str>) -> bool {
        self.allowed_modes.is_empty()
            || mode.is_some_and(|mode| self.allowed_modes.iter().any(|allowed| allowed == mode))
    }

    /// Returns the question for the person who approves a run.
    #[must_use]
    pub fn approval_message(&self) -> String {
        match &self.approval_message {
            Some(message) if !message.is_empty() => message.clone(),
            _ => format!("Approve {}?", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_without_a_list_of_modes_runs_under_any() {
        let mut tool = ToolSpec::new("edit").with_id("EDIT");
        assert!(tool.runs_in(None) && tool.runs_in(Some("chat")));
        tool.allowed_modes = vec!["edit".to_owned()];
        assert!(tool.runs_in(Some("edit")));
        assert!(!tool.runs_in(None) && !tool.runs_in(Some("chat")));
    }

    #[test]
    fn an_empty_message_asks_in_general() {
        let mut tool = ToolSpec::new("edit").with_id("EDIT");
        assert_eq!(tool.approval_message(), "Approve edit?");
        tool.approval_message = Some(String::new());
        assert_eq!(tool.approval_message(), "Approve edit?");
        tool.approval_message = Some("Really?".to_owned());
        assert_eq!(tool.approval_message(), "Really?");
    }

    #[test]
    fn a_schema_that_is_none_is_none() {
        for schema in [json!(null), json!({})] {
            assert!(
                ToolSpec::new("a")
                    .with_id("A")
                    .with_schema(&schema)
                    .unwrap()
                    .input_schema
                    .is_none()
            );
        }
        let error =
            ToolSpec::new("a").with_id("A").with_schema(&json!({"type": "nonsense"})).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSchema);
    }

    #[test]
    fn a_tool_needs_names_that_say_something() {
        assert!(ToolSpec::new("a").with_id("A").check().is_ok());
        assert_eq!(
            ToolSpec::new("").with_id("A").check().unwrap_err().kind(),
            ErrorKind::InvalidTool
        );
        assert_eq!(
            ToolSpec::new("a").with_id("").check().unwrap_err().kind(),
            ErrorKind::InvalidTool
        );
        let twice =
            ToolSpec { aliases: vec!["b".into(), "b".into()], ..ToolSpec::new("a").with_id("A") };
        assert_eq!(twice.check().unwrap_err().kind(), ErrorKind::InvalidTool);
    }
}
