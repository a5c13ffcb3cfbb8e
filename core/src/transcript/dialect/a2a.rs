//! The `Agent2Agent` protocol: tasks, messages and artifacts. It has no calls.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::field::{at, first, first_text, has, text_at, written_at};
use crate::transcript::dialect::outcome::message;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::session;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The methods of requests that carry a message.
const METHODS: [&str; 5] =
    ["message/send", "message/stream", "SendMessage", "SendStreamingMessage", "tasks/resubscribe"];

/// The reader of the protocol.
#[derive(Debug, Default)]
pub(super) struct AgentToAgent {
    /// The artifact that comes in pieces.
    draft: MessageDraft,
    seen: SeenIds,
}

impl Dialect for AgentToAgent {
    fn weigh(record: Json<'_>) -> u32 {
        let method = record.text_of("method");
        if method.is_some_and(|method| METHODS.contains(&&*method)) {
            return 10;
        }
        let Some(inner) = unwrapped(record) else { return 0 };
        let kind = inner.text_of("kind");
        let is_kind = matches!(
            kind.as_deref(),
            Some("task" | "message" | "status-update" | "artifact-update")
        );
        let is_message = has(inner, &["messageId", "role", "parts"]);
        let state = text_at(inner, &["status", "state"]);
        let is_task = state.is_some() && (has(inner, &["contextId"]) || has(inner, &["taskId"]));
        let is_artifact = at(inner, &["artifact", "artifactId"]).is_some();
        if is_message || is_task || is_artifact || is_kind && has(inner, &["contextId"]) {
            10
        } else {
            0
        }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if let Some(sent) = at(record, &["params", "message"]) {
            return self.message(sent, give);
        }
        if let Some(error) = record.get("error").filter(|error| !error.is_null()) {
            self.draft.end(give);
            let text = message(error);
            give(LogEvent::Message { role: Role::Error, text });
            return true;
        }
        let Some(inner) = unwrapped(record) else { return has(record, &["jsonrpc"]) };
        if has(inner, &["role", "parts"]) {
            return self.message(inner, give);
        }
        session(inner, &["contextId", "context_id"], give);
        if let Some(artifact) = inner.get("artifact") {
            let is_set = |key: &str| inner.get(key).and_then(Json::as_bool).unwrap_or_default();
            self.artifact(artifact, is_set("append"), give);
            if is_set("lastChunk") {
                self.draft.end(give);
            }
            return true;
        }
        let Some(status) = inner.get("status").filter(|status| status.is_object()) else {
            return false;
        };
        for one in inner.get("history").into_iter().flat_map(Json::items) {
            self.message(one, give);
        }
        for artifact in inner.get("artifacts").into_iter().flat_map(Json::items) {
            self.artifact(artifact, false, give);
        }
        self.status(inner, status, give);
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
    }
}

/// The object in an answer: as it is, in `result`, or under the name of its kind.
fn unwrapped(record: Json<'_>) -> Option<Json<'_>> {
    let result = if has(record, &["jsonrpc"]) { record.get("result")? } else { record };
    let kinds = ["task", "message", "statusUpdate", "artifactUpdate"];
    let inner = kinds.iter().filter_map(|key| result.get(key)).find(|inner| inner.is_object());
    Some(inner.unwrap_or(result)).filter(|inner| inner.is_object())
}

impl AgentToAgent {
    /// A message, which a task repeats in its history.
    fn message<'a>(&mut self, one: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(name) = one.text_of("role") else { return false };
        self.draft.end(give);
        session(one, &["contextId"], give);
        if let Some(id) = first_text(one, &["messageId", "message_id"])
            && !self.seen.is_new(&format!("message {id}"))
        {
            give(LogEvent::Repeated);
            return true;
        }
        let role = match &*name {
            "user" | "ROLE_USER" => Role::User,
            "agent" | "ROLE_AGENT" => Role::Assistant,
            _ => Role::System,
        };
        let when = at(one, &["metadata"]).and_then(written_at).or_else(|| written_at(one));
        give(LogEvent::About(About { at: when, ..About::default() }));
        for part in one.get("parts").into_iter().flat_map(Json::items) {
            match words(part) {
                Some(text) => self.draft.add(role, "", &text, give),
                None => give(LogEvent::Skipped(kind(part))),
            }
            self.draft.end(give);
        }
        true
    }

    /// What an agent made: whole, or in pieces of which each is added to the one before.
    fn artifact<'a>(&mut self, artifact: Json<'a>, is_more: bool, give: Give<'_, 'a>) {
        let id = first_text(artifact, &["artifactId", "artifact_id"]).unwrap_or_default();
        if !is_more {
            self.draft.end(give);
            if !self.seen.is_new(&format!("artifact {id} {}", artifact.raw())) {
                return give(LogEvent::Repeated);
            }
        }
        for part in artifact.get("parts").into_iter().flat_map(Json::items) {
            match words(part) {
                Some(text) => self.draft.add(Role::Assistant, &id, &text, give),
                None => give(LogEvent::Skipped(kind(part))),
            }
        }
    }

    /// The state of a task, and its message. A task that failed says so.
    fn status<'a>(&mut self, task: Json<'a>, status: Json<'a>, give: Give<'_, 'a>) {
        let said = status.get("message").filter(|said| said.is_object());
        if said.is_some_and(|said| self.message(said, give)) {
            return;
        }
        self.draft.end(give);
        let state = status.text_of("state").unwrap_or_default();
        let word = state.strip_prefix("TASK_STATE_").unwrap_or(&state).to_ascii_lowercase();
        let id = first_text(task, &["taskId", "id"]).unwrap_or_default();
        if !self.seen.is_new(&format!("state {id} {word}")) {
            return give(LogEvent::Repeated);
        }
        match &*word {
            "failed" | "rejected" | "canceled" | "cancelled" => {
                let text = format!("the task is {word}").into();
                give(LogEvent::Message { role: Role::Error, text });
            }
            _ => give(LogEvent::Skipped(format!("state {word}").into())),
        }
    }
}

/// The words of a part: its text, or its data as it stands.
fn words(part: Json<'_>) -> Option<Cow<'_, str>> {
    let data = || first(part, &["data"]).map(|data| data.raw().into());
    part.text_of("text").or_else(data)
}

/// The kind of a part that has no words.
fn kind(part: Json<'_>) -> Cow<'_, str> {
    part.text_of("kind").unwrap_or_else(|| "file".into())
}
