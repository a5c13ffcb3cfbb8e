//! AG-UI: the events of a run.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::field::{has, written_at};
use crate::transcript::dialect::held_text::HeldText;
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::openai;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{role, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// How many calls whose arguments come are held, and how many bytes of them.
const MOST: usize = 1024;
const MOST_BYTES: usize = 16 << 20;

/// The reader of the events.
#[derive(Debug, Default)]
pub(super) struct AgUi {
    draft: MessageDraft,
    role: Option<Role>,
    /// The call whose arguments come: its id, its name, the arguments so far.
    open: Vec<(String, String, HeldText)>,
    /// Messages and calls that came as events.
    seen: SeenIds,
}

impl Dialect for AgUi {
    fn weigh(line: Json<'_>) -> u32 {
        let Some(kind) = line.text_of("type") else { return 0 };
        let starts = ["RUN_", "TEXT_MESSAGE_", "TOOL_CALL_", "REASONING_", "THINKING_"];
        let others = ["STATE_", "MESSAGES_SNAPSHOT", "STEP_"];
        let is_event = starts.iter().chain(&others).any(|start| kind.starts_with(start));
        if is_event { 9 } else { 0 }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(kind) = line.text_of("type") else { return false };
        let message = line.text_of("messageId").unwrap_or_default();
        let piece = line.text_of("delta").unwrap_or_default();
        match &*kind {
            "RUN_STARTED" => {
                session(line, &["threadId"], give);
            }
            "TEXT_MESSAGE_START" => {
                self.end(give);
                self.role = line.text_of("role").map(|name| role(&name));
                self.seen.is_new(&message);
            }
            "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => {
                self.seen.is_new(&message);
                let role = line.text_of("role").map(|name| role(&name)).or(self.role);
                self.draft.add(role.unwrap_or(Role::Assistant), &message, &piece, give);
            }
            "REASONING_MESSAGE_CONTENT"
            | "REASONING_MESSAGE_CHUNK"
            | "THINKING_TEXT_MESSAGE_CONTENT" => {
                self.draft.add(Role::Thinking, &message, &piece, give);
            }
            "TOOL_CALL_START" | "TOOL_CALL_CHUNK" | "TOOL_CALL_ARGS" => {
                self.draft.end(give);
                self.piece(line, &piece, give);
            }
            "TOOL_CALL_RESULT" => {
                self.end(give);
                let id = line.text_of("toolCallId");
                self.seen.is_new(&format!("result {}", id.as_deref().unwrap_or_default()));
                let at = written_at(line);
                let parts = ResultParts { id, name: None, at, ending: CallEnding::Success };
                give(parts.with(line.get("content")));
            }
            "RUN_ERROR" => {
                self.end(give);
                let Some(text) = line.text_of("message") else { return false };
                give(LogEvent::Message { role: Role::Error, text });
            }
            "MESSAGES_SNAPSHOT" => {
                self.end(give);
                self.snapshot(line, give);
            }
            kind if kind.ends_with("_END") => self.end(give),
            _ => {
                self.end(give);
                give(LogEvent::Skipped(kind));
            }
        }
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.end(give);
    }
}

impl AgUi {
    /// A piece of a call.
    fn piece<'a>(&mut self, line: Json<'a>, piece: &str, give: Give<'_, 'a>) {
        let id = line.text_of("toolCallId");
        let is_open =
            |open: &(String, String, HeldText)| id.as_deref().is_none_or(|id| open.0 == id);
        if let Some(open) = self.open.iter_mut().rev().find(|open| is_open(open)) {
            return open.2.push(piece);
        }
        if let (Some(id), Some(name)) = (id, line.text_of("toolCallName")) {
            self.seen.is_new(&id);
            let bytes =
                self.open.iter().map(|(id, name, piece)| id.len() + name.len() + piece.len());
            if self.open.len() >= MOST || bytes.sum::<usize>() > MOST_BYTES {
                self.end(give);
            }
            self.open.push((id.into_owned(), name.into_owned(), piece.into()));
        } else {
            give(LogEvent::Skipped("TOOL_CALL_ARGS".into()));
        }
    }

    /// Gives the messages and the calls that are complete.
    fn end(&mut self, give: Give<'_, '_>) {
        self.draft.end(give);
        for (id, name, arguments) in std::mem::take(&mut self.open) {
            let raw = serde_json::Value::from(arguments.into_text()).to_string();
            nested(&format!("[{raw}]"), give, &mut |list, give| {
                let (id, name) = (id.clone().into(), name.clone().into());
                let arguments = list.items().next();
                give(CallParts { id, name, arguments, at: None }.of_agent());
            });
        }
    }

    /// Messages that replace the conversation: those that came as events repeat.
    fn snapshot<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) {
        for message in line.get("messages").into_iter().flat_map(Json::items) {
            let id = message.text_of("id").unwrap_or_default();
            let call = message.text_of("toolCallId");
            let result = call.map(|id| format!("result {id}"));
            let calls = message.get("toolCalls").or(message.get("tool_calls"));
            let is_call_known = calls.is_some_and(|calls| {
                calls.items().filter_map(|call| call.text_of("id")).any(|id| !self.seen.is_new(&id))
            });
            let key = result.as_deref().unwrap_or(&id);
            let is_known = !key.is_empty() && !self.seen.is_new(key) || is_call_known;
            if is_known || !has(message, &["role"]) || !openai::read(message, give) {
                give(LogEvent::Repeated);
            }
        }
    }
}
