//! Writes a host's value as JSON text.
//!
//! The layout is that of Python's `json.dumps(value, indent=2, default=str)` in ASCII, so a report
//! is the same file in every language. There are two differences, so that the text is always valid
//! JSON: `nan` and the infinities are written `null`, and bytes that are no text are written as
//! U+FFFD.
//!
//! ```
//! use serde_json::json;
//!
//! let (value, mut text) = (json!({"ü": [1, 0.5], "none": {}}), Vec::new());
//! toolwire::json::pretty_json(&&value, &mut text).map_err(toolwire::Error::from)?;
//! assert_eq!(text, b"{\n  \"\\u00fc\": [\n    1,\n    0.5\n  ],\n  \"none\": {}\n}");
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::json::number::{write_float, write_int};
use crate::text::{first, surrogate};
use crate::tree::{Failure, Name, Tree, View};

/// The deepest nesting of lists and maps in a value that is written.
pub const MAX_DEPTH: usize = 512;

/// Appends a value as JSON, two spaces for each level.
///
/// A value that only the host knows is written as a text, as the host shows it.
///
/// # Errors
///
/// [`ErrorKind::WrongType`] if the value nests deeper than [`MAX_DEPTH`], as a value that holds
/// itself does, or what the host raised. The part that is appended already stays.
pub fn pretty_json<N: Tree>(value: &N, out: &mut Vec<u8>) -> Result<(), Failure<N::Error>> {
    write_value(value, 0, out)
}

/// Appends a value that stands `depth` levels deep.
fn write_value<N: Tree>(
    value: &N,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Failure<N::Error>> {
    match value.view() {
        View::List(_) => write_list(value, depth + 1, out),
        View::Map(_) => write_map(value, depth + 1, out),
        view => write_scalar(value, view, out).map_err(Failure::Host),
    }
}

/// Appends a value, seen as its view, that is neither a list nor a map.
#[inline]
pub(crate) fn write_scalar<N: Tree>(
    value: &N,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<(), N::Error> {
    match view {
        View::Bool(true) => out.extend_from_slice(b"true"),
        View::Bool(false) => out.extend_from_slice(b"false"),
        View::Int(number) => write_int(out, number),
        View::Float(number) if number.is_finite() => write_float(out, number),
        View::Null | View::Float(_) => out.extend_from_slice(b"null"),
        View::BigInt => return value.display(out),
        View::Text(text) => write_text(&text, out),
        View::List(_) | View::Map(_) | View::Opaque => return write_shown(value, out),
    }
    Ok(())
}

/// Appends a list whose items stand `depth` levels deep.
fn write_list<N: Tree>(list: &N, depth: usize, out: &mut Vec<u8>) -> Result<(), Failure<N::Error>> {
    check_depth(depth)?;
    out.push(b'[');
    let start = out.len();
    list.items(|item| {
        write_break(depth, start, out);
        write_value(&item, depth, out)
    })?;
    close(b']', depth, start, out);
    Ok(())
}

/// Appends a map whose entries stand `depth` levels deep.
fn write_map<N: Tree>(map: &N, depth: usize, out: &mut Vec<u8>) -> Result<(), Failure<N::Error>> {
    check_depth(depth)?;
    out.push(b'{');
    let start = out.len();
    map.entries(|name, value| {
        write_break(depth, start, out);
        match name {
            Name::Text(text) => write_text(&text, out),
            other => write_text(&key(other).map_err(Failure::Host)?, out),
        }
        out.extend_from_slice(b": ");
        write_value(&value, depth, out)
    })?;
    close(b'}', depth, start, out);
    Ok(())
}

/// Refuses a value that nests too deep.
#[inline]
pub(crate) fn check_depth(depth: usize) -> Result<(), Error> {
    if depth <= MAX_DEPTH { Ok(()) } else { Err(too_deep()) }
}

#[cold]
fn too_deep() -> Error {
    let message =
        format!("a value that nests deeper than {MAX_DEPTH} levels cannot be written as JSON");
    Error::new(ErrorKind::WrongType, message)
}

/// Appends a line break before an entry, after a comma unless the entry is the first after `start`.
#[inline]
pub(crate) fn write_break(depth: usize, start: usize, out: &mut Vec<u8>) {
    let from = usize::from(out.len() <= start);
    write_indented(from, depth, out);
}

/// Appends the closing bracket, on its own line if there are entries after `start`.
#[inline]
pub(crate) fn close(bracket: u8, depth: usize, start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        write_indented(1, depth.saturating_sub(1), out);
    }
    out.push(bracket);
}

/// A comma, a new line, and spaces for as many levels as most values have.
const BREAK: &[u8] = b",\n                                ";

/// Appends [`BREAK`] from the offset `from` on, with the spaces of a level.
#[inline]
fn write_indented(from: usize, depth: usize, out: &mut Vec<u8>) {
    let end = 2 + 2 * depth;
    let written = BREAK.get(from..end).or(BREAK.get(from..)).unwrap_or_default();
    out.extend_from_slice(written);
    if end > BREAK.len() {
        out.resize(out.len() + end - BREAK.len(), b' ');
    }
}

/// A key as a text.
///
/// A key of another type is written as Python's `json` does: as its JSON word, or else as the host
/// shows it.
pub(crate) fn key<N: Tree>(name: Name<'_, N>) -> Result<Cow<'_, [u8]>, N::Error> {
    let mut shown = Vec::new();
    match name {
        Name::Text(text) => return Ok(text),
        Name::Number(number) => write_int(&mut shown, number),
        Name::Node(node) => match node.view() {
            View::Null => shown.extend_from_slice(b"null"),
            View::Bool(true) => shown.extend_from_slice(b"true"),
            View::Bool(false) => shown.extend_from_slice(b"false"),
            View::Int(number) => write_int(&mut shown, number),
            View::Float(number) => write_float(&mut shown, number),
            View::Text(text) => shown.extend_from_slice(&text),
            View::BigInt | View::Opaque | View::List(_) | View::Map(_) => {
                node.display(&mut shown)?;
            }
        },
    }
    Ok(Cow::Owned(shown))
}

/// Appends what the host shows as a JSON text.
fn write_shown<N: Tree>(value: &N, out: &mut Vec<u8>) -> Result<(), N::Error> {
    let mut shown = Vec::new();
    value.display(&mut shown)?;
    write_text(&shown, out);
    Ok(())
}

/// Appends a text in quotes; everything except printable ASCII is escaped.
#[inline]
pub(crate) fn write_text(text: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    if is_all_plain(text) {
        out.extend_from_slice(text);
    } else {
        write_with_escapes(text, out);
    }
    out.push(b'"');
}

/// Appends a text; everything except printable ASCII is escaped.
fn write_with_escapes(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        let (shown, after) = rest.split_at_checked(plain_run(rest)).unwrap_or((rest, &[]));
        out.extend_from_slice(shown);
        let point = first(after);
        write_escaped(point, out);
        rest = after.get(point.len()..).unwrap_or_default();
    }
}

/// Whether every byte stands for itself.
///
/// Eight bytes are compared at once as one number. The rest at the end is compared together with
/// bytes before it.
#[inline]
fn is_all_plain(text: &[u8]) -> bool {
    if let Some(tail) = text.last_chunk() {
        let eights = text.as_chunks().0;
        return are_plain(u64::from_le_bytes(*tail))
            && eights.iter().all(|eight| are_plain(u64::from_le_bytes(*eight)));
    }
    match (text.first_chunk(), text.last_chunk()) {
        (Some(head), Some(tail)) => {
            let (head, tail) = (u32::from_le_bytes(*head), u32::from_le_bytes(*tail));
            are_plain(u64::from(head) << 32 | u64::from(tail))
        }
        _ => text.iter().all(|&byte| is_plain(byte)),
    }
}

/// The number of bytes at the start that stand for themselves.
fn plain_run(text: &[u8]) -> usize {
    let run = 8 * text
        .as_chunks()
        .0
        .iter()
        .take_while(|eight| are_plain(u64::from_le_bytes(**eight)))
        .count();
    run + text.get(run..).unwrap_or_default().iter().take_while(|byte| is_plain(**byte)).count()
}

/// Whether each of eight bytes stands for itself.
///
/// A byte that does not sets its highest bit. Only such a byte carries into the next byte.
#[inline]
fn are_plain(bytes: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xFF;
    let below = |bytes: u64, least: u64| bytes.wrapping_sub(ONES * least) & !bytes;
    let is = |byte: u8| below(bytes ^ (ONES * u64::from(byte)), 1);
    let odd = bytes | bytes.wrapping_add(ONES) | below(bytes, b' '.into()) | is(b'"') | is(b'\\');
    odd & (ONES << 7) == 0
}

/// Whether a byte stands for itself.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

/// Appends the escape of a code point's bytes; an empty code point appends nothing.
fn write_escaped(point: &[u8], out: &mut Vec<u8>) {
    let short: &[u8] = match point {
        [] => return,
        b"\"" => b"\\\"",
        b"\\" => b"\\\\",
        b"\n" => b"\\n",
        b"\r" => b"\\r",
        b"\t" => b"\\t",
        b"\x08" => b"\\b",
        b"\x0C" => b"\\f",
        _ => return write_units(point, out),
    };
    out.extend_from_slice(short);
}

/// Appends a code point's UTF-16 units as escapes.
fn write_units(point: &[u8], out: &mut Vec<u8>) {
    let character = str::from_utf8(point).ok().and_then(|text| text.chars().next());
    match (character, surrogate(point)) {
        (None, Some(unit)) => write_unit(unit, out),
        (character, _) => {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            for unit in character.encode_utf16(&mut [0; 2]) {
                write_unit(*unit, out);
            }
        }
    }
}

/// Appends one UTF-16 unit as an escape.
fn write_unit(unit: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        let digit = u32::from(unit >> shift & 0xF);
        out.push(
            char::from_digit(digit, 16).map_or(b'0', |digit| u8::try_from(digit).unwrap_or(b'0')),
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn pretty(value: &Value) -> String {
        let mut out = Vec::new();
        pretty_json(&value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn text(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        write_text(bytes, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn texts_are_escaped_as_python_does() {
        assert_eq!(text("a\"\\/\n\r\t\u{8}\u{c}\u{0}\u{7f}é😀".as_bytes()), {
            r#""a\"\\/\n\r\t\b\f\u0000\u007f\u00e9\ud83d\ude00""#
        });
        assert_eq!(text(b"\xED\xA0\xBDx\xFF\x80"), r#""\ud83dx\ufffd\ufffd""#);
    }

    #[test]
    fn each_byte_is_plain_or_not_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for length in 1..20 {
                for place in 0..length {
                    let mut bytes = vec![b'~'; length];
                    bytes[place] = byte;
                    assert_eq!(
                        is_all_plain(&bytes),
                        is_plain(byte),
                        "{byte} at {place} of {length}"
                    );
                    let run = if is_plain(byte) { length } else { place };
                    assert_eq!(plain_run(&bytes), run, "{byte} at {place} of {length}");
                }
            }
        }
    }

    #[test]
    fn what_json_has_no_number_for_is_null() {
        let value: Value = serde_json::from_str("[1e400, -1e400, 1e16, 1e-7, 100.0]").unwrap();
        assert_eq!(pretty(&value), "[\n  null,\n  null,\n  1e+16,\n  1e-07,\n  100.0\n]");
    }

    #[test]
    fn nesting_is_bounded() {
        let nest = |levels| (0..levels).fold(json!(0), |inner, _| json!([inner]));
        assert!(pretty(&nest(MAX_DEPTH)).ends_with(']'));
        let failure = pretty_json(&&nest(MAX_DEPTH + 1), &mut Vec::new()).unwrap_err();
        assert_eq!(Error::from(failure).kind(), ErrorKind::WrongType);
    }

    /// Any JSON value, some levels deep.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e30_f64..1e30).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    /// The value with its numbers as doubles or 64-bit integers, because a number may be spelled in
    /// many ways.
    fn plain(value: &Value) -> Value {
        match value {
            Value::Number(number) => number.as_i64().map_or_else(
                || Value::from(format!("{:?}", number.as_f64())),
                |number| Value::from(number.to_string()),
            ),
            Value::Array(items) => items.iter().map(plain).collect(),
            Value::Object(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), plain(value))).collect()
            }
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in any_json()) {
            let written = pretty(&value);
            prop_assert!(written.is_ascii());
            prop_assert_eq!(plain(&serde_json::from_str(&written).unwrap()), plain(&value));
        }
    }
}
