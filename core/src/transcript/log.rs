//! A whole log, read at once.

use super::dialect::DialectName;
use super::entry::{CallStatus, Entry, ToolUse};
use super::page;
use super::patch::{Op, Patch};
use super::reader::{Reader, ReaderOptions};

/// How many bytes are read at once.
const PIECE: usize = 1 << 17;

/// Applies patches to the list that they are about.
fn apply(patches: &[Patch], entries: &mut Vec<Entry>) {
    for patch in patches {
        match (patch.op, entries.get_mut(patch.index)) {
            (Op::Replace, Some(entry)) => *entry = patch.entry.clone(),
            _ => entries.push(patch.entry.clone()),
        }
    }
}

/// What a whole log amounts to.
///
/// ```
/// use toolwire::transcript::{ReaderOptions, Transcript};
///
/// let log = r#"{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"now","arguments":"{}"}}]}"#;
/// let transcript = Transcript::read(log.as_bytes(), b"", ReaderOptions::default());
/// let pending: Vec<_> = transcript.pending().map(|(index, call)| (index, &*call.call.name)).collect();
/// assert_eq!(pending, [(0, "now")]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The entries as they are at the end.
    pub entries: Vec<Entry>,
    /// How they came about.
    pub patches: Vec<Patch>,
    /// The session's id, if the log names it.
    pub session_id: Option<String>,
    /// Whose log it is, if it tells.
    pub dialect: Option<DialectName>,
}

impl Transcript {
    /// Reads a log, and what the program wrote to standard error.
    #[must_use]
    pub fn read(log: &[u8], standard_error: &[u8], options: ReaderOptions) -> Self {
        let (mut reader, mut patches) = (Reader::new(options), Vec::new());
        let mut entries = Vec::new();
        // Piece by piece, so that a patch is applied while it is still in the cache.
        for piece in log.chunks(PIECE) {
            let known = patches.len();
            reader.feed(piece, &mut patches);
            apply(patches.get(known..).unwrap_or_default(), &mut entries);
        }
        let known = patches.len();
        reader.finish(&mut patches);
        reader.standard_error(standard_error, &mut patches);
        apply(patches.get(known..).unwrap_or_default(), &mut entries);
        let session_id = reader.session_id().map(str::to_owned);
        Self { entries, patches, session_id, dialect: reader.dialect() }
    }

    /// The calls with the places of their entries.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &ToolUse)> {
        self.entries.iter().enumerate().filter_map(|(index, entry)| Some((index, entry.tool_use()?)))
    }

    /// The calls that have no result.
    pub fn pending(&self) -> impl Iterator<Item = (usize, &ToolUse)> {
        self.calls().filter(|(_, call)| call.status == CallStatus::Created)
    }

    /// The session as one HTML page that needs nothing else.
    #[must_use]
    pub fn to_html(&self) -> String {
        page::write(self.session_id.as_deref().unwrap_or("transcript"), &self.entries)
    }
}
