//! Codex's app server: items as JSON-RPC.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at, first, first_text, has, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{ending, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the items.
#[derive(Debug, Default)]
pub(super) struct CodexApp {
    calls: SeenIds,
}

impl Dialect for CodexApp {
    fn weigh(line: Json<'_>) -> u32 {
        let method = line.text_of("method").unwrap_or_default();
        match &*method {
            "item/started" | "item/completed" => 9,
            method if method.starts_with("item/") || method.starts_with("thread/") => 6,
            method if method.starts_with("turn/") || method.starts_with("codex/") => 5,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let params = line.get("params");
        let thread = params.and_then(|params| {
            first_text(params, &["threadId"]).or_else(|| text_at(params, &["thread", "id"]))
        });
        if let Some(id) = thread {
            give(LogEvent::Session(id));
        }
        let method = line.text_of("method").unwrap_or_default();
        match (&*method, at(line, &["params", "item"])) {
            ("item/started", Some(item)) => self.item(item, false, give),
            ("item/completed", Some(item)) => self.item(item, true, give),
            ("error", _) => {
                let Some(text) = text_at(line, &["params", "error", "message"]) else {
                    return false;
                };
                give(LogEvent::Message { role: Role::Error, text });
                true
            }
            ("", _) => false,
            _ => {
                give(LogEvent::Skipped(method));
                true
            }
        }
    }
}

impl CodexApp {
    fn item<'a>(&mut self, item: Json<'a>, is_done: bool, give: Give<'_, 'a>) -> bool {
        let kind = item.text_of("type").unwrap_or_default();
        let role = match &*kind {
            "userMessage" => Some(Role::User),
            "agentMessage" => Some(Role::Assistant),
            "reasoning" => Some(Role::Thinking),
            "plan" => Some(Role::System),
            _ => None,
        };
        if let Some(role) = role {
            if is_done {
                let content = first(item, &["text", "content", "summary"]);
                say(role, content.and_then(words).unwrap_or_default(), give);
            }
            return true;
        }
        let Some(id) = item.text_of("id") else { return false };
        if self.calls.is_new(&id) {
            give(called(item, &kind, id.clone()));
        }
        if is_done {
            give(ended(item, id));
        }
        true
    }
}

fn called<'a>(item: Json<'a>, kind: &str, id: std::borrow::Cow<'a, str>) -> LogEvent<'a> {
    let name = match kind {
        "commandExecution" => "shell".into(),
        "mcpToolCall" => {
            let text = |key| item.text_of(key).unwrap_or_default();
            format!("{}.{}", text("server"), text("tool")).into()
        }
        kind => item.text_of("tool").unwrap_or_else(|| kind.to_owned().into()),
    };
    let keys = ["arguments", "action", "changes", "input"];
    // A command's item is its arguments, for the command is among its members.
    let whole = if has(item, &["command"]) || has(item, &["query"]) { Some(item) } else { None };
    CallParts { id, name, arguments: first(item, &keys).or(whole), at: None }.of_agent()
}

fn ended<'a>(item: Json<'a>, id: std::borrow::Cow<'a, str>) -> LogEvent<'a> {
    let status = item.text_of("status").and_then(|status| ending(&status));
    let error = first(item, &["error"]);
    let code = item.get("exitCode").and_then(Json::as_i64);
    let ending = if error.is_some() { CallEnding::Failed } else { status.unwrap_or_default() };
    let parts = ResultParts { id: Some(id), name: None, at: None, ending };
    match (code.and_then(|code| i32::try_from(code).ok()), error) {
        (Some(code), _) => {
            let output = item.text_of("aggregatedOutput").unwrap_or_default();
            parts.of_command(output, Some(code))
        }
        (None, Some(error)) => {
            let text = message(error);
            parts.saying(text)
        }
        _ => parts.with(first(item, &["result", "aggregatedOutput", "status"])),
    }
}
