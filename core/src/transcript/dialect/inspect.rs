//! Inspect's evaluations, and the runs of Docent.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::value::Json;
use crate::transcript::dialect::field::{any, first, has};
use crate::transcript::dialect::openai;
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, ToolOutcome};

/// The reader of the evaluations.
#[derive(Debug, Default)]
pub(super) struct Inspect {
    /// The texts that messages only name.
    attachments: HashMap<Box<str>, Box<str>>,
}

impl Dialect for Inspect {
    fn weigh(record: Json<'_>) -> u32 {
        let calls_function = |call: Json<'_>| call.get("function").is_some_and(Json::is_text);
        if has(record, &["eval", "samples"])
            || has(record, &["messages", "epoch", "id"])
            || has(record, &["transcripts", "metadata"])
            || has(record, &["agent_runs"])
        {
            WHOLE
        } else if any(record.get("tool_calls"), calls_function)
            || has(record, &["role", "tool_call_id", "function"])
        {
            12
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        let keys = ["samples", "messages", "transcripts", "agent_runs"];
        let list = first(document, &keys).unwrap_or(document);
        list.is_array().then_some(list)
    }

    fn header<'a>(&mut self, document: Json<'a>, _: Give<'_, 'a>) {
        self.attachments.clear();
        for (key, value) in document.get("attachments").into_iter().flat_map(Json::members) {
            if let Some(text) = value.text() {
                self.attachments.insert((&*key).into(), (&*text).into());
            }
        }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        openai::read(record, &mut |event| give(self.attached(event)))
    }
}

impl Inspect {
    /// The event with the texts that it names.
    fn attached<'a>(&self, event: LogEvent<'a>) -> LogEvent<'a> {
        match event {
            LogEvent::Message { role, text } => {
                LogEvent::Message { role, text: self.text(&text).map_or(text, Cow::Owned) }
            }
            LogEvent::ToolResult { id, name, is_error, outcome, at } => {
                let outcome = match outcome {
                    ToolOutcome::Value(value) => {
                        let found = value.text().and_then(|text| self.text(&text));
                        found.map_or(ToolOutcome::Value(value), |text| {
                            ToolOutcome::Text(text.into())
                        })
                    }
                    ToolOutcome::Text(text) => {
                        ToolOutcome::Text(self.text(&text).map_or(text, Cow::Owned))
                    }
                    other => other,
                };
                LogEvent::ToolResult { id, name, is_error, outcome, at }
            }
            event => event,
        }
    }

    fn text(&self, text: &str) -> Option<String> {
        let (before, rest) = text.split_once("attachment://")?;
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (hash, behind) = rest.split_at_checked(end)?;
        Some(format!("{before}{}{behind}", self.attachments.get(hash)?))
    }
}
