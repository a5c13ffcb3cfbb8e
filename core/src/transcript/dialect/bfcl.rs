//! BFCL: the calls that a model made for each question, and the log of how they ran.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::has;
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::written_call::listed;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the results.
#[derive(Debug, Default)]
pub(super) struct Bfcl {
    has_begun: bool,
}

/// The deepest list of steps.
const DEEPEST: usize = 6;

impl Dialect for Bfcl {
    fn weigh(record: Json<'_>) -> u32 {
        let is_ours = has(record, &["id", "result"]);
        let has_log = record.get("inference_log").is_some_and(Json::is_array);
        let has_list = record.get("result").is_some_and(Json::is_array);
        let has_text = || record.text_of("result").is_some_and(|text| text.starts_with('['));
        let has_calls = has_list || has(record, &["latency"]) && has_text();
        if is_ours && (has_log || has_calls) { 20 } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(result) = record.get("result") else { return false };
        if std::mem::replace(&mut self.has_begun, true) {
            give(LogEvent::Boundary);
        }
        match record.get("inference_log").filter(|log| log.is_array()) {
            Some(log) => {
                for turn in log.items() {
                    turn_of(turn, give);
                }
            }
            None => made(result, 0, give),
        }
        true
    }
}

/// A turn: what was asked, and the steps that came of it.
fn turn_of<'a>(turn: Json<'a>, give: Give<'_, 'a>) {
    for message in turn.get("begin_of_turn_query").into_iter().flat_map(Json::items) {
        step(message, give);
    }
    for (key, messages) in turn.members() {
        if key.starts_with("step_") {
            for message in messages.items() {
                step(message, give);
            }
        }
    }
}

/// A message of a step.
fn step<'a>(message: Json<'a>, give: Give<'_, 'a>) {
    let content = message.get("content");
    match (message.text_of("role").as_deref(), content) {
        (Some("assistant"), Some(content)) => made(content, 0, give),
        (Some("user"), Some(content)) => {
            say(Role::User, words(content).unwrap_or_default(), give);
        }
        (Some("tool"), content) => {
            let parts = ResultParts { ending: CallEnding::Success, ..ResultParts::default() };
            give(parts.with(content));
        }
        _ => {}
    }
}

/// Calls, each an object of a name and its arguments; or words.
fn made<'a>(value: Json<'a>, depth: usize, give: Give<'_, 'a>) {
    if let Some(text) = value.text() {
        let is_list = text.trim_start().starts_with("[{");
        let read =
            is_list && depth == 0 && nested(&text, give, &mut |list, give| made(list, 1, give));
        if read {
            return;
        }
        // A model that is asked by a prompt writes a list of calls as in Python.
        let is_list = text.trim_start().starts_with('[');
        let calls = if is_list { listed(&text) } else { Vec::new() };
        if calls.is_empty() {
            say(Role::Assistant, text, give);
        }
        for call in calls {
            call.give(give);
        }
        return;
    }
    if value.is_array() && depth < DEEPEST {
        for item in value.items() {
            made(item, depth + 1, give);
        }
    }
    for (name, arguments) in value.members() {
        let arguments = Some(arguments);
        give(CallParts { id: "".into(), name, arguments, at: None }.plain());
    }
}
