//! OpenAI's Chat Completions, and servers that copy them.

mod chunks;

use serde_json::{Value, json};

use self::chunks::OpenAiChunks;
use super::chat;
use super::form::{MessageDialect, ProviderDialect, ToolDialect, WrittenMessage};
use crate::provider::read::{JsonObject, ProviderResult, text_of};
use crate::provider::write::{BlockKind, ChunkForm, ChunkKind, insert};

pub const DIALECT: ProviderDialect = ProviderDialect {
    dump_free_text: chat::dump_free_text,
    tools: Some(&TOOLS),
    messages: Some(&MESSAGES),
    ..ProviderDialect::new(chat::dump_call, dump_result)
};

const TOOLS: ToolDialect = ToolDialect {
    refused_keywords: &chat::REFUSED_KEYWORDS,
    can_be_strict: true,
    ..ToolDialect::new(chat::tool)
};

const MESSAGES: MessageDialect = MessageDialect {
    gives_several: true,
    chunks: Some(&ChunkForm {
        prefix: "chatcmpl-",
        kind: ChunkKind::Choices,
        cut_off_is_read: false,
        writer: |head, index| Box::new(OpenAiChunks::new(head, index)),
    }),
    add_stream,
    ..MessageDialect::new(message, chat::response)
};

fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    // The old messages of functions name the tool and no call.
    if call_id.is_none() && !outcome.tool.is_empty() {
        return json!({"role": "function", "name": outcome.tool, "content": text_of(outcome)});
    }
    chat::dump_result(call_id.as_deref(), None, text_of(outcome).into())
}

fn message(message: WrittenMessage, ending: &str) -> Value {
    let content = match message.joined(BlockKind::Text, "") {
        Some(text) => text.into(),
        None if !message.calls.is_empty() => Value::Null,
        None => "".into(),
    };
    let reasoning = message.joined(BlockKind::Reasoning, "\n\n");
    let reasoning = reasoning.map(|text| ("reasoning_content", text));
    let mut written = chat::message(message, content, reasoning);
    insert(&mut written, MESSAGES.ending_key, ending);
    written
}

/// A stream says nothing of its tokens unless it is asked to.
fn add_stream(streams: bool, request: &mut JsonObject) {
    if streams {
        request.insert("stream".to_owned(), true.into());
        request.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
}
