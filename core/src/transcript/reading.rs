//! From the records of a log to patches: finds the dialect, reads each record, keeps the account.

use std::borrow::Cow;
use std::mem;

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::account::LogAccount;
use crate::transcript::command::without_controls;
use crate::transcript::dialect::{Dialect, DialectName, Rest};
use crate::transcript::envelope::{begins_with_words, behind_words, opened};
use crate::transcript::event::{LogEvent, Role};
use crate::transcript::frame::mend::{Mended, is_fragment, mend, mend_document};
use crate::transcript::frame::{Framed, MAX_LINE};
use crate::transcript::held::{HeldRecords, MakeFramed};
use crate::transcript::look::looks;
use crate::transcript::patch::Patch;
use crate::transcript::reader_options::ReaderOptions;
use crate::transcript::recognise::DialectWeights;
use crate::transcript::reduced_log::ReducedLog;
use crate::transcript::reducer::Reducer;
use crate::transcript::worktree::Worktree;

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
    /// Whether records stand in those of a collector.
    is_enveloped: bool,
    /// Whether the host has named the dialect, and no record has come that stands alone.
    is_named: bool,
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
            is_enveloped: false,
            is_named: options.dialect.is_some_and(|name| name.reader().rest() == Rest::Skipped),
        };
        let worktree = options.worktree.map(Worktree::new);
        let mut reading =
            Self { tape: Tape::default(), spoken, state: ReducedLog::new(worktree, options.form) };
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
        match self.opened(framed) {
            Some((text, again)) => self.take_opened(number, again(&text), patches),
            None => self.take_opened(number, framed, patches),
        }
    }

    /// The record that a piece holds for a collector of logs, and what makes a piece of it.
    fn opened(&mut self, framed: Framed<'_>) -> Option<(String, MakeFramed)> {
        let is_open = self.spoken.known.is_none() || self.spoken.is_named;
        if !is_open && !self.spoken.is_enveloped {
            return None;
        }
        let found = self.held_by(framed);
        self.spoken.is_enveloped |= found.is_some();
        if let Framed::Record(text) | Framed::Document(text) = framed
            && found.is_none()
        {
            self.spoken.is_named &= self.tape.read(text).is_none();
        }
        found
    }

    /// The record that a piece holds, if it is one of a collector.
    fn held_by(&mut self, framed: Framed<'_>) -> Option<(String, MakeFramed)> {
        let found: (String, MakeFramed) = match framed {
            Framed::Record(text) => {
                let inner = match self.tape.read(text) {
                    Some(record) => opened(record)?,
                    None if begins_with_words(text) => behind_words(text)?.to_owned(),
                    None => return None,
                };
                (inner, |text| Framed::Record(text))
            }
            Framed::Document(text) => {
                (opened(self.tape.read(text)?)?, |text| Framed::Document(text))
            }
            Framed::Text(text) => (behind_words(text)?.to_owned(), |text| Framed::Record(text)),
            _ => return None,
        };
        Some(found)
    }

    fn take_opened(&mut self, number: u64, framed: Framed<'_>, patches: &mut Vec<Patch>) {
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

    /// Adds the weight of a record; false if the piece is none. A damaged one is mended for that.
    fn weigh(&mut self, framed: Framed<'_>) -> bool {
        let (text, is_document) = match framed {
            Framed::Record(text) | Framed::Cut(text) => (text, false),
            Framed::Document(text) | Framed::OpenDocument(text) => (text, true),
            Framed::Binary(what) => {
                self.spoken.look = Some(what.to_owned());
                return false;
            }
            Framed::Text(_) | Framed::TooLong(_) => return false,
        };
        if let Some(record) = self.tape.read(text) {
            self.spoken.weigh(record);
            return true;
        }
        let mut is_json = |text: &str| self.tape.read(text).is_some();
        let mended =
            if is_document { mend_document(text, &mut is_json) } else { mend(text, &mut is_json) };
        for record in mended.records {
            let inner = self.opened(Framed::Record(&record)).map(|(inner, _)| inner);
            if let Some(record) = self.tape.read(inner.as_deref().unwrap_or(&record)) {
                self.spoken.weigh(record);
            }
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
                let is_text = self.spoken.is_enveloped && begins_with_words(text);
                if self.read(text, patches) {
                    return;
                }
                // The line of a program may begin with a time in brackets.
                if is_text {
                    self.text(number, text, patches);
                } else {
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
            match self.opened(Framed::Record(&record)) {
                Some((inner, _)) => self.read(&inner, patches),
                None => self.read(&record, patches),
            };
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
        // Where each line is a message, none holds a record.
        let record = behind_words(line).filter(|_| spoken.dialect.rest() == Rest::Skipped);
        if let Some(record) = record {
            self.read(record, patches);
            return;
        }
        let Self { state, .. } = self;
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
    /// Adds the weight of a record.
    fn weigh(&mut self, record: Json<'_>) {
        self.weights.add(record);
        self.look.get_or_insert_with(|| looks(record));
    }

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
