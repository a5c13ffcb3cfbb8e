//! The reducer: from events to patches, without any input or output of its own.

use std::sync::{Arc, LazyLock};

use crate::transcript::action::CallAction;
use crate::transcript::entry::{
    CallStatus, Entry, Given, LoggedCall, LoggedResult, Patched, ToolUse,
};
use crate::transcript::event::{LogEvent, Role, ToolOutcome};
use crate::transcript::form::Form;
use crate::transcript::patch::{Op, Patch};
use crate::transcript::pending::{Pending, PendingCall};
use crate::transcript::worktree::Worktree;

/// Numbers new entries.
pub trait IndexProvider {
    /// The place of the next entry.
    fn next_index(&mut self) -> usize;
}

/// Numbers entries one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter(usize);

impl IndexProvider for Counter {
    fn next_index(&mut self) -> usize {
        let index = self.0;
        self.0 += 1;
        index
    }
}

/// Joins calls with their results, and says how the list of entries changes.
///
/// A result with an id belongs to the oldest waiting call of that id. A result without an id
/// belongs to the oldest waiting call. A result without a call changes nothing.
///
/// ```
/// use toolwire::transcript::{CallAction, CallStatus, Counter, LogEvent, Reducer, ToolOutcome};
///
/// let (mut reducer, mut indexes) = (Reducer::default(), Counter::default());
/// let action = CallAction::Command { command: "ls".into() };
/// let (name, arguments) = ("Execute".into(), "{}".into());
/// let call = LogEvent::ToolCall { id: "c1".into(), name, arguments, action, at: None };
/// let added = reducer.reduce(call, &mut indexes);
/// assert_eq!((added[0].op.slug(), added[0].path()), ("add", "/entries/0".to_owned()));
///
/// let outcome = ToolOutcome::Error { kind: "tool_error".into(), message: "cancelled".into() };
/// let result = LogEvent::ToolResult { id: Some("c1".into()), is_error: true, outcome, at: None };
/// let replaced = reducer.reduce(result, &mut indexes);
/// assert_eq!((replaced[0].op.slug(), replaced[0].path()), ("replace", "/entries/0".to_owned()));
/// assert_eq!(replaced[0].entry.tool_use().map(|tool| tool.status), Some(CallStatus::Failed));
/// ```
#[derive(Debug, Default)]
pub struct Reducer {
    worktree: Option<Worktree>,
    form: Form,
    session: Option<Box<str>>,
    model_known: bool,
    completed: bool,
    pending: Pending,
}

impl Reducer {
    /// Makes a reducer that shortens paths in a worktree and writes entries in a form.
    #[must_use]
    pub fn new(worktree: Option<Worktree>, form: Form) -> Self {
        Self { worktree, form, ..Self::default() }
    }

    /// Takes in an event, and gives the changes that it makes.
    pub fn reduce(&mut self, event: LogEvent<'_>, indexes: &mut dyn IndexProvider) -> Vec<Patch> {
        self.step(event, indexes).into_iter().collect()
    }

    /// Takes in an event, and gives its change; today's events make one change at most.
    pub(super) fn step(
        &mut self,
        event: LogEvent<'_>,
        indexes: &mut dyn IndexProvider,
    ) -> Option<Patch> {
        match event {
            LogEvent::Session(id) => {
                self.session.get_or_insert_with(|| id.into());
                None
            }
            LogEvent::Model(name) => {
                if std::mem::replace(&mut self.model_known, true) {
                    return None;
                }
                Some(add_message(Role::System, &format!("model: {name}"), indexes))
            }
            LogEvent::Message { role: Role::Assistant, .. } if self.completed => None,
            LogEvent::Message { role, text } => Some(add_message(role, &text, indexes)),
            LogEvent::Completion(text) => {
                self.completed = true;
                Some(add_message(Role::Assistant, &text, indexes))
            }
            LogEvent::ToolCall { id, name, arguments, action, at } => {
                let call = LoggedCall {
                    id: id.into(),
                    name: name.into(),
                    arguments: arguments.into(),
                    action: action.seen_from(self.worktree.as_ref()),
                    started: at,
                };
                Some(self.add_call(call, indexes))
            }
            LogEvent::ToolResult { id, is_error, outcome, at } => {
                self.resolve(id.as_deref(), is_error, outcome, at)
            }
        }
    }

    /// The session's id, once the log has named it.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The calls that wait for their result, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &PendingCall> {
        self.pending.iter()
    }

    /// How many calls no longer wait because too many did; their status stays `created`.
    #[must_use]
    pub fn given_up(&self) -> usize {
        self.pending.given_up()
    }

    fn add_call(&mut self, call: LoggedCall, indexes: &mut dyn IndexProvider) -> Patch {
        let (index, call) = (indexes.next_index(), Arc::new(call));
        let waiting = PendingCall { index, call };
        let entry = waiting.entry(self.form);
        self.pending.add(waiting);
        Patch { op: Op::Add, index, entry }
    }

    /// Joins a result with its call.
    fn resolve(
        &mut self,
        id: Option<&str>,
        is_error: bool,
        outcome: ToolOutcome<'_>,
        at: Option<i64>,
    ) -> Option<Patch> {
        let PendingCall { index, call } = match id.filter(|id| !id.is_empty()) {
            Some(id) => self.pending.take(id)?,
            None => self.pending.take_oldest()?,
        };
        let given = match outcome {
            ToolOutcome::Value(value) => Given::Value(value.raw().into()),
            ToolOutcome::Text(text) => Given::Text(text.into()),
            ToolOutcome::Command { output, code } => Given::Command(output.into(), code),
            ToolOutcome::Error { kind, message } => Given::Error(kind.into(), message.into()),
        };
        let failed = is_error
            || matches!(call.action, CallAction::Command { .. })
                && given.exit_code(self.form).is_some_and(|code| code != 0);
        let status = if failed { CallStatus::Failed } else { CallStatus::Success };
        let is_patch = matches!(call.action, CallAction::FilePatch { .. });
        let patched = if is_patch { Patched::read(&given, self.worktree.as_ref()) } else { None };
        let result = Some(Arc::new(LoggedResult { given, patched, ended: at }));
        let used = ToolUse { call, status, result, form: self.form };
        let entry = Entry::ToolUse(Box::new(used));
        Some(Patch { op: Op::Replace, index, entry })
    }
}

fn add_message(role: Role, text: &str, indexes: &mut dyn IndexProvider) -> Patch {
    let index = indexes.next_index();
    Patch { op: Op::Add, index, entry: Entry::Message { role, text: shared(text) } }
}

/// The texts of one ASCII character, which all logs share.
static LETTERS: LazyLock<Vec<Arc<str>>> =
    LazyLock::new(|| (0..0x80_u8).map(|letter| char::from(letter).to_string().into()).collect());

/// The text for an entry. A text of one letter would take twelve times its size.
fn shared(text: &str) -> Arc<str> {
    match text.as_bytes() {
        [letter] => LETTERS.get(usize::from(*letter)).map_or_else(|| text.into(), Arc::clone),
        _ => text.into(),
    }
}
