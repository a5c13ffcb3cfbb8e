//! `OpenCode` and its family: `opencode run --format json`, exports, events, and stored parts.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{at, first_text, has, list_in, moment, text_at};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::recall::RecallById;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{role, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// How many waiting calls are kept, and how many bytes of them.
const MOST: usize = 4096;
const MOST_BYTES: usize = 8 << 20;

/// The reader of `OpenCode`'s logs.
#[derive(Debug, Default)]
pub(super) struct OpenCode {
    draft: MessageDraft,
    /// The roles of messages by id.
    roles: RecallById<Role>,
    /// Parts of calls whose arguments may still come, in order.
    waiting: Vec<(Box<str>, String)>,
    seen: SeenIds,
}

impl Dialect for OpenCode {
    fn weigh(record: Json<'_>) -> u32 {
        let is_entry = |item: Json<'_>| has(item, &["info", "parts"]);
        let messages = record.get("messages");
        let kind = record.text_of("type");
        match kind.as_deref() {
            _ if has(record, &["info"])
                && messages.is_some_and(|list| list.items().next().is_some_and(is_entry)) =>
            {
                WHOLE
            }
            _ if has(record, &["sessionID", "timestamp"])
                && (has(record, &["part"]) || has(record, &["error"])) =>
            {
                9
            }
            Some(kind) if has(record, &["properties"]) && is_event(kind) => 9,
            _ if has(record, &["sessionID", "messageID", "type"]) => 9,
            _ if has(record, &["sessionID", "role", "time"]) => 9,
            None if is_entry(record) => 9,
            None if has(record, &["projectID", "title", "time"]) => 6,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        let id = text_at(document, &["info", "id"]);
        if let Some(id) = id {
            give(LogEvent::Session(id));
        }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        session(record, &["sessionID"], give);
        if let (Some(info), Some(parts)) = (record.get("info"), record.get("parts")) {
            let role = self.info(info, give);
            for part in parts.items() {
                self.part(part, Some(role), give);
            }
            self.draft.end(give);
            return true;
        }
        if let Some(properties) = record.get("properties") {
            return self.event(record, properties, give);
        }
        if let Some(part) = record.get("part") {
            self.part(part, Some(Role::Assistant), give);
            if record.text_of("type").as_deref() == Some("text") {
                self.draft.end(give);
            }
            return true;
        }
        if has(record, &["messageID", "type"]) {
            self.part(record, None, give);
            return true;
        }
        if has(record, &["role", "time"]) {
            self.info(record, give);
            return true;
        }
        if has(record, &["projectID", "title"]) {
            session(record, &["id"], give);
            return true;
        }
        error(record, give)
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
        for (_, raw) in std::mem::take(&mut self.waiting) {
            nested(&raw, give, &mut |part, give| {
                if let Some(call) = call(part) {
                    give(call);
                }
            });
        }
    }
}

fn is_event(kind: &str) -> bool {
    ["message.", "session.", "server.", "permission.", "file.", "todo.", "storage."]
        .iter()
        .any(|start| kind.starts_with(start))
}

fn error<'a>(record: Json<'a>, give: Give<'_, 'a>) -> bool {
    let Some(error) = record.get("error").filter(|error| !error.is_null()) else { return false };
    let text = text_at(error, &["data", "message"])
        .or_else(|| first_text(error, &["message", "name"]))
        .or_else(|| error.text());
    let Some(text) = text else { return false };
    give(LogEvent::Message { role: Role::Error, text });
    true
}

impl OpenCode {
    /// A message without its parts: its role, and its facts.
    fn info<'a>(&mut self, info: Json<'a>, give: Give<'_, 'a>) -> Role {
        let role = role(&info.text_of("role").unwrap_or_default());
        if let Some(id) = info.text_of("id") {
            self.roles.insert(&id, role, size_of::<Role>());
            let tokens = info.get("tokens").and_then(facts::tokens);
            if let Some(tokens) = tokens {
                give(LogEvent::Usage(Some(id), tokens));
            }
            give(LogEvent::About(About {
                at: at(info, &["time", "created"]).and_then(moment),
                model: info.text_of("modelID").map(|model| Box::from(&*model)),
                tokens,
                cost: info.get("cost").map(|cost| cost.raw().into()),
                folder: text_at(info, &["path", "cwd"]).map(|folder| Box::from(&*folder)),
                ..About::default()
            }));
        }
        error(info, give);
        role
    }

    fn event<'a>(&mut self, event: Json<'a>, properties: Json<'a>, give: Give<'_, 'a>) -> bool {
        let kind = event.text_of("type").unwrap_or_default();
        match (&*kind, properties.get("info"), properties.get("part")) {
            ("message.updated", Some(info), _) => {
                session(info, &["sessionID"], give);
                self.info(info, give);
            }
            ("message.part.updated", _, Some(part)) => {
                session(part, &["sessionID"], give);
                self.part(part, None, give);
            }
            ("session.error", ..) => return error(properties, give),
            _ => give(LogEvent::Skipped(kind)),
        }
        true
    }

    /// A part of a message. A part that comes again is in a newer state.
    fn part<'a>(&mut self, part: Json<'a>, role: Option<Role>, give: Give<'_, 'a>) {
        let message = part.text_of("messageID").unwrap_or_default();
        let role = role.or_else(|| self.roles.get(&message).copied()).unwrap_or(Role::Assistant);
        let id = part.text_of("id").unwrap_or_default();
        let is = |key: &str| part.get(key).and_then(Json::as_bool).unwrap_or_default();
        match part.text_of("type").as_deref() {
            Some("text") => {
                let Some(text) = part.text_of("text") else { return };
                let role = if is("synthetic") || is("ignored") { Role::System } else { role };
                self.draft.replace(role, &id, &text, give);
            }
            Some("reasoning") => {
                let Some(text) = part.text_of("text") else { return };
                self.draft.replace(Role::Thinking, &id, &text, give);
            }
            Some("tool") => {
                self.draft.end(give);
                self.tool(part, &id, give);
            }
            Some("step-finish") => {
                if let Some(tokens) = part.get("tokens").and_then(facts::tokens) {
                    let key = if message.is_empty() { id } else { message };
                    give(LogEvent::Usage(Some(key), tokens));
                }
            }
            Some("retry") => {
                error(part, give);
            }
            Some(kind) => give(LogEvent::Skipped(kind.to_owned().into())),
            None => give(LogEvent::Skipped("part".into())),
        }
    }

    fn tool<'a>(&mut self, part: Json<'a>, id: &str, give: Give<'_, 'a>) {
        let status = text_at(part, &["state", "status"]);
        let bytes = || self.waiting.iter().map(|(_, raw)| raw.len()).sum::<usize>();
        let has_room = || self.waiting.len() < MOST && bytes() + part.raw().len() <= MOST_BYTES;
        if status.as_deref() == Some("pending") && !id.is_empty() && has_room() {
            match self.waiting.iter_mut().find(|(known, _)| **known == *id) {
                Some((_, raw)) => part.raw().clone_into(raw),
                None => self.waiting.push((id.into(), part.raw().to_owned())),
            }
            return;
        }
        self.waiting.retain(|(known, _)| **known != *id);
        if (id.is_empty() || self.seen.is_new(&format!("call {id}")))
            && let Some(call) = call(part)
        {
            give(call);
        }
        let ended = matches!(status.as_deref(), Some("completed" | "error"));
        if ended
            && (id.is_empty() || self.seen.is_new(&format!("result {id}")))
            && let Some(result) = result(part)
        {
            give(result);
        }
    }
}

fn call(part: Json<'_>) -> Option<LogEvent<'_>> {
    let state = part.get("state")?;
    let (id, name) = (first_text(part, &["callID", "id"])?, part.text_of("tool")?);
    let at = at(state, &["time", "start"]).and_then(moment);
    Some(CallParts { id, name, arguments: state.get("input"), at }.of_agent())
}

fn result(part: Json<'_>) -> Option<LogEvent<'_>> {
    let state = part.get("state")?;
    let id = first_text(part, &["callID", "id"]);
    let when = at(state, &["time", "end"]).and_then(moment);
    let parts = ResultParts { id, name: None, at: when, ending: CallEnding::Success };
    if state.text_of("status").as_deref() == Some("error") {
        let text = state.text_of("error").unwrap_or_default();
        let ending = if text.contains("rejected permission") {
            CallEnding::Denied
        } else if text == "Tool execution aborted" {
            CallEnding::Cancelled
        } else {
            CallEnding::Failed
        };
        return Some(ResultParts { ending, ..parts }.saying(text));
    }
    let exit = at(state, &["metadata", "exit"]);
    let code = exit.and_then(Json::as_i64).and_then(|code| i32::try_from(code).ok());
    let was_killed = exit.is_some_and(Json::is_null);
    Some(match state.get("output") {
        Some(output) if was_killed => {
            let text = output.text().unwrap_or_default();
            ResultParts { ending: CallEnding::Failed, ..parts }.saying(text)
        }
        Some(output) if code.is_some_and(|code| code != 0) => {
            parts.of_command(output.text().unwrap_or_default(), code)
        }
        output => parts.with(output),
    })
}
