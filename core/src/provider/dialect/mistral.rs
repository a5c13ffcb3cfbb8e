//! Mistral's chat, and the conversations of its agents.

use serde_json::{Value, json};

use super::chat;
use super::form::{EndedMessages, MessageDialect, ProviderDialect, ToolDialect, WrittenMessage};
use crate::provider::kind::Provider;
use crate::provider::read::content::text_of;
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::item::{ItemKind, OwnWord};
use crate::provider::read::shape::{JsonObject, SeenObject, Shape};
use crate::provider::tool::definition::ToolDefinition;
use crate::provider::write::head::{MessageHead, Usage};
use crate::provider::write::id_form::IdForm;
use crate::provider::write::object::{insert, typed};
use crate::provider::write::outline::{BlockKind, PlainCall};

const PROVIDER: Provider = Provider::Mistral;

/// An entry of a conversation.
const ENTRY: Shape = Shape::new(PROVIDER, &["tool_call_id"], &["name"], &["arguments"]).either();

/// What its agents run themselves. The source is the documents of its conversations.
pub const OWN_WORDS: &[OwnWord] = &[("tool.execution", ItemKind::Call)];

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.kind == "function.call").then_some(ENTRY)
}

/// Whether a message is from Mistral.
pub fn hints(object: &JsonObject) -> bool {
    object.contains_key("prefix") && object.contains_key("role")
}

pub struct MistralDialect;

impl ProviderDialect for MistralDialect {
    fn dump_call(&self, call: &PlainCall<'_>) -> Value {
        chat::dump_call(call)
    }

    fn dump_free_text(&self, call: &PlainCall<'_>, beside: &JsonObject) -> Option<Value> {
        chat::dump_free_text(call, beside)
    }

    fn dump_result(&self, result: &ProviderResult) -> Value {
        let ProviderResult { call_id, outcome, .. } = result;
        let name = Some(("name", &*outcome.tool));
        chat::dump_result(call_id.as_deref(), name, text_of(outcome).into())
    }

    fn call_ids(&self) -> IdForm {
        IdForm::new("", 9, (9, 9), Some(""))
    }

    fn tools(&self) -> Option<&dyn ToolDialect> {
        Some(self)
    }

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
    }
}

impl ToolDialect for MistralDialect {
    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, strict: bool) -> Value {
        chat::tool(tool, schema, strict)
    }
}

impl MessageDialect for MistralDialect {
    /// The content is a list of parts where there is reasoning.
    fn message(&self, message: &WrittenMessage, ending: &str) -> Value {
        let text = |text: &str| typed("text", "text", text);
        let reasons = message.joined(BlockKind::Reasoning, "").is_some();
        let parts = || {
            message.parts(|kind, part| match kind {
                BlockKind::Text => text(part),
                BlockKind::Reasoning => typed("thinking", "thinking", json!([text(part)])),
            })
        };
        let plain = || message.joined(BlockKind::Text, "").unwrap_or_default();
        let content = if reasons { parts().into() } else { plain().into() };
        let mut written = chat::message(message, content, None);
        insert(&mut written, "prefix", false);
        insert(&mut written, self.ending_key(), ending);
        written
    }

    fn gives_several(&self) -> bool {
        true
    }

    fn response(&self, messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
        chat::response(messages, head, usage)
    }
}
