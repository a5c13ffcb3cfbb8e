//! A whole log, read at once.

use crate::transcript::account::LogAccount;
use crate::transcript::dialect::DialectName;
use crate::transcript::entry::{CallStatus, Entry, ToolUse};
use crate::transcript::page::{self, ShownSession};
use crate::transcript::patch::{Op, Patch};
use crate::transcript::reader::Reader;
use crate::transcript::reader_options::ReaderOptions;

/// How many bytes are read at once.
const PIECE: usize = 1 << 17;
/// The part of the entries that there is room for beyond those that are expected.
const SPARE: usize = 16;

/// The entries of a whole log.
///
/// ```
/// use toolwire::transcript::{ReaderOptions, Transcript};
///
/// let log = concat!(
///     r#"{"role":"assistant","tool_calls":"#,
///     r#"[{"id":"c1","function":{"name":"now","arguments":"{}"}}]}"#,
/// );
/// let transcript = Transcript::read(log.as_bytes(), b"", ReaderOptions::default());
/// let (index, waiting) = transcript.pending().next().ok_or("no call")?;
/// assert_eq!((index, &*waiting.call.name), (0, "now"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The entries as they are at the end.
    pub entries: Vec<Entry>,
    /// The session's id, if the log names it.
    pub session_id: Option<String>,
    /// The dialect of the log, if the log shows it.
    pub dialect: Option<DialectName>,
    /// What was in the log.
    pub account: LogAccount,
    /// What the log looks like if no dialect is known for it.
    pub look: Option<String>,
    /// The patches that replaced an entry, in order. All others added one, which needs no record.
    pub(super) replaced: Vec<Replaced>,
}

/// A patch that replaced an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    /// How many entries there were.
    pub(super) known: usize,
    /// The entry's place.
    pub(super) index: usize,
}

impl Transcript {
    /// Reads a log, and what the program wrote to standard error.
    #[must_use]
    pub fn read(log: &[u8], standard_error: &[u8], options: ReaderOptions) -> Self {
        let (mut reader, mut patches) = (Reader::new(options), Vec::new());
        let mut read = Self::default();
        // The log is read in pieces, so that a patch is applied while it is still in the cache.
        for (number, piece) in log.chunks(PIECE).enumerate() {
            reader.feed(piece, &mut patches);
            read.make_room(patches.len(), number * PIECE + piece.len(), log.len());
            read.apply(&mut patches);
        }
        reader.finish(&mut patches);
        reader.standard_error(standard_error, &mut patches);
        read.make_room(patches.len(), log.len(), log.len());
        read.apply(&mut patches);
        read.session_id = reader.session_id().map(str::to_owned);
        read.dialect = reader.dialect();
        read.account = reader.account();
        read.look = reader.look().map(str::to_owned);
        read
    }

    /// Makes room for new entries, and for as many as the rest of the log gives at this rate.
    ///
    /// Doubling would take three times the memory of the entries at once, and the entry of a short
    /// line is ten times as large as the line.
    fn make_room(&mut self, new: usize, passed: usize, length: usize) {
        let entries = self.entries.len() + new;
        if entries > self.entries.capacity() {
            let all = entries.saturating_mul(length) / passed.max(1);
            let most = all.max(entries) + all / SPARE;
            self.entries.reserve_exact(most - self.entries.len());
        }
    }

    fn apply(&mut self, patches: &mut Vec<Patch>) {
        for Patch { op, index, entry } in patches.drain(..) {
            let known = self.entries.len();
            match (op, self.entries.get_mut(index)) {
                (Op::Replace, Some(earlier)) => {
                    *earlier = entry;
                    self.replaced.push(Replaced { known, index });
                }
                _ => self.entries.push(entry),
            }
        }
    }

    /// What each patch does, and the index of its entry.
    pub(super) fn steps(&self) -> impl Iterator<Item = (Op, usize)> {
        let (mut known, mut replaced) = (0, self.replaced.iter().peekable());
        std::iter::from_fn(move || {
            if let Some(patch) = replaced.next_if(|patch| patch.known <= known) {
                return Some((Op::Replace, patch.index));
            }
            let added = known;
            known += 1;
            (added < self.entries.len()).then_some((Op::Add, added))
        })
    }

    /// The patches that lead to the entries.
    ///
    /// The patches are not kept, but made from the entries. The patch that adds a call has no
    /// result yet; the patch that replaces the call is its entry.
    pub fn patches(&self) -> impl Iterator<Item = Patch> {
        self.steps().filter_map(|(op, index)| {
            let entry = self.entries.get(index)?;
            let entry = if op == Op::Add { entry.as_added() } else { entry.clone() };
            Some(Patch { op, index, entry })
        })
    }

    /// The calls with the places of their entries.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &ToolUse)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((index, entry.tool_use()?)))
    }

    /// The calls that have no result.
    pub fn pending(&self) -> impl Iterator<Item = (usize, &ToolUse)> {
        self.calls().filter(|(_, call)| call.status == CallStatus::Created)
    }

    /// The session as one HTML page that loads no other file.
    #[must_use]
    pub fn to_html(&self) -> String {
        page::write(ShownSession {
            title: self.session_id.as_deref().unwrap_or("transcript"),
            dialect: self.dialect.map(DialectName::slug),
            entries: &self.entries,
            account: &self.account,
        })
    }
}
