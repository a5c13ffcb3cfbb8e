//! Makes JSON from arguments that are almost JSON, where their meaning is clear.
//!
//! These faults are repaired: a comma before a closing bracket, strings in single quotes, raw
//! control characters in strings, backslashes that begin no escape, keys without quotes, comments,
//! Python's literals, and brackets that are missing at the end marker. Every other fault is
//! refused, and so is a text that needs more than [`notes::MOST_REPAIRS`] repairs. Each repair is
//! noted. Like the scanner, the repairer can stop at any byte and go on.
//!
//! A repairer that reached a limit can go on as the repairer of an object inside the one that
//! failed ([`kept`]): it is where a new repairer would be, and no byte is read twice.

pub(crate) mod kept;
mod notes;
mod scalar;

use std::collections::VecDeque;

use crate::call::{DiagnosticCode, RejectionCode, Span};
use crate::json::outcome::{ArgumentsProgress, BadArguments, ReadArguments, Stop, Tolerance};
use crate::json::reason::Reason;
use crate::json::repair::notes::Notes;
use crate::json::scanner::ExpectedToken;
use crate::literal::compare;
use crate::progress::NeedMore;

/// The longest comment, in bytes. Texts that open one comment after the other are refused soon.
const LONGEST_COMMENT: usize = 1024;

/// What is being read, and repaired, at the end of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartialRepair {
    Nothing,
    Text { quote: u8, escaped: EscapedLetters },
    Comment { start: usize, end: &'static [u8] },
    Word { start: usize },
    Number { start: usize },
}

/// The letters behind backslashes of a string.
///
/// In `C:\projects\new`, the first backslash is part of the text, and so the second one may be too.
/// Then it is not clear what the string is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EscapedLetters {
    /// Whether an escape that JSON knows has a letter: `\n`.
    known: bool,
    /// The same for one that JSON does not know: `\d`.
    unknown: bool,
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
struct OpenBracket {
    byte: u8,
    /// Its offset in the text, and its offset in the JSON that is made.
    at: usize,
    made_at: usize,
    /// The number of repairs before it.
    repairs: usize,
}

/// The last places of what a caller asks for: an object inside has it if it begins before.
#[derive(Clone, Copy, Debug, Default)]
struct LastPlaces {
    colon: Option<usize>,
    requoted_value: Option<usize>,
}

/// Reads and repairs one object.
#[derive(Clone, Debug)]
pub(crate) struct Repairer {
    start: usize,
    pos: usize,
    expected: ExpectedToken,
    partial: PartialRepair,
    stack: VecDeque<OpenBracket>,
    /// The last comma, which is one too many if a closing bracket follows.
    comma: Option<(usize, usize)>,
    json: Vec<u8>,
    /// Where the JSON of the object begins in `json`.
    made_start: usize,
    repairs: Notes,
    tolerance: Tolerance,
    end_marker: Box<[u8]>,
    last: LastPlaces,
    /// Whether a limit stopped the reader; then an object inside may still be repaired.
    at_limit: bool,
}

impl Repairer {
    /// Starts at or before the opening bracket.
    ///
    /// Closing brackets may be missing before `end_marker`, unless `end_marker` is empty.
    pub(crate) fn new(pos: usize, tolerance: Tolerance, end_marker: &[u8]) -> Self {
        Self {
            start: pos,
            pos,
            expected: ExpectedToken::Value,
            partial: PartialRepair::Nothing,
            stack: VecDeque::new(),
            comma: None,
            json: Vec::new(),
            made_start: 0,
            repairs: Notes::default(),
            tolerance,
            end_marker: end_marker.into(),
            last: LastPlaces::default(),
            at_limit: false,
        }
    }

    /// Whether a key with its colon was read.
    pub(crate) fn has_entries(&self) -> bool {
        self.last.colon.is_some_and(|at| at > self.start)
    }

    /// Whether a string in single quotes that is no key was read.
    pub(crate) fn requoted_a_value(&self) -> bool {
        self.last.requoted_value.is_some_and(|at| at > self.start)
    }

    /// Reads on as far as `input` reaches.
    pub(crate) fn step(&mut self, input: &[u8]) -> ArgumentsProgress {
        let progress = Stop::progress(self.read(input));
        let too_many = self.repairs.too_many_at().is_some();
        self.at_limit =
            matches!(&progress, Ok(Err(bad)) if too_many || bad.code != RejectionCode::BadJson);
        progress
    }

    /// Whether a limit stopped the reader. If it failed otherwise, each open bracket fails too.
    pub(crate) fn at_limit(&self) -> bool {
        self.at_limit
    }

    /// The offsets of the brackets that are open.
    pub(crate) fn open_brackets(&self) -> impl Iterator<Item = usize> {
        self.stack.iter().map(|bracket| bracket.at)
    }

    fn place_of(&self, at: usize) -> Option<usize> {
        self.stack.binary_search_by_key(&at, |bracket| bracket.at).ok()
    }

    /// Goes on as the repairer of the object that is open at `at`.
    fn begin_at(&mut self, at: usize) {
        let Some(place) = self.place_of(at) else { return };
        self.stack.drain(..place);
        if let Some(first) = self.stack.front() {
            (self.start, self.made_start) = (first.at, first.made_at);
            self.repairs.begin_after(first.repairs);
        }
    }

    fn read(&mut self, input: &[u8]) -> Result<ReadArguments, Stop> {
        loop {
            if self.stack.is_empty() && self.expected == ExpectedToken::CommaOrEnd {
                return Ok(self.arguments());
            }
            if self.pos - self.start > self.tolerance.bytes {
                return Err(Stop::Bad(BadArguments::too_large(self.pos)));
            }
            self.few_repairs()?;
            let read = match self.partial {
                PartialRepair::Nothing => self.structure(input),
                PartialRepair::Text { quote, escaped } => self.text(input, quote, escaped),
                PartialRepair::Comment { start, end } => self.comment(input, start, end),
                PartialRepair::Word { start } => self.word(input, start),
                PartialRepair::Number { start } => self.number(input, start),
            };
            self.few_repairs()?;
            read?;
        }
    }

    /// The arguments that were read to their end.
    fn arguments(&self) -> ReadArguments {
        let json = self.json.get(self.made_start..).unwrap_or_default();
        let json = String::from_utf8_lossy(json).into_owned().into_boxed_str();
        let notes = self.repairs.diagnostics();
        ReadArguments { span: Span::new(self.start, self.pos), notes, made: Some(json) }
    }

    fn structure(&mut self, input: &[u8]) -> Result<(), Stop> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let &byte = rest.first().ok_or(NeedMore)?;
        match (self.expected, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => self.copy(input, 1),
            (_, b'/') => return self.comment_starts(rest),
            (ExpectedToken::Value, b'{') if self.stack.is_empty() => {
                self.start = self.pos;
                self.json.clear();
                return self.open(input, byte);
            }
            _ if self.stack.is_empty() => return Err(self.bad("an object is expected")),
            _ if self.at_end_marker(rest)? => return self.missing_brackets(),
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'{' | b'[') => {
                return self.open(input, byte);
            }
            (ExpectedToken::Key | ExpectedToken::Value, b'}' | b']') if self.comma.is_some() => {
                self.trailing_comma();
                return self.close(input, byte);
            }
            (
                ExpectedToken::ValueOrEnd | ExpectedToken::KeyOrEnd | ExpectedToken::CommaOrEnd,
                b'}' | b']',
            ) => {
                return self.close(input, byte);
            }
            (ExpectedToken::CommaOrEnd, b',') => {
                self.comma = Some((self.pos, self.json.len()));
                self.copy(input, 1);
                let object = self.innermost() == Some(b'{');
                self.expected = if object { ExpectedToken::Key } else { ExpectedToken::Value };
            }
            (ExpectedToken::Colon, b':') => {
                self.copy(input, 1);
                self.expected = ExpectedToken::Value;
                self.comma = None;
                self.last.colon = Some(self.pos);
            }
            (ExpectedToken::CommaOrEnd | ExpectedToken::Colon, _) => {
                return Err(self.bad("the structure is not JSON"));
            }
            (_, b'"' | b'\'') => self.text_starts(byte),
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'-' | b'0'..=b'9') => {
                self.partial = PartialRepair::Number { start: self.pos };
            }
            (_, byte) if is_word_start(byte) => {
                self.partial = PartialRepair::Word { start: self.pos }
            }
            _ => return Err(self.bad("the structure is not JSON")),
        }
        Ok(())
    }

    fn copy(&mut self, input: &[u8], length: usize) {
        self.json.extend_from_slice(input.get(self.pos..self.pos + length).unwrap_or_default());
        self.pos += length;
    }

    fn bad(&self, what: &'static str) -> Stop {
        Self::bad_at(self.pos, what)
    }

    fn bad_at(at: usize, what: &'static str) -> Stop {
        let reason = Reason::Failed("the arguments cannot be repaired", what);
        Stop::Bad(BadArguments::new(RejectionCode::BadJson, at, reason))
    }

    fn note(&mut self, code: DiagnosticCode, offset: usize, message: &'static str) {
        self.repairs.add(code, offset, message, self.pos);
    }

    /// Fails once there are too many repairs.
    fn few_repairs(&self) -> Result<(), Stop> {
        let too_many = self.repairs.too_many_at();
        too_many.map_or(Ok(()), |at| Err(Self::bad_at(at, "it would take too many repairs")))
    }

    fn open(&mut self, input: &[u8], byte: u8) -> Result<(), Stop> {
        if self.stack.len() >= self.tolerance.depth {
            return Err(Stop::Bad(BadArguments::too_deep(self.pos)));
        }
        let (made_at, repairs) = (self.json.len(), self.repairs.total());
        self.stack.push_back(OpenBracket { byte, at: self.pos, made_at, repairs });
        self.copy(input, 1);
        self.comma = None;
        self.expected =
            if byte == b'{' { ExpectedToken::KeyOrEnd } else { ExpectedToken::ValueOrEnd };
        Ok(())
    }

    fn close(&mut self, input: &[u8], byte: u8) -> Result<(), Stop> {
        let opened = if byte == b'}' { b'{' } else { b'[' };
        if self.innermost() != Some(opened) {
            return Err(self.bad("the brackets do not match"));
        }
        self.stack.pop_back();
        self.copy(input, 1);
        self.value_ends();
        Ok(())
    }

    /// The innermost bracket that is open.
    fn innermost(&self) -> Option<u8> {
        self.stack.back().map(|bracket| bracket.byte)
    }

    fn value_ends(&mut self) {
        self.expected = ExpectedToken::CommaOrEnd;
        self.comma = None;
    }

    fn trailing_comma(&mut self) {
        if let Some((offset, at)) = self.comma.take() {
            let message = "a comma before a closing bracket was dropped";
            self.note(DiagnosticCode::TrailingComma, offset, message);
            self.json.remove(at);
        }
    }

    fn at_end_marker(&self, rest: &[u8]) -> Result<bool, Stop> {
        Ok(compare(&self.end_marker, rest)?.is_some_and(|length| length > 0))
    }

    fn missing_brackets(&mut self) -> Result<(), Stop> {
        if matches!(self.expected, ExpectedToken::Key | ExpectedToken::Value)
            && self.comma.is_some()
        {
            self.trailing_comma();
        } else if !matches!(
            self.expected,
            ExpectedToken::CommaOrEnd | ExpectedToken::KeyOrEnd | ExpectedToken::ValueOrEnd
        ) {
            return Err(self.bad("a value is missing before the end"));
        }
        let offset = self.pos;
        while let Some(opened) = self.stack.pop_back() {
            let message = "a missing closing bracket was added";
            self.note(DiagnosticCode::MissingBracket, offset, message);
            self.json.push(if opened.byte == b'{' { b'}' } else { b']' });
        }
        self.expected = ExpectedToken::CommaOrEnd;
        Ok(())
    }

    fn comment_starts(&mut self, rest: &[u8]) -> Result<(), Stop> {
        let end: &[u8] = match rest.get(1).ok_or(NeedMore)? {
            b'/' => b"\n",
            b'*' => b"*/",
            _ => return Err(self.bad("the structure is not JSON")),
        };
        self.note(DiagnosticCode::Comment, self.pos, "a comment was dropped");
        self.pos += 2;
        self.partial = PartialRepair::Comment { start: self.pos, end };
        Ok(())
    }

    fn comment(&mut self, input: &[u8], start: usize, end: &[u8]) -> Result<(), Stop> {
        let limit = start + LONGEST_COMMENT;
        let rest = input.get(start..limit).or_else(|| input.get(start..)).unwrap_or_default();
        if let Some(at) = memchr::memmem::find(rest, end) {
            self.pos = start + at + end.len();
            self.partial = PartialRepair::Nothing;
            return Ok(());
        }
        if input.len() < limit {
            return Err(NeedMore.into());
        }
        Err(self.bad("a comment is too long"))
    }
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$')
}
