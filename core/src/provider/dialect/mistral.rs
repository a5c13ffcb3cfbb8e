//! Mistral's chat, and the conversations of its agents.

use serde_json::{Value, json};

use super::chat;
use super::form::{MessageDialect, ProviderDialect, ToolDialect, WrittenMessage};
use crate::provider::kind::Provider;
use crate::provider::read::{
    ItemKind, JsonObject, OwnWord, ProviderResult, SeenObject, Shape, text_of,
};
use crate::provider::write::{BlockKind, IdForm, insert, typed};

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

pub const DIALECT: ProviderDialect = ProviderDialect {
    dump_free_text: chat::dump_free_text,
    call_ids: IdForm::new("", 9, (9, 9), Some("")),
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(chat::dump_call, dump_result)
};

const TOOLS: ToolDialect = ToolDialect::new(chat::tool);

const MESSAGES: MessageDialect =
    MessageDialect { gives_several: true, ..MessageDialect::new(message, chat::response) };

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let name = Some(("name", &*outcome.tool));
    chat::dump_result(call_id.as_deref(), name, text_of(outcome).into())
}

/// The content is a list of parts where there is reasoning.
fn message(message: WrittenMessage, ending: &str) -> Value {
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
    insert(&mut written, MESSAGES.ending_key, ending);
    written
}
