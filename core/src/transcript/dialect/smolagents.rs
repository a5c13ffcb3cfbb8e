//! smolagents: the steps of its agents.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{at, has, list_in, moment};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the steps.
#[derive(Debug, Default)]
pub(super) struct Smolagents;

impl Dialect for Smolagents {
    fn weigh(record: Json<'_>) -> u32 {
        if has(record, &["step_number"]) && has(record, &["tool_calls"]) {
            14
        } else if has(record, &["task"]) && record.members().count() <= 2 {
            6
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["steps"])
    }

    fn read<'a>(&mut self, step: Json<'a>, give: Give<'_, 'a>) -> bool {
        if let Some(text) = step.text_of("task") {
            say(Role::User, text, give);
            return true;
        }
        if let Some(text) = step.text_of("system_prompt") {
            say(Role::System, text, give);
            return true;
        }
        if !has(step, &["step_number"]) {
            return false;
        }
        let seconds = |key: &str| at(step, &["timing", key]).and_then(moment);
        let (start, end) = (seconds("start_time"), seconds("end_time"));
        let tokens = step.get("token_usage").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(None, tokens));
        }
        give(LogEvent::About(About { at: start, tokens, ..About::default() }));
        let text = step.get("model_output").and_then(words).unwrap_or_default();
        say(Role::Assistant, text, give);
        let error = step.get("error").filter(|error| !error.is_null());
        for call in step.get("tool_calls").into_iter().flat_map(Json::items) {
            let inner = call.get("function").unwrap_or(call);
            let Some(name) = inner.text_of("name") else { continue };
            let id = call.text_of("id").unwrap_or_default();
            let arguments = inner.get("arguments");
            give(CallParts { id: id.clone(), name, arguments, at: start }.plain());
            let ending = CallEnding::failed(error.is_some());
            let parts = ResultParts { id: Some(id), name: None, at: end, ending };
            give(match error {
                Some(error) => {
                    let text = message(error);
                    parts.saying(text)
                }
                None => parts.with(step.get("observations")),
            });
        }
        true
    }
}
