//! llm: the rows of its database, each with the name of its table.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{first_text, has, moment};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{say, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the rows.
#[derive(Debug, Default)]
pub(super) struct Llm;

impl Dialect for Llm {
    fn weigh(record: Json<'_>) -> u32 {
        match record.text_of("table").as_deref() {
            Some("responses" | "tool_calls" | "tool_results" | "answers") => 12,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, row: Json<'a>, give: Give<'_, 'a>) -> bool {
        let at = row.get("datetime_utc").and_then(moment);
        match row.text_of("table").as_deref() {
            Some("responses") => {
                session(row, &["conversation_id"], give);
                if let Some(model) = row.text_of("model") {
                    give(LogEvent::Model(model));
                }
                give(LogEvent::About(About { at, ..About::default() }));
                for (role, key) in [(Role::System, "system"), (Role::User, "prompt")] {
                    say(role, row.text_of(key).unwrap_or_default(), give);
                }
            }
            Some("answers") => {
                for (role, key) in [(Role::Thinking, "reasoning"), (Role::Assistant, "response")] {
                    say(role, row.text_of(key).unwrap_or_default(), give);
                }
            }
            Some("tool_calls") => {
                let Some(name) = row.text_of("name") else { return false };
                let id = row.text_of("tool_call_id").unwrap_or_default();
                give(CallParts { id, name, arguments: row.get("arguments"), at }.plain());
            }
            Some("tool_results") => {
                let failed = first_text(row, &["exception"]);
                let (id, name) = (row.text_of("tool_call_id"), row.text_of("name"));
                let ending = CallEnding::failed(failed.is_some());
                let parts = ResultParts { id, name, at, ending };
                let output = row.get("output").filter(|output| !output.is_null());
                let is_empty = output.and_then(Json::text).is_none_or(|text| text.is_empty());
                give(match failed {
                    Some(text) if is_empty => parts.saying(text),
                    _ => parts.with(output),
                });
            }
            _ => return has(row, &["table"]),
        }
        true
    }
}
