//! Pydantic AI's messages.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{has, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct PydanticAi;

impl Dialect for PydanticAi {
    fn weigh(record: Json<'_>) -> u32 {
        match record.text_of("kind").as_deref() {
            Some("request" | "response") if has(record, &["parts"]) => 10,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(parts) = record.get("parts") else { return false };
        let at = written_at(record);
        let tokens = record.get("usage").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(record.text_of("provider_response_id"), tokens));
        }
        let own = |key: &str| record.text_of(key).map(|text| Box::from(&*text));
        give(LogEvent::About(About {
            at,
            model: own("model_name"),
            stop: own("finish_reason"),
            tokens,
            ..About::default()
        }));
        for part in parts.items() {
            read(part, written_at(part).or(at), give);
        }
        true
    }
}

fn read<'a>(part: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
    let kind = part.text_of("part_kind").unwrap_or_default();
    let content = part.get("content");
    let said = || content.and_then(words).unwrap_or_default();
    let (id, name) = (part.text_of("tool_call_id"), part.text_of("tool_name"));
    match &*kind {
        "user-prompt" => say(Role::User, said(), give),
        "text" => say(Role::Assistant, said(), give),
        "thinking" => say(Role::Thinking, said(), give),
        "tool-call" | "builtin-tool-call" => {
            let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
            give(CallParts { id, name, arguments: part.get("args"), at }.plain());
        }
        "tool-return" | "builtin-tool-return" => {
            let ending = match part.text_of("outcome").as_deref() {
                Some("failed" | "retried") => CallEnding::Failed,
                Some("denied") => CallEnding::Denied,
                Some("interrupted") => CallEnding::Cancelled,
                _ => CallEnding::Success,
            };
            give(ResultParts { id, name, at, ending }.with(content));
        }
        "retry-prompt" if name.is_some() => {
            let text = content.map(|content| words(content).unwrap_or_else(|| message(content)));
            let ending = CallEnding::Failed;
            give(ResultParts { id, name, at, ending }.saying(text.unwrap_or_default()));
        }
        // Without a tool, the words are to the model.
        "system-prompt" | "retry-prompt" => say(Role::System, said(), give),
        _ => give(LogEvent::Skipped(kind)),
    }
}
