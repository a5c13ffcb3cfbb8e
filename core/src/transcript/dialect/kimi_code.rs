//! Kimi Code: the wire of its sessions.

use crate::json::value::Json;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{first, first_text, has, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{role, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the wire.
#[derive(Debug, Default)]
pub(super) struct KimiCode {
    /// The id of the call that the person refused last.
    denied: Box<str>,
}

impl Dialect for KimiCode {
    fn weigh(line: Json<'_>) -> u32 {
        match line.text_of("type").as_deref() {
            Some(kind) if kind.starts_with("context.append_") => 9,
            Some("turn.prompt" | "config.update") if has(line, &["time"]) => 6,
            Some("metadata") if has(line, &["protocol_version"]) => 6,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let at = written_at(line);
        match line.text_of("type").as_deref() {
            Some("context.append_message") => {
                let Some(message) = line.get("message") else { return false };
                let origin = text_at(message, &["origin", "kind"]);
                let is_person = origin.is_none_or(|origin| origin == "user");
                let role = match role(&message.text_of("role").unwrap_or_default()) {
                    Role::User if !is_person => Role::System,
                    role => role,
                };
                let content = message.get("content");
                content.is_some_and(|content| Blocks::of_agent(role, at).read(content, give))
            }
            Some("context.append_loop_event") => {
                line.get("event").is_some_and(|event| self.event(event, at, give))
            }
            Some("permission.record_approval_result") => {
                let decision = text_at(line, &["result", "decision"]).unwrap_or_default();
                if decision.starts_with("reject") || decision.starts_with("den") {
                    self.denied = (&*line.text_of("toolCallId").unwrap_or_default()).into();
                }
                give(LogEvent::Skipped("permission.record_approval_result".into()));
                true
            }
            Some("turn.prompt") => {
                give(LogEvent::Repeated);
                true
            }
            _ => false,
        }
    }
}

impl KimiCode {
    fn event<'a>(&mut self, event: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) -> bool {
        match event.text_of("type").as_deref() {
            Some("content.part") => {
                let Some(part) = event.get("part") else { return false };
                let role = match part.text_of("type").as_deref() {
                    Some("think") => Role::Thinking,
                    _ => Role::Assistant,
                };
                let text = first_text(part, &["text", "think"]).unwrap_or_default();
                say(role, text, give);
            }
            Some("tool.call") => {
                let Some(name) = event.text_of("name") else { return false };
                let id = first_text(event, &["toolCallId", "uuid"]).unwrap_or_default();
                let arguments = first(event, &["args", "arguments"]);
                give(CallParts { id, name, arguments, at }.of_agent());
            }
            Some("tool.result") => {
                let result = event.get("result").unwrap_or(event);
                let failed = result.get("isError").and_then(Json::as_bool).unwrap_or_default();
                let id = event.text_of("toolCallId");
                let ending = match id.as_deref() {
                    Some(id) if !id.is_empty() && *id == *self.denied => CallEnding::Denied,
                    _ => CallEnding::failed(failed),
                };
                let content = first(result, &["output", "message"]);
                give(ResultParts { id, name: None, at, ending }.with(content));
            }
            Some("step.end") => match event.get("usage").and_then(facts::tokens) {
                Some(tokens) => give(LogEvent::Usage(event.text_of("uuid"), tokens)),
                None => give(LogEvent::Skipped("step.end".into())),
            },
            Some(kind) => give(LogEvent::Skipped(kind.to_owned().into())),
            None => return false,
        }
        true
    }
}
