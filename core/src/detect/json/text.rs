//! Decoding the strings that the scanner found.

use std::borrow::Cow;

use super::lexeme::hex_unit;
use super::scanner::Quoted;

/// The bytes that a string stands for; borrowed where it has no escapes.
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
        let length = unescape(escape, &mut decoded);
        rest = escape.get(length..).unwrap_or_default();
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}

/// Appends what the escape at the start of `escape` stands for and returns its length.
fn unescape(escape: &[u8], decoded: &mut Vec<u8>) -> usize {
    let plain = match escape.get(1) {
        Some(b'b') => 0x08,
        Some(b'f') => 0x0C,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return unescape_unicode(escape, decoded),
        Some(&byte) => byte,
        None => return escape.len(),
    };
    decoded.push(plain);
    2
}

fn unescape_unicode(escape: &[u8], decoded: &mut Vec<u8>) -> usize {
    let first = hex_unit(escape).unwrap_or(0xFFFD);
    let (code, length) = if (0xD800..0xDC00).contains(&first) {
        let second = escape.get(6..).and_then(hex_unit).unwrap_or(0xDC00);
        (0x10000 + ((first - 0xD800) << 10) + (second & 0x3FF), 12)
    } else {
        (first, 6)
    };
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    length
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
    fn a_string_without_escapes_is_borrowed() {
        let quoted = Quoted { start: 0, end: 5, escaped: false };
        assert!(matches!(decode(b"\"abc\"", quoted), Cow::Borrowed(b"abc")));
    }
}
