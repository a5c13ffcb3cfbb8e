//! Gemini CLI: the telemetry that it writes to a file.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::field::{first, text_at};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::trace::ToolSpan;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the telemetry.
#[derive(Debug, Default)]
pub(super) struct GeminiTelemetry;

/// The name of the event that a record is about, and its attributes.
fn event(record: Json<'_>) -> Option<(std::borrow::Cow<'_, str>, Json<'_>)> {
    let attributes = record.get("attributes")?;
    let name = attributes.text_of("event.name").filter(|name| name.starts_with("gemini_cli."))?;
    Some((name, attributes))
}

impl Dialect for GeminiTelemetry {
    fn weigh(record: Json<'_>) -> u32 {
        if event(record).is_some() { 14 } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some((name, attributes)) = event(record) else { return false };
        if let Some(id) = attributes.text_of("session.id") {
            give(LogEvent::Session(id));
        }
        let at = attributes.text_of("event.timestamp").and_then(|text| {
            text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
        });
        give(LogEvent::About(About { at, ..About::default() }));
        match &*name {
            "gemini_cli.user_prompt" => {
                say(Role::User, attributes.text_of("prompt").unwrap_or_default(), give);
            }
            "gemini_cli.tool_call" => tool(attributes, at, give),
            "gemini_cli.api_error" => {
                let text = text_at(attributes, &["error"]).unwrap_or_default();
                say(Role::Error, text, give);
            }
            _ => give(LogEvent::Skipped(name)),
        }
        true
    }
}

/// A call and its end in one, without what the tool gave. The event comes at the end.
fn tool<'a>(attributes: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
    let took = attributes.get("duration_ms").and_then(Json::as_i64);
    let succeeded = attributes.get("success").and_then(Json::as_bool).unwrap_or(true);
    let error = first(attributes, &["error", "error_type"]).and_then(Json::text);
    let span = ToolSpan {
        id: "".into(),
        name: attributes.text_of("function_name").unwrap_or_default(),
        arguments: attributes.get("function_args"),
        output: None,
        error: (!succeeded).then(|| error.unwrap_or_else(|| "failed".into())),
        start: at.zip(took).map(|(at, took)| at - took),
        end: at,
    };
    span.give(give);
}
