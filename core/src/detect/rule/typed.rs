//! Makes JSON of text that is not JSON: the values of tagged parameters.

use memchr::memmem;
use serde_json::Value;

use crate::detect::rule::schema::ValueKinds;
use crate::json::lexeme::is_number;
use crate::json::outcome::Tolerance;
use crate::json::scanner::{Scanned, Scanner};
use crate::progress::NeedMore;

/// A value as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    pub(crate) json: String,
    /// Whether the text is of its type; otherwise it is kept as a string.
    pub(crate) matches: bool,
}

/// Appends text as a JSON string.
pub(crate) fn push_text(json: &mut String, text: &[u8]) {
    json.push_str(&self::text(text));
}

/// Text as a JSON string.
pub(crate) fn text(text: &[u8]) -> String {
    serde_json::to_string(&String::from_utf8_lossy(text)).unwrap_or_default()
}

fn as_written(text: &[u8]) -> Typed {
    Typed { json: self::text(text), matches: false }
}

/// Reads text that must be JSON.
pub(crate) fn of_json(text: &[u8], tolerance: Tolerance) -> Typed {
    match json(text, tolerance) {
        Some(json) => Typed { json, matches: true },
        None => as_written(text),
    }
}

/// The text as JSON, if it is one JSON value.
fn json(text: &[u8], tolerance: Tolerance) -> Option<String> {
    let trimmed = std::str::from_utf8(text).ok()?.trim();
    if matches!(trimmed.as_bytes().first(), Some(b'-' | b'0'..=b'9')) {
        return is_number(trimmed.as_bytes()).then(|| trimmed.to_owned());
    }
    let mut scanner = Scanner::new(0, tolerance.depth);
    loop {
        match scanner.next(trimmed.as_bytes()) {
            Ok(Scanned::Token(_)) if scanner.done() => break,
            Ok(Scanned::Token(_)) => {}
            Ok(Scanned::Fault(_)) | Err(NeedMore) => return None,
        }
    }
    let rest = trimmed.get(scanner.pos()..)?;
    rest.trim().is_empty().then(|| trimmed.trim_end().to_owned())
}

/// Reads text that must be of one of `kinds`, or is a string when nothing is known of it.
///
/// Null is tried first, then the kinds that differ from text, then text.
pub(crate) fn of_kinds(text: &[u8], kinds: Option<&ValueKinds>, tolerance: Tolerance) -> Typed {
    let Some(kinds) = kinds.filter(|kinds| !kinds.unknown()) else {
        return Typed { json: self::text(text), matches: true };
    };
    let trimmed = text.trim_ascii();
    if kinds.null && matches!(trimmed, b"null" | b"None") {
        return Typed { json: "null".to_owned(), matches: true };
    }
    if let Some(word) = kinds.words.iter().find(|word| is_word(word, trimmed)) {
        return Typed { json: word.to_string(), matches: true };
    }
    let flag = match trimmed {
        b"true" | b"True" => Some("true"),
        b"false" | b"False" => Some("false"),
        _ => None,
    };
    if let Some(flag) = flag.filter(|_| kinds.boolean) {
        return Typed { json: flag.to_owned(), matches: true };
    }
    let json = json(trimmed, tolerance).filter(|json| match json.as_bytes().first() {
        Some(b'{') => kinds.object,
        Some(b'[') => kinds.array,
        Some(b'-' | b'0'..=b'9') => kinds.number || (kinds.integer && is_integer(json)),
        _ => false,
    });
    match json {
        Some(json) => Typed { json, matches: true },
        None => Typed { json: self::text(text), matches: kinds.text },
    }
}

/// Whether the text is this member of an enumeration.
fn is_word(word: &Value, text: &[u8]) -> bool {
    match word {
        Value::String(word) => word.as_bytes() == text,
        other => other.to_string().as_bytes() == text,
    }
}

fn is_integer(number: &str) -> bool {
    let fraction = number.split_once('.').map_or("", |(_, fraction)| fraction);
    !number.contains(['e', 'E']) && fraction.bytes().all(|digit| digit == b'0')
}

/// Reads the elements of a value as an object, or as an array when all are named `item`.
///
/// An element opens with `marker`, a name and `>`. Text without this structure is a string.
pub(crate) fn of_elements(text: &[u8], marker: &[u8], tolerance: Tolerance) -> Typed {
    match elements(text, marker, tolerance.depth) {
        Some(value) => Typed { json: value.to_string(), matches: true },
        None => as_written(text),
    }
}

/// Whether text is elements and nothing else, and so is each of them that holds one.
pub(crate) fn is_elements(text: &[u8], marker: &[u8], tolerance: Tolerance) -> bool {
    elements(text, marker, tolerance.depth).is_some()
}

fn elements(text: &[u8], marker: &[u8], depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    if memmem::find(text, marker).is_none() {
        return Some(Value::String(String::from_utf8_lossy(text).into_owned()));
    }
    let mut found: Vec<(String, Value)> = Vec::new();
    let mut rest = text.trim_ascii();
    while !rest.is_empty() {
        let tag = rest.strip_prefix(marker)?;
        let (name, tag_end) = tag.split_at_checked(memchr::memchr(b'>', tag)?)?;
        let content = tag_end.get(1..)?;
        let (open, close) = ([marker, name, b">"].concat(), [marker, b"/", name, b">"].concat());
        let length = nested_end(content, &open, &close)?;
        let (inner, after) = content.split_at_checked(length)?;
        found.push((String::from_utf8_lossy(name).into_owned(), elements(inner, marker, depth)?));
        rest = after.get(close.len()..)?.trim_ascii_start();
    }
    if found.iter().all(|(name, _)| name == "item") {
        return Some(Value::Array(found.into_iter().map(|(_, value)| value).collect()));
    }
    Some(Value::Object(found.into_iter().collect()))
}

/// The offset of the end that belongs to an opening of the same name before the text.
fn nested_end(text: &[u8], open: &[u8], close: &[u8]) -> Option<usize> {
    let mut opens = memmem::find_iter(text, open).peekable();
    let mut depth = 0_usize;
    for end in memmem::find_iter(text, close) {
        while opens.next_if(|at| *at < end).is_some() {
            depth += 1;
        }
        if depth == 0 {
            return Some(end);
        }
        depth -= 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::outcome::Repair;

    const TOLERANCE: Tolerance = Tolerance { depth: 8, bytes: 1024, repair: Repair::Off };

    #[test]
    fn a_value_that_has_to_be_json_is_kept_verbatim() {
        for good in
            ["12345678901234567890", "-1.50", "true", "null", "\"x\"", "{\"a\": [1, 2]}", " [] "]
        {
            assert_eq!(of_json(good.as_bytes(), TOLERANCE).json, good.trim());
        }
        for bad in ["", "03106", "{", "[1] 2", "yes", "{\"a\":1,}"] {
            let typed = of_json(bad.as_bytes(), TOLERANCE);
            assert!(!typed.matches);
            assert_eq!(typed.json, serde_json::to_string(bad).unwrap());
        }
    }

    #[test]
    fn elements_become_objects_and_arrays() {
        let text = b"!<a>1!</a>!<b>!<item>x!</item>!<item>!<a>y!</a>!</item>!</b>";
        assert_eq!(of_elements(text, b"!<", TOLERANCE).json, r#"{"a":"1","b":["x",{"a":"y"}]}"#);
        assert!(!of_elements(b"!<a>1", b"!<", TOLERANCE).matches);
        assert!(!of_elements("!<a>".repeat(99).as_bytes(), b"!<", TOLERANCE).matches);
    }
}
