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

use crate::transcript::account::LogAccount;
use crate::transcript::command::without_controls;
use crate::transcript::dialect::DialectName;
use crate::transcript::event::Role;
use crate::transcript::frame::LogFrame;
use crate::transcript::patch::Patch;
use crate::transcript::pending::PendingCall;
use crate::transcript::reader_options::ReaderOptions;
use crate::transcript::reading::LogReading;

/// Reads a log in pieces; a piece may end anywhere.
///
/// Until the first records show whose log it is, they are held back. After that the reader holds
/// the incomplete line, the calls that wait for a result and what the dialect joins, and nothing
/// else of the log. A document of many lines is held until its end.
pub struct Reader {
    frame: LogFrame,
    reading: LogReading,
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
        Self { frame: LogFrame::default(), reading: LogReading::new(options) }
    }

    /// Takes in a piece of the log, and adds the patches of the lines that it completes.
    pub fn feed(&mut self, piece: &[u8], patches: &mut Vec<Patch>) {
        self.frame.feed(piece, &mut |number, framed| self.reading.take(number, framed, patches));
    }

    /// Ends a line that has no line end, and holds no record back any longer.
    pub fn end_line(&mut self, patches: &mut Vec<Patch>) {
        self.frame.end_line(&mut |number, framed| self.reading.take(number, framed, patches));
        self.reading.release(patches);
    }

    /// Ends the log: bytes behind the last line end count as a line.
    pub fn finish(&mut self, patches: &mut Vec<Patch>) {
        self.frame.finish(&mut |number, framed| self.reading.take(number, framed, patches));
        self.reading.finish(patches);
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
        self.reading.reducer().session_id()
    }

    /// The dialect of the log, once it is known.
    #[must_use]
    pub fn dialect(&self) -> Option<DialectName> {
        self.reading.dialect()
    }

    /// The calls that wait for their result, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &PendingCall> {
        self.reading.reducer().pending()
    }

    /// How many calls no longer wait because too many did; their status stays `created`.
    #[must_use]
    pub fn given_up(&self) -> usize {
        self.reading.reducer().given_up()
    }

    /// What was in the log so far.
    #[must_use]
    pub fn account(&self) -> LogAccount {
        self.reading.account()
    }

    /// What the log looks like if no dialect is known for it: its keys, or its kind of file.
    #[must_use]
    pub fn look(&self) -> Option<&str> {
        self.reading.look()
    }
}
