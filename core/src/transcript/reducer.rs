//! The reducer: from events to patches, without any input or output of its own.

use std::sync::{Arc, LazyLock};

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::account::LogAccount;
use crate::transcript::action::CallAction;
use crate::transcript::command::without_controls;
use crate::transcript::early::{EarlyHabit, EarlyResults, GivenResult};
use crate::transcript::entry::{
    CallStatus, Entry, Given, LoggedCall, LoggedResult, Patched, ToolUse,
};
use crate::transcript::event::{CANCELLED, DENIED, LogEvent, Role};
use crate::transcript::failed::FailedCalls;
use crate::transcript::form::Form;
use crate::transcript::patch::{Op, Patch};
use crate::transcript::pending::{Pending, PendingCall};
use crate::transcript::unread::UnreadCalls;
use crate::transcript::usage::UsageCount;
use crate::transcript::worktree::Worktree;

/// The longest part of a damaged call that is shown, in characters.
const MOST_SHOWN: usize = 200;

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
/// belongs to the oldest waiting call of its name, and one without a name to the oldest waiting
/// call. A result that comes before its call waits for it, except in Droid's logs. A call that its
/// own record calls failed takes the result that follows all the same. A result without
/// a call changes nothing but the account.
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
/// let (id, name) = (Some("c1".into()), None);
/// let result = LogEvent::ToolResult { id, name, is_error: true, outcome, at: None };
/// let replaced = reducer.reduce(result, &mut indexes);
/// assert_eq!((replaced[0].op.slug(), replaced[0].path()), ("replace", "/entries/0".to_owned()));
/// assert_eq!(replaced[0].entry.tool_use().map(|tool| tool.status), Some(CallStatus::Failed));
/// ```
#[derive(Debug, Default)]
pub struct Reducer {
    worktree: Option<Worktree>,
    form: Form,
    session: Option<Box<str>>,
    /// The model that was named last.
    model: Option<Box<str>>,
    completed: bool,
    line: ReadLine,
    /// What the record says of the entries that it gives.
    about: Option<Arc<About>>,
    pending: Pending,
    early: EarlyResults,
    failed: FailedCalls,
    usage: UsageCount,
    /// The calls in records that were not read.
    unread: UnreadCalls,
    account: LogAccount,
}

/// The line of the log that is read.
#[derive(Clone, Copy, Debug, Default)]
struct ReadLine {
    /// Its number, from 1.
    number: u64,
    /// The number of the last line that is damaged as a whole.
    torn: u64,
}

impl Reducer {
    /// Makes a reducer that shortens paths in a worktree and writes entries in a form.
    #[must_use]
    pub fn new(worktree: Option<Worktree>, form: Form) -> Self {
        Self { worktree, form, ..Self::default() }
    }

    /// Takes in an event, and gives the changes that it makes.
    pub fn reduce(&mut self, event: LogEvent<'_>, indexes: &mut dyn IndexProvider) -> Vec<Patch> {
        let mut patches = Vec::new();
        self.step(event, indexes, &mut patches);
        patches
    }

    /// Takes in an event, and adds the changes that it makes.
    pub(super) fn step(
        &mut self,
        event: LogEvent<'_>,
        indexes: &mut dyn IndexProvider,
        patches: &mut Vec<Patch>,
    ) {
        match event {
            LogEvent::Session(id) => {
                self.session.get_or_insert_with(|| id.into());
            }
            LogEvent::Model(name) => {
                if self.model.replace((&*name).into()).is_none() {
                    patches.push(add_message(Role::System, &format!("model: {name}"), indexes));
                }
            }
            LogEvent::Message { role: Role::Assistant, .. } if self.completed => {}
            LogEvent::Message { role, text } => {
                patches.push(self.said(add_message(role, &text, indexes)));
            }
            LogEvent::Completion(text) => {
                self.completed = true;
                patches.push(self.said(add_message(Role::Assistant, &text, indexes)));
            }
            LogEvent::ToolCall { id, name, arguments, action, at } => {
                let call = LoggedCall {
                    id: id.into(),
                    name: name.into(),
                    arguments: arguments.into(),
                    action: action.seen_from(self.worktree.as_ref()),
                    started: at,
                    about: self.about.clone(),
                };
                self.add_call(call, indexes, patches);
            }
            LogEvent::ToolResult { id, name, is_error, outcome, at } => {
                let id = id.filter(|id| !id.is_empty());
                let result = GivenResult { is_error, given: Given::of(outcome), ended: at };
                self.resolve(id.as_deref(), name.as_deref(), result, patches);
            }
            LogEvent::About(about) => {
                self.about = Some(about).filter(|about| !about.is_empty()).map(Arc::new);
            }
            LogEvent::Usage(message, tokens) => {
                self.settle_usage();
                self.usage.take(message.as_deref(), tokens);
            }
            LogEvent::Skipped(kind) => self.account.skip(&kind),
            LogEvent::Damaged { code, at, text } => {
                let (line, code) = (self.line.number, code.slug());
                let start: String = text.chars().take(MOST_SHOWN).collect();
                let told =
                    format!("line {line} is damaged: {code} at byte {at} of a call: {start}");
                self.account.damaged.add(line);
                patches.push(add_message(Role::System, &without_controls(&told), indexes));
            }
            LogEvent::Repeated => self.account.repeated += 1,
            LogEvent::Boundary => {
                self.pending.end();
                self.failed.end();
                self.early.end(&mut self.account);
            }
        }
    }

    /// Begins a line of the log, which the account names if a part of it is damaged.
    pub(super) fn begin_line(&mut self, number: u64) {
        self.line.number = number;
    }

    /// Begins a record: what an earlier one said of its entries holds no longer.
    pub(super) fn begin_record(&mut self) {
        self.settle_usage();
        self.about = None;
        self.failed.begin_record();
    }

    /// Counts the tokens that the record gave, now that it has said of which model they are.
    fn settle_usage(&mut self) {
        let (about, model) = (self.about.as_deref(), self.model.as_deref());
        self.usage.settle(about, model, &mut self.account.usage);
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

    /// What was in the log so far. Results that wait for their call count as those without one.
    #[must_use]
    pub fn account(&self) -> LogAccount {
        let (mut account, mut usage) = (self.account.clone(), self.usage.clone());
        usage.settle(self.about.as_deref(), self.model.as_deref(), &mut account.usage);
        self.early.count(&mut account);
        self.unread.count(&mut account);
        account
    }

    /// Counts a line that is damaged as a whole.
    pub(super) fn damage_line(&mut self, number: u64) {
        self.line.torn = number;
        self.account.records += 1;
        self.account.damaged.add(number);
    }

    /// Looks for calls in a record that gave none, or in what a document has beside the values
    /// that were read. A part of a torn line is counted already.
    pub(super) fn look_for_calls(&mut self, record: Json<'_>, read: &[Json<'_>]) {
        if self.line.torn != self.line.number {
            self.unread.look(record, read, self.line.number);
        }
    }

    /// Counts a call or a result of a record that gave others and could not be read itself.
    pub(super) fn lost_call(&mut self, kind: &str) {
        self.unread.lost(kind, self.line.number);
    }

    /// The words that tell of calls that were not read, for the end of a log.
    pub(super) fn tell_unread(&mut self) -> Vec<String> {
        self.unread.tell()
    }

    pub(super) fn account_mut(&mut self) -> &mut LogAccount {
        &mut self.account
    }

    /// Whether results that come before their call wait for it.
    pub(super) fn keep_early(&mut self, habit: EarlyHabit) {
        self.early.habit = habit;
    }

    fn said(&self, mut patch: Patch) -> Patch {
        if let Entry::Message { about, .. } = &mut patch.entry {
            about.clone_from(&self.about);
        }
        patch
    }

    fn add_call(
        &mut self,
        call: LoggedCall,
        indexes: &mut dyn IndexProvider,
        patches: &mut Vec<Patch>,
    ) {
        self.account.calls += 1;
        self.unread.read(&call.id, &call.name);
        let (index, call) = (indexes.next_index(), Arc::new(call));
        self.failed.called(index, &call.id);
        let waiting = PendingCall { index, call };
        patches.push(Patch { op: Op::Add, index, entry: waiting.entry(self.form) });
        match self.early.take(&waiting.call.id) {
            Some(result) => patches.push(self.join(waiting, result)),
            None => self.pending.add(waiting),
        }
    }

    /// Joins a result with the call that waits for it.
    fn resolve(
        &mut self,
        id: Option<&str>,
        name: Option<&str>,
        result: GivenResult,
        patches: &mut Vec<Patch>,
    ) {
        if let Some(id) = id {
            self.unread.read_result(id);
        }
        let waiting = match (id, name) {
            (Some(id), _) => self.pending.take(id),
            (None, Some(name)) => self.pending.take_named(name),
            (None, None) => self.pending.take_oldest(),
        };
        match (waiting, id) {
            (Some(waiting), Some(_)) if result.is_error => {
                self.failed.keep(waiting.index, &waiting.call.id);
                patches.push(self.join(waiting, result));
            }
            (Some(waiting), _) => patches.push(self.join(waiting, result)),
            // The call has its result already, and counts once.
            (None, Some(id)) if self.failed.take(id) => {}
            (None, Some(id)) => self.early.add(id, result, &mut self.account),
            (None, None) => self.account.orphan(name.unwrap_or_default()),
        }
    }

    fn join(&mut self, waiting: PendingCall, result: GivenResult) -> Patch {
        let PendingCall { index, call } = waiting;
        let GivenResult { is_error, given, ended } = result;
        self.account.joined += 1;
        self.unread.read_result(&call.id);
        if let Given::Error(kind, _) = &given {
            self.account.denied += u64::from(&**kind == DENIED);
            self.account.cancelled += u64::from(&**kind == CANCELLED);
        }
        let failed = is_error
            || matches!(call.action, CallAction::Command { .. })
                && given.exit_code(self.form).is_some_and(|code| code != 0);
        let status = if failed { CallStatus::Failed } else { CallStatus::Success };
        let is_patch = matches!(call.action, CallAction::FilePatch { .. });
        let patched = if is_patch { Patched::read(&given, self.worktree.as_ref()) } else { None };
        let result = Some(Arc::new(LoggedResult { given, patched, ended }));
        let used = ToolUse { call, status, result, form: self.form };
        Patch { op: Op::Replace, index, entry: Entry::ToolUse(Box::new(used)) }
    }
}

fn add_message(role: Role, text: &str, indexes: &mut dyn IndexProvider) -> Patch {
    let index = indexes.next_index();
    Patch { op: Op::Add, index, entry: Entry::Message { role, text: shared(text), about: None } }
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
