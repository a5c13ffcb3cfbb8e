//! Kimi's older command line: the wire of its sessions.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::field::{first, has, text_at, written_at};
use crate::transcript::dialect::held_text::HeldText;
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the wire.
#[derive(Debug, Default)]
pub(super) struct KimiCli {
    draft: MessageDraft,
    /// A call whose arguments may still come: its record, and the arguments so far.
    open: Option<(String, HeldText)>,
}

impl Dialect for KimiCli {
    fn weigh(line: Json<'_>) -> u32 {
        let message = line.get("message");
        let fits = message.is_some_and(|message| has(message, &["type", "payload"]));
        if fits && has(line, &["timestamp"]) { 9 } else { 0 }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(message) = line.get("message") else { return false };
        self.message(message, written_at(line), None, give)
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
        self.end_call(give);
    }
}

impl KimiCli {
    fn message<'a>(
        &mut self,
        message: Json<'a>,
        at: Option<i64>,
        parent: Option<&str>,
        give: Give<'_, 'a>,
    ) -> bool {
        let (Some(kind), Some(payload)) = (message.text_of("type"), message.get("payload")) else {
            return false;
        };
        if kind == "ToolCallPart" {
            self.call_part(payload);
            return true;
        }
        self.end_call(give);
        if kind == "ContentPart" {
            let (role, key) = match payload.text_of("type").as_deref() {
                Some("think") => (Role::Thinking, "think"),
                _ => (Role::Assistant, "text"),
            };
            let text = payload.text_of(key).unwrap_or_default();
            self.draft.add(role, parent.unwrap_or_default(), &text, give);
            return true;
        }
        self.draft.end(give);
        if let Some(parent) = parent {
            give(LogEvent::About(About { at, parent: Some(parent.into()), ..About::default() }));
        }
        match &*kind {
            "TurnBegin" => {
                let text = payload.get("user_input").and_then(words).unwrap_or_default();
                say(Role::User, text, give);
            }
            "ToolCall" => {
                let raw = payload.raw().to_owned();
                let arguments = text_at(payload, &["function", "arguments"]);
                self.open = Some((raw, (&*arguments.unwrap_or_default()).into()));
            }
            "ToolResult" => {
                let value = payload.get("return_value").unwrap_or(payload);
                let failed = value.get("is_error").and_then(Json::as_bool).unwrap_or_default();
                let id = payload.text_of("tool_call_id");
                let ending = CallEnding::failed(failed);
                let content = first(value, &["output", "message"]);
                give(ResultParts { id, name: None, at, ending }.with(content));
            }
            "SubagentEvent" => {
                let parent = payload.text_of("parent_tool_call_id").unwrap_or_default();
                let Some(event) = payload.get("event") else { return false };
                return self.message(event, at, Some(&parent), give);
            }
            _ => give(LogEvent::Skipped(kind)),
        }
        true
    }

    /// A piece of the arguments.
    fn call_part(&mut self, payload: Json<'_>) {
        let piece = payload.text_of("arguments_part").unwrap_or_default();
        if let Some((_, arguments)) = &mut self.open {
            arguments.push(&piece);
        }
    }

    /// Gives the call whose arguments are complete.
    fn end_call(&mut self, give: Give<'_, '_>) {
        let Some((raw, arguments)) = self.open.take() else { return };
        let arguments = serde_json::Value::from(arguments.into_text()).to_string();
        nested(&format!("[{raw},{arguments}]"), give, &mut |pair, give| {
            let mut both = pair.items();
            let (Some(call), arguments) = (both.next(), both.next()) else { return };
            let Some(name) = text_at(call, &["function", "name"]) else { return };
            let id = call.text_of("id").unwrap_or_default();
            give(CallParts { id, name, arguments, at: None }.of_agent());
        });
    }
}
