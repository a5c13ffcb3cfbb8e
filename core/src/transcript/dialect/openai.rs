//! Messages in the form of OpenAI's chat completions, as many programs store them.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::answer::each_answer;
use crate::transcript::dialect::blocks::{Blocks, joined};
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{any, first, first_text, has, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::say::{say, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct OpenAi;

impl Dialect for OpenAi {
    fn weigh(line: Json<'_>) -> u32 {
        if line.text_of("object").as_deref() == Some("chat.completion") && has(line, &["choices"]) {
            return 8;
        }
        let Some(role) = line.text_of("role") else { return 0 };
        let has = |key: &str| line.get(key).is_some();
        let is_text = line.get("content").is_some_and(Json::is_text);
        let is_plain = |part: Json<'_>| part.text_of("type").as_deref() == Some("text");
        match &*role {
            _ if has("tool_calls") || has("tool_call_id") || has("function_call") => 8,
            _ if any(line.get("content"), is_haystack) => 9,
            _ if has("additional_kwargs") => 3,
            "tool" | "function" | "toolResult" => 8,
            "system" | "developer" if is_text => 2,
            "user" | "assistant" if is_text || any(line.get("content"), is_plain) => 1,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        let list = first(document, &["messages", "conversation", "history"]).unwrap_or(document);
        // A message beside the list `messages` is the answer to them.
        let is_request = document.get("messages").is_some_and(Json::is_array);
        let is_message = has(document, &["role", "content"]) && !is_request;
        (list.is_array() && !is_message).then_some(list)
    }

    fn answers<'a>(&self, document: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
        each_answer(document, take);
    }

    fn is_of_server(&self) -> bool {
        true
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["session_id", "sessionId", "conversation_id"], give);
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        if line.get("role").is_some() {
            return read(line, give);
        }
        // An answer as the API gives it.
        let mut is_read = false;
        each_answer(line, &mut |message| is_read |= read(message, give));
        if is_read {
            about(line, written_at(line), give);
        }
        is_read
    }
}

/// The keys of calls: a list, or the one of the older form.
const CALLS: &[&str] = &["tool_calls", "toolCalls"];

/// Gives the events of a message; false if it is none.
pub(super) fn read<'a>(line: Json<'a>, give: Give<'_, 'a>) -> bool {
    let Some(role) = line.text_of("role") else { return false };
    let content = line.get("content").filter(|content| !content.is_null());
    // LlamaIndex keeps them beside its own fields.
    let more = line.get("additional_kwargs");
    let calls = first(line, CALLS).or_else(|| first(more?, CALLS));
    let calls = calls.filter(|calls| calls.is_array());
    let older = first(line, &["function_call"]).filter(|call| call.is_object());
    let list = first(line, &["tool_messages", "tool_responses"]).filter(|list| list.is_array());
    if !holds_any(&[content, calls, older, list]) {
        return false;
    }
    if role.starts_with('_') {
        // Kimi's marks between messages.
        give(LogEvent::Skipped(role));
        return true;
    }
    let at = written_at(line);
    about(line, at, give);
    if matches!(&*role, "tool" | "function" | "toolResult") {
        let parts = content.filter(|content| any(Some(*content), is_haystack));
        for inner in list.into_iter().flat_map(Json::items) {
            give(result(inner, at));
        }
        for part in parts.into_iter().flat_map(Json::items) {
            haystack(part, at, give);
        }
        if list.is_none() && parts.is_none() {
            give(result(line, at));
        }
        return true;
    }
    if let Some(model) = line.text_of("model") {
        give(LogEvent::Model(model));
    }
    if let Some(text) = first_text(line, &["reasoning_content", "reasoning"]) {
        say(Role::Thinking, text, give);
    }
    if let Some(text) = line.text_of("refusal") {
        give(LogEvent::Message { role: Role::Error, text });
    }
    let role = match &*role {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => Role::System,
    };
    let has_calls = calls.is_some() || older.is_some();
    if let Some(content) = content {
        said((role, at), content, has_calls, give);
    }
    for item in calls.into_iter().flat_map(Json::items).chain(older) {
        give(call(item, at).unwrap_or_else(|| LogEvent::Skipped("tool_call".into())));
    }
    true
}

/// Whether one of the parts is there. It is a function of its own, so that valgrind sees no branch
/// on a part that is not there.
#[inline(never)]
fn holds_any(parts: &[Option<Json<'_>>]) -> bool {
    parts.iter().any(Option::is_some)
}

/// The words of a message: a text, or the texts of its parts.
fn said<'a>(
    (role, at): (Role, Option<i64>),
    content: Json<'a>,
    has_calls: bool,
    give: Give<'_, 'a>,
) {
    if let Some(text) = joined(content) {
        if !has_calls || !text.is_empty() {
            give(LogEvent::Message { role, text });
        }
        return;
    }
    for part in content.items() {
        match part.text_of("type").as_deref() {
            Some("reasoning" | "think" | "thinking") => {
                let text = first_text(part, &["text", "think", "thinking", "reasoning"]);
                say(Role::Thinking, text.unwrap_or_default(), give);
            }
            Some("text" | "input_text" | "output_text") => {
                say(role, part.text_of("text").unwrap_or_default(), give);
            }
            // The blocks of other forms are read, too.
            Some(_) => Blocks::plain(role, at).block(part, give),
            None if is_haystack(part) => haystack(part, at, give),
            None => match part.text_of("text") {
                Some(text) => say(role, text, give),
                None => give(LogEvent::Skipped("part".into())),
            },
        }
    }
}

/// Gives the calls of a message, or the result that it is.
pub(super) fn calls_and_results<'a>(line: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
    let role = line.text_of("role");
    if matches!(role.as_deref(), Some("tool" | "function" | "toolResult")) {
        return give(result(line, at));
    }
    let calls = first(line, CALLS).filter(|calls| calls.is_array());
    for call in calls.into_iter().flat_map(Json::items).filter_map(|item| call(item, at)) {
        give(call);
    }
}

/// Gives the facts of a message.
pub(super) fn about<'a>(line: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
    let tokens = line.get("usage").and_then(facts::tokens);
    if let Some(tokens) = tokens {
        give(LogEvent::Usage(line.text_of("id"), tokens));
    }
    let about = About { at, tokens, ..About::default() };
    if !about.is_empty() {
        give(LogEvent::About(about));
    }
}

/// What a tool gave.
fn result(line: Json<'_>, at: Option<i64>) -> LogEvent<'_> {
    let listed = line.get("tool_call_ids").and_then(|ids| ids.items().next()?.text());
    let ids = ["tool_call_id", "toolCallId"];
    let id = first_text(line, &ids).or(listed);
    let id = id.or_else(|| first_text(line.get("additional_kwargs")?, &ids));
    let id = id.or_else(|| line.text_of("id").filter(|_| has(line, &["requestor"])));
    let name = first_text(line, &["name", "tool_name"]);
    let content = line.get("content").filter(|content| !content.is_null());
    let error = line.get("error").filter(|error| !error.is_null());
    let code = crate::transcript::dialect::field::at(line, &["extra", "returncode"]);
    let is_error = error
        .and_then(Json::as_bool)
        .or(first(line, &["is_error", "tool_call_error"]).and_then(Json::as_bool))
        .or(code.and_then(Json::as_i64).map(|code| code != 0))
        .unwrap_or(error.is_some_and(|error| error.is_object() || error.is_text()));
    let parts = ResultParts { id, name, at, ending: CallEnding::failed(is_error) };
    let told = error.filter(|error| error.is_object() || error.is_text());
    let is_empty = || content.and_then(words).is_none_or(|text| text.is_empty());
    match told {
        Some(error) if is_empty() => {
            let text = message(error);
            parts.saying(text)
        }
        _ => parts.with(content),
    }
}

/// Whether a part is a call or a result as Haystack writes them.
fn is_haystack(part: Json<'_>) -> bool {
    let is_object = |key: &str| part.get(key).is_some_and(Json::is_object);
    is_object("tool_call") || is_object("tool_call_result")
}

/// Gives the call or the result of a part, as Haystack writes them.
fn haystack<'a>(part: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
    if let Some(call) = part.get("tool_call") {
        let (id, name) = (call.text_of("id").unwrap_or_default(), call.text_of("tool_name"));
        let arguments = call.get("arguments");
        return give(CallParts { id, name: name.unwrap_or_default(), arguments, at }.plain());
    }
    let Some(result) = part.get("tool_call_result") else { return };
    let origin = result.get("origin");
    let text = |key: &str| origin.and_then(|origin| origin.text_of(key));
    let has_failed = result.get("error").and_then(Json::as_bool).unwrap_or_default();
    let ending = CallEnding::failed(has_failed);
    let parts = ResultParts { id: text("id"), name: text("tool_name"), at, ending };
    give(parts.with(result.get("result")));
}

/// One of a message's calls; arguments that are not JSON stay a text.
fn call<'a>(item: Json<'a>, at: Option<i64>) -> Option<LogEvent<'a>> {
    let function = item.get("function").filter(|function| function.is_object());
    let inner = function.or(item.get("custom")).unwrap_or(item);
    let name = inner.text_of("name").or_else(|| text_at(item, &["function"]))?;
    let arguments = first(inner, &["arguments", "input", "args", "parameters"]);
    let id: Cow<'a, str> = first_text(item, &["id", "call_id", "tool_call_id"]).unwrap_or_default();
    Some(CallParts { id, name, arguments, at }.plain())
}
