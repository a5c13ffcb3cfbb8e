//! Calls that Cline's and Roo's models wrote as elements in their text.

use serde_json::{Map, Value};

use crate::json::tape::Tape;
use crate::transcript::action::CallAction;
use crate::transcript::dialect::tools;

/// The tools that are written so.
const TOOLS: [&str; 24] = [
    "execute_command",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "ask_followup_question",
    "attempt_completion",
    "new_task",
    "plan_mode_respond",
    "load_mcp_documentation",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "switch_mode",
    "fetch_instructions",
    "codebase_search",
    "update_todo_list",
    "web_fetch",
    "condense",
];

/// A call in a text.
pub(super) struct CallInText<'t> {
    /// The words before it.
    pub(super) before: &'t str,
    pub(super) name: &'t str,
    pub(super) arguments: Value,
}

impl CallInText<'_> {
    /// What the call does.
    pub(super) fn action(&self) -> CallAction {
        let raw = self.arguments.to_string();
        let mut tape = Tape::default();
        tape.read(&raw).map_or(CallAction::Tool, |read| tools::action(self.name, read))
    }
}

/// Whether a text holds a call.
pub(super) fn is_known(text: &str) -> bool {
    start(text).is_some()
}

/// Where the first call begins, and its name.
fn start(text: &str) -> Option<(usize, &'static str)> {
    let mut rest = 0;
    while let Some(place) = text.get(rest..)?.find('<').map(|place| rest + place) {
        let inner = text.get(place + 1..)?;
        let name = inner.split('>').next()?;
        if let Some(name) = TOOLS.iter().find(|tool| **tool == name)
            && text.contains(&format!("</{name}>"))
        {
            return Some((place, name));
        }
        rest = place + 1;
    }
    None
}

/// The first call in a text: an element, whose elements are the arguments.
pub(super) fn called(text: &str) -> Option<CallInText<'_>> {
    let (place, _) = start(text)?;
    let before = text.get(..place)?;
    let inner = text.get(place + 1..)?;
    let (name, body) = inner.split_once('>')?;
    let body = body.split_once(&*format!("</{name}>"))?.0;
    let mut arguments = Map::new();
    let mut rest = body;
    while let Some((_, behind)) = rest.split_once('<') {
        let Some((key, behind)) = behind.split_once('>') else { break };
        let Some((value, behind)) = behind.split_once(&*format!("</{key}>")) else { break };
        arguments.insert(key.to_owned(), typed(value));
        rest = behind;
    }
    Some(CallInText { before, name, arguments: Value::Object(arguments) })
}

/// The value that an element's text means.
fn typed(text: &str) -> Value {
    match text.trim() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        trimmed => Value::from(trimmed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_behind_words() {
        let text = "I look.\n<read_file>\n<path>a<b.txt</path>\n</read_file>\n";
        let call = called(text).unwrap();
        assert_eq!((call.before, call.name), ("I look.\n", "read_file"));
        assert_eq!(call.arguments, serde_json::json!({"path": "a<b.txt"}));
        assert!(called("<b>read_file</b> <read_file>").is_none());
    }
}
