//! Vercel's AI SDK: messages of its user interface, messages for models, and its stream.

use crate::json::value::Json;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::draft::MessageDraft;
use crate::transcript::dialect::field::{
    any, first, first_text, has, list_in, text_at, written_at,
};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::recall::RecallById;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{role, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the messages and of the stream.
#[derive(Debug, Default)]
pub(super) struct AiSdk {
    draft: MessageDraft,
    calls: SeenIds,
    /// The names of calls whose input is streamed.
    names: RecallById<Box<str>>,
}

impl Dialect for AiSdk {
    fn weigh(record: Json<'_>) -> u32 {
        let kind = record.text_of("type");
        if kind.as_deref().is_some_and(is_chunk) {
            return 8;
        }
        let is_part = |part: Json<'_>| {
            part.text_of("type").is_some_and(|kind| {
                kind == "step-start" || kind == "dynamic-tool" || kind.starts_with("tool-")
            })
        };
        let is_plain = |part: Json<'_>| part.text_of("type").as_deref() == Some("text");
        let is_block = |block: Json<'_>| {
            matches!(block.text_of("type").as_deref(), Some("tool-call" | "tool-result"))
                && has(block, &["toolCallId"])
        };
        let is_invocation = |item: Json<'_>| has(item, &["toolCallId", "toolName"]);
        match record.text_of("role") {
            Some(_) if any(record.get("toolInvocations"), is_invocation) => 9,
            Some(_) if any(record.get("parts"), is_part) => 9,
            Some(_) if any(record.get("content"), is_block) => 9,
            Some(role) if role != "model" && any(record.get("parts"), is_plain) => 3,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(name) = record.text_of("role") else { return self.chunk(record, give) };
        let (role, at) = (role(&name), written_at(record));
        if let Some(parts) = record.get("parts") {
            for part in parts.items() {
                ui_part(part, role, at, give);
            }
            return true;
        }
        let Some(content) = record.get("content") else { return false };
        for block in content.items() {
            match block.text_of("type").as_deref() {
                Some("tool-result") => give(model_result(block, at)),
                _ => Blocks::plain(role, at).block(block, give),
            }
        }
        if let Some(text) = content.text() {
            say(role, text, give);
        }
        // The calls of the SDK's version 4 stand beside the text.
        for tool in record.get("toolInvocations").into_iter().flat_map(Json::items) {
            invocation(tool, "tool-invocation", at, give);
        }
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.draft.end(give);
    }
}

fn is_chunk(kind: &str) -> bool {
    let known = ["start-step", "finish-step", "tool-input-start", "tool-input-delta"];
    let more = ["tool-input-available", "tool-input-error", "tool-output-available"];
    let last = ["tool-output-error", "tool-output-denied", "text-start", "text-delta", "text-end"];
    known.iter().chain(&more).chain(&last).any(|known| *known == kind)
        || kind.starts_with("reasoning-")
}

impl AiSdk {
    /// A chunk of the stream.
    fn chunk<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(kind) = line.text_of("type") else { return false };
        let key = line.text_of("id").unwrap_or_default();
        let piece = first_text(line, &["delta", "text"]).unwrap_or_default();
        match &*kind {
            "text-delta" => self.draft.add(Role::Assistant, &key, &piece, give),
            "reasoning-delta" => self.draft.add(Role::Thinking, &key, &piece, give),
            "text-end" | "reasoning-end" => self.draft.end(give),
            "error" => {
                self.draft.end(give);
                let text = line.text_of("errorText").unwrap_or_default();
                say(Role::Error, text, give);
            }
            kind if kind.starts_with("tool-") => {
                self.draft.end(give);
                self.tool_chunk(kind, line, give);
            }
            _ => give(LogEvent::Skipped(kind)),
        }
        true
    }

    fn tool_chunk<'a>(&mut self, kind: &str, line: Json<'a>, give: Give<'_, 'a>) {
        let id = line.text_of("toolCallId").unwrap_or_default();
        let name = line.text_of("toolName");
        if let Some(name) = &name {
            self.names.insert(&id, (&**name).into(), name.len());
        }
        let at = written_at(line);
        let parts = |ending| ResultParts { id: Some(id.clone()), name: None, at, ending };
        match kind {
            "tool-input-available" | "tool-input-error" => {
                let known = || self.names.get(&id).map(|name| name.to_string().into());
                let name = name.or_else(known).unwrap_or_default();
                let arguments = line.get("input");
                if self.calls.is_new(&id) {
                    give(CallParts { id: id.clone(), name, arguments, at }.plain());
                }
                if kind == "tool-input-error" {
                    let text = line.text_of("errorText").unwrap_or_default();
                    give(parts(CallEnding::Failed).saying(text));
                }
            }
            "tool-output-available" => {
                let preliminary = line.get("preliminary").and_then(Json::as_bool);
                if preliminary != Some(true) {
                    give(parts(CallEnding::Success).with(line.get("output")));
                }
            }
            "tool-output-error" => {
                give(
                    parts(CallEnding::Failed).saying(line.text_of("errorText").unwrap_or_default()),
                );
            }
            "tool-output-denied" => give(parts(CallEnding::Denied).saying("".into())),
            _ => {}
        }
    }
}

/// A part of a message of the user interface: call and result in one.
fn ui_part<'a>(part: Json<'a>, role: Role, at: Option<i64>, give: Give<'_, 'a>) {
    let kind = part.text_of("type").unwrap_or_default();
    let part_of_tool = match &*kind {
        "text" => {
            if let Some(text) = part.text_of("text") {
                say(role, text, give);
            }
            return;
        }
        "reasoning" => {
            let text = first_text(part, &["text", "reasoning"]).unwrap_or_default();
            return say(Role::Thinking, text, give);
        }
        "tool-invocation" => part.get("toolInvocation"),
        kind if kind == "dynamic-tool" || kind.starts_with("tool-") => Some(part),
        _ => None,
    };
    match part_of_tool {
        Some(tool) => invocation(tool, &kind, at, give),
        None => give(LogEvent::Skipped(kind)),
    }
}

/// A call with what became of it; without a name it has that of its kind.
fn invocation<'a>(tool: Json<'a>, kind: &str, at: Option<i64>, give: Give<'_, 'a>) {
    let of_kind = || kind.strip_prefix("tool-").unwrap_or(kind).to_owned().into();
    let name = tool.text_of("toolName").unwrap_or_else(of_kind);
    let id = tool.text_of("toolCallId").unwrap_or_default();
    let arguments = first(tool, &["input", "args", "rawInput"]);
    give(CallParts { id: id.clone(), name, arguments, at }.plain());
    let is_preliminary = tool.get("preliminary").and_then(Json::as_bool).unwrap_or_default();
    let parts = |ending| ResultParts { id: Some(id.clone()), name: None, at, ending };
    match tool.text_of("state").as_deref() {
        Some("output-available" | "result") if !is_preliminary => {
            give(parts(CallEnding::Success).with(first(tool, &["output", "result"])));
        }
        Some("output-error") => {
            let text = tool.text_of("errorText").unwrap_or_default();
            give(parts(CallEnding::Failed).saying(text));
        }
        Some("output-denied") => {
            let reason = text_at(tool, &["approval", "reason"]).unwrap_or_default();
            give(parts(CallEnding::Denied).saying(reason));
        }
        _ => {}
    }
}

/// A result in a message for models.
fn model_result(block: Json<'_>, at: Option<i64>) -> LogEvent<'_> {
    let output = first(block, &["output", "result", "content"]);
    let kind = output.and_then(|output| output.text_of("type"));
    let is_error = block.get("isError").and_then(Json::as_bool).unwrap_or_default();
    let ending = match kind.as_deref() {
        Some("error-text" | "error-json") => CallEnding::Failed,
        Some("execution-denied") => CallEnding::Denied,
        _ => CallEnding::failed(is_error),
    };
    let id = block.text_of("toolCallId");
    let parts = ResultParts { id, name: block.text_of("toolName"), at, ending };
    let value = output.map(|output| first(output, &["value", "reason"]).unwrap_or(output));
    match value {
        Some(value) if ending != CallEnding::Success => {
            let text = words(value).unwrap_or_else(|| message(value));
            parts.saying(text)
        }
        value => parts.with(value),
    }
}
