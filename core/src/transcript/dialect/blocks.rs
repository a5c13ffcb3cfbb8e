//! The blocks of messages: texts, thoughts, calls and results, under the names of many producers.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::action::CallAction;
use crate::transcript::dialect::Give;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{first, first_text};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, head, words};
use crate::transcript::event::{LogEvent, Role};

/// What a tool does, by its name and its input.
pub(super) type ReadAction = fn(&str, Json<'_>) -> Option<CallAction>;

/// How the blocks of a message are read.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    /// Who wrote the message.
    pub(super) role: Role,
    /// When the message was written, in milliseconds since 1970.
    pub(super) at: Option<i64>,
    /// The function that tells what a tool does.
    pub(super) action: ReadAction,
    /// How a result whose text says that it failed ended.
    pub(super) ending: fn(&str) -> CallEnding,
}

/// The keys of a call's id, of its name and of its arguments, and of the id that a result names.
const CALL_IDS: &[&str] = &["toolCallId", "call_id", "id", "tool_call_id", "toolUseId"];
const NAMES: &[&str] = &["name", "toolName", "tool_name"];
const ARGUMENTS: &[&str] = &["input", "arguments", "args"];
const RESULT_IDS: &[&str] =
    &["tool_use_id", "toolUseID", "toolUseId", "toolCallId", "tool_call_id", "call_id", "id"];

impl Blocks {
    /// The blocks of a message whose tools may be any, and whose results say whether they failed.
    pub(super) fn plain(role: Role, at: Option<i64>) -> Self {
        Self { role, at, action: |_, _| None, ending: |_| CallEnding::Success }
    }

    /// The blocks of an agent's message, whose tools their names tell.
    pub(super) fn of_agent(role: Role, at: Option<i64>) -> Self {
        let action: ReadAction = |name, input| Some(super::tools::action(name, input));
        Self { action, ..Self::plain(role, at) }
    }

    /// Gives the events of a message's content; false if the content is neither a text nor a list.
    pub(super) fn read<'a>(self, content: Json<'a>, give: Give<'_, 'a>) -> bool {
        if let Some(text) = content.text() {
            give(LogEvent::Message { role: self.role, text });
            return true;
        }
        for block in content.items() {
            self.block(block, give);
        }
        content.is_array()
    }

    /// Gives the event of one block.
    pub(super) fn block<'a>(self, block: Json<'a>, give: Give<'_, 'a>) {
        let kind = block.text_of("type");
        let said = |text| LogEvent::Message { role: self.role, text };
        let thought = |text| LogEvent::Message { role: Role::Thinking, text };
        let event = match kind.as_deref() {
            Some("text" | "input_text" | "output_text") => block.text_of("text").map(said),
            Some("thinking" | "think" | "reasoning") => {
                let text = first_text(block, &["thinking", "think", "text", "reasoning"]);
                text.or_else(|| words(block.get("summary")?)).map(thought)
            }
            Some(
                "tool_use" | "server_tool_use" | "mcp_tool_use" | "toolCall" | "tool-call"
                | "tool_call" | "function_call",
            ) => self.call(block),
            Some(kind) if kind.ends_with("tool_result") || kind == "tool-result" => {
                self.result(block)
            }
            None => block.text().or_else(|| block.text_of("text")).map(said),
            Some(_) => None,
        };
        match event {
            Some(LogEvent::Message { role: Role::Thinking, text }) if text.is_empty() => {}
            Some(event) => give(event),
            None => give(LogEvent::Skipped(kind.unwrap_or_else(|| "block".into()))),
        }
    }

    fn call(self, block: Json<'_>) -> Option<LogEvent<'_>> {
        let (id, name) = (first_text(block, CALL_IDS), first_text(block, NAMES)?);
        let arguments = first(block, ARGUMENTS);
        let action = arguments.and_then(|arguments| (self.action)(&name, arguments));
        let id = id.unwrap_or_default();
        let mut call = CallParts { id, name, arguments, at: self.at }.plain();
        if let (LogEvent::ToolCall { action: kept, .. }, Some(action)) = (&mut call, action) {
            *kept = action;
        }
        Some(call)
    }

    fn result(self, block: Json<'_>) -> Option<LogEvent<'_>> {
        let id = Some(first_text(block, RESULT_IDS)?);
        let flag = first(block, &["is_error", "isError"]);
        let content = first(block, &["content", "output", "result"]);
        let kind = content.filter(|content| content.is_object());
        let kind = kind.and_then(|content| content.text_of("type"));
        let is_error = flag.and_then(Json::as_bool).unwrap_or_default()
            || kind.is_some_and(|kind| kind.ends_with("_error"))
            || content.and_then(|content| content.get("return_code")?.as_i64()) > Some(0);
        let ending = match content.and_then(head).map(|text| (self.ending)(&text)) {
            None | Some(CallEnding::Success) => CallEnding::failed(is_error),
            Some(ending) => ending,
        };
        Some(ResultParts { id, name: None, at: self.at, ending }.with(content))
    }
}

/// A text, or the texts of a list, one per line; none if the list holds anything but texts.
pub(super) fn joined(content: Json<'_>) -> Option<Cow<'_, str>> {
    if content.is_text() {
        return content.text();
    }
    let is_text = |part: &Json<'_>| {
        matches!(part.text_of("type").as_deref(), Some("text" | "input_text" | "output_text"))
    };
    let texts: Option<Vec<_>> = content
        .items()
        .map(|part| Some(part).filter(is_text).and_then(|part| part.text_of("text")))
        .collect();
    texts.filter(|_| content.is_array()).map(|texts| texts.join("\n").into())
}

/// Whether a content has calls or results as Anthropic's API writes them.
pub(super) fn has_calls(content: Json<'_>) -> bool {
    content.items().any(|block| match block.text_of("type").as_deref() {
        Some("tool_use" | "server_tool_use" | "mcp_tool_use" | "thinking") => true,
        Some(kind) => kind.ends_with("tool_result"),
        None => false,
    })
}
