//! Reads lines that were damaged when they were written.

use std::borrow::Cow;
use std::fmt::Write;

use crate::transcript::frame::balance;

/// What is left of a damaged line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::transcript) struct Mended<'l> {
    /// The records in it.
    pub(in crate::transcript) records: Vec<Cow<'l, str>>,
    /// The part that could not be read.
    pub(in crate::transcript) lost: Option<&'l str>,
}

/// The texts that a record of a log begins with.
const STARTS: [&str; 7] = [
    "{\"type\":",
    "{\"timestamp\":",
    "{\"uuid\":",
    "{\"parentUuid\":",
    "{\"id\":",
    "{\"role\":",
    "{\"jsonrpc\":",
];

/// Finds the records in a line that is not JSON as it stands. `is_json` tells whether a text is.
///
/// The line may have zero bytes at its ends, control characters in its texts, or numbers that JSON
/// has not. It may be several records, or the start of one with another behind it.
pub(in crate::transcript) fn mend<'l>(
    line: &'l str,
    is_json: &mut dyn FnMut(&str) -> bool,
) -> Mended<'l> {
    let line = line.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
    let whole = |records| Mended { records, lost: None };
    if is_json(line) {
        return whole(vec![line.into()]);
    }
    let plain = escaped(line);
    if is_json(&plain) {
        return whole(vec![plain]);
    }
    if let Some(parts) = balance::containers(line)
        && parts.len() > 1
    {
        let parts: Vec<_> = parts.into_iter().map(escaped).collect();
        if parts.iter().all(|part| is_json(part)) {
            return whole(parts);
        }
    }
    // The starts from the last to the first; the number that is looked at bounds the work.
    let mut starts: Vec<usize> = STARTS
        .iter()
        .flat_map(|start| memchr::memmem::rfind_iter(line.as_bytes(), start).take(4))
        .filter(|start| *start > 0)
        .collect();
    starts.sort_unstable_by(|one, other| other.cmp(one));
    for (lost, record) in starts.iter().filter_map(|start| line.split_at_checked(*start)) {
        let record = escaped(record);
        if is_json(&record) {
            return Mended { records: vec![record], lost: Some(lost) };
        }
    }
    Mended { records: Vec::new(), lost: Some(line) }
}

/// The records of a document that is not JSON as it stands; empty if there are none.
pub(in crate::transcript) fn mend_document<'l>(
    text: &'l str,
    is_json: &mut dyn FnMut(&str) -> bool,
) -> Mended<'l> {
    let plain = escaped(text);
    if is_json(&plain) {
        return Mended { records: vec![plain], lost: None };
    }
    let cut = balance::closed(text).map(|text| escaped(&text).into_owned());
    match cut.filter(|text| is_json(text)) {
        Some(text) => Mended { records: vec![text.into()], lost: Some("") },
        None => Mended { records: Vec::new(), lost: Some(text) },
    }
}

/// Whether a line of text is a part of a JSON document of many lines: a key with its value, or the
/// ends of containers. The start of the document is missing then.
pub(in crate::transcript) fn is_fragment(line: &str) -> bool {
    let is_end = line.starts_with(['}', ']'])
        && line.chars().all(|letter| matches!(letter, '{' | '}' | '[' | ']' | ',' | ' '));
    let behind_key = || {
        let rest = line.strip_prefix('"')?;
        let end = rest.bytes().position(|byte| byte == b'"')?;
        rest.get(end + 1..)?.trim_start().strip_prefix(':')
    };
    let is_value = |value: &str| {
        let value = value.trim();
        let is_open = value.ends_with(['{', '[', ',', '}', ']', '"']);
        is_open || value.parse::<f64>().is_ok() || matches!(value, "true" | "false" | "null")
    };
    is_end || behind_key().is_some_and(is_value)
}

/// JSON text whose control characters and lone halves of characters stand as escapes that can be
/// read, and in which `null` stands for each number that JSON has not.
fn escaped(text: &str) -> Cow<'_, str> {
    let has_controls = text.bytes().any(|byte| byte < 0x20);
    let has_signs = || ["\\u", "NaN", "Infinity"].iter().any(|sign| text.contains(sign));
    if !has_controls && !has_signs() && !has_long_number(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut is_in_text, mut rest) = (false, text);
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '"' => is_in_text = !is_in_text,
            '\\' if is_in_text => {
                let length = escape_length(rest);
                let (escape, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
                let is_half = escape.starts_with("\\u") && is_lone_half(escape);
                out.push_str(if is_half { "\\ufffd" } else { escape });
                rest = behind;
                continue;
            }
            letter if is_in_text && letter < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
                rest = behind;
                continue;
            }
            'N' | 'I' | '-' | '0'..='9' if !is_in_text => {
                let length = number_length(rest);
                let (number, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
                let is_none = number.parse().is_ok_and(|number: f64| !number.is_finite());
                out.push_str(if is_none { "null" } else { number });
                rest = behind;
                continue;
            }
            _ => {}
        }
        out.push(letter);
        rest = behind;
    }
    Cow::Owned(out)
}

/// Whether a text may hold a number that no double can hold: a long exponent or many digits.
fn has_long_number(text: &str) -> bool {
    let (mut digits, mut is_exponent) = (0, false);
    text.bytes().any(|byte| {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'e' | b'E' => (digits, is_exponent) = (0, true),
            b'+' if digits == 0 => {}
            _ => (digits, is_exponent) = (0, false),
        }
        digits > 300 || is_exponent && digits > 2
    })
}

/// The length of the number that a text begins with, or of a word that stands for one: Python
/// writes `NaN` and `Infinity`. It is one letter at least.
fn number_length(text: &str) -> usize {
    let words = ["NaN", "Infinity", "-Infinity"];
    if let Some(word) = words.iter().find(|word| text.starts_with(**word)) {
        return word.len();
    }
    let is_of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().take_while(is_of_number).count().max(1)
}

/// The length of the escape that a text begins with; two halves of one character are one escape.
fn escape_length(text: &str) -> usize {
    if !text.starts_with("\\u") {
        let letter = text.chars().nth(1).map_or(0, char::len_utf8);
        return 1 + letter;
    }
    if half(text).is_some_and(|unit| (0xD800..0xDC00).contains(&unit))
        && text.get(6..).and_then(half).is_some_and(|unit| (0xDC00..0xE000).contains(&unit))
    {
        return 12;
    }
    6
}

/// The number of an escape `\uXXXX`.
fn half(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

fn is_lone_half(escape: &str) -> bool {
    escape.len() == 6 && half(escape).is_some_and(|unit| (0xD800..0xE000).contains(&unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(line: &str) -> (Vec<String>, Option<String>) {
        let found = mend(line, &mut |text| serde_json::from_str::<serde_json::Value>(text).is_ok());
        let records = found.records.into_iter().map(Cow::into_owned).collect();
        (records, found.lost.map(str::to_owned))
    }

    #[test]
    fn what_can_be_read_is_read() {
        let one = |text: &str| (vec![text.to_owned()], None);
        assert_eq!(mended("\0\0{\"a\":1}\0"), one("{\"a\":1}"));
        assert_eq!(mended("{\"a\":\"x\ty\"}"), one("{\"a\":\"x\\u0009y\"}"));
        assert_eq!(mended(r#"{"a":"\ud83d\ude00\ud800 "}"#), one(r#"{"a":"\ud83d\ude00\ufffd "}"#));
        let numbers = r#"{"a":[NaN,-Infinity,1e999,-2E+400,1e-400,0.5],"b":"NaN"}"#;
        let read = r#"{"a":[null,null,null,null,1e-400,0.5],"b":"NaN"}"#;
        assert_eq!(mended(numbers), one(read));
        let two = vec!["{\"a\":\"}{\"}".to_owned(), "{}".to_owned()];
        assert_eq!(mended("{\"a\":\"}{\"}{}"), (two, None));
        let torn = r#"{"type":"x","text":"a{"type":"user"}"#;
        let (records, lost) = mended(torn);
        assert_eq!(records, [r#"{"type":"user"}"#]);
        assert_eq!(lost.as_deref(), Some(r#"{"type":"x","text":"a"#));
        assert_eq!(mended("{\"type\":"), (vec![], Some("{\"type\":".to_owned())));
    }
}
