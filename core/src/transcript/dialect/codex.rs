//! Codex: `codex exec --json`.

use std::collections::HashSet;

use crate::json::value::Json;
use crate::transcript::action::{CallAction, Todo};
use crate::transcript::dialect::Dialect;
use crate::transcript::dialect::field::written_at;
use crate::transcript::dialect::say::session;
use crate::transcript::dialect::shape::text;
use crate::transcript::event::{LogEvent, Role, ToolOutcome};

/// The reader of Codex's logs.
#[derive(Debug, Default)]
pub(super) struct Codex {
    /// The items that began and have not ended.
    begun: HashSet<Box<str>>,
}

/// How many items may be open at once; an item beyond them is given when it ends.
const MAX_OPEN: usize = 4096;
/// The longest id of an item that is remembered.
const LONGEST: usize = 1 << 10;

impl Dialect for Codex {
    fn weigh(line: Json<'_>) -> u32 {
        match line.text_of("type").as_deref() {
            Some("thread.started") => 9,
            Some("turn.started" | "turn.completed" | "turn.failed") => 5,
            Some("item.started" | "item.updated" | "item.completed")
                if line.get("item").is_some() =>
            {
                9
            }
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        match line.text_of("type").as_deref() {
            Some("thread.started") => {
                session(line, &["thread_id"], give);
            }
            Some("turn.started" | "turn.completed") => {}
            Some("turn.failed" | "error") => {
                let error = line.get("error").unwrap_or(line);
                let Some(text) = error.text_of("message") else { return false };
                give(LogEvent::Message { role: Role::Error, text });
            }
            Some(stage @ ("item.started" | "item.updated" | "item.completed")) => {
                let Some(item) =
                    line.get("item").filter(|item| item.get("id").is_some_and(Json::is_text))
                else {
                    return false;
                };
                self.item(stage, item, written_at(line), give);
            }
            _ => return false,
        }
        true
    }
}

impl Codex {
    fn item<'a>(
        &mut self,
        stage: &str,
        item: Json<'a>,
        at: Option<i64>,
        give: &mut dyn FnMut(LogEvent<'a>),
    ) {
        let id = item.text_of("id").unwrap_or_default();
        let Some((name, arguments, action)) = tool(item) else {
            if stage == "item.completed" {
                give(message(item));
            }
            return;
        };
        let is_list = name == "todo_list";
        let call = LogEvent::ToolCall {
            id: id.clone(),
            name: name.into(),
            arguments: arguments.into(),
            action,
            at,
        };
        let done = |outcome, is_error| LogEvent::ToolResult {
            id: Some(id.clone()),
            name: None,
            is_error,
            outcome,
            at,
        };
        match (stage, self.begun.contains(&*id)) {
            ("item.started", false) if self.begun.len() < MAX_OPEN && id.len() <= LONGEST => {
                self.begun.insert((&*id).into());
                give(call);
            }
            // Each state of a list of things to do is an entry of its own.
            ("item.updated", true) if is_list => {
                give(done(ToolOutcome::Value(item), false));
                give(call);
            }
            ("item.completed", begun) => {
                if !begun {
                    give(call);
                }
                self.begun.remove(&*id);
                let (outcome, is_error) = outcome(item);
                give(done(outcome, is_error));
            }
            _ => {}
        }
    }
}

/// A tool's name, its arguments and its action; none if the item is not a tool.
fn tool(item: Json<'_>) -> Option<(String, String, CallAction)> {
    let raw = |item: Json<'_>, key: &str| item.get(key).map_or("null", Json::raw).to_owned();
    let kind = item.text_of("type")?;
    let (arguments, action) = match &*kind {
        "command_execution" => {
            let arguments = format!("{{\"command\":{}}}", raw(item, "command"));
            (arguments, CallAction::Command { command: text(item, "command")? })
        }
        "file_change" => {
            let changes = item.get("changes")?;
            let path =
                changes.items().next().and_then(|change| text(change, "path")).unwrap_or_default();
            (format!("{{\"changes\":{}}}", changes.raw()), CallAction::FilePatch { path })
        }
        "mcp_tool_call" => {
            let name = format!("{}.{}", item.text_of("server")?, item.text_of("tool")?);
            return Some((name, raw(item, "arguments"), CallAction::Tool));
        }
        "web_search" => {
            let arguments = format!("{{\"query\":{}}}", raw(item, "query"));
            (arguments, CallAction::WebFetch { url: text(item, "query")? })
        }
        "todo_list" => {
            let items = item.get("items")?;
            let arguments = format!("{{\"items\":{}}}", items.raw());
            (arguments, CallAction::Todos(items.items().filter_map(todo).collect()))
        }
        _ => return None,
    };
    Some((kind.into(), arguments, action))
}

fn todo(item: Json<'_>) -> Option<Todo> {
    let completed = item.get("completed").and_then(Json::as_bool).unwrap_or_default();
    let status = if completed { "completed" } else { "pending" };
    Some(Todo { content: text(item, "text")?, status: status.to_owned(), priority: None })
}

/// The message of an item that is not a tool.
fn message(item: Json<'_>) -> LogEvent<'_> {
    let role = match item.text_of("type").as_deref() {
        Some("agent_message") => Role::Assistant,
        Some("reasoning") => Role::Thinking,
        Some("error") => Role::Error,
        _ => Role::System,
    };
    let text = item.text_of("text").or_else(|| item.text_of("message"));
    LogEvent::Message { role, text: text.unwrap_or_else(|| item.raw().into()) }
}

/// What a tool gave, and whether it failed.
fn outcome(item: Json<'_>) -> (ToolOutcome<'_>, bool) {
    let is_error = matches!(item.text_of("status").as_deref(), Some("failed" | "declined"));
    if let Some(output) = item.text_of("aggregated_output") {
        let code =
            item.get("exit_code").and_then(Json::as_i64).and_then(|code| i32::try_from(code).ok());
        return (ToolOutcome::Command { output, code }, is_error);
    }
    if let Some(message) = item.get("error").and_then(|error| error.text_of("message")) {
        return (ToolOutcome::Error { kind: "tool_error".into(), message }, true);
    }
    let result = item.get("result").filter(|result| !result.is_null()).unwrap_or(item);
    (ToolOutcome::Value(result), is_error)
}
