//! Reads a log, whole or as it grows, and gives the patches of its entries.
//!
//! ```
//! use toolwire::transcript::{Reader, ReaderOptions};
//!
//! let mut reader = Reader::new(ReaderOptions::default());
//! let mut patches = Vec::new();
//! reader.feed(b"Droid 1.0\n{\"type\":\"message\",\"role\":\"user\",\"id\":\"1\",", &mut patches);
//! reader.feed(b"\"text\":\"Hi\",\"timestamp\":1,\"session_id\":\"s\"}\n", &mut patches);
//! reader.finish(&mut patches);
//! let said: Vec<_> = patches.iter().map(|patch| patch.entry.content()).collect();
//! assert_eq!((said, reader.session_id()), (vec!["Droid 1.0".into(), "Hi".into()], Some("s")));
//! ```

use std::fmt;
use std::path::PathBuf;

use memchr::memchr;

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::command::without_controls;
use crate::transcript::dialect::{Dialect, DialectName};
use crate::transcript::event::{LogEvent, Role};
use crate::transcript::form::Form;
use crate::transcript::patch::Patch;
use crate::transcript::pending::PendingCall;
use crate::transcript::reducer::{Counter, Reducer};
use crate::transcript::worktree::Worktree;

/// The longest line that is read, in bytes; of a longer line only the length is reported.
pub const MAX_LINE: usize = 16 << 20;

/// How a log is read.
#[derive(Clone, Debug, Default)]
pub struct ReaderOptions {
    /// The folder that the agent worked in; paths in it are shortened.
    pub worktree: Option<PathBuf>,
    /// The dialect of the log; if none, the reader finds it out from the log.
    pub dialect: Option<DialectName>,
    /// How entries are written.
    pub form: Form,
}

/// Reads a log in pieces; a piece may end anywhere.
///
/// The reader holds the incomplete line and the calls that wait for a result, and nothing else of
/// the log.
pub struct Reader {
    lines: PartialLine,
    reading: Reading,
}

impl fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Reader");
        shown
            .field("dialect", &self.dialect())
            .field("session_id", &self.session_id())
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// Makes a reader at the start of a log.
    #[must_use]
    pub fn new(options: ReaderOptions) -> Self {
        let worktree = options.worktree.map(Worktree::new);
        let reading = Reading {
            tape: Tape::default(),
            spoken: Spoken::new(options.dialect),
            reducer: Reducer::new(worktree, options.form),
            counter: Counter::default(),
        };
        Self { lines: PartialLine::default(), reading }
    }

    /// Takes in a piece of the log, and adds the patches of the lines that it completes.
    pub fn feed(&mut self, piece: &[u8], patches: &mut Vec<Patch>) {
        let mut rest = piece;
        while let Some(end) = memchr(b'\n', rest) {
            let (line, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = behind.get(1..).unwrap_or_default();
            self.lines.complete(line, |line| self.reading.line(line, patches));
        }
        self.lines.hold(rest);
    }

    /// Ends the log: bytes behind the last line end count as a line.
    pub fn finish(&mut self, patches: &mut Vec<Patch>) {
        if !self.lines.is_empty() {
            self.lines.complete(b"", |line| self.reading.line(line, patches));
        }
    }

    /// Takes in what the program wrote to standard error, as one text.
    ///
    /// Escape sequences and Droid's notes on sessions that it cannot fetch are left out.
    pub fn standard_error(&mut self, text: &[u8], patches: &mut Vec<Patch>) {
        let text = String::from_utf8_lossy(text);
        let text = without_controls(&text);
        let is_note = |line: &&str| line.starts_with("Error fetching session ");
        let told: String = text.split_inclusive('\n').filter(|line| !is_note(line)).collect();
        if !told.trim().is_empty() {
            self.reading.message(Role::Error, told.into(), patches);
        }
    }

    /// The session's id, once the log has named it.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.reading.reducer.session_id()
    }

    /// The dialect of the log, once it is known.
    #[must_use]
    pub fn dialect(&self) -> Option<DialectName> {
        self.reading.spoken.known
    }

    /// The calls that wait for their result, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &PendingCall> {
        self.reading.reducer.pending()
    }

    /// How many calls no longer wait because too many did; their status stays `created`.
    #[must_use]
    pub fn given_up(&self) -> usize {
        self.reading.reducer.given_up()
    }
}

/// One line of a log.
#[derive(Clone, Copy)]
enum LogLine<'l> {
    Whole(&'l [u8]),
    /// The length of a line that is too long.
    TooLong(usize),
}

/// The start of a line whose end has not come yet.
#[derive(Default)]
struct PartialLine {
    held: Vec<u8>,
    /// How many bytes of a too long line were skipped.
    passed: usize,
}

impl PartialLine {
    fn is_empty(&self) -> bool {
        self.held.is_empty() && self.passed == 0
    }

    /// Gives the line that ends with these bytes.
    fn complete(&mut self, end: &[u8], give: impl FnOnce(LogLine<'_>)) {
        let length = self.passed + self.held.len() + end.len();
        if length > MAX_LINE {
            give(LogLine::TooLong(length));
        } else if self.held.is_empty() {
            give(LogLine::Whole(end));
        } else {
            self.held.extend_from_slice(end);
            give(LogLine::Whole(&self.held));
        }
        self.passed = 0;
        self.held.clear();
        // The memory of one long line is given back.
        self.held.shrink_to(1 << 16);
    }

    /// Keeps the start of a line.
    fn hold(&mut self, start: &[u8]) {
        if self.passed + self.held.len() + start.len() > MAX_LINE {
            self.passed += self.held.len() + start.len();
            self.held = Vec::new();
        } else {
            self.held.extend_from_slice(start);
        }
    }
}

/// The state that turns lines into patches.
struct Reading {
    tape: Tape,
    spoken: Spoken,
    reducer: Reducer,
    counter: Counter,
}

impl Reading {
    fn line(&mut self, line: LogLine<'_>, patches: &mut Vec<Patch>) {
        let bytes = match line {
            LogLine::Whole(bytes) => bytes,
            LogLine::TooLong(length) => {
                let text =
                    format!("a line of {length} bytes is left out: it is longer than {MAX_LINE}");
                return self.message(Role::System, text.into(), patches);
            }
        };
        // This check is twice as fast as a lossy conversion, which only a few lines need.
        let text =
            str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Into::into);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let Self { tape, spoken, reducer, counter } = self;
        let mut give = |event: LogEvent<'_>| patches.extend(reducer.step(event, counter));
        let read = tape.read(text).is_some_and(|line| spoken.read(line, &mut give));
        if !read {
            let plain = without_controls(text);
            if !plain.trim().is_empty() {
                self.message(Role::System, plain, patches);
            }
        }
    }

    fn message(&mut self, role: Role, text: std::borrow::Cow<'_, str>, patches: &mut Vec<Patch>) {
        patches.extend(self.reducer.step(LogEvent::Message { role, text }, &mut self.counter));
    }
}

/// The dialect that a log is read in, and whether that is sure.
struct Spoken {
    known: Option<DialectName>,
    current: DialectName,
    dialect: Box<dyn Dialect>,
}

impl Spoken {
    fn new(known: Option<DialectName>) -> Self {
        let current = known.unwrap_or(DialectName::Droid);
        Self { known, current, dialect: current.reader() }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        if self.known.is_none() {
            self.known = DialectName::recognise(line);
            // Until a line shows the dialect, messages are read as OpenAI's and all other lines as
            // Droid's.
            let plain = if DialectName::is_message(line) {
                DialectName::OpenAi
            } else {
                DialectName::Droid
            };
            let current = self.known.unwrap_or(plain);
            if current != self.current {
                (self.current, self.dialect) = (current, current.reader());
            }
        }
        self.dialect.read(line, give)
    }
}
