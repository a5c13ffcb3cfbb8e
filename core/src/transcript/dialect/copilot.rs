//! GitHub's Copilot CLI: the events of its sessions.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{first_text, has, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{say, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the events.
#[derive(Debug, Default)]
pub(super) struct Copilot {
    calls: SeenIds,
    seen: SeenIds,
    /// The ids of calls that the person refused.
    denied: SeenIds,
}

impl Dialect for Copilot {
    fn weigh(line: Json<'_>) -> u32 {
        let is_event = has(line, &["data", "id", "timestamp"]);
        match line.text_of("type").as_deref() {
            Some(kind) if is_event && (kind.contains('.') || kind == "abort") => 9,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(kind), Some(data)) = (line.text_of("type"), line.get("data")) else {
            return false;
        };
        if !self.seen.is_new(line.raw()) {
            give(LogEvent::Repeated);
            return true;
        }
        let is_ephemeral = line.get("ephemeral").and_then(Json::as_bool).unwrap_or_default();
        if is_ephemeral || kind.ends_with("_delta") {
            give(LogEvent::Skipped(kind));
            return true;
        }
        let at = written_at(line);
        let own = |text: Option<std::borrow::Cow<'_, str>>| text.map(|text| Box::from(&*text));
        give(LogEvent::About(About {
            at,
            model: own(data.text_of("model")),
            parent: own(data.text_of("parentToolCallId")),
            agent: own(line.text_of("agentId")),
            ..About::default()
        }));
        match &*kind {
            "session.start" => {
                session(data, &["sessionId"], give);
                if let Some(model) = data.text_of("selectedModel") {
                    give(LogEvent::Model(model));
                }
            }
            "user.message" => said(Role::User, data, give),
            "assistant.reasoning" => said(Role::Thinking, data, give),
            "assistant.message" => {
                if let Some(text) = data.text_of("reasoningText") {
                    say(Role::Thinking, text, give);
                }
                said(Role::Assistant, data, give);
                for request in data.get("toolRequests").into_iter().flat_map(Json::items) {
                    self.call(request, at, give);
                }
            }
            "tool.execution_start" | "tool.user_requested" => self.call(data, at, give),
            "tool.execution_complete" => give(self.result(data, at)),
            "permission.completed" => {
                let kind = text_at(data, &["result", "kind"]).unwrap_or_default();
                if kind.starts_with("denied")
                    && let Some(id) = data.text_of("toolCallId")
                {
                    self.denied.is_new(&id);
                }
                give(LogEvent::Skipped("permission.completed".into()));
            }
            "session.error" => {
                let Some(text) = data.text_of("message") else { return false };
                give(LogEvent::Message { role: Role::Error, text });
            }
            _ => give(LogEvent::Skipped(kind)),
        }
        true
    }
}

fn said<'a>(role: Role, data: Json<'a>, give: Give<'_, 'a>) {
    let text = data.text_of("content");
    if let Some(text) = text {
        say(role, text, give);
    }
}

impl Copilot {
    /// A call; the request and the start of its execution are one.
    fn call<'a>(&mut self, data: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
        let name = first_text(data, &["name", "toolName"]);
        let (Some(id), Some(name)) = (data.text_of("toolCallId"), name) else { return };
        if self.calls.is_new(&id) {
            give(CallParts { id, name, arguments: data.get("arguments"), at }.of_agent());
        }
    }

    fn result<'a>(&mut self, data: Json<'a>, at: Option<i64>) -> LogEvent<'a> {
        let id = data.text_of("toolCallId");
        let succeeded = data.get("success").and_then(Json::as_bool).unwrap_or(true);
        let code = text_at(data, &["error", "code"]);
        let was_denied = id.as_deref().is_some_and(|id| !self.denied.is_new(id));
        let ending = match code.as_deref() {
            _ if succeeded => CallEnding::Success,
            Some("denied" | "rejected") => CallEnding::Denied,
            _ if was_denied => CallEnding::Denied,
            Some("cancelled" | "aborted") => CallEnding::Cancelled,
            _ => CallEnding::Failed,
        };
        let parts = ResultParts { id, name: None, at, ending };
        let result = data.get("result").filter(|result| !result.is_null());
        match (data.get("error").filter(|error| !error.is_null()), result) {
            (Some(error), _) if ending != CallEnding::Success => parts.saying(message(error)),
            (_, Some(result)) => {
                let content = ["content", "detailedContent", "contents", "structuredContent"];
                parts.with(content.iter().find_map(|key| result.get(key)).or(Some(result)))
            }
            _ => parts.with(None),
        }
    }
}
