//! OpenAI's Responses.

mod chunks;
mod events;
pub(in crate::provider) mod history;
mod item;

use serde_json::{Value, json};

use self::chunks::ResponsesChunks;
use self::item::{
    INCOMPLETE, call_item, cut_off, function_call, message_item, reasoning_item, response_object,
};
use super::form::{EndedMessages, MessageDialect, ProviderDialect, ToolDialect, WrittenMessage};
use crate::provider::dialect::chat;
use crate::provider::kind::Provider;
use crate::provider::read::free_text::{self, FreeText};
use crate::provider::read::{
    FoundResult, ItemKind, JsonObject, Kept, OwnWord, ProviderResult, SeenObject, Shape,
    read_content, read_text, text, text_of,
};
use crate::provider::tool::{ToolDefinition, described};
use crate::provider::write::{
    BlockKind, CallIds, ChunkForm, ChunkKind, IdForm, MessageHead, PlainCall, Usage, extend,
    insert, object_of,
};

const PROVIDER: Provider = Provider::OpenAiResponses;

pub const CALL: Shape =
    Shape::new(PROVIDER, &["call_id"], &["name"], &["arguments"]).text().keeping(Kept::All);

/// A call of a tool that takes a free text.
pub const FREE_TEXT: FreeText =
    FreeText { shape: Shape { arguments: &["input"], ..CALL }, word: "custom_tool_call" };

/// Items that it keeps for itself. The sources are `ResponseOutputItem` of openai 3.57, and the
/// documents of xAI's servers.
pub const OWN_WORDS: &[OwnWord] = &[
    ("code_interpreter_call", ItemKind::Call),
    ("compaction", ItemKind::Other),
    ("file_search_call", ItemKind::Call),
    ("image_generation_call", ItemKind::Call),
    ("mcp_approval_request", ItemKind::ApprovalRequest),
    ("mcp_approval_response", ItemKind::Other),
    ("mcp_call", ItemKind::Call),
    ("mcp_list_tools", ItemKind::Other),
    (TOOL_SEARCH, ItemKind::Call),
    ("tool_search_output", ItemKind::Result),
    ("web_search_call", ItemKind::Call),
    ("x_search_call", ItemKind::Call),
    ("collections_search_call", ItemKind::Call),
];

const TOOL_SEARCH: &str = "tool_search_call";

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.kind == "function_call" && !seen.has("functionCall")).then_some(CALL)
}

pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if seen.kind != "function_call_output" {
        return None;
    }
    let data = read_content(seen.get("output"), read_text);
    Some(FoundResult::said(PROVIDER, seen.get("call_id"), "", data))
}

/// Whether a call is the program's to run although its type is the provider's own: a search of the
/// program's own tools.
pub fn is_local(object: &JsonObject, word: &str) -> bool {
    word == TOOL_SEARCH && text(object, "execution") == Some("client")
}

pub const DIALECT: ProviderDialect = ProviderDialect {
    dump_free_text,
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(function_call, dump_result)
};

const TOOLS: ToolDialect = ToolDialect {
    refused_keywords: &chat::REFUSED_KEYWORDS,
    can_be_strict: true,
    ..ToolDialect::new(tool)
};

const MESSAGES: MessageDialect = MessageDialect {
    endings: ["completed", "completed", INCOMPLETE],
    ending_key: "status",
    chunks: Some(&ChunkForm {
        prefix: "resp_",
        kind: ChunkKind::Events,
        cut_off_is_read: false,
        writer: |head, _| Box::new(ResponsesChunks::new(head)),
    }),
    request_keys: ("model", "input"),
    add_system,
    add_defaults,
    ..MessageDialect::new(message, response)
};

fn dump_free_text(call: &PlainCall<'_>, beside: &JsonObject) -> Option<Value> {
    let word = FREE_TEXT.word;
    let input = free_text::input(call.arguments, beside, word)?;
    Some(json!({"type": word, "call_id": call.id, "name": call.name, "input": input}))
}

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let output = text_of(outcome);
    json!({"type": "function_call_output", "call_id": call_id, "output": output})
}

/// Without its member `strict`, the API takes a function as a strict one.
fn tool(tool: &ToolDefinition<'_>, schema: Value, strict: bool) -> Value {
    let mut function = json!({"type": "function"});
    extend(&mut function, described(tool, "parameters", schema));
    insert(&mut function, "strict", strict);
    function
}

/// A message is the list of its items.
fn message(message: WrittenMessage, ending: &str) -> Value {
    // The ids of items only tell them apart.
    let mut ids = CallIds::new(IdForm::CALL);
    let mut id = |prefix: &str, text: &str| ids.fresh(text).replacen("call_", prefix, 1);
    let mut output = Vec::new();
    for (kind, text) in &message.blocks {
        output.push(match kind {
            BlockKind::Reasoning => reasoning_item(&id("rs_", text), text),
            BlockKind::Text => message_item(&id("msg_", text), text, "completed"),
        });
    }
    for call in message.calls {
        let call_id = call.get("call_id").and_then(Value::as_str).unwrap_or_default();
        output.push(call_item(&id("fc_", call_id), call, "completed"));
    }
    let mut response = object_of([("status", ending.into()), ("output", output.into())]);
    if ending == INCOMPLETE {
        insert(&mut response, "incomplete_details", cut_off());
    }
    response
}

fn response(messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
    let mut first = messages.first;
    let output = first.message.remove("output").unwrap_or_default();
    let status = first.reason.as_str().unwrap_or_default();
    response_object(&head.known("resp_"), status, &output, usage)
}

fn add_system(text: &str, request: &mut JsonObject, _: &mut Vec<Value>) {
    request.insert("instructions".to_owned(), text.into());
}

/// The items of reasoning come back whole, so that the next request can bring them along.
fn add_defaults(request: &mut JsonObject) {
    request.insert("store".to_owned(), false.into());
    request.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
}
