//! What a response adds to the history, which the next request of the same provider brings along.
//!
//! Providers refuse a history that lacks what they wrote beside a call, or give worse answers:
//! signatures of thoughts, encrypted reasoning, the order of blocks, what their own tools gave. A
//! whole response gives its message as it is, member for member, and the events of a stream are
//! joined to the message that the response would have been. What stands in it is not looked into.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::history;
//!
//! let thought = json!({"type": "thinking", "thinking": "Look.", "signature": "c2ln"});
//! let call = json!({"type": "tool_use", "id": "t1", "name": "now", "input": {}});
//! let response = json!({"type": "message", "role": "assistant", "content": [thought, call]});
//! let added = history(&response)?;
//! assert_eq!(added, [json!({"role": "assistant", "content": [thought, call]})]);
//! # Ok::<(), toolwire::Error>(())
//! ```

pub(in crate::provider) mod block;
pub(in crate::provider) mod joined;

use serde_json::{Map, Value, json};

use crate::error::{Error, ErrorKind};
use crate::provider::dialect::anthropic::history::AnthropicBlocks;
use crate::provider::dialect::bedrock::history::BedrockBlocks;
use crate::provider::dialect::chat::history::ChatMessage;
use crate::provider::dialect::cohere::history::CohereMessage;
use crate::provider::dialect::gemini::history::GeminiContent;
use crate::provider::dialect::responses::history::ResponseItems;

/// Returns what a response adds to the history of a request, in the form of its provider: one
/// message, one content, or the items of OpenAI's Responses; nothing for a response without any.
/// The response is whole, or the list of its events. Of several choices the first one counts.
///
/// The sources are the types of openai 3.57, anthropic 2.13, google-genai 3.6 and cohere 5.20, and
/// the documents of Bedrock's `Converse`, of Ollama, `OpenRouter`, `DeepSeek` and Mistral.
///
/// # Errors
/// `unknown_provider` for what has the shape of no known provider's response.
pub fn history(response: &Value) -> Result<Vec<Value>, Error> {
    let Value::Array(events) = response else {
        let mut added = whole(response).ok_or_else(|| unknown("this has the shape"))?;
        added.iter_mut().for_each(with_object_arguments);
        return Ok(added);
    };
    let mut joined = None;
    for event in events {
        match &mut joined {
            Some(history) => Joined::take(history, event),
            None => joined = Joined::begin(event),
        }
    }
    match joined {
        Some(history) => Ok(history.finish()),
        None if events.is_empty() => Ok(Vec::new()),
        None => Err(unknown("these are the events")),
    }
}

fn unknown(what: &str) -> Error {
    let message = format!("{what} of no known provider's response");
    Error::new(ErrorKind::UnknownProvider, message)
}

/// Returns what a whole response adds; nothing for what is none.
fn whole(response: &Value) -> Option<Vec<Value>> {
    let one = |message: Option<&Value>| {
        let message = message.filter(|message| message.is_object());
        message.into_iter().cloned().collect()
    };
    let first = |list: &str| response.get(list)?.as_array().map(|all| all.first());
    if let Some(choice) = first("choices") {
        return Some(one(choice.and_then(|choice| choice.get("message"))));
    }
    if let Some(candidate) = first("candidates") {
        return Some(one(candidate.and_then(|candidate| candidate.get("content"))));
    }
    if let Some(output) = response.get("output") {
        return match output {
            Value::Array(items) => Some(items.clone()),
            output => Some(one(Some(output.get("message")?))),
        };
    }
    if let Some(content) = response.get("content") {
        let role = response.get("role").filter(|role| *role == "assistant")?;
        return Some(vec![json!({"role": role, "content": content})]);
    }
    // Ollama's and Cohere's.
    response.get("message").map(|message| one(Some(message)))
}

/// The events of a stream, by the form of its provider.
enum Joined {
    /// OpenAI's chat completions, those who copy it, and Ollama.
    Chat(ChatMessage),
    Anthropic(AnthropicBlocks),
    Bedrock(BedrockBlocks),
    Cohere(CohereMessage),
    Gemini(GeminiContent),
    Responses(ResponseItems),
}

impl Joined {
    /// Begins with the first event that tells the provider.
    fn begin(event: &Value) -> Option<Self> {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let has = |name: &str| event.get(name).is_some();
        let mut joined = if kind.starts_with("response.") {
            Self::Responses(ResponseItems::default())
        } else if kind == "message_start" || kind.starts_with("content_block_") {
            Self::Anthropic(AnthropicBlocks::default())
        } else if ["message-start", "content-start", "tool-plan-delta", "tool-call-start"]
            .contains(&kind)
        {
            Self::Cohere(CohereMessage::default())
        } else if has("candidates") {
            Self::Gemini(GeminiContent::default())
        } else if has("messageStart") || has("contentBlockStart") || has("contentBlockDelta") {
            Self::Bedrock(BedrockBlocks::default())
        } else if has("choices") || has("message") {
            Self::Chat(ChatMessage::default())
        } else {
            return None;
        };
        joined.take(event);
        Some(joined)
    }

    fn take(&mut self, event: &Value) {
        match self {
            Self::Chat(message) => message.take(event),
            Self::Anthropic(blocks) => blocks.take(event),
            Self::Bedrock(blocks) => blocks.take(event),
            Self::Cohere(message) => message.take(event),
            Self::Gemini(content) => content.take(event),
            Self::Responses(items) => items.take(event),
        }
    }

    fn finish(self) -> Vec<Value> {
        match self {
            Self::Chat(message) => message.finish(),
            Self::Anthropic(blocks) => blocks.finish(),
            Self::Bedrock(blocks) => blocks.finish(),
            Self::Cohere(message) => message.finish(),
            Self::Gemini(content) => content.finish(),
            Self::Responses(items) => items.finish(),
        }
    }
}

/// Makes objects of the empty lists that stand for a call's arguments: PHP's arrays know no
/// difference, and providers refuse a list.
fn with_object_arguments(value: &mut Value) {
    match value {
        Value::Array(entries) => entries.iter_mut().for_each(with_object_arguments),
        Value::Object(members) => {
            for (name, member) in members {
                let holds_arguments = matches!(&**name, "args" | "arguments" | "input");
                if holds_arguments && member.as_array().is_some_and(Vec::is_empty) {
                    *member = Value::Object(Map::new());
                } else if matches!(
                    &**name,
                    "content" | "function" | "functionCall" | "parts" | "tool_calls" | "toolUse"
                ) {
                    with_object_arguments(member);
                }
            }
        }
        _ => {}
    }
}
