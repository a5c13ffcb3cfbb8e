//! Entries: the messages and calls of a log, in the order of their first appearance.
//!
//! An entry is cheap to clone, since its texts are shared. Diffs, a command's category and its
//! output are computed when a caller asks for them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::tape::Tape;
use crate::json::value::value;
use crate::slug::slugs;
use crate::transcript::about::About;
use crate::transcript::action::{CallAction, FileChange};
use crate::transcript::command;
use crate::transcript::diff;
use crate::transcript::event::{Role, ToolOutcome};
use crate::transcript::form::Form;
use crate::transcript::worktree::Worktree;

slugs! {
    /// The state of a call.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CallStatus {
        /// There is no result yet.
        Created => "created",
        /// The tool ran without an error.
        Success => "success",
        /// The tool failed.
        Failed => "failed",
    }
}

/// A call as the log has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedCall {
    /// The id, which the call's result names; empty if the call has none.
    pub id: Box<str>,
    /// The tool's name.
    pub name: Box<str>,
    /// The arguments as JSON text.
    pub arguments: Box<str>,
    /// What the call does.
    pub action: CallAction,
    /// When the call was made, in milliseconds since 1970.
    pub started: Option<i64>,
    /// What else the log says of the call.
    #[serde(default)]
    pub about: Option<Arc<About>>,
}

/// A result as the log has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedResult {
    /// What the tool gave.
    pub given: Given,
    /// What the result says of the file, if the call patches one.
    pub patched: Option<Patched>,
    /// When the result came, in milliseconds since 1970.
    pub ended: Option<i64>,
}

/// What a tool gave; see [`ToolOutcome`](super::ToolOutcome).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Given {
    /// A value, as JSON text.
    Value(Box<str>),
    /// A value, as JSON text, in which Droid's mark of an exit code counts.
    Marked(Box<str>),
    /// A text.
    Text(Box<str>),
    /// What a command wrote, and its exit code.
    Command(Box<str>, Option<i32>),
    /// An error: its kind and its message.
    Error(Box<str>, Box<str>),
}

impl Given {
    /// What an outcome gives, without the log that it stands in.
    pub(super) fn of(outcome: ToolOutcome<'_>) -> Self {
        match outcome {
            ToolOutcome::Value(value) => Self::Value(value.raw().into()),
            ToolOutcome::Raw(raw) => Self::Value(raw.into()),
            ToolOutcome::Marked(value) => Self::Marked(value.raw().into()),
            ToolOutcome::Text(text) => Self::Text(text.into()),
            ToolOutcome::Command { output, code } => Self::Command(output.into(), code),
            ToolOutcome::Error { kind, message } => Self::Error(kind.into(), message.into()),
        }
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Value(text) | Self::Marked(text) | Self::Text(text) | Self::Command(text, _) => {
                text.len()
            }
            Self::Error(kind, text) => kind.len() + text.len(),
        }
    }

    /// The text of a string, an error or a command; any other value as indented JSON.
    #[must_use]
    pub fn text(&self, form: Form) -> Cow<'_, str> {
        match self {
            Self::Value(raw) | Self::Marked(raw) => match value(raw, form.numbers) {
                Value::String(text) => text.into(),
                other => serde_json::to_string_pretty(&other).unwrap_or_default().into(),
            },
            Self::Text(text) | Self::Command(text, _) | Self::Error(_, text) => (&**text).into(),
        }
    }

    /// The exit code of a command.
    pub(super) fn exit_code(&self, form: Form) -> Option<i32> {
        match self {
            Self::Command(_, code) => *code,
            Self::Marked(raw) => command::exit_code_in_json(raw, || self.text(form)),
            Self::Value(_) | Self::Text(_) | Self::Error(..) => None,
        }
    }
}

/// A call, with its result once there is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolUse {
    /// The call.
    pub call: Arc<LoggedCall>,
    /// The state of the call.
    pub status: CallStatus,
    /// Its result.
    pub result: Option<Arc<LoggedResult>>,
    /// How the entry is written.
    pub form: Form,
}

impl ToolUse {
    /// The kind of the tool, or the tool's name if the tool is of no known kind.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        self.call.action.tool_kind().unwrap_or(&self.call.name)
    }

    /// One line that says what the call is about: a path, a command, an address, a name.
    #[must_use]
    pub fn content(&self) -> Cow<'_, str> {
        match &self.call.action {
            CallAction::FileRead { path }
            | CallAction::FileEdit { path, .. }
            | CallAction::FilePatch { path } => path.into(),
            CallAction::Command { command } => command.into(),
            CallAction::Search { query } => query.into(),
            CallAction::WebFetch { url } => url.into(),
            CallAction::Todos(todos) if todos.is_empty() => "TODO list updated".into(),
            CallAction::Todos(todos) => format!("TODO list updated ({} items)", todos.len()).into(),
            CallAction::Tool => (&*self.call.name).into(),
        }
    }

    /// The kind and the message of the error, if the call failed.
    #[must_use]
    pub fn error(&self) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
        if self.status != CallStatus::Failed {
            return None;
        }
        Some(match &self.result.as_ref()?.given {
            Given::Error(kind, message) => ((&**kind).into(), (&**message).into()),
            given => ("tool_error".into(), given.text(self.form)),
        })
    }

    /// What the call changes in its file, once that is known.
    #[must_use]
    pub fn changes(&self) -> Vec<WrittenChange> {
        let patched = || self.result.as_ref()?.patched.as_ref();
        match (&self.call.action, patched()) {
            (CallAction::FileEdit { named, changes, .. }, _) => {
                changes.iter().map(|change| WrittenChange::of(named, change)).collect()
            }
            (CallAction::FilePatch { .. }, Some(Patched { path, diff: Some(diff), .. })) => {
                vec![WrittenChange::Diff {
                    diff: diff::given(path, diff, self.form.hunks),
                    has_line_numbers: true,
                }]
            }
            (CallAction::FilePatch { .. }, Some(Patched { content: Some(content), .. })) => {
                vec![WrittenChange::Whole(content.clone())]
            }
            _ => Vec::new(),
        }
    }

    /// What the tool gave, as JSON text; a failure without a value gives the empty object.
    #[must_use]
    pub fn data(&self) -> Option<Cow<'_, str>> {
        let text = |text: &str| Value::from(text).to_string().into();
        Some(match &self.result.as_ref()?.given {
            Given::Value(raw) | Given::Marked(raw) => (&**raw).into(),
            Given::Text(given) | Given::Command(given, None) => text(given),
            Given::Command(given, Some(code)) => {
                serde_json::json!({"output": &**given, "exit_code": code}).to_string().into()
            }
            Given::Error(..) => "{}".into(),
        })
    }

    /// How long the tool ran, in milliseconds, if the log gives both times.
    #[must_use]
    pub fn duration(&self) -> Option<u64> {
        let ended = self.result.as_ref()?.ended?;
        u64::try_from(ended.checked_sub(self.call.started?)?).ok()
    }
}

/// A change of a file as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WrittenChange {
    /// The file's whole content.
    Whole(String),
    /// A unified diff.
    Diff {
        /// The diff, under a head as git writes it.
        diff: String,
        /// Whether its hunks give the line numbers of the file.
        has_line_numbers: bool,
    },
}

impl WrittenChange {
    fn of(path: &str, change: &FileChange) -> Self {
        match change {
            FileChange::Write(content) => Self::Whole(content.clone()),
            FileChange::Edit { old, new } => {
                Self::Diff { diff: diff::edit(path, old, new), has_line_numbers: false }
            }
        }
    }

    /// The content or the diff.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Whole(text) | Self::Diff { diff: text, .. } => text,
        }
    }
}

/// One entry of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// A message.
    Message {
        /// Who wrote the message.
        role: Role,
        /// The text.
        text: Arc<str>,
        /// What else the log says of the message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<Arc<About>>,
    },
    /// A call, with its result once there is one. The box keeps messages small.
    ToolUse(Box<ToolUse>),
}

impl Entry {
    /// The type in a word: `system_message`, `user_message`, `assistant_message`, `thinking`,
    /// `error_message` or `tool_use`.
    #[must_use]
    pub fn entry_type(&self) -> &'static str {
        match self {
            Self::Message { role, .. } => role.entry_type(),
            Self::ToolUse(_) => "tool_use",
        }
    }

    /// The text of a message, or what a call is about.
    #[must_use]
    pub fn content(&self) -> Cow<'_, str> {
        match self {
            Self::Message { text, .. } => (&**text).into(),
            Self::ToolUse(tool_use) => tool_use.content(),
        }
    }

    /// The entry of a call that has no result yet.
    pub(super) fn created(call: Arc<LoggedCall>, form: Form) -> Self {
        let status = CallStatus::Created;
        Self::ToolUse(Box::new(ToolUse { call, status, result: None, form }))
    }

    /// The entry as it was first added: a call is without its result.
    pub(super) fn as_added(&self) -> Self {
        match self {
            Self::ToolUse(tool_use) => Self::created(Arc::clone(&tool_use.call), tool_use.form),
            message @ Self::Message { .. } => message.clone(),
        }
    }

    /// What else the log says of the entry.
    #[must_use]
    pub fn about(&self) -> Option<&About> {
        match self {
            Self::Message { about, .. } => about.as_deref(),
            Self::ToolUse(tool_use) => tool_use.call.about.as_deref(),
        }
    }

    /// When the call was made or the message written, in milliseconds since 1970.
    #[must_use]
    pub fn at(&self) -> Option<i64> {
        let started = self.tool_use().and_then(|call| call.call.started);
        started.or_else(|| self.about()?.at)
    }

    /// The call, if the entry is one.
    #[must_use]
    pub fn tool_use(&self) -> Option<&ToolUse> {
        match self {
            Self::Message { .. } => None,
            Self::ToolUse(tool_use) => Some(tool_use),
        }
    }
}

/// What the result of a call that patches a file says of that file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patched {
    /// The file's path, relative to the worktree if the file lies there.
    pub path: String,
    /// The diff, if the result gives one.
    pub diff: Option<String>,
    /// The file's whole content, if the result gives it.
    pub content: Option<String>,
}

impl Patched {
    /// Reads an object, or a text that holds one; the members may stand one level deeper, under
    /// `value`.
    pub(super) fn read(given: &Given, worktree: Option<&Worktree>) -> Option<Self> {
        let text = match given {
            Given::Value(raw) | Given::Marked(raw) if raw.starts_with('"') => {
                given.text(Form::default())
            }
            Given::Value(raw) | Given::Marked(raw) => (&**raw).into(),
            Given::Text(text) => (&**text).into(),
            Given::Command(..) | Given::Error(..) => return None,
        };
        let mut tape = Tape::default();
        let whole = tape.read(text.trim())?;
        let field = |name: &str| {
            let inner = || whole.get("value").and_then(|value| value.text_of(name));
            whole.text_of(name).or_else(inner).map(Cow::into_owned)
        };
        let path = field("file_path")?;
        let path = worktree.map_or_else(|| path.clone(), |worktree| worktree.shorten(&path));
        Some(Self { path, diff: field("diff"), content: field("content") })
    }
}
