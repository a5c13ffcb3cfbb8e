//! Decodes the strings that the scanner found.

use std::borrow::Cow;

use crate::json::lexeme::{Escape, HALF, escape_length, hex_unit};
use crate::json::scanner::Quoted;

/// The bytes that a string stands for; borrowed if the string has no escapes.
///
/// The string must have come from the scanner, which has checked its escapes.
pub(crate) fn decode(input: &[u8], quoted: Quoted) -> Cow<'_, [u8]> {
    let inner = input.get(quoted.start + 1..quoted.end.saturating_sub(1)).unwrap_or_default();
    if !quoted.escaped {
        return Cow::Borrowed(inner);
    }
    let mut decoded = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        decoded.extend_from_slice(plain);
        let (character, length) = unescaped(escape);
        decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        rest = escape.get(length..).unwrap_or_default();
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}

/// The text that the inside of a string stands for; its escapes must be checked already.
///
/// Whole pieces of text are copied, so no piece is checked again to be UTF-8.
pub(crate) fn decoded(inner: &str) -> String {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) =
        memchr::memchr(b'\\', rest.as_bytes()).and_then(|place| rest.split_at_checked(place))
    {
        text.push_str(plain);
        let (character, length) = unescaped(escape.as_bytes());
        text.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// The character that the escape at the start of a text stands for, and the escape's length.
#[inline]
pub(crate) fn unescaped(escape: &[u8]) -> (char, usize) {
    let character = match escape.get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return code_point(escape),
        other => other.map_or(char::REPLACEMENT_CHARACTER, |byte| char::from(*byte)),
    };
    (character, 2)
}

/// The character of an escape that is one or two code units of UTF-16, and the escape's length.
fn code_point(escape: &[u8]) -> (char, usize) {
    // The scanner lets pass only a whole escape or half of a surrogate pair.
    let length = if let Ok(Escape::Whole(length)) = escape_length(escape) { length } else { HALF };
    let units = escape
        .chunks(HALF)
        .take(length / HALF)
        .filter_map(hex_unit)
        .filter_map(|unit| u16::try_from(unit).ok());
    let character = char::decode_utf16(units).next().and_then(Result::ok);
    (character.unwrap_or(char::REPLACEMENT_CHARACTER), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_what_they_stand_for() {
        let text = br#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00z""#;
        let quoted = Quoted { start: 0, end: text.len(), escaped: true };
        assert_eq!(decode(text, quoted).as_ref(), "a\"\\/\u{8}\u{c}\n\r\té😀z".as_bytes());
    }

    #[test]
    fn half_of_a_pair_is_the_replacement_character() {
        for (inner, text) in [
            (r"\ud800", "\u{fffd}"),
            (r"\ud800\u0041", "\u{fffd}A"),
            (r"\udc00\ud83d\ude00\udfffz", "\u{fffd}😀\u{fffd}z"),
            (r"\ud800\ud800\udc00", "\u{fffd}\u{10000}"),
            (r"\ud83d\n", "\u{fffd}\n"),
        ] {
            assert_eq!(decoded(inner), text, "{inner}");
        }
    }

    #[test]
    fn a_string_without_escapes_is_borrowed() {
        let quoted = Quoted { start: 0, end: 5, escaped: false };
        assert!(matches!(decode(b"\"abc\"", quoted), Cow::Borrowed(b"abc")));
    }
}
