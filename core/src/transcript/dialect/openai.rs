//! Messages in the form of OpenAI's chat completions, one a line.

use std::borrow::Cow;

use crate::json::parse::parse_json;
use crate::json::value::Json;
use crate::transcript::action::CallAction;
use crate::transcript::dialect::Dialect;
use crate::transcript::dialect::blocks::joined;
use crate::transcript::dialect::field::written_at;
use crate::transcript::event::{LogEvent, Role, ToolOutcome};

/// The reader of message logs in OpenAI's form.
#[derive(Debug, Default)]
pub(super) struct OpenAi;

impl Dialect for OpenAi {
    fn weigh(line: Json<'_>) -> u32 {
        let Some(role) = line.text_of("role") else { return 0 };
        let has = |key: &str| line.get(key).is_some();
        match &*role {
            _ if has("tool_calls") || has("tool_call_id") || has("function_call") => 8,
            "tool" | "function" => 8,
            "system" | "developer" if line.get("content").is_some_and(Json::is_text) => 2,
            "user" | "assistant" if line.get("content").is_some_and(Json::is_text) => 1,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        let list = document.get("messages").unwrap_or(document);
        list.is_array().then_some(list)
    }

    fn read<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        let Some(role) = line.text_of("role") else { return false };
        let content = line.get("content").filter(|content| !content.is_null());
        let calls = line.get("tool_calls").filter(|calls| calls.is_array());
        if content.is_none() && calls.is_none() {
            return false;
        }
        let at = written_at(line);
        if role == "tool" {
            let id = line.text_of("tool_call_id");
            let outcome = content.map_or(ToolOutcome::Text("".into()), result);
            give(LogEvent::ToolResult { id, name: None, is_error: false, outcome, at });
            return true;
        }
        line.text_of("model").into_iter().for_each(|model| give(LogEvent::Model(model)));
        for (key, role) in [("reasoning_content", Role::Thinking), ("refusal", Role::Error)] {
            line.text_of(key).into_iter().for_each(|text| give(LogEvent::Message { role, text }));
        }
        let role = match &*role {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::System,
        };
        if let Some(text) =
            content.map(|content| joined(content).unwrap_or_else(|| content.raw().into()))
            && (calls.is_none() || !text.is_empty())
        {
            give(LogEvent::Message { role, text });
        }
        calls.into_iter().flat_map(Json::items).for_each(|item| give(call(item, at)));
        true
    }
}

/// What a tool gave.
fn result(content: Json<'_>) -> ToolOutcome<'_> {
    match joined(content) {
        Some(text) if !content.is_text() => ToolOutcome::Text(text),
        _ => ToolOutcome::Value(content),
    }
}

/// One of a message's calls; arguments that are not JSON stay a text.
fn call<'a>(item: Json<'a>, at: Option<i64>) -> LogEvent<'a> {
    let function = item.get("function").or(item.get("custom")).unwrap_or(item);
    let Some(name) = function.text_of("name") else {
        return LogEvent::Message { role: Role::Assistant, text: item.raw().into() };
    };
    let written = function.get("arguments").or(function.get("input"));
    let arguments: Cow<'a, str> = match written.map(|written| (written, written.text())) {
        None => "{}".into(),
        Some((_, Some(text))) if parse_json(text.as_bytes()).is_ok() => text,
        Some((written, _)) => written.raw().into(),
    };
    let id = item.text_of("id").unwrap_or_default();
    LogEvent::ToolCall { id, name, arguments, action: CallAction::Tool, at }
}
