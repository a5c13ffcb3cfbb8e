//! Reads the calls that a whole response has as text, and writes them where clients look.
//!
//! ```
//! use serde_json::json;
//! use toolwire::{Detector, provider};
//!
//! let message = json!({"role": "assistant", "content": "Now. <tool:weather>{}</tool>"});
//! let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
//! let response = json!({"id": "chatcmpl-1", "choices": [choice]});
//! let read = provider::with_calls(response, &Detector::default())?;
//! let choice = &read["choices"][0];
//! assert_eq!(choice["message"]["tool_calls"][0]["function"]["name"], "weather");
//! assert_eq!(choice["finish_reason"], "tool_calls");
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Map, Value, json};

use super::message::{MessageEnding, message};
use crate::call::Rejection;
use crate::detect::Detector;
use crate::error::Error;
use crate::provider::kind::Provider;

/// Reads the content of each choice of a response of chat completions, and writes its reasoning,
/// text and calls as OpenAI's clients expect them. A message of which calls were refused has them
/// as `rejections`, each with its code, message, format and excerpt. All else stays as it is: a
/// choice whose server has read its calls, and an answer without choices, such as an error.
///
/// # Errors
/// `invalid_arguments` when a call's arguments nest deeper than 128.
pub fn with_calls(mut response: Value, detector: &Detector) -> Result<Value, Error> {
    let choices = response.get_mut("choices").and_then(Value::as_array_mut);
    for choice in choices.into_iter().flatten() {
        let cut_off = choice.get("finish_reason").is_some_and(|reason| reason == "length");
        let ending = MessageEnding::of(cut_off, false);
        let message = choice.get_mut("message").and_then(Value::as_object_mut);
        let Some(message) = message.filter(|message| !has_calls(message)) else { continue };
        let Some(reason) = read_message(message, ending, detector)? else { continue };
        if let Some(choice) = choice.as_object_mut()
            && is_new(&reason, choice.get("finish_reason"))
        {
            choice.insert("finish_reason".to_owned(), reason);
        }
    }
    Ok(response)
}

fn has_calls(message: &Map<String, Value>) -> bool {
    message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty())
}

/// Writes what stands in a message's content into the message, and gives why the message ended.
fn read_message(
    held: &mut Map<String, Value>,
    ending: MessageEnding,
    detector: &Detector,
) -> Result<Option<Value>, Error> {
    let Some(text) = held.get("content").and_then(Value::as_str) else { return Ok(None) };
    let found = detector.detect(text.as_bytes());
    let written = message(&found, Provider::OpenAi, ending)?;
    let rejections: Vec<Value> = found.rejections.iter().map(rejection_value).collect();
    let Value::Object(mut written) = written else { return Ok(None) };
    if !rejections.is_empty() {
        written.insert("rejections".to_owned(), rejections.into());
    }
    let reason = written.remove("finish_reason");
    for (name, value) in written {
        match (held.get_mut(&name), value) {
            // The server may have read a part of the reasoning.
            (Some(Value::String(held)), Value::String(more)) if name == "reasoning_content" => {
                if !held.is_empty() {
                    held.push_str("\n\n");
                }
                held.push_str(&more);
            }
            (_, value) => {
                held.insert(name, value);
            }
        }
    }
    Ok(reason)
}

/// A refused call, as the client and the gateway's log read it.
fn rejection_value(rejection: &Rejection) -> Value {
    let Rejection { code, message, excerpt, format, .. } = rejection;
    json!({"code": code.slug(), "message": message, "format": format, "excerpt": excerpt})
}

/// Whether a reason tells more than that of the server.
fn is_new(reason: &Value, given: Option<&Value>) -> bool {
    reason != "stop" || given.is_none_or(Value::is_null)
}
