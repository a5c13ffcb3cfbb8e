//! What an agent asks: a model behind the program's own client.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::error::{AgentCode, AgentError};
use crate::json::parse_json;
use crate::redact::Redaction;

/// A model that answers. A closure from a request's body to a response is one.
pub trait Model: Send + Sync {
    /// Sends the body of a request, and gives the response, decoded, or the list of its events.
    ///
    /// # Errors
    /// [`ModelError`]. A request whose failure is [passing](ModelError::Unreachable) is sent again,
    /// twice at most.
    fn ask(&self, body: &Value) -> Result<Value, ModelError>;

    /// Does the same for a request that asks for a stream: each event goes to `heard` as it comes,
    /// and all of them are given as a list. A client that does not stream is asked for the whole.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    fn ask_streamed(
        &self,
        body: &Value,
        heard: &mut dyn FnMut(&Value),
    ) -> Result<Value, ModelError> {
        let _ = heard;
        self.ask(body)
    }
}

impl<F> Model for F
where
    F: Fn(&Value) -> Result<Value, ModelError> + Send + Sync,
{
    fn ask(&self, body: &Value) -> Result<Value, ModelError> {
        self(body)
    }
}

/// Why a model gave no response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelError {
    /// The server was not reached, or failed; another try may succeed.
    Unreachable {
        /// Why, without keys.
        message: String,
    },
    /// The server refuses this request, and will refuse it again.
    Refused {
        /// The server's words.
        message: String,
    },
    /// The server asks to be left alone.
    Limited {
        /// After how many seconds another request may succeed, if the server says so.
        seconds: Option<u64>,
        /// The server's words.
        message: String,
    },
}

impl From<ModelError> for AgentError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Unreachable { message } => {
                let message = format!("the model could not be reached: {message}");
                Self::new(AgentCode::ModelUnreachable, message)
            }
            ModelError::Refused { message } => {
                let message = format!("the model's server refused the request: {message}");
                Self::new(AgentCode::ModelRefused, message)
            }
            ModelError::Limited { seconds, message } => {
                let after = seconds
                    .map_or_else(String::new, |seconds| format!(" (try again in {seconds} s)"));
                let message = format!("the model's server limits requests: {message}{after}");
                Self::new(AgentCode::ModelLimited, message)
            }
        }
    }
}

/// The most bytes of a server's words in an error.
const MOST_WORDS: usize = 400;
/// How often a request is sent again whose failure is passing.
const RETRIES: u32 = 2;
/// The longest time between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl ModelError {
    /// Makes the error for a status of HTTP. 408, 409, 425 and 5xx are passing, 429 and 529 ask to
    /// be left alone, and any other one above 299 is a refusal. A success is passing too: the
    /// response broke off.
    #[must_use]
    pub fn of_status(status: u16, retry_after: Option<u64>, words: &str) -> Self {
        let message = without_secrets(words);
        match status {
            429 | 529 => Self::Limited { seconds: retry_after, message },
            ..300 | 408 | 409 | 425 | 500.. => Self::Unreachable { message },
            _ => Self::Refused { message },
        }
    }

    /// After how long the request may be sent again that was sent again so often already; none to
    /// give up.
    #[must_use]
    pub fn pause(&self, tries: u32) -> Option<Duration> {
        let pause = match self {
            _ if tries >= RETRIES => return None,
            Self::Refused { .. } => return None,
            Self::Unreachable { .. } => Duration::from_millis(250 << tries),
            Self::Limited { seconds, .. } => Duration::from_secs(seconds.unwrap_or(1 << tries)),
        };
        (pause <= LONGEST_PAUSE).then_some(pause)
    }

    /// Makes the error for a server that was not reached, or that stopped in its answer.
    pub fn unreachable(error: impl fmt::Display) -> Self {
        Self::Unreachable { message: without_secrets(&error.to_string()) }
    }
}

/// Reads what a model's server answered over HTTP: its response, or why there is none.
/// `retry_after` is the header of that name in seconds, where the server sent one.
///
/// [`ModelError::of_status`] says which statuses are passing.
///
/// ```
/// use toolwire::agent::{ModelError, read_response};
///
/// let body = br#"{"error": {"message": "no model of this name"}}"#;
/// let Err(ModelError::Refused { message }) = read_response(404, None, body) else { panic!() };
/// assert_eq!(message, "no model of this name (HTTP 404)");
/// assert!(read_response(200, None, br#"{"choices": []}"#).is_ok());
/// ```
///
/// # Errors
/// [`ModelError`] with the server's words, without what looks like a secret.
pub fn read_response(
    status: u16,
    retry_after: Option<u64>,
    body: &[u8],
) -> Result<Value, ModelError> {
    let read = parse_json(body).ok();
    if (200..300).contains(&status) {
        // What is no JSON has the shape of no provider's response, and the agent says so.
        return Ok(read.unwrap_or_default());
    }
    let words = ["/error/message", "/message", "/error", "/detail"];
    let words = read.as_ref().and_then(|answer| {
        words.iter().find_map(|place| answer.pointer(place).and_then(Value::as_str))
    });
    let message = format!("{} (HTTP {status})", words.unwrap_or("no reason is given"));
    Err(ModelError::of_status(status, retry_after, &message))
}

/// The beginning of a server's words, without what looks like a secret.
pub(super) fn without_secrets(words: &str) -> String {
    let masked = Redaction::default().masked_text(words.as_bytes());
    let masked = String::from_utf8_lossy(&masked);
    masked.get(..masked.floor_char_boundary(MOST_WORDS)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_says_whether_it_passes() {
        let body =
            br#"{"error": {"message": "key sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v is bad"}}"#;
        for (status, kind) in [
            (400, "Refused"),
            (401, "Refused"),
            (302, "Refused"),
            (408, "Unreachable"),
            (500, "Unreachable"),
            (503, "Unreachable"),
            (429, "Limited"),
            (529, "Limited"),
        ] {
            let error = read_response(status, Some(7), body).unwrap_err();
            let shown = format!("{error:?}");
            assert!(shown.starts_with(kind), "{status}: {shown}");
            assert!(!shown.contains("sk-proj-aB3"), "{shown}");
            assert!(shown.contains(&format!("HTTP {status}")), "{shown}");
        }
        assert_eq!(read_response(200, None, b"<html>").unwrap(), Value::Null);
        let long = format!("{{\"message\": \"{}\"}}", "é".repeat(9000));
        let Err(ModelError::Refused { message }) = read_response(400, None, long.as_bytes()) else {
            panic!()
        };
        assert!(message.len() <= MOST_WORDS);
    }
}
