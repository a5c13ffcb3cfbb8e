//! Makes the events of calls.

use std::borrow::Cow;

use crate::json::parse::parse_json;
use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::action::CallAction;
use crate::transcript::dialect::tools;
use crate::transcript::event::LogEvent;

/// A call as a record has it.
#[derive(Clone, Debug)]
pub(super) struct CallParts<'a> {
    /// The id; empty for none.
    pub(super) id: Cow<'a, str>,
    /// The tool's name.
    pub(super) name: Cow<'a, str>,
    /// The arguments: a value, or a text that holds one.
    pub(super) arguments: Option<Json<'a>>,
    /// When the call was made.
    pub(super) at: Option<i64>,
}

impl<'a> CallParts<'a> {
    /// The call of a tool that any program may have; its name says nothing of what it does.
    pub(super) fn plain(self) -> LogEvent<'a> {
        let Self { id, name, arguments, at } = self;
        let arguments = written(arguments);
        LogEvent::ToolCall { id, name, arguments, action: CallAction::Tool, at }
    }

    /// The call of an agent's tool, which its name tells.
    pub(super) fn of_agent(self) -> LogEvent<'a> {
        let Self { id, name, arguments, at } = self;
        let action = match arguments {
            Some(value) if value.is_text() => {
                let text = value.text().unwrap_or_default();
                let mut tape = Tape::default();
                tape.read(text.trim()).map_or(CallAction::Tool, |read| tools::action(&name, read))
            }
            Some(value) => tools::action(&name, value),
            None => CallAction::Tool,
        };
        LogEvent::ToolCall { id, name, arguments: written(arguments), action, at }
    }
}

/// The JSON text of arguments. A text that is not JSON stays a text.
pub(super) fn written(arguments: Option<Json<'_>>) -> Cow<'_, str> {
    let Some(arguments) = arguments.filter(|value| !value.is_null()) else { return "{}".into() };
    match arguments.text() {
        Some(text) if text.trim().is_empty() => "{}".into(),
        Some(text) if is_json(&text) => match text {
            Cow::Borrowed(text) => text.trim().into(),
            Cow::Owned(text) => text.trim().to_owned().into(),
        },
        _ => arguments.raw().into(),
    }
}

/// Whether a text is the JSON of an object, an array or any other value.
pub(super) fn is_json(text: &str) -> bool {
    parse_json(text.trim().as_bytes()).is_ok()
}
