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

use serde_json::Value;

use super::head::{MessageHead, Usage};
use crate::error::{Error, ErrorKind};
use crate::provider::dialect;
use crate::provider::dialect::form::{EndedMessage, EndedMessages};
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
    let dialect = dialect::talking(provider, "responses")?;
    let refuse = |problem: &str| {
        let message = format!("a response of {} {problem}", provider.slug());
        Error::new(ErrorKind::InvalidOption, message)
    };
    let mut ended = Vec::with_capacity(choices.len());
    for choice in choices {
        let message = ended_message(choice, dialect.ending_key);
        ended.push(message.ok_or_else(|| refuse("takes what `message` has written for it"))?);
    }
    let mut ended = ended.into_iter();
    match (ended.next(), ended.len(), dialect.gives_several) {
        (None, _, true) => Err(refuse("has at least one message")),
        (Some(first), 0, _) | (Some(first), _, true) => {
            let messages = EndedMessages { first, more: ended.collect() };
            Ok((dialect.response)(messages, head, usage))
        }
        (_, _, false) => Err(refuse("has one message")),
    }
}

/// A message without its word for why it ended, and that word; none for what has none.
fn ended_message(choice: ResponseChoice, key: &str) -> Option<EndedMessage> {
    let ResponseChoice { message: Value::Object(mut message), logprobs } = choice else {
        return None;
    };
    let reason = message.remove(key)?;
    Some(EndedMessage { message, reason, logprobs })
}
