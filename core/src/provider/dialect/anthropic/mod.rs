//! Anthropic's Messages.

mod block;
mod chunks;
mod events;
pub(in crate::provider) mod history;

use serde_json::{Value, json};

use self::block::{thinking, tool_use};
use self::chunks::AnthropicChunks;
use super::form::{
    EndedMessages, MessageDialect, NoCalls, ProviderDialect, ToolDialect, UserBlocks,
    WrittenMessage,
};
use crate::provider::kind::Provider;
use crate::provider::read::{
    FoundResult, ItemKind, JsonObject, Kept, OwnWord, ProviderResult, Purpose, SeenObject, Shape,
    flagged_text, is_true, read_content, read_text,
};
use crate::provider::tool::{ToolDefinition, described};
use crate::provider::write::{
    BlockKind, ChunkForm, ChunkKind, IdForm, KnownHead, MessageHead, Usage, insert, insert_some,
    object_of, typed,
};

const PROVIDER: Provider = Provider::Anthropic;

/// The longest name of a property that it takes.
const LONGEST_PROPERTY: usize = 64;

/// The `max_tokens` of a request whose options have none; the API demands one.
const MAX_TOKENS: u64 = 4096;

pub const CALL: Shape = Shape::new(PROVIDER, &["id"], &["name"], &["input"]).keeping(Kept::All);

/// Blocks that it keeps for itself. The source is the beta content blocks of anthropic 2.13.
pub const OWN_WORDS: &[OwnWord] =
    &[("server_tool_use", ItemKind::Call), ("mcp_tool_use", ItemKind::Call)];

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.kind == "tool_use").then_some(CALL)
}

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if seen.kind != "tool_result" {
        return None;
    }
    let data = read_content(seen.get("content"), read_text);
    let flagged = (is_true(seen.object, "is_error"), data);
    Some(FoundResult::flagged(PROVIDER, seen.get("tool_use_id"), "", flagged))
}

/// The result of a call that it ran itself.
pub fn own_result<'v>(object: &JsonObject, word: &'v str) -> Option<Purpose<'v>> {
    let is_own = word.ends_with("_tool_result") && object.contains_key("tool_use_id");
    is_own.then_some(Purpose::Own(ItemKind::Result, word, PROVIDER))
}

pub const DIALECT: ProviderDialect = ProviderDialect {
    call_ids: IdForm::new("toolu_", 24, (1, 64), Some("_-")),
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(tool_use, dump_result)
};

const TOOLS: ToolDialect = ToolDialect {
    refused_keywords: &["oneOf", "anyOf", "allOf"],
    property_problem,
    ..ToolDialect::new(tool)
};

const MESSAGES: MessageDialect = MessageDialect {
    endings: ["end_turn", "tool_use", "max_tokens"],
    ending_key: "stop_reason",
    chunks: Some(&ChunkForm {
        prefix: "msg_",
        kind: ChunkKind::Events,
        // Anthropic's own clients do.
        cut_off_is_read: true,
        writer: |head, _| Box::new(AnthropicChunks::new(head)),
    }),
    user_blocks: Some(UserBlocks { key: "content", text: |text| typed("text", "text", text) }),
    add_system,
    add_defaults,
    no_calls: NoCalls::Word(|| ("tool_choice", json!({"type": "none"}))),
    ..MessageDialect::new(message, response)
};

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let content = flagged_text(outcome);
    let mut block = json!({"type": "tool_result", "tool_use_id": call_id, "content": content});
    if !outcome.success {
        insert(&mut block, "is_error", true);
    }
    block
}

fn property_problem(name: &str) -> Option<&'static str> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let taken = (1..=LONGEST_PROPERTY).contains(&name.len()) && name.bytes().all(allowed);
    (!taken).then_some("anthropic takes names of 1 to 64 letters, digits, _, . and -")
}

fn tool(tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
    described(tool, "input_schema", schema)
}

fn message(message: WrittenMessage, ending: &str) -> Value {
    let content = message.list(|kind, text| match kind {
        BlockKind::Reasoning => thinking(text),
        BlockKind::Text => typed("text", "text", text),
    });
    let role = ("role", "assistant".into());
    object_of([role, ("content", content.into()), ("stop_reason", ending.into())])
}

fn response(messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
    let (KnownHead { model, id, .. }, mut first) = (head.known("msg_"), messages.first);
    let content = first.message.remove("content");
    let mut response = json!({
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": first.reason,
        "stop_sequence": null,
    });
    insert_some(&mut response, "usage", usage.map(usage_object));
    response
}

fn add_system(text: &str, request: &mut JsonObject, _: &mut Vec<Value>) {
    request.insert("system".to_owned(), text.into());
}

fn add_defaults(request: &mut JsonObject) {
    request.insert("max_tokens".to_owned(), MAX_TOKENS.into());
}

/// The numbers of tokens.
fn usage_object(Usage { input_tokens, output_tokens }: Usage) -> Value {
    json!({"input_tokens": input_tokens, "output_tokens": output_tokens})
}
