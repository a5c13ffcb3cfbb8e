//! The Model Context Protocol: what a client and a server say to each other.
//!
//! The calls are the requests `tools/call`; each answer names its request by id. Client and server
//! number their requests each on their own, so an answer is told by its shape too.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at as field_at, first, first_text, has, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message};
use crate::transcript::dialect::recall::RecallById;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the protocol's messages.
#[derive(Debug, Default)]
pub(super) struct Mcp {
    /// The requests that wait for their answer.
    waiting: RecallById<Request>,
    has_begun: bool,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    Call,
    Other,
}

impl Dialect for Mcp {
    fn weigh(line: Json<'_>) -> u32 {
        let Some(line) = unwrapped(line) else { return 0 };
        let version = |key| field_at(line, &[key, "protocolVersion"]).is_some_and(Json::is_text);
        match line.text_of("method").as_deref() {
            Some("tools/call") if field_at(line, &["params", "name"]).is_some() => 10,
            Some("tools/list" | "notifications/initialized") => 4,
            // The Agent Client Protocol begins with the same word and a number.
            Some("initialize") if version("params") => 6,
            None if version("result") => 6,
            _ => 0,
        }
    }

    /// An array is a batch of messages.
    fn is_session(&self, _document: Json<'_>) -> bool {
        false
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(line) = unwrapped(record) else { return false };
        let at = written_at(record);
        let id = line.get("id").and_then(id_text);
        match (line.text_of("method"), id) {
            (Some(method), id) => self.request(line, &method, id, at, give),
            (None, Some(id)) => self.answer(line, id, at, give),
            (None, None) => match line.get("error") {
                Some(error) => give(LogEvent::Message { role: Role::Error, text: message(error) }),
                None => return false,
            },
        }
        true
    }
}

/// The protocol's message that a line is, or that a proxy has wrapped.
fn unwrapped(line: Json<'_>) -> Option<Json<'_>> {
    let is_message = |value: &Json<'_>| has(*value, &["jsonrpc"]);
    let inner = || first(line, &["message", "payload", "data"]).filter(is_message);
    Some(line).filter(is_message).or_else(inner)
}

/// The text of an id, which is a text or a number.
fn id_text(id: Json<'_>) -> Option<Cow<'_, str>> {
    if id.is_null() {
        return None;
    }
    id.text().or_else(|| Some(id.raw().into()))
}

impl Mcp {
    fn request<'a>(
        &mut self,
        line: Json<'a>,
        method: &str,
        id: Option<Cow<'a, str>>,
        at: Option<i64>,
        give: Give<'_, 'a>,
    ) {
        if method == "initialize" && std::mem::replace(&mut self.has_begun, true) {
            // A new session numbers its requests from the start.
            give(LogEvent::Boundary);
        }
        let name = field_at(line, &["params", "name"]).and_then(Json::text);
        let call = name.zip(id.clone()).filter(|_| method == "tools/call");
        let kind = if call.is_some() { Request::Call } else { Request::Other };
        if let Some(id) = id {
            self.waiting.insert(&id, kind, 0);
        }
        if let Some((name, id)) = call {
            let arguments = field_at(line, &["params", "arguments"]);
            return give(CallParts { id, name, arguments, at }.plain());
        }
        let ended = field_at(line, &["params", "requestId"]).and_then(id_text);
        match ended.filter(|_| method == "notifications/cancelled") {
            Some(id) if self.waiting.remove(&id) == Some(Request::Call) => {
                let reason = field_at(line, &["params", "reason"]).and_then(Json::text);
                let ending = CallEnding::Cancelled;
                let parts = ResultParts { id: Some(id), name: None, at, ending };
                give(parts.saying(reason.unwrap_or_default()));
            }
            _ => give(LogEvent::Skipped(method.to_owned().into())),
        }
    }

    fn answer<'a>(
        &mut self,
        line: Json<'a>,
        id: Cow<'a, str>,
        at: Option<i64>,
        give: Give<'_, 'a>,
    ) {
        let (result, error) = (line.get("result"), line.get("error"));
        let is_shaped = result.is_some_and(is_of_call);
        // An answer of this shape leaves the other side's request of the same id waiting.
        let asked = self.waiting.remove(&id);
        if is_shaped && asked == Some(Request::Other) {
            self.waiting.insert(&id, Request::Other, 0);
        }
        let is_of_call = is_shaped || asked == Some(Request::Call);
        if !is_of_call && (error.is_none() || asked == Some(Request::Other)) {
            return match error {
                Some(error) => give(LogEvent::Message { role: Role::Error, text: message(error) }),
                None => give(LogEvent::Skipped("answer".into())),
            };
        }
        let is_error = result.and_then(|result| result.get("isError")).and_then(Json::as_bool);
        let ending = CallEnding::failed(error.is_some() || is_error.unwrap_or_default());
        let parts = ResultParts { id: Some(id), name: None, at, ending };
        let content = result.map(|result| given(result).unwrap_or(result));
        give(parts.error_or(error, content));
    }
}

/// Whether an answer is what a tool gave; one of a model has a role.
fn is_of_call(result: Json<'_>) -> bool {
    let keys = ["content", "structuredContent", "isError", "toolResult"];
    keys.iter().any(|key| result.get(key).is_some()) && first_text(result, &["role"]).is_none()
}

/// What a tool gave: its content, or its structured content if the content is empty.
fn given(result: Json<'_>) -> Option<Json<'_>> {
    let content = result.get("content").filter(|content| content.items().next().is_some());
    content.or_else(|| first(result, &["structuredContent", "toolResult", "content"]))
}
