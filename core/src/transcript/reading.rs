//! From the records of a log to patches: finds the dialect, reads each record, keeps the account.

use std::borrow::Cow;
use std::mem;

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::account::LogAccount;
use crate::transcript::as_text;
use crate::transcript::call_shape::is_of_call;
use crate::transcript::command::without_controls;
use crate::transcript::dialect::{Dialect, DialectName, Rest};
use crate::transcript::early::EarlyHabit;
use crate::transcript::event::{LogEvent, Role};
use crate::transcript::frame::mend::{Mended, is_fragment, mend, mend_document};
use crate::transcript::frame::{Framed, MAX_LINE};
use crate::transcript::held::HeldRecords;
use crate::transcript::look::{kind, looks};
use crate::transcript::patch::Patch;
use crate::transcript::reader_options::ReaderOptions;
use crate::transcript::recognise::DialectWeights;
use crate::transcript::reducer::{Counter, Reducer};
use crate::transcript::worktree::Worktree;

/// The deepest document in a document whose items are records.
const DEEPEST: usize = 4;
/// The longest part of a damaged line that is shown.
const MOST_SHOWN: usize = 200;

/// The state that turns records into patches.
pub(super) struct LogReading {
    tape: Tape,
    spoken: SpokenDialect,
    state: ReducedLog,
}

/// The dialect that a log is read in, and whether that is sure.
struct SpokenDialect {
    /// The dialect that is known for certain.
    known: Option<DialectName>,
    current: DialectName,
    dialect: Box<dyn Dialect>,
    weights: DialectWeights,
    held: HeldRecords,
    /// What the first record looks like.
    look: Option<String>,
}

/// The reducer, and what it needs to number entries.
#[derive(Default)]
struct ReducedLog {
    reducer: Reducer,
    counter: Counter,
    /// Whether a document of several conversations has begun one.
    has_begun: bool,
}

impl LogReading {
    pub(super) fn new(options: ReaderOptions) -> Self {
        let current = options.dialect.unwrap_or(DialectName::Droid);
        let spoken = SpokenDialect {
            known: options.dialect,
            current,
            dialect: current.reader(),
            weights: DialectWeights::default(),
            held: HeldRecords::default(),
            look: None,
        };
        let worktree = options.worktree.map(Worktree::new);
        let reducer = Reducer::new(worktree, options.form);
        let mut reading = Self {
            tape: Tape::default(),
            spoken,
            state: ReducedLog { reducer, ..ReducedLog::default() },
        };
        reading.state.speak(&*reading.spoken.dialect);
        reading
    }

    pub(super) fn reducer(&self) -> &Reducer {
        &self.state.reducer
    }

    pub(super) fn dialect(&self) -> Option<DialectName> {
        self.spoken.known
    }

    pub(super) fn look(&self) -> Option<&str> {
        self.spoken.look.as_deref().filter(|_| self.spoken.known.is_none())
    }

    pub(super) fn account(&self) -> LogAccount {
        self.state.reducer.account()
    }

    /// Takes in a piece of the log. While the dialect is open, records are held back.
    pub(super) fn take(&mut self, number: u64, framed: Framed<'_>, patches: &mut Vec<Patch>) {
        if self.spoken.known.is_some() {
            return self.process(number, framed, patches);
        }
        if let Framed::Text(text) = framed
            && self.spoken.held.is_empty()
        {
            self.spoken.known = DialectName::ALL.iter().copied().find(|name| name.begins(text));
            return self.process(number, framed, patches);
        }
        let is_record = self.weigh(framed);
        if let Framed::Document(_) | Framed::OpenDocument(_) = framed {
            self.spoken.known = self.spoken.weights.likely();
            self.release(patches);
            return self.process(number, framed, patches);
        }
        if self.spoken.held.is_empty() && !is_record {
            return self.process(number, framed, patches);
        }
        self.spoken.held.add(number, framed);
        if let Some(name) = self.spoken.weights.sure() {
            self.spoken.known = Some(name);
            self.release(patches);
        } else if self.spoken.held.is_full() {
            self.spoken.known = self.spoken.weights.likely();
            self.release(patches);
        }
    }

    /// Reads the records that were held back.
    pub(super) fn release(&mut self, patches: &mut Vec<Patch>) {
        let held = mem::take(&mut self.spoken.held);
        held.each(|number, framed| self.process(number, framed, patches));
    }

    /// Ends the log.
    pub(super) fn finish(&mut self, patches: &mut Vec<Patch>) {
        if self.spoken.known.is_none() {
            self.spoken.known = self.spoken.weights.likely();
        }
        self.release(patches);
        let Self { spoken, state, .. } = self;
        state.reducer.begin_record();
        spoken.dialect.finish(&mut |event| state.step(event, patches));
        for text in self.state.reducer.tell_unread() {
            self.message(Role::System, text.into(), patches);
        }
    }

    /// Adds the weight of a record; false if the piece is none.
    fn weigh(&mut self, framed: Framed<'_>) -> bool {
        let text = match framed {
            Framed::Record(text) | Framed::Cut(text) | Framed::Document(text) => text,
            Framed::OpenDocument(text) => {
                let mended = mend_document(text, &mut |text| self.tape.read(text).is_some());
                let record = mended.records.first();
                if let Some(record) = record.and_then(|text| self.tape.read(text)) {
                    self.spoken.weights.add(record);
                    self.spoken.look.get_or_insert_with(|| looks(record));
                }
                return true;
            }
            Framed::Binary(what) => {
                self.spoken.look = Some(what.to_owned());
                return false;
            }
            Framed::Text(_) | Framed::TooLong(_) => return false,
        };
        if let Some(record) = self.tape.read(text) {
            self.spoken.weights.add(record);
            self.spoken.look.get_or_insert_with(|| looks(record));
        }
        true
    }

    /// Reads a piece of the log in the dialect that is known, or that fits best so far.
    fn process(&mut self, number: u64, framed: Framed<'_>, patches: &mut Vec<Patch>) {
        if let Some(known) = self.spoken.known {
            self.spoken.speak(known, &mut self.state);
        }
        self.state.reducer.begin_line(number);
        match framed {
            Framed::Record(text) => {
                if !self.read(text, patches) {
                    self.damaged(number, text, patches);
                }
            }
            Framed::Cut(text) => {
                self.state.reducer.account_mut().repaired += 1;
                if !self.read(text, patches) {
                    self.damaged(number, text, patches);
                }
            }
            Framed::Document(text) | Framed::OpenDocument(text) => {
                if !self.read(text, patches) {
                    self.damaged_document(number, text, patches);
                }
            }
            Framed::Text(text) => self.text(number, text, patches),
            Framed::TooLong(length) => {
                let text =
                    format!("a line of {length} bytes is left out: it is longer than {MAX_LINE}");
                self.state.damage(number);
                self.message(Role::System, text.into(), patches);
            }
            Framed::Binary(what) => {
                self.state.reducer.account_mut().records += 1;
                self.message(Role::System, format!("this is {what}").into(), patches);
            }
        }
    }

    /// Reads a text as a record; false if it is not JSON.
    fn read(&mut self, text: &str, patches: &mut Vec<Patch>) -> bool {
        let Self { tape, spoken, state } = self;
        let Some(record) = tape.read(text) else { return false };
        spoken.choose(record, state);
        state.document(record, &mut *spoken.dialect, 0, patches);
        true
    }

    /// Reads what can be read of a line that is not JSON.
    fn damaged(&mut self, number: u64, line: &str, patches: &mut Vec<Patch>) {
        if self.spoken.dialect.rest() == Rest::Told {
            self.state.damage(number);
            return self.plain(line, patches);
        }
        let mended = mend(line, &mut |text| self.tape.read(text).is_some());
        self.mended(number, mended, patches);
    }

    /// Reads what can be read of a document that is not JSON.
    fn damaged_document(&mut self, number: u64, text: &str, patches: &mut Vec<Patch>) {
        if self.spoken.dialect.rest() == Rest::Skipped {
            let mended = mend_document(text, &mut |text| self.tape.read(text).is_some());
            return self.mended(number, mended, patches);
        }
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.state.damage(number);
            self.plain(line.trim(), patches);
        }
    }

    fn mended(&mut self, number: u64, mended: Mended<'_>, patches: &mut Vec<Patch>) {
        if let Some(lost) = mended.lost {
            self.state.damage(number);
            if !lost.is_empty() {
                let start: String = lost.chars().take(MOST_SHOWN).collect();
                let text = format!("line {number} is damaged: {start}");
                self.message(Role::System, without_controls(&text), patches);
            }
        } else {
            self.state.reducer.account_mut().repaired += 1;
        }
        for record in mended.records {
            self.read(&record, patches);
        }
    }

    /// A line of text between records.
    fn text(&mut self, number: u64, line: &str, patches: &mut Vec<Patch>) {
        let Self { spoken, state, .. } = self;
        state.reducer.begin_record();
        if spoken.dialect.line(line, &mut |event| state.step(event, patches)) {
            state.reducer.account_mut().records += 1;
            state.reducer.account_mut().understood += 1;
            return;
        }
        let text = line.trim();
        if is_fragment(text) {
            state.damage(number);
        } else {
            state.reducer.account_mut().records += 1;
            state.reducer.account_mut().skip("text");
        }
        self.plain(text, patches);
    }

    fn plain(&mut self, text: &str, patches: &mut Vec<Patch>) {
        let plain = without_controls(text);
        if !plain.trim().is_empty() {
            self.message(Role::System, plain, patches);
        }
    }

    /// Adds a message that no record gives.
    pub(super) fn message(&mut self, role: Role, text: Cow<'_, str>, patches: &mut Vec<Patch>) {
        self.state.reducer.begin_record();
        self.state.step(LogEvent::Message { role, text }, patches);
    }
}

impl SpokenDialect {
    /// Takes the dialect that is known. Until then, messages are read as OpenAI's and all other
    /// records as Droid's.
    fn choose(&mut self, record: Json<'_>, state: &mut ReducedLog) {
        let plain = || {
            let is_message =
                record.get("type").is_none_or(|kind| kind.text().as_deref() == Some("message"))
                    && record.get("role").is_some_and(Json::is_text)
                    && record.get("content").is_some();
            if is_message { DialectName::OpenAi } else { DialectName::Droid }
        };
        let current = self.known.or_else(|| self.weights.likely()).unwrap_or_else(plain);
        self.speak(current, state);
    }

    /// Goes on in a dialect.
    fn speak(&mut self, current: DialectName, state: &mut ReducedLog) {
        if current != self.current {
            (self.current, self.dialect) = (current, current.reader());
            state.speak(&*self.dialect);
        }
    }
}

impl ReducedLog {
    /// Takes over the habits of a dialect.
    fn speak(&mut self, dialect: &dyn Dialect) {
        self.reducer.keep_early(match dialect.rest() {
            Rest::Told => EarlyHabit::Dropped,
            Rest::Skipped => EarlyHabit::Waits,
        });
    }

    fn step(&mut self, event: LogEvent<'_>, patches: &mut Vec<Patch>) {
        self.reducer.step(event, &mut self.counter, patches);
    }

    fn damage(&mut self, number: u64) {
        self.reducer.damage_line(number);
    }

    /// Reads a record, or the records that a document holds.
    fn document(
        &mut self,
        record: Json<'_>,
        dialect: &mut dyn Dialect,
        depth: usize,
        patches: &mut Vec<Patch>,
    ) {
        let items = if depth < DEEPEST { dialect.items(record) } else { None };
        let Some(items) = items else { return self.record(record, dialect, patches) };
        // A document that is a conversation is a session of its own.
        if mem::replace(&mut self.has_begun, true) {
            dialect.finish(&mut |event| self.step(event, patches));
            self.step(LogEvent::Boundary, patches);
        }
        self.reducer.begin_record();
        dialect.header(record, &mut |event| self.step(event, patches));
        if depth == 0 && items.items().next().is_none() {
            self.reducer.account_mut().records += 1;
            self.reducer.account_mut().skip("empty document");
        }
        for item in items.items() {
            self.document(item, dialect, depth + 1, patches);
        }
        let mut answers = Vec::new();
        dialect.answers(record, &mut |answer| answers.push(answer));
        for answer in &answers {
            self.record(*answer, dialect, patches);
        }
        if record.is_object() && dialect.rest() == Rest::Skipped {
            answers.push(items);
            self.reducer.look_for_calls(record, &answers);
        }
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
                _ if gives_calls => {}
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
