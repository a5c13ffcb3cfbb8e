//! Diagnostics of a call's arguments: repeated keys, integers beyond 64 bits, and numbers beyond a
//! float.
//!
//! The observer sees each token. It holds the places of the keys of the open objects, and no copies
//! of the keys.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::call::{Diagnostic, DiagnosticCode};
use crate::json::diagnostics::Diagnostics;
use crate::json::number::exceeds_float;
use crate::json::scanner::{Container, Quoted, Token};
use crate::json::text::decode;

/// Objects with more keys than this are compared through a hash set.
const FEW: usize = 12;
/// The length of the shortest number that a host may not be able to hold: `9e308`.
const SHORTEST: usize = 5;
/// The usual number of open keys, and of objects inside each other, in a call's arguments.
const USUAL_KEYS: usize = 16;
const USUAL_DEPTH: usize = 8;

/// Finds what is worth a diagnostic in the tokens of a call's arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenObserver {
    keys: Vec<Quoted>,
    /// For each open object, the number of keys that belong to the objects around it.
    frames: Vec<usize>,
    found: Diagnostics,
}

impl TokenObserver {
    /// Observes the next token of the arguments.
    #[inline]
    pub(crate) fn observe(&mut self, token: Token, input: &[u8]) {
        match token {
            Token::Open(Container::Object, _) => self.object_starts(),
            Token::Close(Container::Object, _) => self.object_ends(input),
            Token::Key(key) => self.keys.push(key),
            Token::Number(start, end) if end - start >= SHORTEST => self.number(input, start, end),
            _ => {}
        }
    }

    /// The diagnostics of the text between `start` and `end`, by offset.
    pub(crate) fn between(&mut self, start: usize, end: usize) -> Vec<Diagnostic> {
        let mut found = self.found.take_sorted();
        found.retain(|diagnostic| (start..end).contains(&diagnostic.offset));
        found
    }

    fn object_starts(&mut self) {
        // The arguments of most calls fit into this capacity. One allocation costs less than growth
        // by doubling.
        if self.frames.capacity() == 0 {
            self.keys.reserve(USUAL_KEYS);
            self.frames.reserve(USUAL_DEPTH);
        }
        self.frames.push(self.keys.len());
    }

    fn object_ends(&mut self, input: &[u8]) {
        let first = self.frames.pop().unwrap_or_default();
        let keys = self.keys.get(first..).unwrap_or_default();
        if let Some(offset) = repeated(keys, input) {
            self.found.add(
                DiagnosticCode::DuplicateKey,
                offset,
                "a key is repeated; the last value counts",
            );
        }
        self.keys.truncate(first);
    }

    fn number(&mut self, input: &[u8], start: usize, end: usize) {
        let text = input
            .get(start..end)
            .and_then(|text| std::str::from_utf8(text).ok())
            .unwrap_or_default();
        let whole = !text.contains(['.', 'e', 'E']);
        if !whole && exceeds_float(text.as_bytes()) {
            self.found.add(DiagnosticCode::BigNumber, start, "the number exceeds a float");
        } else if whole && end - start >= 19 && text.parse::<i64>().is_err() {
            self.found.add(DiagnosticCode::BigInteger, start, "the integer exceeds 64 bits");
        }
    }
}

/// The offset of the first key that equals an earlier key of the same object.
fn repeated(keys: &[Quoted], input: &[u8]) -> Option<usize> {
    if keys.len() < 2 {
        return None;
    }
    if keys.len() <= FEW && keys.iter().all(|key| !key.escaped) {
        let text = |key: &Quoted| input.get(key.start..key.end);
        return keys.iter().enumerate().find_map(|(index, key)| {
            keys.iter().take(index).any(|earlier| text(earlier) == text(key)).then_some(key.start)
        });
    }
    let mut seen: HashSet<Cow<'_, [u8]>> = HashSet::with_capacity(keys.len());
    keys.iter().find(|key| !seen.insert(decode(input, **key))).map(|key| key.start)
}
