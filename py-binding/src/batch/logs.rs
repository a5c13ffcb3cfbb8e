//! The entries of the logs in the rows of a piece, as a column.

use std::borrow::Cow;

use arrow_buffer::NullBufferBuilder;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use toolwire::call::RejectionCode;
use toolwire::transcript::{DialectName, Entry, ReaderOptions, Transcript};

use crate::batch::layout::{any, given, list};
use crate::batch::strings::{Strings, TooLong, structs, text};
use crate::batch::table::{Cell, Table};
use crate::batch::texts::{Piece, Texts};

/// The longest log that is read in a row; a longer one is for `transcript.stream`.
const LONGEST: usize = 256 << 20;

/// What becomes of the logs.
pub struct LogOptions {
    pub reader: ReaderOptions,
    /// Whether entries that are no calls are left out.
    pub calls_only: bool,
}

/// The type of a column of logs.
pub fn logs() -> DataType {
    DataType::Struct(log())
}

fn log() -> Fields {
    Fields::from(vec![
        any("session_id"),
        any("dialect"),
        Field::new("entries", list(entry()), false),
    ])
}

fn entry() -> Fields {
    let number = |name| Field::new(name, DataType::Int64, true);
    Fields::from(vec![
        given("type"),
        given("content"),
        any("tool"),
        any("name"),
        any("id"),
        any("status"),
        any("arguments"),
        any("output"),
        any("error"),
        number("started"),
        number("duration"),
    ])
}

/// Reads the logs of a piece.
///
/// # Errors
/// If a column would be too long.
pub fn read(options: &LogOptions, texts: &Texts, piece: &Piece<'_>) -> Result<ArrayData, TooLong> {
    let rows = piece.rows.len();
    let mut nulls = NullBufferBuilder::new(rows);
    let mut sessions = Strings::<i32>::with_capacity(rows, 0);
    let mut dialects = Strings::<i32>::with_capacity(rows, 0);
    let mut entries = Table::new(entry(), rows);
    for row in piece.rows.clone() {
        let is_null = piece.chunk.is_null(row);
        nulls.append(!is_null);
        let log = piece.chunk.bytes(row);
        let (mut session, mut dialect) = (None, None);
        if !is_null && log.len() > LONGEST {
            refuse(&mut entries, log.len())?;
        } else if !is_null {
            let log = if texts.has_surrogates { shown(log) } else { log.into() };
            let read = Transcript::read(&log, b"", options.reader.clone());
            let wanted = |entry: &&Entry| !options.calls_only || entry.tool_use().is_some();
            read.entries.iter().filter(wanted).try_for_each(|one| push(&mut entries, one))?;
            (session, dialect) = (read.session_id, read.dialect.map(DialectName::slug));
        }
        entries.end()?;
        sessions.push_any(session.as_deref().map(str::as_bytes))?;
        dialects.push_any(dialect.map(str::as_bytes))?;
    }
    let columns =
        vec![sessions.finish(DataType::Utf8), dialects.finish(DataType::Utf8), entries.finish()];
    Ok(structs(log(), rows, nulls.finish(), columns))
}

/// A text in which what stands for a lone surrogate is U+FFFD.
fn shown(log: &[u8]) -> Cow<'_, [u8]> {
    match text(log) {
        Cow::Borrowed(_) => log.into(),
        Cow::Owned(shown) => shown.into_bytes().into(),
    }
}

/// Adds an entry which says that a log was not read.
fn refuse(entries: &mut Table, bytes: usize) -> Result<(), TooLong> {
    let content = format!("the log has {bytes} bytes, more than {LONGEST}");
    let [null, code] = [Cell::Null, Cell::Text(RejectionCode::TooLarge.slug())];
    let kind = Cell::Text("error_message");
    entries.push([kind, (&*content).into(), null, null, null, null, null, null, code, null, null])
}

fn push(entries: &mut Table, entry: &Entry) -> Result<(), TooLong> {
    let content = entry.content();
    let Some(call) = entry.tool_use() else {
        let message = [entry.entry_type().into(), (&*content).into()];
        let [kind, content] = message;
        let null = Cell::Null;
        return entries.push([kind, content, null, null, null, null, null, null, null, null, null]);
    };
    let (output, error) = (call.data(), call.error());
    let number = |number: Option<i64>| number.map_or(Cell::Null, Cell::Number);
    entries.push([
        entry.entry_type().into(),
        (&*content).into(),
        call.tool_name().into(),
        (&*call.call.name).into(),
        Cell::any(Some(&*call.call.id).filter(|id| !id.is_empty())),
        call.status.slug().into(),
        (&*call.call.arguments).into(),
        Cell::any(output.as_deref()),
        Cell::any(error.as_ref().map(|(_, message)| &**message)),
        number(call.call.started),
        number(call.duration().map(|duration| i64::try_from(duration).unwrap_or(i64::MAX))),
    ])
}
