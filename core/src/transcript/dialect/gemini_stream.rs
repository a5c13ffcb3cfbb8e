//! Gemini CLI: `gemini -p … --output-format stream-json`.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{has, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{ending, role, say, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the stream.
#[derive(Debug, Default)]
pub(super) struct GeminiStream {
    draft: MessageDraft,
}

impl Dialect for GeminiStream {
    fn weigh(line: Json<'_>) -> u32 {
        match line.text_of("type").as_deref() {
            Some("init") if has(line, &["session_id", "model"]) => 9,
            Some("tool_use") if has(line, &["tool_id", "tool_name"]) => 9,
            Some("tool_result") if has(line, &["tool_id"]) => 9,
            Some("message") if has(line, &["role", "delta"]) => 4,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let kind = line.text_of("type");
        if kind.as_deref() == Some("message") {
            let (Some(name), Some(text)) = (line.text_of("role"), line.text_of("content")) else {
                return false;
            };
            if line.get("delta").and_then(Json::as_bool).unwrap_or_default() {
                self.draft.add(role(&name), "", &text, give);
            } else {
                self.draft.end(give);
                say(role(&name), text, give);
            }
            return true;
        }
        self.draft.end(give);
        let at = written_at(line);
        match kind.as_deref() {
            Some("init") => {
                session(line, &["session_id"], give);
                if let Some(model) = line.text_of("model") {
                    give(LogEvent::Model(model));
                }
            }
            Some("tool_use") => {
                let (Some(id), Some(name)) = (line.text_of("tool_id"), line.text_of("tool_name"))
                else {
                    return false;
                };
                let arguments = line.get("parameters");
                give(CallParts { id, name, arguments, at }.of_agent());
            }
            Some("tool_result") => {
                let status = line.text_of("status");
                let ending =
                    status.and_then(|status| ending(&status)).unwrap_or(CallEnding::Success);
                let id = line.text_of("tool_id");
                let parts = ResultParts { id, name: None, at, ending };
                let error = text_at(line, &["error", "message"]);
                give(match error.filter(|_| ending != CallEnding::Success) {
                    Some(text) => parts.saying(text),
                    None => parts.with(line.get("output")),
                });
            }
            Some("error") => {
                let Some(text) = line.text_of("message") else { return false };
                give(LogEvent::Message { role: Role::Error, text });
            }
            Some("result") => {
                if let Some(tokens) = line.get("stats").and_then(facts::tokens) {
                    give(LogEvent::Usage(None, tokens));
                }
                if let Some(text) = text_at(line, &["error", "message"]) {
                    give(LogEvent::Message { role: Role::Error, text });
                }
            }
            _ => return false,
        }
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
    }
}
