//! Reading one value of a reply, from its opening bracket on.

use crate::call::Span;
use crate::json::scanner::{Container, Quoted, Scanned, Scanner, Token};
use crate::json::text::decode;
use crate::progress::NeedMore;
use crate::ruled_out::RuledOut;

/// What reading from a bracket on gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BracketedValue {
    /// A whole value, with the byte behind it.
    Whole { end: usize, content: Content },
    /// No value: the text ends inside it, or it is broken.
    Broken {
        /// Everything before this offset belongs to the broken value; the bracket's own offset if
        /// the bracket may be a mere sign in prose.
        until: usize,
    },
}

/// What a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// An object with an expected key.
    Expected,
    /// Something else that is not empty.
    Some,
    /// An empty object or array.
    Empty,
}

/// Whether a key is one of those expected.
fn is_expected(key: Quoted, text: &[u8], keys: &[String]) -> bool {
    !keys.is_empty()
        && keys.iter().any(|expected| expected.as_bytes() == decode(text, key).as_ref())
}

/// Reads the value that starts at a bracket.
pub(super) fn read(text: &[u8], start: usize, max_depth: usize, keys: &[String]) -> BracketedValue {
    let mut scanner = Scanner::new(start, max_depth);
    let (mut tokens, mut expected) = (0_usize, false);
    loop {
        match scanner.next(text) {
            Ok(Scanned::Token(Token::Key(key))) if scanner.depth() == 1 => {
                expected = expected || is_expected(key, text, keys);
            }
            Ok(Scanned::Token(_)) => {}
            // No whole value follows, not even inside the string that is cut.
            Err(NeedMore) => return BracketedValue::Broken { until: text.len() },
            // A key and the beginning of its value show that this is meant as JSON.
            Ok(Scanned::Fault(_)) => {
                return BracketedValue::Broken {
                    until: if tokens < 3 { start } else { scanner.pos() },
                };
            }
        }
        tokens += 1;
        if scanner.done() {
            let content = match (expected, tokens) {
                (true, _) => Content::Expected,
                (false, 0..=2) => Content::Empty,
                (false, _) => Content::Some,
            };
            return BracketedValue::Whole { end: scanner.pos(), content };
        }
    }
}

/// Reads a value again for its parts; gives the first whole object with an expected key.
///
/// Every bracket in the value is marked as known: what starts at it is whole, or broken as this
/// value is.
pub(super) fn parts(
    text: &[u8],
    start: usize,
    max_depth: usize,
    keys: &[String],
    known: &mut RuledOut,
) -> Option<Span> {
    let mut scanner = Scanner::new(start, max_depth);
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut opened = Vec::new();
    let mut first: Option<Span> = None;
    while let Ok(Scanned::Token(token)) = scanner.next(text) {
        match token {
            Token::Open(_, at) => {
                opened.push(at);
                open.push((at, false));
            }
            Token::Key(key) => {
                if let Some((_, expected)) = open.last_mut() {
                    *expected = *expected || is_expected(key, text, keys);
                }
            }
            Token::Close(container, end) => {
                let closed =
                    open.pop().filter(|(_, expected)| *expected && container == Container::Object);
                let part = closed.map(|(start, _)| Span::new(start, end));
                first = part
                    .filter(|part| first.is_none_or(|first| part.start < first.start))
                    .or(first);
            }
            Token::Text(_) | Token::Number(..) | Token::Literal(..) => {}
        }
        if scanner.done() {
            break;
        }
    }
    known.mark(&opened);
    first
}
