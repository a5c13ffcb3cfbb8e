//! The blocks of Anthropic's messages, which Claude Code writes too.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::action::CallAction;
use crate::transcript::event::{LogEvent, Role, ToolOutcome};

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
}

impl Blocks {
    /// Gives the events of a message's content; false if the content is neither a text nor a list.
    pub(super) fn read<'a>(self, content: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        if let Some(text) = content.text() {
            give(LogEvent::Message { role: self.role, text });
            return true;
        }
        content.items().for_each(|block| give(self.block(block)));
        content.is_array()
    }

    fn block(self, block: Json<'_>) -> LogEvent<'_> {
        let event = match block.text_of("type").as_deref() {
            Some("text") => {
                block.text_of("text").map(|text| LogEvent::Message { role: self.role, text })
            }
            Some("thinking") => block
                .text_of("thinking")
                .map(|text| LogEvent::Message { role: Role::Thinking, text }),
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => self.tool_use(block),
            Some(kind) if kind.ends_with("tool_result") => self.tool_result(block),
            _ => None,
        };
        // A block of an unknown kind is shown as it stands.
        event.unwrap_or_else(|| LogEvent::Message { role: self.role, text: block.raw().into() })
    }

    fn tool_use(self, block: Json<'_>) -> Option<LogEvent<'_>> {
        let (id, name) = (block.text_of("id")?, block.text_of("name")?);
        let input = block.get("input");
        let action =
            input.and_then(|input| (self.action)(&name, input)).unwrap_or(CallAction::Tool);
        let arguments = input.map_or("{}", Json::raw).into();
        Some(LogEvent::ToolCall { id, name, arguments, action, at: self.at })
    }

    fn tool_result(self, block: Json<'_>) -> Option<LogEvent<'_>> {
        let id = Some(block.text_of("tool_use_id")?);
        let is_error = block.get("is_error").and_then(Json::as_bool).unwrap_or_default();
        let content = block.get("content");
        let outcome = match content.map(|content| (content, joined(content))) {
            None => ToolOutcome::Text("".into()),
            Some((_, Some(message))) if is_error => {
                ToolOutcome::Error { kind: "tool_error".into(), message }
            }
            Some((content, Some(text))) if !content.is_text() => ToolOutcome::Text(text),
            Some((content, _)) => ToolOutcome::Value(content),
        };
        Some(LogEvent::ToolResult { id, is_error, outcome, at: self.at })
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
