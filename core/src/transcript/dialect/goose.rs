//! Goose: the sessions that it stores.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, at, first_text, has, list_in, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message};
use crate::transcript::dialect::say::{role, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the sessions.
#[derive(Debug, Default)]
pub(super) struct Goose;

impl Dialect for Goose {
    fn weigh(record: Json<'_>) -> u32 {
        let is_block = |block: Json<'_>| {
            matches!(
                block.text_of("type").as_deref(),
                Some("toolRequest" | "toolResponse" | "frontendToolRequest" | "systemNotification")
            )
        };
        if any(record.get("content"), is_block) {
            14
        } else if has(record, &["working_dir"]) {
            if record.get("conversation").is_some_and(Json::is_array) { WHOLE } else { 9 }
        } else if has(record, &["role", "created"])
            && record.get("content").is_some_and(Json::is_array)
        {
            3
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["conversation", "messages"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["id"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(name), Some(content)) = (record.text_of("role"), record.get("content")) else {
            self.header(record, give);
            return has(record, &["working_dir"]);
        };
        let at = written_at(record);
        give(LogEvent::About(About { at, ..About::default() }));
        for block in content.items() {
            block_event(block, role(&name), at, give);
        }
        true
    }
}

fn block_event<'a>(block: Json<'a>, role: Role, when: Option<i64>, give: Give<'_, 'a>) {
    let kind = block.text_of("type");
    let id = block.text_of("id");
    match kind.as_deref() {
        Some("toolRequest" | "frontendToolRequest") => {
            let call = block.get("toolCall").unwrap_or(block);
            let value = call.get("value").unwrap_or(call);
            let name = value.text_of("name").unwrap_or_else(|| "unknown".into());
            let arguments = value.get("arguments");
            let call_id = id.clone().unwrap_or_default();
            give(CallParts { id: call_id, name, arguments, at: when }.of_agent());
            if let Some(error) = call.get("error").filter(|error| !error.is_null()) {
                let text = message(error);
                give(
                    ResultParts { id, name: None, at: when, ending: CallEnding::Failed }
                        .saying(text),
                );
            }
        }
        Some("toolResponse") => {
            let result = block.get("toolResult").unwrap_or(block);
            let value = result.get("value");
            let is_error = value.and_then(|value| value.get("isError")).and_then(Json::as_bool);
            let failed = result.text_of("status").as_deref() == Some("error");
            let ending = CallEnding::failed(failed || is_error.unwrap_or_default());
            let parts = ResultParts { id, name: None, at: when, ending };
            let content = value.map(|value| at(value, &["content"]).unwrap_or(value));
            give(parts.error_or(result.get("error"), content));
        }
        Some("systemNotification" | "conversationCompacted") => {
            let text = first_text(block, &["msg", "text"]).unwrap_or_default();
            give(LogEvent::Message { role: Role::System, text });
        }
        _ => Blocks::of_agent(role, when).block(block, give),
    }
}
