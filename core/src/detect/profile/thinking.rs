//! Whether a model was asked to think, as a request to an inference server says it.

use serde_json::{Map, Value};

use super::data::{Profile, Source};
use super::shape::ThinkingSwitch;
use crate::error::Error;
use crate::option::wrong_type;

/// The names that switch thinking where nothing is known of the model.
const NAMES: [&str; 4] = ["enable_thinking", "thinking", "thinking_mode", "reasoning_effort"];
/// The words that switch it off.
const OFF: [&str; 5] = ["none", "no_think", "disabled", "off", "false"];
/// The words that leave it to the model.
const OPEN: [&str; 2] = ["adaptive", "auto"];

/// Whether the model was asked to think.
///
/// ```
/// use serde_json::json;
/// use toolwire::{Detector, Options};
///
/// let mut options = Options::default();
/// options.set("model", &json!("deepseek-v3.1"))?;
/// options.set("thinking", &json!({"thinking": true}))?;
/// let found = Detector::new(options)?.detect(b"I look.</think>Done.").into_findings();
/// assert_eq!(found.reasoning.len(), 1);
/// # Ok::<(), toolwire::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Thinking {
    /// The message begins in reasoning, or does not.
    Begun(bool),
    /// The variables that the request gave the model's chat template.
    Request(Map<String, Value>),
}

impl Thinking {
    /// Reads the option: a boolean, or the request's variables; `None` for null.
    pub(crate) fn from_json(value: &Value) -> Result<Option<Self>, Error> {
        match value {
            Value::Null => Ok(None),
            Value::Bool(begun) => Ok(Some(Self::Begun(*begun))),
            Value::Object(request) => Ok(Some(Self::Request(request.clone()))),
            // An empty PHP array does not say whether it is a list or a map.
            Value::Array(none) if none.is_empty() => Ok(Some(Self::Request(Map::new()))),
            _ => Err(wrong_type("thinking", "a boolean or the variables of a chat template")),
        }
    }

    /// Whether the message of any model begins in reasoning; `None` where nothing says so.
    pub(crate) fn begun(&self) -> Option<bool> {
        self.begun_by(None)
    }

    fn begun_by(&self, switch: Option<&ThinkingSwitch>) -> Option<bool> {
        let request = match self {
            Self::Begun(begun) => return Some(*begun),
            Self::Request(request) => request,
        };
        let said = |name: &str| request.get(name).and_then(asked);
        match switch {
            Some(switch) => switch.names.iter().find_map(|name| said(name)),
            None => NAMES.iter().find_map(|name| said(name)),
        }
    }
}

/// What the value of a variable asks for.
fn asked(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::String(word) if OPEN.contains(&word.as_str()) => None,
        Value::String(word) => Some(!OFF.contains(&word.as_str())),
        // An object as Anthropic's interface has it.
        Value::Object(members) => asked(members.get("type").filter(|kind| kind.is_string())?),
        _ => None,
    }
}

impl Profile {
    /// The variables of the chat template that switch thinking; empty where the models always
    /// think, `None` where it is not known.
    #[must_use]
    pub fn thinking_names(&self) -> Option<impl Iterator<Item = &str>> {
        self.data.thinking.as_ref().map(|switch| switch.names.iter().map(|name| &**name))
    }

    /// The same profile for a message of a model that was asked to think, or not to.
    ///
    /// A prompt says more, so what it decided stays.
    pub(crate) fn asked_to_think(self, thinking: &Thinking) -> Self {
        match thinking.begun_by(self.data.thinking.as_ref()) {
            Some(begun) if self.begun_source != Source::Prompt => self.with_reasoning_begun(begun),
            _ => self,
        }
    }
}
