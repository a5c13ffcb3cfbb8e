//! The items of OpenAI's Responses API: a response, a request's input, or a list of items.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::dialect::answer::each_answer;
use crate::transcript::dialect::begun_calls::BegunCalls;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{any, at, first, first_text, has, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{ending, role, say};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the items of the Responses API.
#[derive(Debug, Default)]
pub(super) struct Responses {
    /// The items that events have given.
    seen: SeenIds,
    begun: BegunCalls,
}

impl Dialect for Responses {
    fn weigh(record: Json<'_>) -> u32 {
        let kind = record.text_of("type");
        match kind.as_deref() {
            None if record.text_of("object").as_deref() == Some("response") => WHOLE,
            Some(kind) if kind.starts_with("response.") => 9,
            Some(kind) if kind.starts_with("conversation.item.") => 9,
            Some("message") if record.get("content").is_some_and(is_items) => 4,
            Some("reasoning") if record.get("summary").is_some() => 4,
            Some(kind) if is_call(kind) && first(record, &["call_id", "id"]).is_some() => 6,
            Some(kind) if kind.ends_with("_call_output") => 6,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        let list = first(document, &["input", "output"]).unwrap_or(document);
        let is_item = document.text_of("type").is_some_and(|kind| !kind.starts_with("response"));
        (list.is_array() && !is_item).then_some(list)
    }

    fn answers<'a>(&self, document: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
        each_answer(document, take);
    }

    fn is_of_server(&self) -> bool {
        true
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        if let Some(model) = document.text_of("model") {
            give(LogEvent::Model(model));
        }
        if let Some(tokens) = document.get("usage").and_then(facts::tokens) {
            give(LogEvent::Usage(document.text_of("id"), tokens));
        }
        if let Some(text) = document.text_of("instructions") {
            say(Role::System, text, give);
        }
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.begun.give(give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        self.begun.add(record);
        match record.get("item").filter(|inner| has(*inner, &["type"])) {
            Some(inner) => self.item_of_event(record, inner, give),
            None if has(record, &["type", "response"]) => self.new_items(record, give),
            None => item(record, written_at(record), give),
        }
    }
}

impl Responses {
    /// Gives the events of the item in an event of a stream, unless the item is not yet whole or
    /// was given before: several events show each item.
    fn item_of_event<'a>(&mut self, event: Json<'a>, inner: Json<'a>, give: Give<'_, 'a>) -> bool {
        let is_begun = event.text_of("type").is_some_and(|kind| kind.ends_with(".added"));
        if is_begun {
            self.begun.begin(inner, written_at(event));
        }
        if is_begun || inner.text_of("status").as_deref() == Some("in_progress") {
            return false;
        }
        let kind = inner.text_of("type").unwrap_or_default();
        let id = first_text(inner, &["call_id", "id"]);
        self.begun.end(id.as_deref().unwrap_or_default());
        if id.is_some_and(|id| !self.seen.is_new_of(&[&kind, &id])) {
            give(LogEvent::Repeated);
            return true;
        }
        item(inner, written_at(event), give)
    }

    /// Gives the items of the response in an event that no event gave before; false if there are
    /// none.
    fn new_items<'a>(&mut self, event: Json<'a>, give: Give<'_, 'a>) -> bool {
        let mut is_read = false;
        let output = at(event, &["response", "output"]);
        for inner in output.into_iter().flat_map(Json::items) {
            let kind = inner.text_of("type").unwrap_or_default();
            let id = first_text(inner, &["call_id", "id"]);
            self.begun.end(id.as_deref().unwrap_or_default());
            if id.is_none_or(|id| self.seen.is_new_of(&[&kind, &id])) {
                is_read |= item(inner, written_at(event), give);
            }
        }
        is_read
    }
}

/// Whether a content holds texts as the Responses API writes them.
fn is_items(content: Json<'_>) -> bool {
    content.items().any(|part| {
        matches!(part.text_of("type").as_deref(), Some("input_text" | "output_text" | "refusal"))
    })
}

fn is_call(kind: &str) -> bool {
    const KINDS: [&str; 11] = [
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "computer_call",
        "mcp_call",
    ];
    KINDS.contains(&kind)
}

/// Gives the events of an item; false if its kind is unknown.
pub(super) fn item<'a>(item: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) -> bool {
    let kind = item.text_of("type").unwrap_or_else(|| "message".into());
    match &*kind {
        "message" | "agent_message" => return said(item, give),
        "reasoning" => {
            let texts = ["summary", "content"].into_iter().filter_map(|key| item.get(key));
            let text = texts.filter_map(words).find(|text| !text.is_empty());
            if let Some(text) = text {
                say(Role::Thinking, text, give);
            }
        }
        "function_call"
        | "custom_tool_call"
        | "tool_search_call"
        | "computer_call"
        | "mcp_approval_request"
        | "local_shell_call"
        | "shell_call"
        | "apply_patch_call" => {
            let Some(call) = call(item, &kind, at) else { return false };
            give(call);
        }
        "web_search_call"
        | "image_generation_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "mcp_call" => {
            let Some(call) = call(item, &kind, at) else { return false };
            give(call);
            give(own_result(item, at));
        }
        "tool_call" | "tool_result" => return item_of_fork(item, &kind, at, give),
        "tool_search_output" => give(result(item, at)),
        kind if kind.ends_with("_output") => give(result(item, at)),
        _ => return false,
    }
    true
}

fn said<'a>(item: Json<'a>, give: Give<'_, 'a>) -> bool {
    let (Some(name), Some(content)) = (item.text_of("role"), item.get("content")) else {
        return false;
    };
    let role = role(&name);
    match words(content) {
        Some(text) => say(role, text, give),
        None => {
            for part in content.items() {
                match first_text(part, &["text", "refusal"]) {
                    Some(text) => say(role, text, give),
                    None => give(LogEvent::Skipped(
                        part.text_of("type").unwrap_or_else(|| "part".into()),
                    )),
                }
            }
        }
    }
    true
}

fn call<'a>(item: Json<'a>, kind: &str, at: Option<i64>) -> Option<LogEvent<'a>> {
    let id = first_text(item, &["call_id", "id"]).unwrap_or_default();
    let name = name_of(item, kind)?;
    let keys = ["arguments", "input", "action", "operation", "query", "queries", "code"];
    let arguments = first(item, &keys);
    Some(CallParts { id, name, arguments, at }.of_agent())
}

/// The name of a call of this kind; built-in tools have that of the kind.
fn name_of<'a>(item: Json<'a>, kind: &str) -> Option<Cow<'a, str>> {
    match item.text_of("name") {
        Some(name) => match first_text(item, &["server_label", "namespace"]) {
            Some(server) if kind == "mcp_call" => Some(format!("{server}.{name}").into()),
            _ => Some(name),
        },
        None if kind == "function_call" || kind == "custom_tool_call" => None,
        None => Some(Cow::Owned(kind.strip_suffix("_call").unwrap_or(kind).to_owned())),
    }
}

/// A call or a result as some forks of Codex write it, by name.
fn item_of_fork<'a>(item: Json<'a>, kind: &str, at: Option<i64>, give: Give<'_, 'a>) -> bool {
    let function = item.get("function").unwrap_or(item);
    let Some(name) = function.text_of("name") else { return false };
    let id = first_text(item, &["call_id", "id"]);
    if kind == "tool_call" {
        let keys = ["arguments", "args", "input"];
        let arguments = first(function, &keys).or(first(item, &keys));
        give(CallParts { id: id.unwrap_or_default(), name, arguments, at }.of_agent());
        return true;
    }
    let content = first(item, &["result", "output", "content"]);
    let code = content.and_then(|content| content.get("exitCode")).and_then(Json::as_i64);
    let ending = CallEnding::failed(code.is_some_and(|code| code != 0));
    give(ResultParts { id, name: Some(name), at, ending }.with(content));
    true
}

/// The result of a call that stands in the call's own item.
fn own_result(item: Json<'_>, at: Option<i64>) -> LogEvent<'_> {
    let status = item.text_of("status").and_then(|status| ending(&status)).unwrap_or_default();
    let error = first(item, &["error"]);
    let ending = if error.is_some() { CallEnding::Failed } else { status };
    let id = first_text(item, &["call_id", "id"]);
    // Codex keeps no ids of searches: without a name, the result would be of another call.
    let kind = item.text_of("type").filter(|_| id.is_none());
    let name = kind.and_then(|kind| name_of(item, &kind));
    let parts = ResultParts { id, name, at, ending };
    parts.with(error.or(first(item, &["output", "outputs", "results", "status"])))
}

/// The result that an item holds.
fn result(item: Json<'_>, at: Option<i64>) -> LogEvent<'_> {
    let output = first(item, &["output", "content", "tools"]);
    let succeeded = output.and_then(|output| output.get("success")).and_then(Json::as_bool);
    let status = item.text_of("status").and_then(|status| ending(&status)).unwrap_or_default();
    // A shell tells of each command how it ended.
    let code = |part: Json<'_>| {
        let code = part.get("outcome").and_then(|outcome| outcome.get("exit_code")?.as_i64());
        code.is_some_and(|code| code != 0)
    };
    let has_failed = succeeded == Some(false) || any(output, code);
    let ending = if has_failed { CallEnding::Failed } else { status };
    let content = output.map(|output| output.get("content").unwrap_or(output));
    ResultParts { id: item.text_of("call_id"), name: None, at, ending }.with(content)
}
