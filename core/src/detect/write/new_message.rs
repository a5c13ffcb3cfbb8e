//! A message that is to be written.

use serde_json::Value;

use crate::detect::findings::Findings;
use crate::detect::write::new_call::NewCall;
use crate::error::{Error, ErrorKind};

/// A message that is to be written.
///
/// White space at the ends of the reasoning and of the text does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMessage {
    /// What the model thinks before it writes; blank for nothing.
    pub reasoning: String,
    /// What a person should see; it stands in front of the calls.
    pub text: String,
    /// The calls.
    pub calls: Vec<NewCall>,
}

impl NewMessage {
    /// What was found in this text: its reasoning, what a person should see, and its calls.
    #[must_use]
    pub fn of(found: &Findings, text: &[u8]) -> Self {
        let reasoning = found.reasoning_text(text).unwrap_or_default();
        let calls = found.calls.iter().map(|call| NewCall::of(call, text));
        Self {
            reasoning: String::from_utf8_lossy(&reasoning).into_owned(),
            text: String::from_utf8_lossy(&found.text(text)).into_owned(),
            calls: calls.collect(),
        }
    }

    /// A message as an object with `reasoning`, `text` and `calls`; each may be missing or null.
    ///
    /// # Errors
    /// `wrong_type` for another shape, `invalid_option` for an unknown key.
    pub fn from_json(value: &Value) -> Result<Self, Error> {
        let shape = || {
            let message = "a message must be an object with reasoning, text and calls";
            Error::new(ErrorKind::WrongType, message)
        };
        let members = match value {
            Value::Object(members) => members,
            // An empty PHP array does not say whether it is a list or a map.
            Value::Array(none) if none.is_empty() => return Ok(Self::default()),
            _ => return Err(shape()),
        };
        let mut message = Self::default();
        for (key, value) in members {
            match (key.as_str(), value) {
                ("reasoning" | "text" | "calls", Value::Null) => {}
                ("reasoning", Value::String(text)) => message.reasoning.clone_from(text),
                ("text", Value::String(text)) => message.text.clone_from(text),
                ("calls", Value::Array(calls)) => {
                    message.calls =
                        calls.iter().map(NewCall::from_json).collect::<Result<_, _>>()?;
                }
                ("reasoning" | "text" | "calls", _) => return Err(shape()),
                _ => {
                    let key = key.escape_debug();
                    let message =
                        format!("a message has reasoning, text and calls, but not \"{key}\"");
                    return Err(Error::new(ErrorKind::InvalidOption, message));
                }
            }
        }
        Ok(message)
    }
}
