//! The Agent Trajectory Interchange Format of Harbor.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{first, has, list_in, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::{role, say, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the trajectories.
#[derive(Debug, Default)]
pub(super) struct Atif;

impl Dialect for Atif {
    fn weigh(record: Json<'_>) -> u32 {
        let version = record.text_of("schema_version").unwrap_or_default();
        if version.starts_with("ATIF") || has(record, &["steps", "agent", "session_id"]) {
            WHOLE
        } else if has(record, &["step_id", "source", "message"]) {
            9
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["steps"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["session_id"], give);
        let model = text_at(document, &["agent", "model_name"]);
        if let Some(model) = model {
            give(LogEvent::Model(model));
        }
    }

    fn read<'a>(&mut self, step: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(source) = step.text_of("source") else { return false };
        let at = written_at(step);
        let tokens = step.get("metrics").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(None, tokens));
        }
        let cost = step.get("metrics").and_then(|metrics| first(metrics, &["cost_usd", "cost"]));
        let cost = cost.map(|cost| cost.raw().into());
        let model = step.text_of("model_name").map(|model| Box::from(&*model));
        give(LogEvent::About(About { at, model, tokens, cost, ..About::default() }));
        if let Some(text) = step.text_of("reasoning_content") {
            say(Role::Thinking, text, give);
        }
        let text = step.get("message").and_then(words).unwrap_or_default();
        say(role(&source), text, give);
        let calls = step.get("tool_calls").into_iter().flat_map(Json::items);
        let mut ids = Vec::new();
        for call in calls {
            let Some(name) = call.text_of("function_name") else { continue };
            let id = call.text_of("tool_call_id").unwrap_or_default();
            ids.push(id.clone());
            give(CallParts { id, name, arguments: call.get("arguments"), at }.of_agent());
        }
        let results = step.get("observation").and_then(|observation| observation.get("results"));
        for (place, result) in results.into_iter().flat_map(Json::items).enumerate() {
            let id = result.text_of("source_call_id").or_else(|| ids.get(place).cloned());
            if id.is_none() {
                say(Role::System, result.get("content").and_then(words).unwrap_or_default(), give);
                continue;
            }
            let ending = CallEnding::Success;
            give(ResultParts { id, name: None, at: None, ending }.with(result.get("content")));
        }
        true
    }
}
