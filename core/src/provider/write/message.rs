//! Writes a whole message as a provider's assistant message.
//!
//! The message has the members of the provider's own, and beside them why it ended, under the
//! provider's word: `finish_reason`, `stop_reason`, and so on. Reasoning and text keep their order,
//! calls come last, and white space that stands alone is left out.
//! [`parse`](crate::provider::parse) reads the same calls from it.
//!
//! ```
//! use toolwire::Detector;
//! use toolwire::provider::{MessageEnding, Provider, message};
//!
//! let found = Detector::default();
//! let found = found.detect(br#"Now. <tool:weather>{"city":"Oslo"}</tool>"#);
//! let written = message(&found, Provider::Anthropic, MessageEnding::Stopped)?;
//! assert_eq!(written["content"][0]["text"], "Now. ");
//! assert_eq!(written["content"][1]["input"]["city"], "Oslo");
//! assert_eq!(written["stop_reason"], "tool_use");
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Map, Value, json};

use super::call_id::CallIds;
use super::dump::{ProviderCall, dump_call};
use super::outline::{BlockKind, MessagePart, MessageStep, Outline, WrittenCall};
use crate::detect::Detection;
use crate::error::Error;
use crate::provider::kind::Provider;

/// Why the model stopped writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageEnding {
    /// The message is complete.
    #[default]
    Stopped,
    /// The model was cut off at its limit of tokens.
    CutOff,
    /// The text ends inside a call or in reasoning: a message that shows nothing was cut off.
    Open,
}

impl MessageEnding {
    /// How a detection's message ends, of which the caller knows whether the model was cut off.
    #[must_use]
    pub fn of(cut_off: bool, ends_open: bool) -> Self {
        match (cut_off, ends_open) {
            (true, _) => Self::CutOff,
            (false, true) => Self::Open,
            (false, false) => Self::Stopped,
        }
    }

    /// The ending of a message of which is known whether it answers anything.
    pub(in crate::provider) fn settled(self, answers: bool) -> Self {
        match self {
            Self::Open if answers => Self::Stopped,
            Self::Open => Self::CutOff,
            other => other,
        }
    }

    /// The provider's word for it.
    pub(in crate::provider) fn word(self, provider: Provider, calls: bool) -> &'static str {
        let words = match provider {
            Provider::Anthropic | Provider::Bedrock => ["end_turn", "tool_use", "max_tokens"],
            Provider::Gemini => ["STOP", "STOP", "MAX_TOKENS"],
            Provider::Cohere => ["COMPLETE", "TOOL_CALL", "MAX_TOKENS"],
            Provider::OpenAiResponses => ["completed", "completed", "incomplete"],
            Provider::Ollama => ["stop", "stop", "length"],
            _ => ["stop", "tool_calls", "length"],
        };
        let [stopped, called, cut] = words;
        match self {
            Self::CutOff => cut,
            Self::Stopped | Self::Open if calls => called,
            Self::Stopped | Self::Open => stopped,
        }
    }
}

/// Writes a detection as the provider's assistant message.
///
/// A call keeps the id that the model wrote, where the provider takes it. Any other id is derived
/// from the call's own id.
///
/// # Errors
/// `unknown_provider` for a provider that has no messages. `invalid_arguments` when a call's
/// arguments nest deeper than 128.
pub fn message(
    detection: &Detection<'_>,
    provider: Provider,
    ending: MessageEnding,
) -> Result<Value, Error> {
    let ending = match ending {
        MessageEnding::Stopped => MessageEnding::of(false, detection.ends_open()),
        other => other,
    };
    message_of(MessagePart::of_detection(detection), provider, ending)
}

/// Writes the parts of a message, in their order, as the provider's assistant message.
///
/// # Errors
/// The errors of [`message`].
pub fn message_of<'a>(
    parts: impl Iterator<Item = MessagePart<'a>>,
    provider: Provider,
    ending: MessageEnding,
) -> Result<Value, Error> {
    if !Provider::TALKING.contains(&provider) {
        return Err(Provider::not_talking("messages", provider.slug()));
    }
    let (mut outline, mut steps) = (Outline::new(provider), Vec::new());
    for part in parts {
        outline.take(part, &mut steps);
    }
    let calls = outline.finish(&mut steps);
    let written = WrittenMessage { blocks: blocks(steps), calls, provider };
    written.object(ending.settled(written.answers()))
}

/// The blocks that the steps make.
fn blocks(steps: Vec<MessageStep>) -> Vec<(BlockKind, String)> {
    let mut blocks: Vec<(BlockKind, String)> = Vec::new();
    for step in steps {
        match (step, blocks.last_mut()) {
            (MessageStep::Open(kind), _) => blocks.push((kind, String::new())),
            (MessageStep::Piece(_, piece), Some((_, text))) => text.push_str(&piece),
            _ => {}
        }
    }
    blocks
}

/// A message whose parts are in the provider's order.
struct WrittenMessage {
    blocks: Vec<(BlockKind, String)>,
    calls: Vec<WrittenCall>,
    provider: Provider,
}

impl WrittenMessage {
    /// Whether the message has a call or text for a person.
    fn answers(&self) -> bool {
        let answers = |(kind, text): &(BlockKind, String)| {
            *kind == BlockKind::Text && !text.trim().is_empty()
        };
        !self.calls.is_empty() || self.blocks.iter().any(answers)
    }

    fn object(&self, ending: MessageEnding) -> Result<Value, Error> {
        let reason = ending.word(self.provider, !self.calls.is_empty());
        Ok(match self.provider {
            Provider::Gemini => json!({
                "role": "model",
                "parts": self.list(|kind, text| match kind {
                    BlockKind::Reasoning => json!({"text": text, "thought": true}),
                    BlockKind::Text => json!({"text": text}),
                })?,
                "finishReason": reason,
            }),
            Provider::Anthropic => json!({
                "role": "assistant",
                "content": self.list(|kind, text| match kind {
                    BlockKind::Reasoning => thinking(text),
                    BlockKind::Text => typed("text", "text", text),
                })?,
                "stop_reason": reason,
            }),
            Provider::Bedrock => json!({
                "role": "assistant",
                "content": self.list(|kind, text| match kind {
                    BlockKind::Reasoning => json!({
                        "reasoningContent": {"reasoningText": {"text": text}},
                    }),
                    BlockKind::Text => json!({"text": text}),
                })?,
                "stopReason": reason,
            }),
            Provider::OpenAiResponses => self.responses(reason)?,
            _ => self.chat(reason)?,
        })
    }

    /// A message of a chat, whose calls stand beside its content.
    fn chat(&self, reason: &str) -> Result<Value, Error> {
        let (provider, mut message) = (self.provider, Map::new());
        let mut put = |key: &str, value: Value| message.insert(key.to_owned(), value);
        put("role", "assistant".into());
        put("content", self.content());
        match (provider, self.joined(BlockKind::Reasoning, "\n\n")) {
            (Provider::OpenAi, Some(reasoning)) => put("reasoning_content", reasoning.into()),
            (Provider::Ollama, Some(reasoning)) => put("thinking", reasoning.into()),
            _ => None,
        };
        if !self.calls.is_empty() {
            put("tool_calls", self.calls()?.into());
        }
        if provider == Provider::Mistral {
            put("prefix", false.into());
        }
        let ended = if provider == Provider::Ollama { "done_reason" } else { "finish_reason" };
        put(ended, reason.into());
        Ok(Value::Object(message))
    }

    /// The content of a chat's message: a text, nothing, or a list of parts.
    fn content(&self) -> Value {
        let reasons = self.blocks.iter().any(|(kind, _)| *kind == BlockKind::Reasoning);
        let parts = match self.provider {
            Provider::Mistral => reasons,
            Provider::Cohere => true,
            _ => false,
        };
        if !parts {
            return match self.joined(BlockKind::Text, "") {
                Some(text) => text.into(),
                None if self.provider == Provider::OpenAi && !self.calls.is_empty() => Value::Null,
                None => "".into(),
            };
        }
        let mistral = self.provider == Provider::Mistral;
        let part = |(kind, text): &(BlockKind, String)| match kind {
            BlockKind::Text => typed("text", "text", text.as_str()),
            BlockKind::Reasoning if mistral => {
                typed("thinking", "thinking", json!([typed("text", "text", text.as_str())]))
            }
            BlockKind::Reasoning => typed("thinking", "thinking", text.as_str()),
        };
        Value::Array(self.blocks.iter().map(part).collect())
    }

    /// A response's list of items.
    fn responses(&self, status: &str) -> Result<Value, Error> {
        // The ids of items only tell them apart.
        let mut ids = CallIds::new(Provider::OpenAiResponses);
        let mut id = |prefix: &str, text: &str| ids.fresh(text).replacen("call_", prefix, 1);
        let mut output = Vec::new();
        for (kind, text) in &self.blocks {
            output.push(match kind {
                BlockKind::Reasoning => reasoning_item(&id("rs_", text), text),
                BlockKind::Text => message_item(&id("msg_", text), text, "completed"),
            });
        }
        for call in &self.calls {
            output.push(call_item(&id("fc_", &call.id), call, "completed")?);
        }
        let mut response = json!({"status": status, "output": output});
        if let (Some(response), "incomplete") = (response.as_object_mut(), status) {
            response.insert("incomplete_details".to_owned(), cut_off());
        }
        Ok(response)
    }

    /// The text of all blocks of a kind; none if there is no such block.
    fn joined(&self, kind: BlockKind, between: &str) -> Option<String> {
        let blocks = self.blocks.iter().filter(|(block, _)| *block == kind);
        let texts: Vec<&str> = blocks.map(|(_, text)| text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join(between))
    }

    /// The blocks in this form, and behind them the calls.
    fn list(&self, form: impl Fn(BlockKind, &str) -> Value) -> Result<Vec<Value>, Error> {
        let mut list: Vec<_> = self.blocks.iter().map(|(kind, text)| form(*kind, text)).collect();
        list.extend(self.calls()?);
        Ok(list)
    }

    fn calls(&self) -> Result<Vec<Value>, Error> {
        self.calls.iter().map(|call| call_object(call, self.provider)).collect()
    }
}

/// A call in the provider's form.
pub(in crate::provider) fn call_object(
    call: &WrittenCall,
    provider: Provider,
) -> Result<Value, Error> {
    let WrittenCall { id, name, arguments } = call;
    let call = ProviderCall { id: Some(id), name, arguments, ..ProviderCall::default() };
    dump_call(call, provider)
}

/// The JSON text of a call's arguments, as providers take it.
pub(in crate::provider) fn arguments_text(call: &WrittenCall) -> Result<String, Error> {
    let object = call_object(call, Provider::OpenAi)?;
    let text = object.pointer("/function/arguments").and_then(Value::as_str);
    Ok(text.unwrap_or_default().to_owned())
}

/// An object with a type and one value.
fn typed(name: &str, key: &str, value: impl Into<Value>) -> Value {
    let value: Value = value.into();
    json!({"type": name, key: value})
}

/// A block of Anthropic's reasoning; only Anthropic can sign it.
pub(in crate::provider) fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": ""})
}

/// Why a response is incomplete.
pub(in crate::provider) fn cut_off() -> Value {
    json!({"reason": "max_output_tokens"})
}

/// An item of a response that holds reasoning.
pub(in crate::provider) fn reasoning_item(id: &str, text: &str) -> Value {
    let content = json!([typed("reasoning_text", "text", text)]);
    json!({"type": "reasoning", "id": id, "summary": [], "content": content})
}

/// An item of a response that holds text.
pub(in crate::provider) fn message_item(id: &str, text: &str, status: &str) -> Value {
    json!({
        "type": "message",
        "id": id,
        "role": "assistant",
        "status": status,
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    })
}

/// An item of a response that is a call.
pub(in crate::provider) fn call_item(
    id: &str,
    call: &WrittenCall,
    status: &str,
) -> Result<Value, Error> {
    let mut item = call_object(call, Provider::OpenAiResponses)?;
    if let Some(item) = item.as_object_mut() {
        item.insert("id".to_owned(), id.into());
        item.insert("status".to_owned(), status.into());
    }
    Ok(item)
}
