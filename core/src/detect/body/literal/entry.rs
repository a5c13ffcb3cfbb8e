//! The start of keys and values in a literal, and the signs between them.

use std::borrow::Cow;

use crate::call::DiagnosticCode;
use crate::detect::body::literal::{Bracket, LiteralExpected, LiteralReader, PartialLiteral};
use crate::detect::format::shape::LiteralDialect;
use crate::detect::rule::typed::push_text;
use crate::json::lexeme::is_number;
use crate::json::outcome::Stop;
use crate::literal::compare;
use crate::progress::NeedMore;

/// The most keys that a new key is compared with. Few objects have more keys; the limit bounds the
/// work for hostile input.
const COMPARED: usize = 64;

impl LiteralReader {
    pub(super) fn separator(&mut self, byte: u8) -> Result<(), Stop> {
        let wanted = if self.stack.last() == Some(&Bracket::Call) { b'=' } else { b':' };
        if byte != wanted {
            return Err(self.bad("a key and its value are joined by another sign"));
        }
        let key: Box<[u8]> = self.json.get(self.key..).unwrap_or_default().into();
        let level = self.stack.len();
        if self
            .keys
            .iter()
            .rev()
            .take(COMPARED)
            .any(|(other, known)| *other == level && *known == key)
        {
            let message = "a key is repeated; the last value counts";
            self.diagnostics.add(DiagnosticCode::DuplicateKey, self.pos, message);
        }
        self.keys.push((level, key));
        self.json.push(b':');
        self.pos += 1;
        self.expected = LiteralExpected::Value;
        Ok(())
    }

    pub(super) fn is_key(&self) -> bool {
        self.expected == LiteralExpected::KeyOrEnd
    }

    pub(super) fn value_or_key(&mut self, rest: &[u8], byte: u8) -> Result<(), Stop> {
        if let LiteralDialect::Braces(marker) = &self.syntax.dialect
            && let Some(length) = compare(marker.as_bytes(), rest)?
        {
            self.text_starts(length, PartialLiteral::Marked);
            return Ok(());
        }
        let in_call = self.is_key() && self.stack.last() == Some(&Bracket::Call);
        match byte {
            b'"' | b'\'' if !in_call => self.quote(rest, byte, 0),
            b'r' | b'R' | b'u' | b'U'
                if !in_call && self.syntax.dialect == LiteralDialect::Python =>
            {
                match rest.get(1).ok_or(NeedMore)? {
                    &quote @ (b'"' | b'\'') => self.quote(rest, quote, 1),
                    _ => self.word_starts(byte),
                }
            }
            _ => self.word_starts(byte),
        }
    }

    pub(super) fn word_starts(&mut self, byte: u8) -> Result<(), Stop> {
        let starts_set = self.is_key()
            && self.is_forgiving()
            && self.stack.last() == Some(&Bracket::Dict)
            && self.json.last() == Some(&b'{')
            && matches!(byte, b'-' | b'0'..=b'9');
        if starts_set {
            self.numbers_are_set();
        }
        let starts_number = !self.is_key() && matches!(byte, b'-' | b'0'..=b'9');
        if !starts_number && !byte.is_ascii_alphabetic() && byte != b'_' {
            let what = if self.is_key() { "a name is expected" } else { "a literal is expected" };
            return Err(self.bad(what));
        }
        self.partial = PartialLiteral::Word { start: self.pos };
        Ok(())
    }

    /// Reads a word: a name before its value, a number, or a constant.
    pub(super) fn word(&mut self, input: &[u8], start: usize) -> Result<(), Stop> {
        let belongs =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-');
        let signs = !self.is_key();
        while input.get(self.pos).is_some_and(|byte| {
            belongs(byte) && (signs || !matches!(byte, b'+') || self.pos == start)
        }) {
            self.pos += 1;
        }
        if self.pos >= input.len() {
            return Err(NeedMore.into());
        }
        let word = input.get(start..self.pos).unwrap_or_default();
        self.comma_before();
        self.partial = PartialLiteral::Nothing;
        if self.is_key() {
            (self.key, self.key_is_word) = (self.json.len(), true);
            let mut key = String::new();
            push_text(&mut key, word);
            self.json.extend_from_slice(key.as_bytes());
            self.expected = LiteralExpected::Separator;
            return Ok(());
        }
        let json: Option<Cow<'_, [u8]>> = match word {
            b"True" | b"true" => Some(b"true".into()),
            b"False" | b"false" => Some(b"false".into()),
            b"None" | b"null" => Some(b"null".into()),
            number if is_number(number) => Some(number.into()),
            word => self.without_zeros(word, start).map(Cow::Owned),
        };
        let Some(json) = json else {
            self.pos = start;
            return Err(self.bad("a value is no literal"));
        };
        self.json.extend_from_slice(&json);
        self.expected = LiteralExpected::CommaOrEnd;
        Ok(())
    }
}
