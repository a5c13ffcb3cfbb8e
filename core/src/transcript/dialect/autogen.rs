//! `AutoGen`: the messages of its agents.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{at, first_text, has, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct AutoGen;

impl Dialect for AutoGen {
    fn weigh(record: Json<'_>) -> u32 {
        if at(record, &["llm_context", "messages"]).is_some() {
            return WHOLE;
        }
        match record.text_of("type").as_deref() {
            Some(
                "ToolCallRequestEvent"
                | "ToolCallExecutionEvent"
                | "ToolCallSummaryMessage"
                | "AssistantMessage"
                | "FunctionExecutionResultMessage",
            ) => 9,
            Some(kind) if has(record, &["source", "content"]) && is_message(kind) => 9,
            Some("UserMessage" | "SystemMessage") if has(record, &["content"]) => 5,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        let list = at(document, &["llm_context", "messages"]).or(document.get("messages"));
        let list = list.unwrap_or(document);
        list.is_array().then_some(list)
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(kind), Some(content)) = (record.text_of("type"), record.get("content")) else {
            return false;
        };
        let when = written_at(record);
        let source = record.text_of("source");
        let tokens = record.get("models_usage").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(record.text_of("id"), tokens));
        }
        let agent = source.as_deref().map(Box::from);
        give(LogEvent::About(About { at: when, agent, tokens, ..About::default() }));
        let text = || words(content).unwrap_or_default();
        match &*kind {
            "ToolCallRequestEvent" | "AssistantMessage" => {
                if let Some(text) = content.text() {
                    say(Role::Assistant, text, give);
                }
                let thought = record.text_of("thought");
                if let Some(text) = thought {
                    say(Role::Thinking, text, give);
                }
                for call in content.items() {
                    give(called(call, when));
                }
            }
            "ToolCallExecutionEvent" | "FunctionExecutionResultMessage" => {
                for result in content.items() {
                    give(ended(result, when));
                }
            }
            "ToolCallSummaryMessage" => give(LogEvent::Repeated),
            "ThoughtEvent" => say(Role::Thinking, text(), give),
            "SystemMessage" => say(Role::System, text(), give),
            "UserMessage" => say(Role::User, text(), give),
            kind if is_message(kind) => {
                let is_person = source.as_deref().is_some_and(|source| source.starts_with("user"));
                say(if is_person { Role::User } else { Role::Assistant }, text(), give);
            }
            _ => return false,
        }
        true
    }
}

fn is_message(kind: &str) -> bool {
    matches!(kind, "TextMessage" | "MultiModalMessage" | "StopMessage" | "HandoffMessage")
        || kind == "ThoughtEvent"
        || kind.starts_with("StructuredMessage")
}

fn called(call: Json<'_>, at: Option<i64>) -> LogEvent<'_> {
    let name = call.text_of("name").unwrap_or_default();
    let id = call.text_of("id").unwrap_or_default();
    CallParts { id, name, arguments: call.get("arguments"), at }.plain()
}

fn ended(result: Json<'_>, at: Option<i64>) -> LogEvent<'_> {
    let failed = result.get("is_error").and_then(Json::as_bool).unwrap_or_default();
    let id = first_text(result, &["call_id", "id"]);
    let (name, ending) = (result.text_of("name"), CallEnding::failed(failed));
    ResultParts { id, name, at, ending }.with(result.get("content"))
}
