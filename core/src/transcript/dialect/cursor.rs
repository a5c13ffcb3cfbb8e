//! Cursor's command line: `cursor-agent -p --output-format stream-json`.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::field::{first, first_text, has, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::session;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The longest message that is put together; what is longer comes in several messages.
const MOST: usize = 4 << 20;

/// The reader of the stream.
#[derive(Debug, Default)]
pub(super) struct CursorStream {
    draft: MessageDraft,
    /// The model's words since the last whole message.
    partial: String,
    last: String,
    calls: SeenIds,
}

impl Dialect for CursorStream {
    fn weigh(line: Json<'_>) -> u32 {
        let is_init = line.text_of("subtype").as_deref() == Some("init");
        match line.text_of("type").as_deref() {
            Some("tool_call") if line.get("tool_call").is_some_and(Json::is_object) => 14,
            Some("system")
                if is_init
                    && has(line, &["apiKeySource"])
                    && !has(line, &["mcp_servers"])
                    && !has(line, &["uuid"]) =>
            {
                9
            }
            Some("thinking") if has(line, &["subtype", "session_id"]) => 9,
            Some("user" | "assistant")
                if has(line, &["message", "session_id"]) && !has(line, &["uuid"]) =>
            {
                2
            }
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        session(line, &["session_id"], give);
        let kind = line.text_of("type");
        if kind.as_deref() == Some("thinking") {
            match line.text_of("text") {
                Some(text) => self.draft.add(Role::Thinking, "", &text, give),
                None => self.draft.end(give),
            }
            return true;
        }
        self.draft.end(give);
        match kind.as_deref() {
            Some("system") => {
                if let Some(model) = line.text_of("model") {
                    give(LogEvent::Model(model));
                }
            }
            Some("user") => return said(line, Role::User, give),
            Some("assistant") => return self.assistant(line, give),
            Some("tool_call") => return self.call(line, give),
            Some("result") => self.result(line, give),
            _ => return false,
        }
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
        self.flush(give);
    }
}

fn said<'a>(line: Json<'a>, role: Role, give: Give<'_, 'a>) -> bool {
    let content = line.get("message").and_then(|message| message.get("content"));
    content.is_some_and(|content| Blocks::plain(role, written_at(line)).read(content, give))
}

impl CursorStream {
    /// Words of the model. Pieces of a message come before the message as a whole.
    fn assistant<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let content = line.get("message").and_then(|message| message.get("content"));
        let Some(text) = content.and_then(words) else { return said(line, Role::Assistant, give) };
        if !has(line, &["timestamp_ms"]) && (self.partial.is_empty() || *text == *self.partial) {
            self.partial.clear();
            text.as_ref().clone_into(&mut self.last);
            give(LogEvent::Message { role: Role::Assistant, text });
            return true;
        }
        if has(line, &["timestamp_ms"]) {
            self.partial.push_str(&text);
            if self.partial.len() > MOST {
                self.flush(give);
            }
            return true;
        }
        self.flush(give);
        text.as_ref().clone_into(&mut self.last);
        give(LogEvent::Message { role: Role::Assistant, text });
        true
    }

    /// Gives the pieces of a message that did not come as a whole.
    fn flush(&mut self, give: Give<'_, '_>) {
        let text = std::mem::take(&mut self.partial);
        if !text.trim().is_empty() {
            self.last.clone_from(&text);
            give(LogEvent::Message { role: Role::Assistant, text: Cow::Owned(text) });
        }
    }

    fn result<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) {
        self.flush(give);
        let failed = line.get("is_error").and_then(Json::as_bool).unwrap_or_default();
        match line.text_of("result") {
            Some(text) if failed => give(LogEvent::Message { role: Role::Error, text }),
            Some(text) if self.last.is_empty() && !text.is_empty() => {
                give(LogEvent::Message { role: Role::Assistant, text });
            }
            _ => {}
        }
    }

    fn call<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let tool = line.get("tool_call").and_then(|call| call.members().next());
        let (Some(id), Some((kind, body))) = (line.text_of("call_id"), tool) else { return false };
        self.flush(give);
        let at = written_at(line);
        if self.calls.is_new(&id) {
            let (name, arguments) = named(kind, body);
            give(CallParts { id: id.clone(), name, arguments, at }.of_agent());
        }
        if line.text_of("subtype").as_deref() == Some("completed") {
            let parts = ResultParts { id: Some(id), name: None, at, ending: CallEnding::Success };
            give(ended(first(body, &["result"]), parts));
        }
        true
    }
}

/// The name and the arguments of a call.
fn named<'a>(kind: Cow<'a, str>, body: Json<'a>) -> (Cow<'a, str>, Option<Json<'a>>) {
    let arguments = first(body, &["args", "arguments"]);
    if kind == "function" {
        return (body.text_of("name").unwrap_or(kind), arguments);
    }
    let inner = arguments.filter(|_| kind == "mcpToolCall");
    match inner.and_then(|inner| first_text(inner, &["toolName", "name"])) {
        Some(name) => (name, inner.and_then(|inner| inner.get("args")).or(inner)),
        None => (kind, arguments),
    }
}

/// The result: an object of one key that says how the call ended, or a command's output.
fn ended<'a>(result: Option<Json<'a>>, mut parts: ResultParts<'a>) -> LogEvent<'a> {
    let Some(result) = result else { return parts.with(None) };
    let (key, inner) = match result.members().next() {
        Some((key, inner)) if result.members().count() == 1 && inner.is_object() => (key, inner),
        _ => ("success".into(), result),
    };
    parts.ending = match &*key {
        "success" => CallEnding::Success,
        "rejected" | "permissionDenied" => CallEnding::Denied,
        "aborted" | "cancelled" => CallEnding::Cancelled,
        _ => CallEnding::Failed,
    };
    let code = inner.get("exitCode").and_then(Json::as_i64);
    if let Some(code) = code.and_then(|code| i32::try_from(code).ok()) {
        let text = |key| inner.text_of(key).unwrap_or_default();
        let (out, err) = (text("stdout"), text("stderr"));
        let output = if err.is_empty() { out } else { format!("{out}{err}").into() };
        return parts.of_command(output, Some(code));
    }
    let is_error = inner.get("isError").and_then(Json::as_bool).unwrap_or_default();
    if is_error && parts.ending == CallEnding::Success {
        parts.ending = CallEnding::Failed;
    }
    if parts.ending != CallEnding::Success {
        let text = message(inner);
        return parts.saying(text);
    }
    parts.with(first(inner, &["content"]).or(Some(inner)))
}
