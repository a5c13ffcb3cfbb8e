//! What is no Python, but can be meant in one way only: line breaks in strings, sets, and numbers
//! with leading zeros. It is read between markers, with a note.

use crate::call::DiagnosticCode;
use crate::detect::body::literal::{Bracket, LiteralExpected, LiteralReader, PartialLiteral};
use crate::detect::format::shape::LiteralDialect;
use crate::json::lexeme::is_number;
use crate::json::outcome::Stop;

impl LiteralReader {
    /// Whether this is a call between markers, so that only a call can be meant.
    pub(super) fn is_forgiving(&self) -> bool {
        !self.syntax.bounds.is_empty() && self.syntax.dialect == LiteralDialect::Python
    }

    /// Takes a line break in a string as a character of it.
    pub(super) fn line_ends_in_text(&mut self) -> Result<(), Stop> {
        if !self.is_forgiving() {
            return Err(self.bad("a line ends inside a string"));
        }
        let message = "a line break inside a string was escaped";
        self.diagnostics.add(DiagnosticCode::ControlCharacter, self.pos, message);
        self.push_plain(b"\n");
        Ok(())
    }

    /// Whether the braces that hold one string so far may be those of a set.
    pub(super) fn may_be_set(&self) -> bool {
        self.is_forgiving()
            && self.stack.last() == Some(&Bracket::Dict)
            && !self.key_is_word
            && self.json.get(..self.key).and_then(<[u8]>::last) == Some(&b'{')
    }

    /// The length of the JSON that is certain: it ends before braces that may be those of a set.
    pub(super) fn certain(&self) -> usize {
        let has_key = self.keys.last().is_some_and(|(level, _)| *level == self.stack.len());
        if has_key || !self.is_forgiving() || self.stack.last() != Some(&Bracket::Dict) {
            return self.json.len();
        }
        let before_key =
            matches!(self.partial, PartialLiteral::Nothing | PartialLiteral::Word { .. })
                && self.expected == LiteralExpected::KeyOrEnd;
        let behind = if before_key { self.json.len() } else { self.key };
        behind.saturating_sub(1)
    }

    /// Reads the braces as those of a set, whose first value is the last string.
    pub(super) fn dict_is_set(&mut self) {
        self.braces_hold_values(self.key.saturating_sub(1));
        self.expected = LiteralExpected::CommaOrEnd;
    }

    /// Reads the braces that were opened last as those of a set of numbers.
    pub(super) fn numbers_are_set(&mut self) {
        self.braces_hold_values(self.json.len().saturating_sub(1));
        self.expected = LiteralExpected::Value;
    }

    /// Makes an array of the braces that were opened last; `brace` is their place in the JSON.
    fn braces_hold_values(&mut self, brace: usize) {
        if let (Some(bracket), Some(brace)) = (self.stack.last_mut(), self.json.get_mut(brace)) {
            (*bracket, *brace) = (Bracket::Set, b'[');
        }
        let message = "a set was read as an array";
        self.diagnostics.add(DiagnosticCode::PythonLiteral, self.pos, message);
    }

    /// The number without its leading zeros, if it would be a number without them.
    pub(super) fn without_zeros(&mut self, word: &[u8], start: usize) -> Option<Vec<u8>> {
        if !self.is_forgiving() {
            return None;
        }
        let (sign, digits) = match word.strip_prefix(b"-") {
            Some(digits) => (&b"-"[..], digits),
            None => (&b""[..], word),
        };
        let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
        let number = [sign, digits.get(zeros..)?].concat();
        if zeros == 0 || !is_number(&number) {
            return None;
        }
        let message = "the leading zeros of a number were dropped";
        self.diagnostics.add(DiagnosticCode::LeadingZero, start, message);
        Some(number)
    }
}
