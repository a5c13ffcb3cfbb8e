//! What a line of a log says, whichever program wrote it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::call::RejectionCode;
use crate::json::value::Json;
use crate::transcript::about::{About, TokenUsage};
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

/// The kind of error of a call that the person refused.
pub const DENIED: &str = "denied";
/// The kind of error of a call that was stopped.
pub const CANCELLED: &str = "cancelled";

/// What a tool gave.
#[derive(Clone, Debug)]
pub enum ToolOutcome<'a> {
    /// A value, as it stands in the log.
    Value(Json<'a>),
    /// A value as JSON text.
    Raw(Cow<'a, str>),
    /// A value in which Droid's mark of an exit code counts.
    Marked(Json<'a>),
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
        /// The name of the tool, which tells the call if there is no id.
        name: Option<Cow<'a, str>>,
        /// Whether the program calls it an error.
        is_error: bool,
        /// What the tool gave.
        outcome: ToolOutcome<'a>,
        /// When the result came, in milliseconds since 1970.
        at: Option<i64>,
    },
    /// The end of a turn, with the model's last words.
    Completion(Cow<'a, str>),
    /// Facts of the entries that the rest of the record gives.
    About(About),
    /// The tokens of a message; of several counts of one message, the last one holds.
    Usage(Option<Cow<'a, str>>, TokenUsage),
    /// A record, or a part of one, that is bookkeeping of this kind.
    Skipped(Cow<'a, str>),
    /// A part of the record that is a call and cannot be read.
    Damaged {
        /// Why the part cannot be read.
        code: RejectionCode,
        /// The offset in the part at which that shows.
        at: usize,
        /// The part.
        text: Cow<'a, str>,
    },
    /// A record that stood before.
    Repeated,
    /// The end of a conversation: its calls wait no longer.
    Boundary,
}

impl LogEvent<'_> {
    /// Whether the event tells of a call or its result, or that the record stood before.
    pub(super) fn is_of_call(&self) -> bool {
        matches!(
            self,
            Self::ToolCall { .. } | Self::ToolResult { .. } | Self::Damaged { .. } | Self::Repeated
        )
    }

    /// The event without borrowed texts.
    pub(super) fn into_owned(self) -> LogEvent<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Session(text) => LogEvent::Session(own(text)),
            Self::Model(text) => LogEvent::Model(own(text)),
            Self::Message { role, text } => LogEvent::Message { role, text: own(text) },
            Self::ToolCall { id, name, arguments, action, at } => LogEvent::ToolCall {
                id: own(id),
                name: own(name),
                arguments: own(arguments),
                action,
                at,
            },
            Self::ToolResult { id, name, is_error, outcome, at } => LogEvent::ToolResult {
                id: id.map(own),
                name: name.map(own),
                is_error,
                outcome: outcome.into_owned(),
                at,
            },
            Self::Completion(text) => LogEvent::Completion(own(text)),
            Self::About(about) => LogEvent::About(about),
            Self::Usage(message, tokens) => LogEvent::Usage(message.map(own), tokens),
            Self::Skipped(kind) => LogEvent::Skipped(own(kind)),
            Self::Damaged { code, at, text } => LogEvent::Damaged { code, at, text: own(text) },
            Self::Repeated => LogEvent::Repeated,
            Self::Boundary => LogEvent::Boundary,
        }
    }
}

impl ToolOutcome<'_> {
    /// The outcome without borrowed texts.
    fn into_owned(self) -> ToolOutcome<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Value(value) | Self::Marked(value) => ToolOutcome::Raw(own(value.raw().into())),
            Self::Raw(raw) => ToolOutcome::Raw(own(raw)),
            Self::Text(text) => ToolOutcome::Text(own(text)),
            Self::Command { output, code } => ToolOutcome::Command { output: own(output), code },
            Self::Error { kind, message } => {
                ToolOutcome::Error { kind: own(kind), message: own(message) }
            }
        }
    }
}
