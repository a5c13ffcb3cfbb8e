//! Amp: its threads.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{at, first, first_text, has, list_in, moment, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{ending, role, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::LogEvent;

/// The reader of the threads.
#[derive(Debug, Default)]
pub(super) struct Amp;

impl Dialect for Amp {
    fn weigh(record: Json<'_>) -> u32 {
        let is_thread = record.text_of("id").is_some_and(|id| id.starts_with("T-"));
        if is_thread && has(record, &["messages", "v"]) {
            return WHOLE;
        }
        let runs = record
            .get("content")
            .is_some_and(|content| content.items().any(|block| has(block, &["toolUseID", "run"])));
        if runs { 12 } else { 0 }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["id"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(name), Some(content)) = (record.text_of("role"), record.get("content")) else {
            return false;
        };
        let when = at(record, &["meta", "sentAt"]).and_then(moment);
        let when = when.or_else(|| at(record, &["usage", "timestamp"]).and_then(moment));
        let tokens = record.get("usage").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(None, tokens));
        }
        let own = |path: &[&str]| text_at(record, path).map(|text| Box::from(&*text));
        give(LogEvent::About(About {
            at: when,
            model: own(&["usage", "model"]),
            stop: own(&["state", "stopReason"]),
            tokens,
            ..About::default()
        }));
        let blocks = Blocks::of_agent(role(&name), when);
        for block in content.items() {
            match block.get("run") {
                Some(run) => give(result(block, run, when)),
                None => blocks.block(block, give),
            }
        }
        true
    }
}

fn result<'a>(block: Json<'a>, run: Json<'a>, at: Option<i64>) -> LogEvent<'a> {
    let status = run.text_of("status").unwrap_or_default();
    let id = first_text(block, &["toolUseID", "tool_use_id"]);
    let ending = ending(&status).unwrap_or(CallEnding::Success);
    let parts = ResultParts { id, name: None, at, ending };
    let result = run.get("result");
    let error = first(run, &["error", "reason"]);
    let code = result.and_then(|result| result.get("exitCode")).and_then(Json::as_i64);
    match (code.and_then(|code| i32::try_from(code).ok()), result) {
        (Some(code), Some(result)) if error.is_none() => {
            parts.of_command(result.text_of("output").unwrap_or_default(), Some(code))
        }
        _ => parts.error_or(error, result),
    }
}
