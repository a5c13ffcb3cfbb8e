//! Walks through a reply, and chooses the best of the values in it.
//!
//! Each byte is read a bounded number of times. A bracket that was read as structure is not started
//! from again. If two starts read the same byte and neither read the other as structure, the byte
//! is in a string for one start and structure for the other. Repairs have a budget.

use std::borrow::Cow;

use memchr::memchr3;

use super::options::{ReplyJson, ReplyOptions};
use super::value::{self, BracketedValue, Content};
use crate::call::{DiagnosticCode, Span};
use crate::json::lexeme::is_number;
use crate::json::outcome::Repair;
use crate::json::outcome::Tolerance;
use crate::json::repair::Repairer;
use crate::json::scanner::{Scanned, Scanner};
use crate::ruled_out::RuledOut;

/// How many times the length of the reply may be read for repairs.
const REPAIR_PASSES: usize = 4;

/// The least cost of a repair, in bytes.
///
/// It bounds the number of tries in a text that begins one object after the other.
const CHEAPEST_REPAIR: usize = 64;

/// The backticks that open or close a code block.
const FENCE: &[u8] = b"```";

/// How a value was found, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchRank {
    /// It fills a code block.
    Block,
    /// It fills a code block, and was repaired.
    RepairedBlock,
    /// It stands in the text.
    Text,
    /// It stands in the text, and was repaired.
    Repaired,
    /// It is a part of another value.
    Part,
    /// It is an empty object or array.
    Empty,
    /// It fills a code block and is neither object nor array.
    Scalar,
}

/// How good a value is: whether it lacks the expected keys, and how it was found.
type Rank = (bool, MatchRank);

/// A walk through a reply.
pub(super) struct Search<'t, 'o> {
    text: &'t [u8],
    options: &'o ReplyOptions,
    /// Brackets at which no value needs to be started.
    known: RuledOut,
    /// Every value before this offset is a part of a broken value.
    broken: usize,
    /// Whether the last fence opened a block that is not closed yet.
    in_block: bool,
    /// Bytes that may still be read for repairs.
    budget: usize,
    best: Option<(Rank, ReplyJson<'t>)>,
}

impl<'t, 'o> Search<'t, 'o> {
    pub(super) fn new(text: &'t [u8], options: &'o ReplyOptions) -> Self {
        let budget = text.len().saturating_mul(REPAIR_PASSES);
        Self {
            text,
            options,
            known: RuledOut::default(),
            broken: 0,
            in_block: false,
            budget,
            best: None,
        }
    }

    pub(super) fn run(mut self) -> Option<ReplyJson<'t>> {
        let whole = self.trimmed();
        if self.scalar(whole.start) == Some(whole.end) {
            return self.verbatim(whole);
        }
        let mut pos = whole.start;
        if matches!(self.text.get(pos), Some(b'{' | b'[')) {
            let value = self.read(pos);
            if matches!(value, BracketedValue::Whole { end, .. } if end == whole.end) {
                return self.verbatim(whole);
            }
            pos = self.take(pos, value, MatchRank::Text);
        }
        while let Some(at) = memchr3(b'{', b'[', b'`', self.rest(pos)) {
            let at = pos + at;
            pos = match self.text.get(at) {
                Some(b'`') => self.fence(at),
                _ => self.bracket(at),
            };
            if self.is_best_possible() {
                break;
            }
        }
        self.best.map(|(_, found)| found)
    }

    /// The span of the text without the white space around it.
    fn trimmed(&self) -> Span {
        let start = self.text.len() - self.text.trim_ascii_start().len();
        Span::new(start, self.text.trim_ascii_end().len())
    }

    fn rest(&self, pos: usize) -> &'t [u8] {
        self.text.get(pos..).unwrap_or_default()
    }

    /// The first offset at or behind `pos` without white space.
    fn behind_space(&self, pos: usize) -> usize {
        self.text.len() - self.rest(pos).trim_ascii_start().len()
    }

    fn is_best_possible(&self) -> bool {
        let lacks_keys = self.best.as_ref().filter(|((_, place), _)| *place == MatchRank::Block);
        lacks_keys.is_some_and(|((lacks_keys, _), _)| !lacks_keys || self.options.keys.is_empty())
    }

    /// The end of the string, number or literal that starts here.
    fn scalar(&self, start: usize) -> Option<usize> {
        let rest = self.rest(start);
        match rest.first()? {
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let length = rest.iter().take_while(is_part).count();
                is_number(rest.get(..length)?).then_some(start + length)
            }
            b'"' | b't' | b'f' | b'n' => {
                let mut scanner = Scanner::new(start, 1);
                matches!(scanner.next(self.text), Ok(Scanned::Token(_))).then(|| scanner.pos())
            }
            _ => None,
        }
    }

    /// Reads what starts at backticks; gives the offset at which to go on.
    fn fence(&mut self, at: usize) -> usize {
        let behind = at + self.rest(at).iter().take_while(|byte| **byte == b'`').count();
        if behind - at < FENCE.len() {
            return behind;
        }
        let (tagged, content) = self.content(behind);
        self.in_block = tagged || !self.in_block;
        if !self.in_block {
            return behind;
        }
        match self.text.get(content) {
            Some(b'{' | b'[') if !self.known.contains(content) => {
                let value = self.read(content);
                self.take(content, value, MatchRank::Block)
            }
            _ => match self.scalar(content) {
                Some(end) if self.closes(end) => {
                    self.offer((true, MatchRank::Scalar), self.verbatim(Span::new(content, end)));
                    end
                }
                _ => behind,
            },
        }
    }

    /// Whether a block names a language, and where its content starts; `behind` is the end of its
    /// fence.
    fn content(&self, behind: usize) -> (bool, usize) {
        const JSON: &[u8] = b"json";
        let rest = self.rest(behind);
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-_.#".contains(byte);
        let length = rest.iter().take_while(is_part).count();
        let (word, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let line_ends =
            after.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n');
        let is_name = length > 0 && (line_ends || word.eq_ignore_ascii_case(JSON));
        (is_name, self.behind_space(if is_name { behind + length } else { behind }))
    }

    /// Whether a block or the text ends here.
    fn closes(&self, end: usize) -> bool {
        let behind = self.rest(self.behind_space(end));
        behind.is_empty() || behind.starts_with(FENCE)
    }

    /// Reads what starts at a bracket in the text; gives the offset at which to go on.
    fn bracket(&mut self, at: usize) -> usize {
        let next = self.text.get(self.behind_space(at + 1));
        let may_start = match (self.text.get(at), next) {
            (Some(b'{'), Some(b'"' | b'}' | b'\'' | b'/' | b'_' | b'$')) => true,
            (Some(b'{'), Some(next)) => next.is_ascii_alphabetic(),
            (_, next) => next == Some(&b'{'),
        };
        if !may_start || self.known.contains(at) {
            return at + 1;
        }
        let value = self.read(at);
        self.take(at, value, MatchRank::Text)
    }

    fn read(&self, start: usize) -> BracketedValue {
        value::read(self.text, start, self.options.max_depth, &self.options.keys)
    }

    /// Takes in a value that was read from a bracket; gives the offset at which to go on.
    fn take(&mut self, start: usize, value: BracketedValue, place: MatchRank) -> usize {
        match value {
            BracketedValue::Whole { end, content } => {
                let place = match content {
                    Content::Empty => MatchRank::Empty,
                    _ if place == MatchRank::Block && self.closes(end) => MatchRank::Block,
                    _ => MatchRank::Text,
                };
                self.offer(self.rank(content, place, start), self.verbatim(Span::new(start, end)));
                if content != Content::Expected && !self.options.keys.is_empty() {
                    self.take_part(start);
                }
                end
            }
            BracketedValue::Broken { until } => {
                self.take_part(start);
                self.repair(start, place).unwrap_or_else(|| {
                    self.broken = self.broken.max(until);
                    start + 1
                })
            }
        }
    }

    fn take_part(&mut self, start: usize) {
        let Self { text, options, known, .. } = self;
        let part = value::parts(text, start, options.max_depth, &options.keys, known);
        self.offer((false, MatchRank::Part), part.and_then(|part| self.verbatim(part)));
    }

    /// The rank of a value that was found at an offset.
    fn rank(&self, content: Content, place: MatchRank, start: usize) -> Rank {
        let place = if start < self.broken { MatchRank::Part } else { place };
        (content != Content::Expected, place)
    }

    /// Reads an object with repairs; gives its end, or none if it is not an object.
    fn repair(&mut self, start: usize, place: MatchRank) -> Option<usize> {
        if self.text.get(start) != Some(&b'{') || self.budget == 0 {
            return None;
        }
        let bytes = self.budget;
        let tolerance = Tolerance { depth: self.options.max_depth, bytes, repair: Repair::Safe };
        let mut repairer = Repairer::new(start, tolerance, b"");
        let read = match repairer.step(self.text) {
            Ok(Ok(read)) => read,
            stopped => {
                let at = if let Ok(Err(bad)) = stopped { bad.at } else { self.text.len() };
                let cost = at.saturating_sub(start).max(CHEAPEST_REPAIR);
                self.budget = self.budget.saturating_sub(cost);
                if repairer.has_entries() {
                    self.broken = self.broken.max(at);
                }
                return None;
            }
        };
        self.budget = self.budget.saturating_sub(read.span.len());
        let allowed = self.options.repair == Repair::Safe
            || read.notes.iter().all(|note| match note.code {
                DiagnosticCode::TrailingComma => true,
                DiagnosticCode::SingleQuotes => !repairer.requoted_a_value(),
                _ => false,
            });
        let end = read.span.end;
        let json = read.made.filter(|_| allowed).and_then(|json| {
            match value::read(json.as_bytes(), 0, self.options.max_depth, &self.options.keys) {
                BracketedValue::Whole { content, .. } => Some((json, content)),
                BracketedValue::Broken { .. } => None,
            }
        });
        let Some((json, content)) = json else {
            self.broken = self.broken.max(end);
            return None;
        };
        let block = place == MatchRank::Block && self.closes(end);
        let place = if block { MatchRank::RepairedBlock } else { MatchRank::Repaired };
        // Bytes that are not UTF-8 were replaced.
        let is_text = str::from_utf8(read.span.of(self.text)).is_ok();
        let found =
            ReplyJson { json: Cow::Owned(json.into()), span: read.span, repairs: read.notes };
        self.offer(self.rank(content, place, start), Some(found).filter(|_| is_text));
        Some(end)
    }

    /// A value as it stands in the reply; none if it is not UTF-8.
    fn verbatim(&self, span: Span) -> Option<ReplyJson<'t>> {
        let json = str::from_utf8(span.of(self.text)).ok()?;
        Some(ReplyJson { json: Cow::Borrowed(json), span, repairs: Vec::new() })
    }

    /// Keeps a value if it is better than those before.
    fn offer(&mut self, rank: Rank, found: Option<ReplyJson<'t>>) {
        let stands_alone = rank != (true, MatchRank::Part);
        if stands_alone && self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = found.map(|found| (rank, found)).or(self.best.take());
        }
    }
}
