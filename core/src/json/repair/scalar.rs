//! The strings, words and numbers of arguments that are almost JSON.

use crate::call::DiagnosticCode;
use crate::json::lexeme::{Escape, escape_length, is_number};
use crate::json::outcome::Stop;
use crate::json::repair::{EscapedLetters, PartialRepair, Repairer, is_word_start};
use crate::json::scanner::ExpectedToken;
use crate::progress::NeedMore;

impl Repairer {
    pub(super) fn text_starts(&mut self, quote: u8) {
        if quote == b'\'' {
            self.note(DiagnosticCode::SingleQuotes, self.pos, "single quotes were replaced");
            if !matches!(self.expected, ExpectedToken::Key | ExpectedToken::KeyOrEnd) {
                self.last.requoted_value = Some(self.pos);
            }
        }
        self.json.push(b'"');
        self.pos += 1;
        self.partial = PartialRepair::Text { quote, escaped: EscapedLetters::default() };
    }

    pub(super) fn text(
        &mut self,
        input: &[u8],
        quote: u8,
        escaped: EscapedLetters,
    ) -> Result<(), Stop> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let &byte = rest.first().ok_or(NeedMore)?;
        match byte {
            b'\\' => return self.escape(input, rest, quote, escaped),
            _ if byte == quote => {
                self.json.push(b'"');
                self.pos += 1;
                self.partial = PartialRepair::Nothing;
                self.text_ends();
            }
            b'"' => {
                self.json.extend_from_slice(b"\\\"");
                self.pos += 1;
            }
            0..0x20 => {
                let message = "a control character was escaped";
                self.note(DiagnosticCode::ControlCharacter, self.pos, message);
                let escaped =
                    serde_json::to_string(&char::from(byte).to_string()).unwrap_or_default();
                self.json.extend_from_slice(escaped.trim_matches('"').as_bytes());
                self.pos += 1;
            }
            _ => {
                let plain = |byte: &u8| !matches!(byte, b'\\' | b'"' | b'\'' | 0..0x20);
                let length = rest.iter().take_while(|byte| plain(byte)).count().max(1);
                self.copy(input, length);
            }
        }
        Ok(())
    }

    pub(super) fn escape(
        &mut self,
        input: &[u8],
        rest: &[u8],
        quote: u8,
        mut escaped: EscapedLetters,
    ) -> Result<(), Stop> {
        if rest.get(1) == Some(&b'\'') {
            // In a string in single quotes, a single quote must be escaped. In double quotes this
            // escape is not JSON.
            if quote == b'"' {
                let message = "an escaped single quote was unescaped";
                self.note(DiagnosticCode::SingleQuotes, self.pos, message);
                self.last.requoted_value = Some(self.pos);
            }
            self.json.push(b'\'');
            self.pos += 2;
            return Ok(());
        }
        let is_letter = rest.get(1).is_some_and(u8::is_ascii_alphanumeric);
        match escape_length(rest)? {
            Escape::Whole(length) => {
                escaped.known |= is_letter;
                self.copy(input, length);
            }
            Escape::Bad(_) if is_unknown(rest) => {
                escaped.unknown |= is_letter;
                let message = "a backslash that begins no escape was escaped";
                self.note(DiagnosticCode::UnknownEscape, self.pos, message);
                self.json.extend_from_slice(b"\\\\");
                self.pos += 1;
            }
            Escape::Bad(what) => return Err(self.bad(what)),
        }
        if escaped.known && escaped.unknown {
            return Err(self.bad("a backslash is part of the text or begins an escape"));
        }
        self.partial = PartialRepair::Text { quote, escaped };
        Ok(())
    }

    pub(super) fn text_ends(&mut self) {
        if matches!(self.expected, ExpectedToken::Key | ExpectedToken::KeyOrEnd) {
            self.expected = ExpectedToken::Colon;
        } else {
            self.value_ends();
        }
    }

    /// Reads a key without quotes, or a literal.
    pub(super) fn word(&mut self, input: &[u8], start: usize) -> Result<(), Stop> {
        while input.get(self.pos).copied().is_some_and(is_word) {
            self.pos += 1;
        }
        if self.pos >= input.len() {
            return Err(NeedMore.into());
        }
        self.partial = PartialRepair::Nothing;
        let word = input.get(start..self.pos).unwrap_or_default();
        if matches!(self.expected, ExpectedToken::Key | ExpectedToken::KeyOrEnd) {
            self.note(DiagnosticCode::UnquotedKey, start, "a key was quoted");
            self.json.extend_from_slice(&[b"\"", word, b"\""].concat());
            self.expected = ExpectedToken::Colon;
            return Ok(());
        }
        let literal: &[u8] = match word {
            b"true" | b"True" => b"true",
            b"false" | b"False" => b"false",
            b"null" | b"None" => b"null",
            _ => return Err(self.bad("a value without quotes is ambiguous")),
        };
        if literal != word {
            self.note(DiagnosticCode::PythonLiteral, start, "a Python literal was replaced");
        }
        self.json.extend_from_slice(literal);
        self.value_ends();
        Ok(())
    }

    pub(super) fn number(&mut self, input: &[u8], start: usize) -> Result<(), Stop> {
        while let Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') = input.get(self.pos) {
            self.pos += 1;
        }
        if self.pos >= input.len() {
            return Err(NeedMore.into());
        }
        let number = input.get(start..self.pos).unwrap_or_default();
        if !is_number(number) {
            return Err(self.bad("not a number"));
        }
        self.json.extend_from_slice(number);
        self.partial = PartialRepair::Nothing;
        self.value_ends();
        Ok(())
    }
}

/// Whether what stands here is certainly no escape, rather than one that is cut off or damaged.
fn is_unknown(rest: &[u8]) -> bool {
    match rest.get(1) {
        Some(b'u') => rest.get(2).is_some_and(|byte| !byte.is_ascii_hexdigit()),
        kind => kind.is_some_and(|byte| !byte.is_ascii_control()),
    }
}

fn is_word(byte: u8) -> bool {
    is_word_start(byte) || byte.is_ascii_digit() || byte == b'-'
}
