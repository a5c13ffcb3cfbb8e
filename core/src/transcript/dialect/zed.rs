//! Zed: the threads of its agent.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, first, has, list_in, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::{role, say};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the threads.
#[derive(Debug, Default)]
pub(super) struct Zed;

impl Dialect for Zed {
    fn weigh(record: Json<'_>) -> u32 {
        let is_new = |message: Json<'_>| {
            message
                .get("User")
                .or(message.get("Agent"))
                .is_some_and(|inner| has(inner, &["content"]))
        };
        let is_old = |message: Json<'_>| has(message, &["role", "segments"]);
        if any(record.get("messages"), |message| is_new(message) || is_old(message)) {
            WHOLE
        } else if is_new(record) || is_old(record) {
            9
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn read<'a>(&mut self, message: Json<'a>, give: Give<'_, 'a>) -> bool {
        if message.text().as_deref() == Some("Resume") {
            give(LogEvent::Skipped("Resume".into()));
            return true;
        }
        if let Some(user) = message.get("User") {
            for part in user.get("content").into_iter().flat_map(Json::items) {
                let text = part.text_of("Text").or_else(|| text_at(part, &["Mention", "content"]));
                if let Some(text) = text {
                    say(Role::User, text, give);
                }
            }
            return true;
        }
        if let Some(agent) = message.get("Agent") {
            for part in agent.get("content").into_iter().flat_map(Json::items) {
                block(part, give);
            }
            for (id, result) in agent.get("tool_results").into_iter().flat_map(Json::members) {
                let id = result.text_of("tool_use_id").unwrap_or(id);
                give(ended(result, id));
            }
            return true;
        }
        old(message, give)
    }
}

fn block<'a>(part: Json<'a>, give: Give<'_, 'a>) {
    if let Some(text) = part.text_of("Text") {
        say(Role::Assistant, text, give);
    } else if let Some(text) = text_at(part, &["Thinking", "text"]) {
        say(Role::Thinking, text, give);
    } else if let Some(call) = part.get("ToolUse") {
        give(called(call));
    } else {
        let kind = part.members().next().map(|(key, _)| key);
        give(LogEvent::Skipped(kind.unwrap_or_else(|| "block".into())));
    }
}

fn called(call: Json<'_>) -> LogEvent<'_> {
    let name = call.text_of("name").unwrap_or_default();
    let id = call.text_of("id").unwrap_or_default();
    let arguments = first(call, &["input", "raw_input"]);
    CallParts { id, name, arguments, at: None }.of_agent()
}

fn ended<'a>(result: Json<'a>, id: std::borrow::Cow<'a, str>) -> LogEvent<'a> {
    let failed = result.get("is_error").and_then(Json::as_bool).unwrap_or_default();
    let content = first(result, &["content", "output"]);
    let content = content.map(|content| content.get("Text").unwrap_or(content));
    let ending = CallEnding::failed(failed);
    ResultParts { id: Some(id), name: None, at: None, ending }.with(content)
}

/// A message of the older form.
fn old<'a>(message: Json<'a>, give: Give<'_, 'a>) -> bool {
    let (Some(name), Some(segments)) = (message.text_of("role"), message.get("segments")) else {
        return false;
    };
    for segment in segments.items() {
        let role = match segment.text_of("type").as_deref() {
            Some("thinking") => Role::Thinking,
            _ => role(&name),
        };
        let text = segment.text_of("text").or_else(|| words(segment));
        if let Some(text) = text {
            say(role, text, give);
        }
    }
    for call in message.get("tool_uses").into_iter().flat_map(Json::items) {
        give(called(call));
    }
    for result in message.get("tool_results").into_iter().flat_map(Json::items) {
        let id = result.text_of("tool_use_id").unwrap_or_default();
        give(ended(result, id));
    }
    true
}
