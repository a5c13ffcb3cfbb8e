//! Makes JSON of text that is not JSON: the values of tagged parameters.

use std::collections::{HashMap, HashSet};

use memchr::memmem;
use serde_json::Value;

use crate::detect::rule::schema::{SchemaPlace, ValueKinds};
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

/// Whether the markup says with this word that a value is text.
pub(crate) fn is_text_kind(kind: &[u8]) -> bool {
    matches!(kind, b"true" | b"string" | b"raw")
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
    if kinds.null && is_null(trimmed) {
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

/// Reads the elements of a value as an object or an array, and what stands in them by its type.
///
/// An element opens with `marker`, a name and `>`. The schema says whether elements of one name are
/// an array; without it, those named `item` are. Text without this structure is a string.
pub(crate) fn of_elements(
    text: &[u8],
    marker: &[u8],
    schema: Option<&SchemaPlace<'_>>,
    tolerance: Tolerance,
) -> Typed {
    elements(text, marker, schema, tolerance).unwrap_or_else(|| as_written(text))
}

/// Whether text is elements and nothing else, and so is each of them that holds one.
pub(crate) fn is_elements(text: &[u8], marker: &[u8], tolerance: Tolerance) -> bool {
    elements(text, marker, None, tolerance).is_some()
}

fn elements(
    text: &[u8],
    marker: &[u8],
    schema: Option<&SchemaPlace<'_>>,
    tolerance: Tolerance,
) -> Option<Typed> {
    let tolerance = Tolerance { depth: tolerance.depth.checked_sub(1)?, ..tolerance };
    let kinds = schema.map(SchemaPlace::kinds);
    if memmem::find(text, marker).is_none() {
        // What may be a string is one.
        let is_text = kinds.as_ref().is_some_and(|kinds| kinds.text);
        let other = kinds.filter(|_| !is_text || is_null(text));
        return Some(of_kinds(text, other.as_ref(), tolerance));
    }
    let found = split_elements(text, marker)?;
    let first = found.first().map(|(name, _)| *name);
    let (object, array) = kinds.map_or((false, false), |kinds| (kinds.object, kinds.array));
    let is_alike = found.iter().all(|(name, _)| Some(*name) == first);
    let is_array = is_alike && if object == array { first == Some(b"item") } else { array };
    let mut typed = Typed { json: String::new(), matches: true };
    for (name, inner) in last_of_each(found, is_array) {
        let name = String::from_utf8_lossy(name);
        typed.json.push(if typed.json.is_empty() { '[' } else { ',' });
        if !is_array {
            push_text(&mut typed.json, name.as_bytes());
            typed.json.push(':');
        }
        let schema = schema.map(|part| if is_array { part.items() } else { part.property(&name) });
        let value = elements(inner, marker, schema.as_ref(), tolerance)?;
        typed.json.push_str(&value.json);
        typed.matches &= value.matches;
    }
    typed.json.push(if is_array { ']' } else { '}' });
    if !is_array {
        typed.json.replace_range(..1, "{");
    }
    Some(typed)
}

/// An element: its name, and what stands in it.
type Element<'t> = (&'t [u8], &'t [u8]);

/// The elements that text consists of.
fn split_elements<'t>(text: &'t [u8], marker: &[u8]) -> Option<Vec<Element<'t>>> {
    let mut found = Vec::new();
    let mut rest = text.trim_ascii();
    while !rest.is_empty() {
        let tag = rest.strip_prefix(marker)?;
        let (name, tag_end) = tag.split_at_checked(memchr::memchr(b'>', tag)?)?;
        let content = tag_end.get(1..)?;
        let (open, close) = ([marker, name, b">"].concat(), [marker, b"/", name, b">"].concat());
        let length = nested_end(content, &open, &close)?;
        let (inner, after) = content.split_at_checked(length)?;
        found.push((name, inner));
        rest = after.get(close.len()..)?.trim_ascii_start();
    }
    Some(found)
}

/// The members of an object by their names; of those with one name, the last counts.
fn last_of_each(found: Vec<Element<'_>>, is_array: bool) -> Vec<Element<'_>> {
    if is_array {
        return found;
    }
    let last: HashMap<_, _> = found.iter().copied().collect();
    let mut seen = HashSet::new();
    let first = found.into_iter().filter(|(name, _)| seen.insert(*name));
    first.map(|(name, inner)| (name, last.get(name).copied().unwrap_or(inner))).collect()
}

fn is_null(text: &[u8]) -> bool {
    matches!(text.trim_ascii(), b"null" | b"None")
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
    use serde_json::json;

    use super::*;
    use crate::detect::rule::schema::Schema;
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
        let read = |text: &[u8]| of_elements(text, b"!<", None, TOLERANCE);
        assert_eq!(read(text).json, r#"{"a":"1","b":["x",{"a":"y"}]}"#);
        assert_eq!(read(b"!<a>1!</a>!<b>2!</b>!<a>3!</a>").json, r#"{"a":"3","b":"2"}"#);
        assert!(!read(b"!<a>1").matches);
        assert!(!read("!<a>".repeat(99).as_bytes()).matches);
    }

    #[test]
    fn elements_are_of_the_types_of_the_schema() {
        let schema = Schema::new(json!({
            "$defs": {"point": {"type": "object", "properties": {"real": {"type": "number"}}}},
            "properties": {
                "x": {"anyOf": [{"$ref": "#/$defs/point"}, {"type": "null"}]},
                "list": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                "either": {"type": "object", "properties": {"a": {"type": ["number", "string"]}}},
                "named": {"type": "object", "properties": {"item": {"type": "boolean"}}}
            }
        }));
        let read = |name: &str, text: &str| {
            let part = schema.whole().property(name);
            of_elements(text.as_bytes(), b"!<", Some(&part), TOLERANCE)
        };
        assert_eq!(read("x", "!<real>1.50!</real>").json, r#"{"real":1.50}"#);
        assert!(!read("x", "!<real>much!</real>").matches);
        let rows = "!<row>!<n>1!</n>!<n>2!</n>!</row>!<row>!<n>3!</n>!</row>";
        assert_eq!(read("list", rows).json, "[[1,2],[3]]");
        assert_eq!(read("either", "!<a>1.5!</a>").json, r#"{"a":"1.5"}"#);
        assert_eq!(read("named", "!<item>true!</item>").json, r#"{"item":true}"#);
        assert_eq!(read("unknown", "!<item>1!</item>").json, r#"["1"]"#);
    }
}
