//! tau-bench and tau2-bench: trajectories in the form of OpenAI's messages.

use crate::json::value::Json;
use crate::transcript::dialect::field::{first, has};
use crate::transcript::dialect::openai;
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, ToolOutcome};

/// The reader of the trajectories.
#[derive(Debug, Default)]
pub(super) struct TauBench;

impl Dialect for TauBench {
    fn weigh(record: Json<'_>) -> u32 {
        let is_run = record.get("traj").is_some_and(Json::is_array);
        if is_run || record.get("simulations").is_some_and(Json::is_array) {
            WHOLE
        } else if has(record, &["role", "requestor"]) {
            12
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        let list = first(document, &["traj", "simulations", "messages"]).unwrap_or(document);
        let is_message = has(document, &["role"]);
        (list.is_array() && !is_message).then_some(list)
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        openai::read(record, &mut |event| give(failed(event)))
    }
}

/// A result that begins with the word of an error is one.
fn failed(event: LogEvent<'_>) -> LogEvent<'_> {
    let LogEvent::ToolResult { id, name, outcome: ToolOutcome::Value(value), at, is_error } = event
    else {
        return event;
    };
    let error = value.text().filter(|text| text.starts_with("Error: "));
    match error {
        Some(message) if !is_error => {
            let outcome = ToolOutcome::Error { kind: "tool_error".into(), message };
            LogEvent::ToolResult { id, name, is_error: true, outcome, at }
        }
        _ => LogEvent::ToolResult { id, name, is_error, outcome: ToolOutcome::Value(value), at },
    }
}
