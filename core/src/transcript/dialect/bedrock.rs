//! Messages of Bedrock's Converse API, and the sessions that Strands stores.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::answer::each_answer;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, at, first_text, has, list_in, text_at, written_at};
use crate::transcript::dialect::outcome::ResultParts;
use crate::transcript::dialect::say::{ending, role, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct Bedrock;

/// The message of a record; Strands wraps it, and so does the answer of the API.
fn inner(record: Json<'_>) -> Json<'_> {
    let answer = at(record, &["output", "message"]).filter(|_| has(record, &["stopReason"]));
    if let Some(answer) = answer {
        return answer;
    }
    let wrapped = record.get("message").filter(|message| has(*message, &["role", "content"]));
    wrapped.filter(|_| has(record, &["message_id"])).unwrap_or(record)
}

impl Dialect for Bedrock {
    fn weigh(record: Json<'_>) -> u32 {
        let record = inner(record);
        let is_ours = |block: Json<'_>| {
            let keys = ["toolUse", "toolResult", "reasoningContent"];
            block.get("type").is_none() && keys.iter().any(|key| block.get(key).is_some())
        };
        let is_text = |block: Json<'_>| block.get("type").is_none() && has(block, &["text"]);
        let content = record.get("content").filter(|_| has(record, &["role"]));
        if any(content, is_ours) {
            10
        } else if any(content, is_text) {
            3
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn answers<'a>(&self, document: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
        each_answer(document, take);
    }

    fn is_of_server(&self) -> bool {
        true
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let when = written_at(record);
        let record = inner(record);
        let (Some(name), Some(content)) = (record.text_of("role"), record.get("content")) else {
            return false;
        };
        give(LogEvent::About(About { at: when, ..About::default() }));
        if let Some(text) = content.text() {
            say(role(&name), text, give);
        }
        for block in content.items() {
            part(block, role(&name), when, give);
        }
        true
    }
}

fn part<'a>(block: Json<'a>, role: Role, when: Option<i64>, give: Give<'_, 'a>) {
    if let Some(text) = block.text_of("text") {
        return say(role, text, give);
    }
    if let Some(call) = block.get("toolUse")
        && let Some(name) = call.text_of("name")
    {
        let id = call.text_of("toolUseId").unwrap_or_default();
        return give(CallParts { id, name, arguments: call.get("input"), at: when }.plain());
    }
    if let Some(result) = block.get("toolResult") {
        let status = result.text_of("status").and_then(|status| ending(&status));
        let ending = status.unwrap_or_default();
        let id = first_text(result, &["toolUseId"]);
        return give(ResultParts { id, name: None, at: when, ending }.with(result.get("content")));
    }
    if let Some(text) = text_at(block, &["reasoningContent", "reasoningText", "text"]) {
        return say(Role::Thinking, text, give);
    }
    if at(block, &["reasoningContent"]).is_none() {
        let kind = block.members().next().map(|(key, _)| key);
        give(LogEvent::Skipped(kind.unwrap_or_else(|| "block".into())));
    }
}
