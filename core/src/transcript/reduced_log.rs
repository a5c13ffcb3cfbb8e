//! The events of records, read and reduced to patches: counts each record, and what came of it.

use std::mem;

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::as_text;
use crate::transcript::asked::AskedMessages;
use crate::transcript::call_shape::is_of_call;
use crate::transcript::command::without_controls;
use crate::transcript::dialect::{
    Dialect, LoggedRequest, Rest, answer_in_text, error_of_answer, facts_of_answer, is_asked,
    logged_request,
};
use crate::transcript::early::EarlyHabit;
use crate::transcript::event::{LogEvent, Role};
use crate::transcript::form::Form;
use crate::transcript::look::kind;
use crate::transcript::patch::Patch;
use crate::transcript::reducer::{Counter, Reducer};
use crate::transcript::worktree::Worktree;

/// The deepest document in a document whose items are records.
const DEEPEST: usize = 4;

/// The reducer, and what it needs to number entries.
#[derive(Default)]
pub(super) struct ReducedLog {
    pub(super) reducer: Reducer,
    counter: Counter,
    asked: AskedMessages,
    /// Whether a document of several conversations has begun one.
    has_begun: bool,
}

impl ReducedLog {
    pub(super) fn new(worktree: Option<Worktree>, form: Form) -> Self {
        Self { reducer: Reducer::new(worktree, form), ..Self::default() }
    }

    /// Takes over the habits of a dialect.
    pub(super) fn speak(&mut self, dialect: &dyn Dialect) {
        self.reducer.keep_early(match dialect.rest() {
            Rest::Told => EarlyHabit::Dropped,
            Rest::Skipped => EarlyHabit::Waits,
        });
    }

    pub(super) fn step(&mut self, event: LogEvent<'_>, patches: &mut Vec<Patch>) {
        self.reducer.step(event, &mut self.counter, patches);
    }

    pub(super) fn damage(&mut self, number: u64) {
        self.reducer.damage_line(number);
    }

    /// Reads a record, or the records that a document holds.
    pub(super) fn document(
        &mut self,
        record: Json<'_>,
        dialect: &mut dyn Dialect,
        depth: usize,
        patches: &mut Vec<Patch>,
    ) {
        if dialect.is_of_server()
            && depth < DEEPEST
            && let Some(found) = logged_request(record)
        {
            self.logged_request(&found, dialect, depth, patches);
            return self.reducer.look_for_calls(record, &found.read);
        }
        let items = if depth < DEEPEST { dialect.items(record) } else { None };
        let Some(items) = items else { return self.record(record, dialect, patches) };
        // A document that is a conversation is a session of its own, unless it goes on with the
        // last one.
        let known = if is_asked(record, items) { self.asked.go_on(items) } else { 0 };
        if dialect.is_session(record) && mem::replace(&mut self.has_begun, true) && known == 0 {
            dialect.finish(&mut |event| self.step(event, patches));
            self.step(LogEvent::Boundary, patches);
        }
        self.reducer.begin_record();
        dialect.header(record, &mut |event| self.step(event, patches));
        if dialect.is_of_server() {
            facts_of_answer(record, &mut |event| self.step(event, patches));
        }
        if depth == 0 && items.items().next().is_none() {
            self.reducer.account_mut().records += 1;
            self.reducer.account_mut().skip("empty document");
        }
        for _ in 0..known {
            self.reducer.account_mut().records += 1;
            self.step(LogEvent::Repeated, patches);
        }
        for item in items.items().skip(known) {
            self.document(item, dialect, depth + 1, patches);
        }
        let mut answers = Vec::new();
        dialect.answers(record, &mut |answer| answers.push(answer));
        for answer in &answers {
            self.asked.answer(*answer);
            self.record(*answer, dialect, patches);
        }
        if dialect.is_of_server() {
            error_of_answer(record, &mut |event| self.step(event, patches));
        }
        if let Some((text, request)) = answer_in_text(record)
            && self.answer_in_text(&request, dialect, patches)
        {
            answers.push(text);
        }
        if record.is_object() && dialect.rest() == Rest::Skipped {
            answers.push(items);
            self.reducer.look_for_calls(record, &answers);
        }
    }

    /// Reads a request and its answer that were put together.
    fn logged_request(
        &mut self,
        found: &LoggedRequest<'_>,
        dialect: &mut dyn Dialect,
        depth: usize,
        patches: &mut Vec<Patch>,
    ) {
        let mut tape = Tape::default();
        if let Some(document) = tape.read(&found.text) {
            self.document(document, dialect, depth + 1, patches);
        }
    }

    /// Reads the answer of a request that was put together; false if the dialect finds none in it.
    fn answer_in_text(
        &mut self,
        request: &str,
        dialect: &mut dyn Dialect,
        patches: &mut Vec<Patch>,
    ) -> bool {
        let (mut tape, mut answers) = (Tape::default(), Vec::new());
        let Some(request) = tape.read(request) else { return false };
        dialect.answers(request, &mut |answer| answers.push(answer));
        for answer in &answers {
            self.asked.answer(*answer);
            self.record(*answer, dialect, patches);
        }
        !answers.is_empty()
    }

    fn record(&mut self, record: Json<'_>, dialect: &mut dyn Dialect, patches: &mut Vec<Patch>) {
        self.reducer.begin_record();
        self.reducer.account_mut().records += 1;
        let (mut told, mut set_aside, mut gives_calls) = (false, 0, false);
        let mut lost: Option<String> = None;
        let (mut written, mut has_calls) = (0, dialect.rest() == Rest::Told);
        let read = dialect.read(record, &mut |event| {
            gives_calls |= event.is_of_call();
            match &event {
                LogEvent::Skipped(kind) => {
                    set_aside += 1;
                    if is_of_call(kind) {
                        lost.get_or_insert_with(|| kind.to_string());
                    }
                }
                LogEvent::Repeated | LogEvent::Damaged { .. } => {
                    set_aside += 1;
                }
                LogEvent::Message { role: Role::Assistant, text } => {
                    told = true;
                    written += as_text::count(text);
                }
                LogEvent::ToolCall { .. } => (told, has_calls) = (true, true),
                // Facts alone do not make a record of bookkeeping one that is understood.
                LogEvent::About(_) | LogEvent::Session(_) => {}
                _ => told = true,
            }
            self.step(event, patches);
        });
        if dialect.rest() == Rest::Skipped {
            match lost {
                Some(kind) if gives_calls => self.reducer.lost_call(&kind),
                _ if gives_calls || read && dialect.has_pieces_of_calls() => {}
                _ => self.reducer.look_for_calls(record, &[]),
            }
        }
        // A message that has calls beside its text shows them in the text too.
        if !has_calls {
            self.reducer.account_mut().as_text += written;
        }
        if read {
            // Each part that is skipped counts as a record beside what is understood.
            let account = self.reducer.account_mut();
            let is_understood = u64::from(told || set_aside == 0);
            account.understood += is_understood;
            account.records += (set_aside + is_understood).saturating_sub(1);
        } else if dialect.rest() == Rest::Skipped {
            self.reducer.account_mut().skip(&kind(record));
        } else {
            let plain = without_controls(record.raw());
            self.step(LogEvent::Message { role: Role::System, text: plain }, patches);
        }
    }
}
