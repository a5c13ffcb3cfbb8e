//! Factory's Droid: the sessions that it stores.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::{Blocks, has_calls};
use crate::transcript::dialect::field::{has, written_at};
use crate::transcript::dialect::outcome::CallEnding;
use crate::transcript::dialect::say::{role, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the sessions.
#[derive(Debug, Default)]
pub(super) struct DroidSession;

impl Dialect for DroidSession {
    fn weigh(line: Json<'_>) -> u32 {
        match line.text_of("type").as_deref() {
            Some("session_start") if has(line, &["id"]) => 6,
            Some("todo_state" | "compaction_state") => 5,
            Some("message") => match line.get("message") {
                Some(message) if message.get("content").is_some_and(has_calls) => 9,
                Some(message) if message.is_object() && !has(message, &["usage"]) => 2,
                _ => 0,
            },
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        match line.text_of("type").as_deref() {
            Some("session_start") => {
                session(line, &["id"], give);
                true
            }
            Some("compaction_state") => {
                let Some(text) = line.text_of("summaryText") else { return false };
                give(LogEvent::Message { role: Role::System, text });
                true
            }
            Some("message") => {
                let Some(message) = line.get("message") else { return false };
                let (Some(name), Some(content)) = (message.text_of("role"), message.get("content"))
                else {
                    return false;
                };
                let at = written_at(line);
                give(LogEvent::About(About { at, ..About::default() }));
                let blocks = Blocks { ending, ..Blocks::of_agent(role(&name), at) };
                blocks.read(content, &mut |event| match event {
                    LogEvent::Message { role: Role::User, text }
                        if text.trim_start().starts_with("<system-reminder>") =>
                    {
                        give(LogEvent::Message { role: Role::System, text });
                    }
                    event => give(event),
                })
            }
            _ => false,
        }
    }
}

fn ending(text: &str) -> CallEnding {
    match text {
        _ if text.starts_with("Error: Tool execution cancelled by user") => CallEnding::Cancelled,
        _ => CallEnding::Success,
    }
}
