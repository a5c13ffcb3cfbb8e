//! Grok Build: the history of its chats.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{first, has, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::{ending, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the history.
#[derive(Debug, Default)]
pub(super) struct Grok;

impl Dialect for Grok {
    fn weigh(line: Json<'_>) -> u32 {
        let is_bare = !has(line, &["message"]) && has(line, &["content"]);
        match line.text_of("type").as_deref() {
            Some("backend_tool_call") => 9,
            Some("tool_result") if has(line, &["tool_call_id"]) => 9,
            Some("user")
                if is_bare
                    && (has(line, &["prompt_index"]) || has(line, &["synthetic_reason"])) =>
            {
                9
            }
            Some("assistant") if is_bare && has(line, &["model_id"]) => 9,
            Some("assistant" | "user" | "system") if is_bare => 2,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let at = written_at(line);
        let content = || line.get("content").and_then(words).unwrap_or_default();
        match line.text_of("type").as_deref() {
            Some("system") => say(Role::System, content(), give),
            Some("user") => {
                let is_person = !has(line, &["synthetic_reason"]);
                let role = if is_person { Role::User } else { Role::System };
                let text = line.get("content").filter(|content| content.is_array()).map(|list| {
                    let texts = list.items().filter_map(|part| part.text_of("text"));
                    texts.collect::<Vec<_>>().join("\n")
                });
                match text {
                    Some(text) => say(role, text, give),
                    None => say(role, content(), give),
                }
            }
            Some("reasoning") => {
                let text = line.get("summary").and_then(words).unwrap_or_default();
                say(Role::Thinking, text, give);
            }
            Some("assistant") => {
                if let Some(model) = line.text_of("model_id") {
                    give(LogEvent::Model(model));
                }
                say(Role::Assistant, content(), give);
                for call in line.get("tool_calls").into_iter().flat_map(Json::items) {
                    let inner = call.get("function").unwrap_or(call);
                    let Some(name) = inner.text_of("name") else { continue };
                    let id = call.text_of("id").unwrap_or_default();
                    let arguments = inner.get("arguments");
                    give(CallParts { id, name, arguments, at }.of_agent());
                }
            }
            Some("tool_result") => {
                let id = line.text_of("tool_call_id");
                let failed = line.get("is_error").and_then(Json::as_bool).unwrap_or_default();
                let ending = CallEnding::failed(failed);
                give(ResultParts { id, name: None, at, ending }.with(line.get("content")));
            }
            Some("backend_tool_call") => return backend(line, at, give),
            _ => return false,
        }
        true
    }
}

/// A call that ran on the producer's side: the call and its end in one.
fn backend<'a>(line: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) -> bool {
    let Some(kind) = line.get("kind") else { return false };
    let Some(name) = kind.text_of("tool_type") else { return false };
    let id = kind.text_of("id").unwrap_or_default();
    let arguments = kind.get("action");
    give(CallParts { id: id.clone(), name, arguments, at }.of_agent());
    let status = text_at(line, &["kind", "status"]);
    if let Some(ending) = status.and_then(|status| ending(&status)) {
        let output = first(kind, &["result", "output", "status"]);
        give(ResultParts { id: Some(id), name: None, at, ending }.with(output));
    }
    true
}
