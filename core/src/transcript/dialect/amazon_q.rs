//! Amazon Q and Kiro: conversations, whose parts are objects of one key.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at, first_text, has, list_in, moment, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{ending, say, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the conversations.
#[derive(Debug, Default)]
pub(super) struct AmazonQ;

impl Dialect for AmazonQ {
    fn weigh(record: Json<'_>) -> u32 {
        let first = record.get("history").and_then(|list| list.items().next());
        if first.is_some_and(|pair| has(pair, &["user", "assistant"])) {
            return WHOLE;
        }
        match record.text_of("kind").as_deref() {
            Some("Prompt" | "AssistantMessage" | "ToolResults") if has(record, &["data"]) => 9,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["history"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["conversation_id"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if let (Some(kind), Some(data)) = (record.text_of("kind"), record.get("data")) {
            return line(&kind, data, give);
        }
        let (Some(user), Some(assistant)) = (record.get("user"), record.get("assistant")) else {
            return false;
        };
        let when = user.get("timestamp").and_then(moment);
        give(LogEvent::About(About { at: when, ..About::default() }));
        if let Some((kind, content)) =
            user.get("content").and_then(|content| content.members().next())
        {
            let cancelled = kind == "CancelledToolUses";
            for result in content.get("tool_use_results").into_iter().flat_map(Json::items) {
                give(result_of(result, when, cancelled));
            }
            let prompt = content.text_of("prompt");
            if let Some(text) = prompt {
                say(Role::User, text, give);
            }
        }
        let Some((_, answer)) = assistant.members().next() else { return true };
        let text = answer.text_of("content");
        if let Some(text) = text {
            say(Role::Assistant, text, give);
        }
        for call in answer.get("tool_uses").into_iter().flat_map(Json::items) {
            let Some(name) = call.text_of("name") else { continue };
            let id = call.text_of("id").unwrap_or_default();
            give(CallParts { id, name, arguments: call.get("args"), at: when }.of_agent());
        }
        true
    }
}

fn result_of(result: Json<'_>, at: Option<i64>, cancelled: bool) -> LogEvent<'_> {
    let status = result.text_of("status").and_then(|status| ending(&status));
    let ending = if cancelled { CallEnding::Cancelled } else { status.unwrap_or_default() };
    let id = first_text(result, &["tool_use_id", "toolUseId"]);
    let parts = ResultParts { id, name: None, at, ending };
    parts.with(result.get("content"))
}

/// A line of Kiro's newer files.
fn line<'a>(kind: &str, data: Json<'a>, give: Give<'_, 'a>) -> bool {
    let role = if kind == "AssistantMessage" { Role::Assistant } else { Role::User };
    for block in data.get("content").into_iter().flat_map(Json::items) {
        let inner = block.get("data").unwrap_or(block);
        match block.text_of("kind").as_deref() {
            Some("text") => {
                let text = inner.text().or_else(|| inner.text_of("text")).unwrap_or_default();
                say(role, text, give);
            }
            Some("toolUse") => {
                let Some(name) = inner.text_of("name") else { continue };
                let id = inner.text_of("toolUseId").unwrap_or_default();
                let arguments = inner.get("input");
                give(CallParts { id, name, arguments, at: None }.of_agent());
            }
            Some("toolResult") => {
                let text = text_at(inner, &["content"]);
                match text {
                    Some(text) => {
                        let id = inner.text_of("toolUseId");
                        let status = inner.text_of("status").and_then(|status| ending(&status));
                        let ending = status.unwrap_or_default();
                        give(ResultParts { id, name: None, at: None, ending }.saying(text));
                    }
                    None => give(result_of(inner, None, false)),
                }
            }
            Some(kind) => give(LogEvent::Skipped(kind.to_owned().into())),
            None => {}
        }
    }
    at(data, &["content"]).is_some()
}
