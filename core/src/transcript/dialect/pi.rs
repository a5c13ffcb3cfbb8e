//! pi, `OpenClaw` and their family: stored sessions, and `pi --mode json`.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{at, first_text, has, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::path::MessagePath;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{role, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the sessions and of the stream.
#[derive(Debug, Default)]
pub(super) struct Pi {
    seen: SeenIds,
    results: SeenIds,
    /// The entries from the last one to the first, each of which names the one before it.
    path: MessagePath,
}

impl Dialect for Pi {
    fn weigh(line: Json<'_>) -> u32 {
        match line.text_of("type").as_deref() {
            Some("session") if has(line, &["id", "timestamp"]) => 6,
            Some(
                "model_change"
                | "thinking_level_change"
                | "branch_summary"
                | "session_info"
                | "tool_execution_start"
                | "tool_execution_end",
            ) => 5,
            Some("message_end" | "message_start" | "message_update") => 4,
            Some("message") => line.get("message").map_or(0, of_message),
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let kind = line.text_of("type");
        if let (Some(id), Some(parent)) = (line.text_of("id"), line.text_of("parentId"))
            && !self.path.has(&id)
        {
            let is_message = kind.as_deref() == Some("message");
            self.path.follow(&id, &parent, is_message, give);
        } else if let Some(id) = line.text_of("id")
            && line.get("parentId").is_some_and(Json::is_null)
        {
            self.path.add(&id, kind.as_deref() == Some("message"));
        }
        match kind.as_deref() {
            Some("session") => {
                session(line, &["id"], give);
                true
            }
            Some("message" | "message_end") => {
                if let Some(id) = line.text_of("id")
                    && !self.seen.is_new(&id)
                {
                    give(LogEvent::Repeated);
                    return true;
                }
                line.get("message").is_some_and(|message| self.message(line, message, give))
            }
            Some("compaction" | "branch_summary") => {
                let Some(text) = line.text_of("summary") else { return false };
                give(LogEvent::Message { role: Role::System, text });
                true
            }
            Some("custom_message") => {
                let Some(text) = line.text_of("content") else { return false };
                give(LogEvent::Message { role: Role::System, text });
                true
            }
            _ => false,
        }
    }
}

/// The weight of a line's message.
fn of_message(message: Json<'_>) -> u32 {
    let content = message.get("content");
    let has_call = content.is_some_and(|content| {
        content.items().any(|block| block.text_of("type").as_deref() == Some("toolCall"))
    });
    let role = message.text_of("role");
    let is_ours = matches!(role.as_deref(), Some("toolResult" | "bashExecution"));
    if is_ours || has_call || has(message, &["stopReason"]) {
        9
    } else {
        u32::from(content.is_some())
    }
}

impl Pi {
    fn message<'a>(&mut self, line: Json<'a>, message: Json<'a>, give: Give<'_, 'a>) -> bool {
        let when = written_at(line).or_else(|| written_at(message));
        let Some(name) = message.text_of("role") else { return false };
        let tokens = message.get("usage").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(line.text_of("id"), tokens));
        }
        let own = |key: &str| message.text_of(key).map(|text| Box::from(&*text));
        give(LogEvent::About(About {
            at: when,
            model: own("model"),
            stop: own("stopReason"),
            cost: at(message, &["usage", "cost", "total"]).map(|cost| cost.raw().into()),
            tokens,
            ..About::default()
        }));
        match &*name {
            "toolResult" => {
                let failed = message.get("isError").and_then(Json::as_bool).unwrap_or_default();
                let (id, ending) = (message.text_of("toolCallId"), CallEnding::failed(failed));
                if id.as_deref().is_some_and(|id| !self.results.is_new(id)) {
                    give(LogEvent::Repeated);
                    return true;
                }
                let parts = ResultParts { id, name: message.text_of("toolName"), at: when, ending };
                give(parts.with(message.get("content")));
                true
            }
            "bashExecution" => {
                let command = message.text_of("command").unwrap_or_default();
                let output = message.text_of("output").unwrap_or_default();
                let text = format!("$ {command}\n{output}").into();
                give(LogEvent::Message { role: Role::System, text });
                true
            }
            "branchSummary" | "compactionSummary" | "custom" => {
                let Some(text) = first_text(message, &["summary", "content"]) else { return false };
                give(LogEvent::Message { role: Role::System, text });
                true
            }
            name => {
                let read = message
                    .get("content")
                    .is_some_and(|content| Blocks::of_agent(role(name), when).read(content, give));
                if let Some(text) = text_at(message, &["errorMessage"]) {
                    give(LogEvent::Message { role: Role::Error, text });
                }
                read
            }
        }
    }
}
