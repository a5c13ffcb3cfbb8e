//! Strings in literals: quotes, escapes, and strings between markers.

use crate::detect::body::literal::{
    Bracket, LiteralExpected, LiteralReader, PartialLiteral, QuotedEnd,
};
use crate::detect::format::shape::LiteralDialect;
use crate::detect::rule::typed::push_text;
use crate::json::outcome::Stop;
use crate::literal::compare;
use crate::progress::{NeedMore, Progress};

impl LiteralReader {
    /// Starts a string at its quotes; `prefix` letters stand before them.
    pub(super) fn quote(&mut self, rest: &[u8], quote: u8, prefix: usize) -> Result<(), Stop> {
        let raw = prefix > 0 && matches!(rest.first(), Some(b'r' | b'R'));
        let run = rest.iter().skip(prefix).take(3).take_while(|byte| **byte == quote).count();
        if run < 3 && rest.len() == prefix + run {
            return Err(NeedMore.into());
        }
        // Two quotes are an empty string.
        let quotes = if run == 3 && self.syntax.dialect == LiteralDialect::Python { 3 } else { 1 };
        self.text_starts(prefix + quotes, PartialLiteral::Text { quote, quotes, raw });
        Ok(())
    }

    pub(super) fn text_starts(&mut self, length: usize, partial: PartialLiteral) {
        self.comma_before();
        (self.key, self.key_is_word) = (self.json.len(), false);
        self.json.push(b'"');
        self.pos += length;
        self.partial = partial;
    }

    pub(super) fn text_ends(&mut self, length: usize) {
        self.json.push(b'"');
        self.pos += length;
        self.partial = PartialLiteral::Nothing;
        self.expected =
            if self.is_key() { LiteralExpected::Separator } else { LiteralExpected::CommaOrEnd };
    }

    pub(super) fn marked_text(&mut self, input: &[u8]) -> Result<(), Stop> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let LiteralDialect::Braces(marker) = &self.syntax.dialect else {
            return Err(self.bad("no marker"));
        };
        let (marker, first) =
            (marker.clone(), marker.as_bytes().first().copied().unwrap_or_default());
        let plain = memchr::memchr(first, rest).unwrap_or(rest.len());
        self.push_plain(rest.get(..plain).unwrap_or_default());
        let rest = rest.get(plain..).unwrap_or_default();
        match compare(marker.as_bytes(), rest)? {
            Some(length) => self.text_ends(length),
            None => self.push_plain(rest.get(..1).unwrap_or_default()),
        }
        Ok(())
    }

    /// Appends text that holds no escapes.
    pub(super) fn push_plain(&mut self, text: &[u8]) {
        let special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
        self.pos += text.len();
        let mut rest = text;
        while let Some(at) = rest.iter().position(special) {
            let (plain, from) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            self.json.extend_from_slice(plain);
            let mut escaped = String::new();
            push_text(&mut escaped, from.get(..1).unwrap_or_default());
            self.json.extend_from_slice(escaped.trim_matches('"').as_bytes());
            if from.first() == Some(&b'"') {
                self.json.extend_from_slice(b"\"");
            }
            rest = from.get(1..).unwrap_or_default();
        }
        self.json.extend_from_slice(rest);
    }

    pub(super) fn text(
        &mut self,
        input: &[u8],
        quote: u8,
        quotes: usize,
        raw: bool,
    ) -> Result<(), Stop> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let plain = memchr::memchr3(quote, b'\\', b'\n', rest).unwrap_or(rest.len());
        self.push_plain(rest.get(..plain).unwrap_or_default());
        let rest = rest.get(plain..).unwrap_or_default();
        let &byte = rest.first().ok_or(NeedMore)?;
        match byte {
            b'\\' if raw => self.push_plain(rest.get(..2).ok_or(NeedMore)?),
            b'\\' => return self.escape(rest),
            b'\n' if quotes == 1 => self.line_ends_in_text()?,
            b'\n' => self.push_plain(b"\n"),
            _ if quotes == 1 && !self.ends_text(rest)? => {
                self.partial = PartialLiteral::Quoting(QuotedEnd::new(quote, self.pos));
            }
            _ => {
                let run = rest.iter().take(quotes).take_while(|byte| **byte == quote).count();
                if run == quotes {
                    self.text_ends(quotes);
                } else if run == rest.len() {
                    return Err(NeedMore.into());
                } else {
                    self.push_plain(rest.get(..run).unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    /// Whether the string can end at the quote with which `rest` begins.
    ///
    /// Only between markers may a string hold its own quotes.
    fn ends_text(&self, rest: &[u8]) -> Progress<bool> {
        if !self.is_forgiving() || self.stack.last() != Some(&Bracket::Call) {
            return Ok(true);
        }
        let mut after = rest.iter().skip(1).filter(|byte| !byte.is_ascii_whitespace());
        after.next().map(|byte| matches!(byte, b',' | b')')).ok_or(NeedMore)
    }

    /// Reads a string up to a quote that is known to end it.
    pub(super) fn text_up_to(&mut self, input: &[u8], end: usize) -> Result<(), Stop> {
        let rest = input.get(self.pos..end).unwrap_or_default();
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        self.push_plain(rest.get(..plain).unwrap_or_default());
        let rest = rest.get(plain..).unwrap_or_default();
        if rest.is_empty() {
            self.text_ends(1);
            return Ok(());
        }
        self.escape(rest).map_err(|stop| match stop {
            Stop::Unfinished(NeedMore) => self.bad("an escape is not complete"),
            bad @ Stop::Bad(_) => bad,
        })
    }

    /// Reads an escape as Python does. An unknown escape keeps its backslash.
    fn escape(&mut self, rest: &[u8]) -> Result<(), Stop> {
        let &kind = rest.get(1).ok_or(NeedMore)?;
        let plain = match kind {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'a' => '\u{7}',
            b'v' => '\u{b}',
            b'\\' | b'\'' | b'"' => char::from(kind),
            b'\n' => {
                self.pos += 2;
                return Ok(());
            }
            b'x' => return self.number_escape(rest, 2, 2, 16),
            b'u' => return self.number_escape(rest, 2, 4, 16),
            b'U' => return self.number_escape(rest, 2, 8, 16),
            b'0'..=b'7' => {
                let digits = rest
                    .iter()
                    .skip(1)
                    .take(3)
                    .take_while(|byte| matches!(byte, b'0'..=b'7'))
                    .count();
                if digits < 3 && rest.len() == 1 + digits {
                    return Err(NeedMore.into());
                }
                return self.number_escape(rest, 1, digits, 8);
            }
            _ => {
                self.push_plain(b"\\");
                return Ok(());
            }
        };
        self.push_character(plain);
        self.pos += 2;
        Ok(())
    }

    fn push_character(&mut self, character: char) {
        let (mut bytes, pos) = ([0; 4], self.pos);
        self.push_plain(character.encode_utf8(&mut bytes).as_bytes());
        self.pos = pos;
    }

    /// Reads a character by its number, which has `digits` digits from `from` on.
    ///
    /// A surrogate needs its other half.
    fn number_escape(
        &mut self,
        rest: &[u8],
        from: usize,
        digits: usize,
        radix: u32,
    ) -> Result<(), Stop> {
        let number = |at: usize| {
            let text = rest.get(at..at + digits)?;
            let text = std::str::from_utf8(text).ok().filter(|text| !text.contains(['+', '-']))?;
            u32::from_str_radix(text, radix).ok()
        };
        if rest.len() < from + digits {
            return Err(NeedMore.into());
        }
        let mut length = from + digits;
        let mut code = number(from).ok_or_else(|| self.bad("an escape is not complete"))?;
        if (0xD800..0xDC00).contains(&code) && digits == 4 {
            if rest.len() < 2 * length {
                return Err(NeedMore.into());
            }
            let second = number(length + from).filter(|low| (0xDC00..0xE000).contains(low));
            let low = second.ok_or_else(|| self.bad("half of a surrogate pair"))?;
            code = 0x10000 + ((code - 0xD800) << 10) + (low & 0x3FF);
            length *= 2;
        }
        let character = char::from_u32(code).ok_or_else(|| self.bad("half of a surrogate pair"))?;
        self.push_character(character);
        self.pos += length;
        Ok(())
    }
}
