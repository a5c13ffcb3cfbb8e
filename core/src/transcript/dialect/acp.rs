//! The Agent Client Protocol: what an agent and an editor say to each other.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::field::{
    at as field_at, first, first_text, has, text_at, written_at,
};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::recall::RecallById;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{ending, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// How many calls whose arguments may still come are held, and how many bytes of them.
const MOST: usize = 1024;
const MOST_BYTES: usize = 8 << 20;

/// The reader of the protocol's messages.
#[derive(Debug, Default)]
pub(super) struct Acp {
    draft: MessageDraft,
    /// Calls whose arguments may still come, in order: id and record.
    held: Vec<(Box<str>, String)>,
    calls: SeenIds,
    ended: SeenIds,
    /// What calls gave so far, for updates that do not repeat it.
    given: RecallById<String>,
}

impl Dialect for Acp {
    fn weigh(line: Json<'_>) -> u32 {
        let line = line.get("message").filter(|_| has(line, &["direction"])).unwrap_or(line);
        let is_update = update(line).is_some();
        let method = line.text_of("method").unwrap_or_default();
        if is_update || has(line, &["sessionUpdate"]) {
            9
        } else {
            // Other protocols have `initialize` too, and answers of any shape.
            let starts = ["session/", "fs/", "terminal/"];
            let is_ours = starts.iter().any(|start| method.starts_with(start));
            if is_ours && has(line, &["jsonrpc"]) { 6 } else { 0 }
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let line = line.get("message").filter(|_| has(line, &["direction"])).unwrap_or(line);
        if let Some(id) = first_text(line.get("params").unwrap_or(line), &["sessionId"]) {
            give(LogEvent::Session(id));
        }
        if let Some(update) = update(line) {
            return self.update(update, written_at(line), give);
        }
        if let Some(prompt) = field_at(line, &["params", "prompt"]) {
            self.draft.end(give);
            for block in prompt.items() {
                match block.text_of("text") {
                    Some(text) => say(Role::User, text, give),
                    None => give(LogEvent::Skipped(block.text_of("type").unwrap_or_default())),
                }
            }
            return true;
        }
        if let Some(text) = text_at(line, &["error", "message"]) {
            self.draft.end(give);
            give(LogEvent::Message { role: Role::Error, text });
            return true;
        }
        false
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
        self.release(None, give);
    }
}

/// The update that a line holds.
fn update(line: Json<'_>) -> Option<Json<'_>> {
    let inner =
        field_at(line, &["params", "update"]).or_else(|| line.get("update")).unwrap_or(line);
    inner.get("sessionUpdate").map(|_| inner)
}

impl Acp {
    fn update<'a>(&mut self, update: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) -> bool {
        let kind = update.text_of("sessionUpdate").unwrap_or_default();
        let role = match &*kind {
            "user_message_chunk" | "user_message" => Role::User,
            "agent_message_chunk" | "agent_message" => Role::Assistant,
            "agent_thought_chunk" | "agent_thought" => Role::Thinking,
            "tool_call" | "tool_call_update" => {
                self.draft.end(give);
                return self.call(update, at, give);
            }
            "plan" => {
                self.draft.end(give);
                give(plan(update));
                return true;
            }
            _ => {
                give(LogEvent::Skipped(kind));
                return true;
            }
        };
        let key = update.text_of("messageId").unwrap_or_default();
        match update.get("content").and_then(words) {
            Some(text) => self.draft.add(role, &key, &text, give),
            None => give(LogEvent::Skipped("content".into())),
        }
        true
    }

    fn call<'a>(&mut self, update: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) -> bool {
        let Some(id) = update.text_of("toolCallId") else { return false };
        let status = update.text_of("status").unwrap_or_default();
        let end = ending(&status);
        let is_known = self.held.iter().any(|(held, _)| **held == *id);
        if !is_known && self.calls.is_new(&id) {
            self.held.push(((&*id).into(), update.raw().to_owned()));
        }
        if has(update, &["rawInput"]) || end.is_some() || self.is_full() {
            self.release(Some((&id, update)), give);
        }
        let content = first(update, &["content", "rawOutput"]);
        if let (None, Some(content)) = (end, content) {
            self.given.insert(&id, content.raw().to_owned(), content.raw().len());
        }
        let Some(ending) = end else { return true };
        if !self.ended.is_new(&id) {
            give(LogEvent::Repeated);
            return true;
        }
        self.result(update, id.into_owned(), at, ending, give);
        true
    }

    /// Whether so many calls are held that they are given as they are.
    fn is_full(&self) -> bool {
        let bytes = || self.held.iter().map(|(_, raw)| raw.len()).sum::<usize>();
        self.held.len() > MOST || bytes() > MOST_BYTES
    }

    fn result<'a>(
        &mut self,
        update: Json<'a>,
        id: String,
        at: Option<i64>,
        mut ending: CallEnding,
        give: Give<'_, 'a>,
    ) {
        let earlier = self.given.remove(&id);
        let code = field_at(update, &["rawOutput", "exit_code"]);
        if code.and_then(Json::as_i64).is_some_and(|code| code != 0)
            && ending == CallEnding::Success
        {
            ending = CallEnding::Failed;
        }
        let content = first(update, &["content", "rawOutput"]);
        let filled =
            content.filter(|content| !content.is_array() || content.items().next().is_some());
        let parts = |id: String| ResultParts { id: Some(id.into()), name: None, at, ending };
        match (filled.or(update.get("rawOutput")), earlier) {
            (Some(content), _) => give(parts(id).with(Some(content))),
            (None, Some(raw)) => {
                let wrapped = format!("[{raw}]");
                nested(&wrapped, give, &mut |list, give| {
                    give(parts(id.clone()).with(list.items().next()));
                });
            }
            (None, None) => give(parts(id).with(None)),
        }
    }

    /// Gives the held calls: all up to one, with what an update of it says; or all.
    fn release(&mut self, until: Option<(&str, Json<'_>)>, give: Give<'_, '_>) {
        let count = match until {
            Some((id, _)) => self.held.iter().position(|(held, _)| **held == *id).map(|at| at + 1),
            None => Some(self.held.len()),
        };
        for (id, raw) in self.held.drain(..count.unwrap_or_default()) {
            let newer =
                until.filter(|(until, _)| **until == *id).map_or("{}", |(_, newer)| newer.raw());
            nested(&format!("[{raw},{newer}]"), give, &mut |pair, give| {
                let (Some(first), Some(newer)) = (pair.items().next(), pair.items().nth(1)) else {
                    return;
                };
                give(begun(first, newer));
            });
        }
    }
}

/// The call that a record begins, with what a newer one says of it.
fn begun<'a>(record: Json<'a>, newer: Json<'a>) -> LogEvent<'a> {
    let name = text_at(record, &["_meta", "toolName"])
        .or_else(|| first_text(record, &["kind", "title"]))
        .or_else(|| first_text(newer, &["kind", "title"]))
        .unwrap_or_else(|| "other".into());
    let arguments = first(record, &["rawInput"]).or(first(newer, &["rawInput"]));
    let arguments = arguments.or(first(record, &["locations"]));
    let id = record.text_of("toolCallId").unwrap_or_default();
    CallParts { id, name, arguments, at: written_at(record) }.of_agent()
}

/// The plan as a message: it is no call that runs.
fn plan(update: Json<'_>) -> LogEvent<'_> {
    let entries = update.get("entries").into_iter().flat_map(Json::items);
    let lines: Vec<_> = entries
        .map(|entry| {
            let text = |key| entry.text_of(key).unwrap_or_default();
            format!("{}: {}", text("status"), text("content"))
        })
        .collect();
    LogEvent::Message { role: Role::System, text: format!("plan\n{}", lines.join("\n")).into() }
}
