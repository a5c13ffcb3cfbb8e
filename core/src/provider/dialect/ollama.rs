//! Ollama's chat.

use serde_json::{Value, json};

use super::chat;
use super::form::{EndedMessages, MessageDialect, ProviderDialect, ToolDialect, WrittenMessage};
use crate::provider::read::content::text_of;
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::shape::JsonObject;
use crate::provider::tool::definition::ToolDefinition;
use crate::provider::tool::tool_name::NameRule;
use crate::provider::write::head::{MessageHead, Usage};
use crate::provider::write::object::{extend, insert, with_id};
use crate::provider::write::outline::{BlockKind, PlainCall};

/// Whether a response is from Ollama.
pub fn hints(object: &JsonObject) -> bool {
    object.contains_key("message") && object.contains_key("done")
}

pub struct OllamaDialect;

impl ProviderDialect for OllamaDialect {
    fn dump_call(&self, call: &PlainCall<'_>) -> Value {
        let function = json!({"name": call.name, "arguments": call.value()});
        with_id(call.id, json!({"function": function}))
    }

    fn dump_free_text(&self, call: &PlainCall<'_>, beside: &JsonObject) -> Option<Value> {
        chat::dump_free_text(call, beside)
    }

    fn dump_result(&self, result: &ProviderResult) -> Value {
        let ProviderResult { call_id, outcome, .. } = result;
        let name = Some(("tool_name", &*outcome.tool));
        chat::dump_result(call_id.as_deref(), name, text_of(outcome).into())
    }

    fn tools(&self) -> Option<&dyn ToolDialect> {
        Some(self)
    }

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
    }
}

impl ToolDialect for OllamaDialect {
    fn names(&self) -> Option<NameRule> {
        None
    }

    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, strict: bool) -> Value {
        chat::tool(tool, schema, strict)
    }
}

impl MessageDialect for OllamaDialect {
    fn endings(&self) -> [&'static str; 3] {
        ["stop", "stop", "length"]
    }

    fn ending_key(&self) -> &'static str {
        "done_reason"
    }

    fn message(&self, message: &WrittenMessage, ending: &str) -> Value {
        let content = message.joined(BlockKind::Text, "").unwrap_or_default();
        let thinking = message.joined(BlockKind::Reasoning, "\n\n");
        let thinking = thinking.map(|text| ("thinking", text));
        let mut written = chat::message(message, content.into(), thinking);
        insert(&mut written, self.ending_key(), ending);
        written
    }

    fn response(&self, messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
        let (model, first) = (head.model, messages.first);
        let mut response = json!({
            "model": model,
            "message": first.message,
            "done": true,
            "done_reason": first.reason,
        });
        if let Some(Usage { input_tokens, output_tokens }) = usage {
            let counts = json!({"prompt_eval_count": input_tokens, "eval_count": output_tokens});
            extend(&mut response, counts);
        }
        response
    }

    /// It has no word that forbids calls.
    fn add_tools(&self, tools: &[Value], may_call: bool, request: &mut JsonObject) {
        if may_call {
            request.insert("tools".to_owned(), tools.into());
        }
    }

    /// It streams unless it is told not to.
    fn add_stream(&self, streams: bool, request: &mut JsonObject) {
        request.insert("stream".to_owned(), streams.into());
    }
}
