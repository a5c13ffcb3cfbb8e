//! Writes messages as a whole response of a provider's server.
//!
//! ```
//! use toolwire::Detector;
//! use toolwire::provider::{MessageEnding, MessageHead, Provider, Usage, message, response};
//!
//! let found = Detector::default();
//! let found = found.detect(br#"<tool:weather>{"city":"Oslo"}</tool>"#);
//! let written = message(&found, Provider::OpenAi, MessageEnding::Stopped)?;
//! let head = MessageHead { model: "mine".to_owned(), ..MessageHead::default() };
//! let usage = Usage { input_tokens: 9, output_tokens: 5 };
//! let response = response(vec![written.into()], Provider::OpenAi, head, Some(usage))?;
//! assert_eq!(response["choices"][0]["finish_reason"], "tool_calls");
//! assert_eq!(response["usage"]["total_tokens"], 14);
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Map, Value, json};

use super::head::{KnownHead, MessageHead, Usage, response_object, usage_object};
use crate::error::{Error, ErrorKind};
use crate::provider::kind::Provider;

/// One of the messages of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseChoice {
    /// What [`message`](crate::provider::message) has written.
    pub message: Value,
    /// The log probabilities of its tokens, as the model's server gave them; null for none.
    pub logprobs: Value,
}

impl From<Value> for ResponseChoice {
    fn from(message: Value) -> Self {
        Self { message, logprobs: Value::Null }
    }
}

impl ResponseChoice {
    /// Reads a message or a list of them, and the log probabilities of each; null for none.
    ///
    /// # Errors
    /// `wrong_type` for messages that are neither an object nor a list, `invalid_option` for
    /// another number of log probabilities than of messages.
    pub fn read(messages: Value, logprobs: Value) -> Result<Vec<Self>, Error> {
        let (messages, logprobs) = match (messages, logprobs) {
            (Value::Array(messages), Value::Null) => {
                let none = vec![Value::Null; messages.len()];
                (messages, none)
            }
            (Value::Array(messages), Value::Array(logprobs)) => (messages, logprobs),
            (message @ Value::Object(_), logprobs) => (vec![message], vec![logprobs]),
            _ => {
                let message = "messages must be a message or a list of messages, with a list of \
                               as many logprobs";
                return Err(Error::new(ErrorKind::WrongType, message));
            }
        };
        if messages.len() != logprobs.len() {
            let message = "there must be as many logprobs as messages";
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
        let choices = messages.into_iter().zip(logprobs);
        Ok(choices.map(|(message, logprobs)| Self { message, logprobs }).collect())
    }
}

/// Writes messages that [`message`](crate::provider::message) has written for a provider as its
/// whole response.
///
/// # Errors
/// `unknown_provider` for a provider that has no messages. `invalid_option` for a message that was
/// not written for this provider, for none, and for several of a provider that gives one.
pub fn response(
    choices: Vec<ResponseChoice>,
    provider: Provider,
    head: MessageHead,
    usage: Option<Usage>,
) -> Result<Value, Error> {
    if !Provider::TALKING.contains(&provider) {
        return Err(Provider::not_talking("responses", provider.slug()));
    }
    let refuse = |problem: &str| {
        let message = format!("a response of {} {problem}", provider.slug());
        Error::new(ErrorKind::InvalidOption, message)
    };
    let mut parts = Vec::with_capacity(choices.len());
    for choice in choices {
        let part = EndedMessage::of(choice, provider);
        parts.push(part.ok_or_else(|| refuse("takes what `message` has written for it"))?);
    }
    let usage = usage.map(|usage| usage_object(usage, provider));
    if matches!(provider, Provider::OpenAi | Provider::Mistral | Provider::Gemini) {
        if parts.is_empty() {
            return Err(refuse("has at least one message"));
        }
        return Ok(several(parts, provider, head, usage));
    }
    match <[EndedMessage; 1]>::try_from(parts) {
        Ok([part]) => Ok(single(part, provider, head, usage)),
        Err(_) => Err(refuse("has one message")),
    }
}

/// A message, and why it ended.
struct EndedMessage {
    message: Map<String, Value>,
    reason: Value,
    logprobs: Value,
}

impl EndedMessage {
    fn of(
        ResponseChoice { message, logprobs }: ResponseChoice,
        provider: Provider,
    ) -> Option<Self> {
        let Value::Object(mut message) = message else { return None };
        let reason = message.remove(match provider {
            Provider::Anthropic => "stop_reason",
            Provider::Bedrock => "stopReason",
            Provider::Gemini => "finishReason",
            Provider::OpenAiResponses => "status",
            Provider::Ollama => "done_reason",
            _ => "finish_reason",
        })?;
        Some(Self { message, reason, logprobs })
    }
}

/// A response of a provider that gives several messages.
fn several(
    parts: Vec<EndedMessage>,
    provider: Provider,
    head: MessageHead,
    usage: Option<Value>,
) -> Value {
    let KnownHead { model, id, created } = head.known("chatcmpl-");
    let parts = parts.into_iter().enumerate();
    if provider == Provider::Gemini {
        let candidate = |(index, part): (usize, EndedMessage)| json!({"content": part.message, "finishReason": part.reason, "index": index});
        let candidates: Vec<_> = parts.map(candidate).collect();
        let mut response =
            json!({"candidates": candidates, "modelVersion": model, "responseId": id});
        insert(&mut response, "usageMetadata", usage);
        return response;
    }
    let choice = |(index, part): (usize, EndedMessage)| {
        let EndedMessage { message, reason, logprobs } = part;
        json!({"index": index, "message": message, "finish_reason": reason, "logprobs": logprobs})
    };
    let choices: Vec<_> = parts.map(choice).collect();
    let mut response = json!({
        "id": id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": choices,
    });
    insert(&mut response, "usage", usage);
    response
}

/// A response of a provider that gives one message.
fn single(
    part: EndedMessage,
    provider: Provider,
    head: MessageHead,
    usage: Option<Value>,
) -> Value {
    let EndedMessage { mut message, reason, .. } = part;
    let mut response = match provider {
        Provider::Anthropic => {
            let KnownHead { model, id, .. } = head.known("msg_");
            let content = message.remove("content");
            json!({
                "id": id,
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": content,
                "stop_reason": reason,
                "stop_sequence": null,
            })
        }
        Provider::Bedrock => json!({"output": {"message": message}, "stopReason": reason}),
        Provider::OpenAiResponses => {
            let output = message.remove("output").unwrap_or_default();
            let status = reason.as_str().unwrap_or_default();
            return response_object(&head.known("resp_"), status, &output, usage.as_ref());
        }
        Provider::Ollama => {
            let model = head.model;
            let mut response =
                json!({"model": model, "message": message, "done": true, "done_reason": reason});
            if let (Some(response), Some(Value::Object(usage))) = (response.as_object_mut(), usage)
            {
                response.extend(usage);
            }
            return response;
        }
        _ => json!({"id": head.known("").id, "finish_reason": reason, "message": message}),
    };
    insert(&mut response, "usage", usage);
    response
}

fn insert(response: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(response), Some(value)) = (response.as_object_mut(), value) {
        response.insert(key.to_owned(), value);
    }
}
