//! OpenAI's Chat Completions, and servers that copy them.

mod chunks;

use serde_json::{Value, json};

use self::chunks::OpenAiChunks;
use super::chat;
use super::form::{EndedMessages, MessageDialect, ProviderDialect, ToolDialect, WrittenMessage};
use crate::provider::read::content::text_of;
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::shape::JsonObject;
use crate::provider::tool::definition::ToolDefinition;
use crate::provider::write::chunks::writer::{ChunkForm, ChunkKind};
use crate::provider::write::head::{MessageHead, Usage};
use crate::provider::write::object::insert;
use crate::provider::write::outline::{BlockKind, PlainCall};

pub struct OpenAiDialect;

impl ProviderDialect for OpenAiDialect {
    fn dump_call(&self, call: &PlainCall<'_>) -> Value {
        chat::dump_call(call)
    }

    fn dump_free_text(&self, call: &PlainCall<'_>, beside: &JsonObject) -> Option<Value> {
        chat::dump_free_text(call, beside)
    }

    fn dump_result(&self, result: &ProviderResult) -> Value {
        let ProviderResult { call_id, outcome, .. } = result;
        // The old messages of functions name the tool and no call.
        if call_id.is_none() && !outcome.tool.is_empty() {
            return json!({"role": "function", "name": outcome.tool, "content": text_of(outcome)});
        }
        chat::dump_result(call_id.as_deref(), None, text_of(outcome).into())
    }

    fn tools(&self) -> Option<&dyn ToolDialect> {
        Some(self)
    }

    fn messages(&self) -> Option<&dyn MessageDialect> {
        Some(self)
    }
}

impl ToolDialect for OpenAiDialect {
    fn refused_keywords(&self) -> &'static [&'static str] {
        &chat::REFUSED_KEYWORDS
    }

    fn can_be_strict(&self) -> bool {
        true
    }

    fn tool(&self, tool: &ToolDefinition<'_>, schema: Value, strict: bool) -> Value {
        chat::tool(tool, schema, strict)
    }
}

impl MessageDialect for OpenAiDialect {
    fn message(&self, message: &WrittenMessage, ending: &str) -> Value {
        let content = match message.joined(BlockKind::Text, "") {
            Some(text) => text.into(),
            None if !message.calls.is_empty() => Value::Null,
            None => "".into(),
        };
        let reasoning = message.joined(BlockKind::Reasoning, "\n\n");
        let reasoning = reasoning.map(|text| ("reasoning_content", text));
        let mut written = chat::message(message, content, reasoning);
        insert(&mut written, self.ending_key(), ending);
        written
    }

    fn gives_several(&self) -> bool {
        true
    }

    fn response(&self, messages: EndedMessages, head: MessageHead, usage: Option<Usage>) -> Value {
        chat::response(messages, head, usage)
    }

    fn chunks(&self) -> Option<&'static ChunkForm> {
        Some(&ChunkForm {
            prefix: "chatcmpl-",
            kind: ChunkKind::Choices,
            cut_off_is_read: false,
            writer: |head, index| Box::new(OpenAiChunks::new(head, index)),
        })
    }

    /// A stream says nothing of its tokens unless it is asked to.
    fn add_stream(&self, streams: bool, request: &mut JsonObject) {
        if streams {
            request.insert("stream".to_owned(), true.into());
            request.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
    }
}
