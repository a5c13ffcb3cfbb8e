//! Cohere's chat, version 2; version 1 is read too.

mod events;
pub(in crate::provider) mod history;

use serde_json::{Value, json};

use crate::provider::dialect::chat;
use crate::provider::dialect::form::{
    EndedMessages, MessageDialect, ProviderDialect, ToolDialect, WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::content::text_of;
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::found_result::FoundResult;
use crate::provider::read::shape::{JsonObject, SeenObject, Shape, text};
use crate::provider::tool::definition::ToolDefinition;
use crate::provider::tool::tool_name::NameRule;
use crate::provider::write::head::{MessageHead, Usage};
use crate::provider::write::object::{insert, insert_some, typed};
use crate::provider::write::outline::{BlockKind, PlainCall};

const PROVIDER: Provider = Provider::Cohere;

/// A call of version 1.
const OLD: Shape = Shape::new(PROVIDER, &["id"], &["name"], &["parameters"]);

/// A call of version 1 in a message's `tool_calls`.
pub fn listed_call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.has("name") && seen.has("parameters")).then_some(OLD)
}

/// A result of version 1.
pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let (call, outputs) = (seen.get("call")?, seen.get("outputs")?);
    let tool = call.get("name").and_then(Value::as_str).unwrap_or_default();
    Some(FoundResult::flagged(PROVIDER, None, tool, (false, outputs.clone())))
}

/// Whether a message or a conversation is from Cohere.
pub fn hints(object: &JsonObject) -> bool {
    object.contains_key("tool_plan")
        || object.contains_key("chat_history")
        || text(object, "finish_reason") == Some("TOOL_CALL")
}

pub struct CohereDialect;

impl ProviderDialect for CohereDialect {
    fn dump_call(&self, call: &PlainCall<'_>) -> Value {
        chat::dump_call(call)
    }

    fn dump_free_text(&self, call: &PlainCall<'_>, beside: &JsonObject) -> Option<Value> {
        chat::dump_free_text(call, beside)
    }

    fn dump_result(&self, result: &ProviderResult) -> Value {
        let ProviderResult { call_id, outcome, .. } = result;
        let document = json!({"data": text_of(outcome)});
        let content = json!([typed("document", "document", document)]);
        chat::dump_result(call_id.as_deref(), None, content)
    }

    fn tools(&self) -> Option<&dyn ToolDialect> {
        Some(self)
    }

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
    }
}

impl ToolDialect for CohereDialect {
    fn names(&self) -> Option<NameRule> {
        Some(NameRule::IDENTIFIER)
    }

    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, strict: bool) -> Value {
        chat::tool(tool, schema, strict)
    }
}

impl MessageDialect for CohereDialect {
    fn endings(&self) -> [&'static str; 3] {
        ["COMPLETE", "TOOL_CALL", "MAX_TOKENS"]
    }

    fn message(&self, message: &WrittenMessage, ending: &str) -> Value {
        let content = message.parts(|kind, text| match kind {
            BlockKind::Text => typed("text", "text", text),
            BlockKind::Reasoning => typed("thinking", "thinking", text),
        });
        let mut written = chat::message(message, content.into(), None);
        insert(&mut written, self.ending_key(), ending);
        written
    }

    fn response(&self, messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
        let (id, first) = (head.known("").id, messages.first);
        let mut response =
            json!({"id": id, "finish_reason": first.reason, "message": first.message});
        let usage = usage.map(|Usage { input_tokens, output_tokens }| {
            json!({"tokens": {"input_tokens": input_tokens, "output_tokens": output_tokens}})
        });
        insert_some(&mut response, "usage", usage);
        response
    }

    fn no_calls(&self) -> (&'static str, Value) {
        ("tool_choice", "NONE".into())
    }
}
