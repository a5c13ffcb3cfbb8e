//! `LangChain`'s and `LangGraph`'s messages, in each of their three forms.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{has, list_in, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{ending, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct LangChain;

/// The kind of a message and its fields.
fn inner(record: Json<'_>) -> Option<(MessageKind, Json<'_>)> {
    if let Some(fields) = record.get("kwargs").filter(|_| has(record, &["lc", "id"])) {
        let name = record.get("id")?.items().last()?.text()?;
        let kind = match &*name {
            "HumanMessage" | "HumanMessageChunk" => MessageKind::Human,
            "AIMessage" | "AIMessageChunk" => MessageKind::Model,
            "ToolMessage" | "FunctionMessage" => MessageKind::Tool,
            name if name.ends_with("Message") => MessageKind::System,
            _ => return None,
        };
        return Some((kind, fields));
    }
    let kind = match &*record.text_of("type")? {
        "human" | "HumanMessageChunk" => MessageKind::Human,
        "ai" | "AIMessageChunk" => MessageKind::Model,
        "tool" => MessageKind::Tool,
        "system" => MessageKind::System,
        _ => return None,
    };
    let fields = record.get("data").filter(|data| data.is_object()).unwrap_or(record);
    Some((kind, fields)).filter(|(_, fields)| has(*fields, &["content"]))
}

/// Who wrote a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MessageKind {
    Human,
    Model,
    Tool,
    System,
}

impl Dialect for LangChain {
    fn weigh(record: Json<'_>) -> u32 {
        let Some((kind, fields)) = inner(record) else { return 0 };
        let is_wrapped = has(record, &["data"]) || has(record, &["lc"]);
        let is_ours = is_wrapped || has(fields, &["additional_kwargs"]);
        match kind {
            _ if is_ours => 9,
            MessageKind::Tool if has(fields, &["tool_call_id"]) => 9,
            MessageKind::Model if has(fields, &["tool_calls"]) => 9,
            MessageKind::Human | MessageKind::Model => 3,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some((kind, fields)) = inner(record) else { return false };
        let tokens = fields.get("usage_metadata").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(fields.text_of("id"), tokens));
        }
        let model = text_at(fields, &["response_metadata", "model_name"]);
        let model = model.map(|model| Box::from(&*model));
        give(LogEvent::About(About { model, tokens, ..About::default() }));
        let content = fields.get("content");
        if kind == MessageKind::Tool {
            let status = fields.text_of("status").and_then(|status| ending(&status));
            let (id, name) = (fields.text_of("tool_call_id"), fields.text_of("name"));
            let ending = status.unwrap_or_default();
            give(ResultParts { id, name, at: None, ending }.with(content));
            return true;
        }
        let role = match kind {
            MessageKind::Human => Role::User,
            MessageKind::Model => Role::Assistant,
            MessageKind::Tool | MessageKind::System => Role::System,
        };
        if let Some(text) = content.and_then(Json::text) {
            say(role, text, give);
        }
        for block in content.into_iter().flat_map(Json::items) {
            // Calls stand in `tool_calls` too.
            match block.text_of("type").as_deref() {
                Some("tool_use" | "tool_call" | "function_call") => {}
                _ => Blocks::plain(role, None).block(block, give),
            }
        }
        let calls = fields.get("tool_calls").into_iter().flat_map(Json::items);
        for call in calls {
            let Some(name) = call.text_of("name") else { continue };
            let id = call.text_of("id").unwrap_or_default();
            give(CallParts { id, name, arguments: call.get("args"), at: None }.plain());
        }
        for call in fields.get("invalid_tool_calls").into_iter().flat_map(Json::items) {
            let Some(name) = call.text_of("name") else { continue };
            let id = call.text_of("id").unwrap_or_default();
            let arguments = call.get("args");
            give(CallParts { id: id.clone(), name, arguments, at: None }.plain());
            if let Some(error) = call.text_of("error") {
                let ending = CallEnding::Failed;
                give(ResultParts { id: Some(id), name: None, at: None, ending }.saying(error));
            }
        }
        true
    }
}
