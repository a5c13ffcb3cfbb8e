//! Reads names and values at a place of a text, as programs and their settings write them.
//!
//! Each function reads a bounded part of the text, except for [`word`].

use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};

use super::key::SecretKeys;

/// The most bytes of a name.
pub(super) const LONGEST_NAME: usize = 80;

/// The most bytes of a value with quotes or brackets.
pub(super) const LONGEST_VALUE: usize = 1024;

pub(super) fn hides(keys: &SecretKeys, name: &[u8]) -> bool {
    keys.hides(&String::from_utf8_lossy(name))
}

/// A part behind so many bytes.
pub(super) fn behind(bytes: usize, part: &Range<usize>) -> Range<usize> {
    bytes + part.start..bytes + part.end
}

/// The bytes of the letters before the quotes of a literal, as in `b'x'`.
pub(super) fn literal_prefix(text: &[u8]) -> usize {
    let is_letter = |byte: &&u8| b"bBfFrRuU".contains(byte);
    let letters = text.iter().take(2).take_while(is_letter).count();
    if text.get(letters..).is_some_and(is_quote) { letters } else { 0 }
}

pub(super) fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_blank(**byte)).count()
}

/// The name in quotes at the end of a text.
pub(super) fn quoted_name(text: &[u8]) -> Option<&[u8]> {
    let (quote, inside) = text.split_last().filter(|(last, _)| b"\"'`".contains(last))?;
    let inside = inside.get(inside.len().saturating_sub(LONGEST_NAME)..)?;
    let name = inside.get(memrchr(*quote, inside)? + 1..)?;
    (!name.is_empty() && !name.contains(&b'\n')).then_some(name)
}

/// The name without quotes at the end of a text; empty if there is none.
pub(super) fn bare_name(text: &[u8]) -> &[u8] {
    let is_name =
        |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_$@.[]-".contains(byte);
    let length = text.iter().rev().take(LONGEST_NAME).take_while(is_name).count();
    text.get(text.len() - length..).unwrap_or_default()
}

/// A value of JSON or of a PHP array: a text without its quotes, a list or map, or a word.
pub(super) fn json_value(text: &[u8]) -> Range<usize> {
    match text.first() {
        Some(b'"' | b'\'' | b'`') => quoted(text),
        Some(b'{' | b'[') => {
            0..balanced(text.get(..LONGEST_VALUE).unwrap_or(text)).unwrap_or_default()
        }
        _ => 0..text.iter().take_while(|byte| is_word(**byte) && **byte != b',').count(),
    }
}

pub(super) fn is_quote(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'"' | b'\'' | b'`'))
}

/// The content of the quotes at the start of a text, or a word if the line does not close the
/// quotes.
pub(super) fn quoted(text: &[u8]) -> Range<usize> {
    let near = text.get(..LONGEST_VALUE).unwrap_or(text);
    let line = near.get(..memchr(b'\n', near).unwrap_or(near.len())).unwrap_or_default();
    closing_quote(line).map_or_else(|| 1..1 + word(text.get(1..).unwrap_or_default()), |end| 1..end)
}

pub(super) fn closing_quote(text: &[u8]) -> Option<usize> {
    let (quote, mut at) = (text.first()?, 1);
    loop {
        at += memchr2(*quote, b'\\', text.get(at..)?)?;
        if text.get(at) == Some(quote) {
            return Some(at);
        }
        at += 2;
    }
}

/// The end of the list or map at the start of a text.
pub(super) fn balanced(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match text.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' | b'\'' => at += closing_quote(text.get(at..)?)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The bytes of a word without markup and without a shell's special characters.
pub(super) fn word(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_word(**byte)).count()
}

pub(super) fn is_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"\"'`<>;|&\\(){}[]".contains(&byte)
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn trim_blanks_end(text: &[u8]) -> &[u8] {
    let length = text.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
    text.get(..length).unwrap_or_default()
}
