//! Crush: the messages of its database.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, has, moment, text_at};
use crate::transcript::dialect::nested::either;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{role, say, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct Crush;

impl Dialect for Crush {
    fn weigh(record: Json<'_>) -> u32 {
        let is_part = |part: Json<'_>| has(part, &["type", "data"]);
        let has_parts = any(record.get("parts"), is_part);
        if has_parts && has(record, &["role"]) { 12 } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(name), Some(parts)) = (record.text_of("role"), record.get("parts")) else {
            return false;
        };
        session(record, &["session_id"], give);
        let at = record.get("created_at").and_then(moment);
        let own = |key: &str| record.text_of(key).map(|text| Box::from(&*text));
        let session = own("session_id");
        give(LogEvent::About(About { at, model: own("model"), session, ..About::default() }));
        let is_summary = record.get("is_summary_message").and_then(Json::as_u64) == Some(1);
        let role = if is_summary { Role::System } else { role(&name) };
        either(parts, give, &mut |parts, give| {
            for part in parts.items() {
                read(part, role, at, give);
            }
        })
    }
}

fn read<'a>(part: Json<'a>, role: Role, at: Option<i64>, give: Give<'_, 'a>) {
    let (kind, data) = (part.text_of("type"), part.get("data").unwrap_or(part));
    let text = |key| data.text_of(key).unwrap_or_default();
    match kind.as_deref() {
        Some("text") => say(role, text("text"), give),
        Some("reasoning") => say(Role::Thinking, text("thinking"), give),
        Some("tool_call") => {
            let arguments = data.get("input");
            give(CallParts { id: text("id"), name: text("name"), arguments, at }.of_agent());
        }
        Some("tool_result") => {
            let failed = data.get("is_error").and_then(Json::as_bool).unwrap_or_default();
            let (id, name) = (data.text_of("tool_call_id"), data.text_of("name"));
            let ending = CallEnding::failed(failed);
            give(ResultParts { id, name, at, ending }.with(data.get("content")));
        }
        Some("shell_command") => {
            let shown = format!("$ {}\n{}", text("command"), text("output"));
            say(Role::System, shown, give);
        }
        Some("finish") if text_at(data, &["message"]).is_some() => {
            say(Role::Error, text("message"), give);
        }
        Some(kind) => give(LogEvent::Skipped(kind.to_owned().into())),
        None => Blocks::of_agent(role, at).block(part, give),
    }
}
