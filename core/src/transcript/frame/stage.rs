//! Cuts a log into records, texts and documents.

use std::borrow::Cow;

use memchr::memchr;

use crate::json::tape::Tape;
use crate::transcript::dialect::DialectName;
use crate::transcript::frame::balance::Balance;
use crate::transcript::frame::encoding::LogDecoder;
use crate::transcript::frame::line::{LogLine, MAX_LINE, PartialLine};
use crate::transcript::frame::mend::mend_document;

/// The largest document of many lines that is read; a log of one record a line has no limit.
pub(in crate::transcript) const MAX_DOCUMENT: usize = 1 << 30;

/// What a file is that is no text, by its first bytes.
const SIGNATURES: [(&[u8], &str); 4] = [
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1F\x8B", "a file packed with gzip"),
    (b"\x28\xB5\x2F\xFD", "a file packed with zstd"),
];

/// The sign in front of each record of a sequence of JSON texts (RFC 7464).
const SEPARATOR: char = '\u{1e}';

/// A piece of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transcript) enum Framed<'l> {
    /// A line that should be JSON.
    Record(&'l str),
    /// The same, with its long texts cut.
    Cut(&'l str),
    /// A document of many lines.
    Document(&'l str),
    /// A document that was cut off.
    OpenDocument(&'l str),
    /// A line that is no JSON.
    Text(&'l str),
    /// The length of a line that is left out.
    TooLong(usize),
    /// What the log is, if it is no text.
    Binary(&'static str),
}

/// What takes the pieces, each with the number of its line, counted from 1.
pub(in crate::transcript) type TakeFramed<'f> = dyn FnMut(u64, Framed<'_>) + 'f;

/// Cuts a log that comes in pieces.
#[derive(Default)]
pub(in crate::transcript) struct LogFrame {
    decoder: LogDecoder,
    line: PartialLine,
    stages: Stages,
}

impl LogFrame {
    /// Takes in a piece, and gives what it completes.
    pub(in crate::transcript) fn feed(&mut self, piece: &[u8], take: &mut TakeFramed<'_>) {
        let piece = self.decoder.decode(piece);
        self.decoded(&piece, take);
    }

    fn decoded(&mut self, piece: &[u8], take: &mut TakeFramed<'_>) {
        let mut rest = piece;
        while let Some(end) = memchr(b'\n', rest) {
            let (line, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = behind.get(1..).unwrap_or_default();
            self.line.complete(line, |line| self.stages.line(line, take));
        }
        self.line.hold(rest);
    }

    /// Ends a line that has no line end.
    pub(in crate::transcript) fn end_line(&mut self, take: &mut TakeFramed<'_>) {
        let rest = self.decoder.finish();
        self.decoded(&rest, take);
        if !self.line.is_empty() {
            self.line.complete(b"", |line| self.stages.line(line, take));
        }
    }

    /// Ends the log.
    pub(in crate::transcript) fn finish(&mut self, take: &mut TakeFramed<'_>) {
        self.end_line(take);
        self.stages.finish(take);
    }
}

/// What the lines so far show of the log's form.
#[derive(Default)]
enum FrameStage {
    /// No record has come.
    #[default]
    Start,
    /// A record a line.
    Lines,
    /// A document of many lines.
    Document(HeldDocument),
    /// Server-sent events: the data of the event that is not complete.
    Events(String),
    /// Lines of text, whatever they begin with.
    Texts,
    /// No text.
    Binary,
}

/// A document of many lines that is not complete.
#[derive(Default)]
struct HeldDocument {
    text: String,
    balance: Balance,
    /// The line that it begins on.
    start: u64,
    /// How many of the last lines are whole records.
    whole: usize,
}

#[derive(Default)]
struct Stages {
    stage: FrameStage,
    /// The number of the line.
    number: u64,
    tape: Tape,
}

impl Stages {
    fn line(&mut self, line: LogLine<'_>, take: &mut TakeFramed<'_>) {
        self.number += 1;
        let (bytes, is_cut) = match line {
            LogLine::Whole(bytes) => (bytes, false),
            LogLine::Cut(bytes) => (bytes, true),
            LogLine::TooLong(length) => return take(self.number, Framed::TooLong(length)),
        };
        if matches!(self.stage, FrameStage::Binary) {
            return;
        }
        if self.number == 1
            && let Some((_, what)) = SIGNATURES.iter().find(|(mark, _)| bytes.starts_with(mark))
        {
            self.stage = FrameStage::Binary;
            return take(1, Framed::Binary(what));
        }
        // This check is twice as fast as a lossy conversion, which only a few lines need.
        let text =
            str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        match &mut self.stage {
            FrameStage::Lines => one(self.number, &text, is_cut, take),
            FrameStage::Texts => {
                let text = text.trim_matches('\0');
                take(self.number, Framed::Text(text.strip_suffix('\r').unwrap_or(text)));
            }
            FrameStage::Events(_) => self.event_line(&text, take),
            FrameStage::Document(_) => self.document_line(&text, take),
            FrameStage::Start | FrameStage::Binary => self.first_line(&text, is_cut, take),
        }
    }

    /// A line before which no record has come.
    fn first_line(&mut self, line: &str, is_cut: bool, take: &mut TakeFramed<'_>) {
        // A block of zero bytes may stand before a document.
        let line = line.trim_start_matches(['\0', SEPARATOR]);
        let text = line.trim();
        if self.number == 1 && is_history(text) {
            self.stage = FrameStage::Texts;
            return take(self.number, Framed::Text(text));
        }
        if is_event_line(text) {
            self.stage = FrameStage::Events(String::new());
            return self.event_line(line, take);
        }
        if !text.starts_with(['{', '[']) || is_cut || self.tape.read(text).is_some() {
            if text.starts_with(['{', '[']) {
                self.stage = FrameStage::Lines;
            }
            return one(self.number, line, is_cut, take);
        }
        let mut balance = Balance::default();
        if balance.follow(text.as_bytes()).is_some() {
            self.stage = FrameStage::Lines;
            return one(self.number, line, is_cut, take);
        }
        let mut document = HeldDocument { balance, start: self.number, ..HeldDocument::default() };
        document.text.push_str(text);
        document.text.push('\n');
        document.balance.follow(b"\n");
        self.stage = FrameStage::Document(document);
    }

    fn document_line(&mut self, line: &str, take: &mut TakeFramed<'_>) {
        let FrameStage::Document(document) = &mut self.stage else { return };
        let line = line.trim_end_matches('\0');
        let text = line.trim();
        let is_record = text.starts_with('{') && self.tape.read(text).is_some();
        if !text.is_empty() {
            document.whole = if is_record { document.whole + 1 } else { 0 };
        }
        let end = document.balance.follow(line.as_bytes());
        document.text.push_str(line);
        document.text.push('\n');
        document.balance.follow(b"\n");
        if end.is_some() {
            let held = std::mem::take(document);
            self.stage = FrameStage::Start;
            let text = held.text.trim_end();
            // A torn line may end with the records behind it.
            if self.tape.read(text).is_some() || held.whole == 0 {
                return take(held.start, Framed::Document(text));
            }
            return self.again(&held, take);
        }
        // The first line was torn if whole records stand behind it.
        if document.whole > 1 || document.text.len() > MAX_DOCUMENT {
            let held = std::mem::take(document);
            self.again(&held, take);
        }
    }

    /// Gives the lines that were held as lines.
    fn again(&mut self, held: &HeldDocument, take: &mut TakeFramed<'_>) {
        self.stage = FrameStage::Lines;
        for (number, line) in (held.start..).zip(held.text.lines()) {
            one(number, line, false, take);
        }
    }

    /// A line of server-sent events.
    fn event_line(&mut self, line: &str, take: &mut TakeFramed<'_>) {
        let number = self.number;
        let FrameStage::Events(data) = &mut self.stage else { return };
        let line = line.strip_suffix('\r').unwrap_or(line);
        let Some(value) = line.strip_prefix("data:") else {
            if line.trim().is_empty() {
                event(number, data, take);
            } else if !is_event_line(line.trim()) {
                event(number, data, take);
                one(number, line, false, take);
            }
            return;
        };
        if self.tape.read(data.trim()).is_some() {
            event(number, data, take);
        }
        if !data.is_empty() {
            data.push('\n');
        }
        data.push_str(value.strip_prefix(' ').unwrap_or(value));
        if data.len() > MAX_LINE {
            take(number, Framed::TooLong(data.len()));
            data.clear();
        }
    }

    fn finish(&mut self, take: &mut TakeFramed<'_>) {
        let number = self.number;
        match std::mem::replace(&mut self.stage, FrameStage::Lines) {
            FrameStage::Document(held) => {
                // A whole record on the last line is an item of the document, unless no record of
                // the document is whole: then the first line was torn.
                let is_document = held.whole == 0
                    || !mend_document(&held.text, &mut |text| self.tape.read(text).is_some())
                        .records
                        .is_empty();
                if is_document {
                    take(held.start, Framed::OpenDocument(held.text.trim_end()));
                } else {
                    self.again(&held, take);
                }
            }
            FrameStage::Events(mut data) => {
                event(number, &mut data, take);
                self.stage = FrameStage::Events(data);
            }
            other => self.stage = other,
        }
    }
}

/// Gives a line.
fn one(number: u64, line: &str, is_cut: bool, take: &mut TakeFramed<'_>) {
    let text = line.trim().trim_start_matches(SEPARATOR);
    if text.is_empty() {
        return;
    }
    let framed = match text.as_bytes().first() {
        Some(b'{' | b'[') if is_cut => Framed::Cut(text),
        Some(b'{' | b'[' | b'\0') => Framed::Record(text),
        _ => Framed::Text(line.strip_suffix('\r').unwrap_or(line)),
    };
    take(number, framed);
}

/// Gives the data of an event.
fn event(number: u64, data: &mut String, take: &mut TakeFramed<'_>) {
    if !matches!(data.trim(), "" | "[DONE]") {
        one(number, data, false, take);
    }
    data.clear();
}

/// Whether a log is one of text, by its first line.
fn is_history(line: &str) -> bool {
    DialectName::ALL.iter().any(|name| name.begins(line))
}

/// Whether a line is of server-sent events.
fn is_event_line(line: &str) -> bool {
    let after = |field| line.strip_prefix(field).map(str::trim_start);
    after("data:").is_some_and(|data| data.starts_with(['{', '[']))
        || after("event:").is_some_and(|name| !name.is_empty() && !name.contains(' '))
        || after("retry:").is_some_and(|time| time.bytes().all(|byte| byte.is_ascii_digit()))
        || line.starts_with("id: ") && !line.contains("  ")
        || line == ":"
        || line.starts_with(": ")
}
