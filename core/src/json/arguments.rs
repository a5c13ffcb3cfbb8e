//! One JSON value that must be a call's arguments: an object, or `[]` for the empty object.

use crate::call::{RejectionCode, Span};
use crate::json::observer::TokenObserver;
use crate::json::outcome::{
    ArgumentsProgress, BadArguments, ReadArguments, Repair, Tolerance, empty_array,
};
use crate::json::repair::Repairer;
use crate::json::scanner::{Container, Scanned, Scanner, Token};
use crate::progress::NeedMore;

/// Reads the arguments, wherever the input is cut.
#[derive(Clone, Debug)]
pub(crate) struct ArgumentsReader {
    scanner: Scanner,
    observer: TokenObserver,
    start: Option<usize>,
    bytes: usize,
}

impl ArgumentsReader {
    pub(crate) fn new(pos: usize, tolerance: Tolerance) -> Self {
        Self {
            scanner: Scanner::new(pos, tolerance.depth),
            observer: TokenObserver::default(),
            start: None,
            bytes: tolerance.bytes,
        }
    }

    /// The span of the arguments read so far; `None` before they begin.
    pub(crate) fn read_so_far(&self) -> Option<Span> {
        self.start.map(|start| Span::new(start, self.scanner.pos()))
    }

    /// Reads on as far as `input` reaches.
    pub(crate) fn step(&mut self, input: &[u8]) -> ArgumentsProgress {
        loop {
            let limit = self.start.map_or(usize::MAX, |start| start.saturating_add(self.bytes));
            let step = self.scanner.next(input.get(..limit).unwrap_or(input));
            let token = match step {
                Ok(Scanned::Token(token)) => token,
                Ok(Scanned::Fault(fault)) => return Ok(Err(BadArguments::from_fault(fault))),
                Err(NeedMore) if input.len() > limit => {
                    return Ok(Err(BadArguments::too_large(limit)));
                }
                Err(NeedMore) => return Err(NeedMore),
            };
            let Some(start) = self.start else {
                match token {
                    Token::Open(_, at) => self.start = Some(at),
                    Token::Key(text) | Token::Text(text) => {
                        return Ok(Err(BadArguments::not_an_object(text.start)));
                    }
                    Token::Number(at, _) | Token::Literal(at, _) | Token::Close(_, at) => {
                        return Ok(Err(BadArguments::not_an_object(at)));
                    }
                }
                self.observer.observe(token, input);
                continue;
            };
            if let Some(read) = self.inner(token, start, input) {
                return Ok(read);
            }
        }
    }

    /// Takes a token inside the arguments; `None` when they go on.
    fn inner(
        &mut self,
        token: Token,
        start: usize,
        input: &[u8],
    ) -> Option<Result<ReadArguments, BadArguments>> {
        let array = input.get(start) == Some(&b'[');
        if array && !matches!(token, Token::Close(Container::Array, _)) {
            return Some(Err(BadArguments::not_an_object(start)));
        }
        self.observer.observe(token, input);
        let Token::Close(_, end) = token else { return None };
        if !self.scanner.done() {
            return None;
        }
        let mut notes = self.observer.between(start, end);
        if array {
            notes.push(empty_array(start));
        }
        Some(Ok(ReadArguments { span: Span::new(start, end), notes, made: None }))
    }
}

/// Reads a text that must hold arguments and nothing else.
pub(crate) fn read_arguments(
    text: &[u8],
    tolerance: Tolerance,
) -> Result<ReadArguments, BadArguments> {
    let strict = read_json(text, tolerance);
    match &strict {
        Err(bad) if tolerance.repair == Repair::Safe && bad.code == RejectionCode::BadJson => {}
        _ => return strict,
    }
    match Repairer::new(0, tolerance, b"").step(text) {
        Ok(Ok(read)) if is_blank(text.get(read.span.end..)) => Ok(read),
        _ => strict,
    }
}

fn is_blank(text: Option<&[u8]>) -> bool {
    text.is_some_and(|text| text.iter().all(u8::is_ascii_whitespace))
}

fn read_json(text: &[u8], tolerance: Tolerance) -> Result<ReadArguments, BadArguments> {
    if text.len() > tolerance.bytes {
        return Err(BadArguments::too_large(tolerance.bytes));
    }
    let mut reader = ArgumentsReader::new(0, tolerance);
    // Only the byte after a number shows that the number is complete, so a number at the very end
    // gives `NeedMore`.
    let read = match reader.step(text) {
        Ok(read) => read?,
        Err(NeedMore) => return Err(cut_arguments(text)),
    };
    let after = text.get(read.span.end..).unwrap_or_default();
    match after.iter().position(|byte| !byte.is_ascii_whitespace()) {
        Some(at) => Err(BadArguments::new(
            RejectionCode::BadJson,
            read.span.end + at,
            "the arguments are not JSON: text follows the object",
        )),
        None => Ok(read),
    }
}

fn cut_arguments(text: &[u8]) -> BadArguments {
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => {
            BadArguments::new(RejectionCode::MissingArguments, text.len(), "there are no arguments")
        }
        Some(b'{' | b'[' | b'"') => BadArguments::new(
            RejectionCode::BadJson,
            text.len(),
            "the arguments are not JSON: they are cut off",
        ),
        Some(b'-' | b'0'..=b'9') => BadArguments::not_an_object(0),
        Some(_) => BadArguments::new(RejectionCode::BadJson, 0, "the arguments are not JSON"),
    }
}
