//! SWE-agent: trajectories, whose calls stand in messages or in steps.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, has, seconds};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::openai;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::{role, say};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the trajectories.
#[derive(Debug, Default)]
pub(super) struct SweAgent {
    number: u64,
}

impl Dialect for SweAgent {
    fn weigh(record: Json<'_>) -> u32 {
        let is_ours = |message: Json<'_>| {
            has(message, &["role", "agent"]) || has(message, &["role", "message_type"])
        };
        let steps = record.get("trajectory").is_some_and(Json::is_array);
        let history = any(record.get("history"), is_ours);
        if history || steps && (has(record, &["history"]) || has(record, &["info"])) {
            WHOLE
        } else if is_ours(record) {
            9
        } else {
            0
        }
    }

    /// The history, if calls stand in it, else the steps.
    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        if document.is_array() {
            return Some(document);
        }
        let history = document.get("history").filter(|history| history.is_array());
        let steps = document.get("trajectory").filter(|steps| steps.is_array());
        let has_calls = any(history, |message| {
            message.get("tool_calls").is_some_and(|calls| calls.items().next().is_some())
        });
        let has_steps = steps.is_some_and(|steps| steps.items().next().is_some());
        if has_calls || !has_steps { history } else { steps }
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        let list = self.items(document);
        if any(list, |item| has(item, &["observation"])) {
            // The steps lack what the person asked.
            for message in document.get("history").into_iter().flat_map(Json::items) {
                let is_first =
                    !is_demo(message) && message.text_of("role").as_deref() == Some("user");
                if is_first {
                    let text = message.get("content").and_then(words).unwrap_or_default();
                    say(Role::User, text, give);
                    break;
                }
            }
        }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if has(record, &["action", "observation"]) && !has(record, &["role"]) {
            return self.step(record, give);
        }
        if is_demo(record) {
            give(LogEvent::Skipped("demonstration".into()));
            return true;
        }
        if record.text_of("role").as_deref() == Some("tool") || has(record, &["tool_calls"]) {
            return openai::read(record, &mut |event| match event {
                LogEvent::ToolCall { id, name, arguments, at, .. } => {
                    agent_call(&id, &name, &arguments, at, give);
                }
                event => give(event),
            });
        }
        let Some(name) = record.text_of("role") else { return false };
        let text = record.get("content").and_then(words).unwrap_or_default();
        say(role(&name), text, give);
        true
    }
}

/// Gives the call of an agent's tool, whose arguments are JSON text.
fn agent_call(id: &str, name: &str, arguments: &str, at: Option<i64>, give: Give<'_, '_>) {
    nested(&format!("[{arguments}]"), give, &mut |list, give| {
        let (id, name) = (id.to_owned().into(), name.to_owned().into());
        give(CallParts { id, name, arguments: list.items().next(), at }.of_agent());
    });
}

fn is_demo(message: Json<'_>) -> bool {
    message.get("is_demo").and_then(Json::as_bool).unwrap_or_default()
        || message.text_of("message_type").as_deref() == Some("demonstration")
}

impl SweAgent {
    /// A step: the words of the model, a command, and what it gave.
    fn step<'a>(&mut self, step: Json<'a>, give: Give<'_, 'a>) -> bool {
        let thought = step.text_of("thought").or_else(|| step.text_of("response"));
        if let Some(text) = thought {
            say(Role::Assistant, text, give);
        }
        let command = step.text_of("action").unwrap_or_default();
        if command.trim().is_empty() {
            let text = step.text_of("observation").unwrap_or_default();
            say(Role::System, text, give);
            return true;
        }
        self.number += 1;
        let id = format!("step_{}", self.number);
        let raw = serde_json::json!({"command": command.trim_end()}).to_string();
        // The log has durations and no times.
        let took = step.get("execution_time").and_then(seconds);
        agent_call(&id, "bash", &raw, took.map(|_| 0), give);
        let ending = CallEnding::Success;
        let parts = ResultParts { id: Some(id.into()), name: None, at: took, ending };
        give(parts.saying(step.text_of("observation").unwrap_or_default()));
        true
    }
}
