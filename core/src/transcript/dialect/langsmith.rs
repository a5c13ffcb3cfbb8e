//! `LangSmith`'s runs.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::field::{at, first, has, list_in, moment, text_at};
use crate::transcript::dialect::outcome::words;
use crate::transcript::dialect::say::{say, session};
use crate::transcript::dialect::trace::{ToolSpan, error_of};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the runs.
#[derive(Debug, Default)]
pub(super) struct LangSmith;

impl Dialect for LangSmith {
    fn weigh(record: Json<'_>) -> u32 {
        if has(record, &["run_type", "inputs"]) { 20 } else { 0 }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["runs"])
    }

    fn read<'a>(&mut self, run: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(kind) = run.text_of("run_type") else { return false };
        session(run, &["trace_id"], give);
        let time = |key: &str| run.get(key).and_then(moment);
        let parent = run.text_of("parent_run_id").map(|id| Box::from(&*id));
        give(LogEvent::About(About { at: time("start_time"), parent, ..About::default() }));
        if kind != "tool" {
            return chain(run, &kind, give);
        }
        let inputs = run.get("inputs");
        let outputs = run.get("outputs").filter(|outputs| !outputs.is_null());
        let output = outputs.map(|outputs| outputs.get("output").unwrap_or(outputs));
        let id = output.and_then(|output| output.text_of("tool_call_id"));
        let id = id.or_else(|| run.text_of("id")).unwrap_or_default();
        let status = output.and_then(|output| output.text_of("status"));
        let told = error_of(run, &["error"]);
        let failed = status.as_deref() == Some("error");
        let words = || output.and_then(|output| words(output.get("content")?));
        let error = told.or_else(|| failed.then(|| words().unwrap_or_default().into_owned()));
        let span = ToolSpan {
            id,
            name: run.text_of("name").unwrap_or_default(),
            arguments: inputs.map(|inputs| arguments(inputs)),
            output,
            error: error.map(Into::into),
            start: time("start_time"),
            end: time("end_time"),
        };
        span.give(give);
        true
    }
}

/// The arguments: the inputs, or the one value in them.
fn arguments(inputs: Json<'_>) -> Json<'_> {
    let only = inputs.get("input").filter(|_| inputs.members().count() == 1);
    only.unwrap_or(inputs)
}

/// The run of a chain: of the outermost, the words of the person and of the model.
fn chain<'a>(run: Json<'a>, kind: &str, give: Give<'_, 'a>) -> bool {
    let is_outermost = run.get("parent_run_id").is_none_or(Json::is_null);
    if !is_outermost || kind != "chain" {
        give(LogEvent::Skipped(format!("run {kind}").into()));
        return true;
    }
    for (role, path) in
        [(Role::User, ["inputs", "input"]), (Role::Assistant, ["outputs", "output"])]
    {
        let text = text_at(run, &path).or_else(|| at(run, &path).and_then(words));
        if let Some(text) = text {
            say(role, text, give);
        }
    }
    if let Some(error) = first(run, &["error"]).and_then(Json::text) {
        give(LogEvent::Message { role: Role::Error, text: error });
    }
    true
}
