//! Makes the events of messages.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::dialect::Give;
use crate::transcript::dialect::field::first_text;
use crate::transcript::dialect::outcome::CallEnding;
use crate::transcript::event::{LogEvent, Role};

/// The role that a name of many producers means.
pub(super) fn role(name: &str) -> Role {
    match name {
        "user" | "human" | "USER" => Role::User,
        "assistant" | "model" | "ai" | "gpt" | "gemini" | "agent" => Role::Assistant,
        "error" => Role::Error,
        _ => Role::System,
    }
}

/// Gives a message, unless its text is blank.
pub(super) fn say<'a>(role: Role, text: impl Into<Cow<'a, str>>, give: Give<'_, 'a>) {
    let text = text.into();
    if !text.trim().is_empty() {
        give(LogEvent::Message { role, text });
    }
}

/// Gives the session's id, under the first of some keys that has one.
pub(super) fn session<'a>(object: Json<'a>, keys: &[&str], give: Give<'_, 'a>) {
    if let Some(id) = first_text(object, keys) {
        give(LogEvent::Session(id));
    }
}

/// How a call ended whose status is a word; `None` if the call has not ended.
pub(super) fn ending(status: &str) -> Option<CallEnding> {
    Some(match &*status.to_ascii_lowercase() {
        "success" | "completed" | "done" | "ok" | "succeeded" | "complete" | "finished" => {
            CallEnding::Success
        }
        "error" | "failed" | "failure" | "errored" | "incomplete" | "timeout" => CallEnding::Failed,
        "cancelled" | "canceled" | "aborted" | "interrupted" | "stopped" => CallEnding::Cancelled,
        "denied" | "rejected" | "rejected-by-user" | "declined" => CallEnding::Denied,
        _ => return None,
    })
}

/// The person's words without what the harness put round them, under the names of tags.
pub(super) fn inside<'a>(text: &'a str, tag: &str) -> &'a str {
    let (start, end) = (format!("<{tag}>"), format!("</{tag}>"));
    let inner = text.trim().strip_prefix(&*start).and_then(|rest| rest.split_once(&*end));
    inner.map_or(text, |(inner, _)| inner.trim())
}
