//! What a line of a log says, whichever program wrote it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::json::value::Json;
use crate::transcript::action::CallAction;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The program itself.
    System,
    /// The person who uses it.
    User,
    /// The model.
    Assistant,
    /// The model, in its reasoning.
    Thinking,
    /// The program, in an error message.
    Error,
}

impl Role {
    /// The type of an entry of this role.
    #[must_use]
    pub fn entry_type(self) -> &'static str {
        match self {
            Self::System => "system_message",
            Self::User => "user_message",
            Self::Assistant => "assistant_message",
            Self::Thinking => "thinking",
            Self::Error => "error_message",
        }
    }
}

/// What a tool gave.
#[derive(Clone, Debug)]
pub enum ToolOutcome<'a> {
    /// A value, as it stands in the log.
    Value(Json<'a>),
    /// A text that was put together from several parts.
    Text(Cow<'a, str>),
    /// What a command wrote, and its exit code if the log gives it as a number.
    Command {
        /// Standard output and standard error.
        output: Cow<'a, str>,
        /// The exit code.
        code: Option<i32>,
    },
    /// An error.
    Error {
        /// The program's word for this kind of error.
        kind: Cow<'a, str>,
        /// What went wrong.
        message: Cow<'a, str>,
    },
}

/// One thing that a line says.
#[derive(Clone, Debug)]
pub enum LogEvent<'a> {
    /// The session's id.
    Session(Cow<'a, str>),
    /// The model's name.
    Model(Cow<'a, str>),
    /// A message.
    Message {
        /// Who wrote the message.
        role: Role,
        /// The text, unchanged.
        text: Cow<'a, str>,
    },
    /// A request to run a tool.
    ToolCall {
        /// The id that the result will name; empty for none.
        id: Cow<'a, str>,
        /// The tool's name.
        name: Cow<'a, str>,
        /// The arguments as JSON text.
        arguments: Cow<'a, str>,
        /// What the call does.
        action: CallAction,
        /// When the call was made, in milliseconds since 1970.
        at: Option<i64>,
    },
    /// What running a tool gave.
    ToolResult {
        /// The id of its call, where the log names it.
        id: Option<Cow<'a, str>>,
        /// Whether the program calls it an error.
        is_error: bool,
        /// What the tool gave.
        outcome: ToolOutcome<'a>,
        /// When the result came, in milliseconds since 1970.
        at: Option<i64>,
    },
    /// The end of a turn, with the model's last words.
    Completion(Cow<'a, str>),
}
