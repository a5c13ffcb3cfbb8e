//! Reads the JSON of a line in one go into the places of its values.
//!
//! ```
//! use toolwire::transcript::Tape;
//!
//! let mut tape = Tape::default();
//! let line = tape.read(r#"{"type": "message", "text": "a\nb"}"#).ok_or("no JSON")?;
//! assert_eq!(line.get("text").and_then(|text| text.text()).as_deref(), Some("a\nb"));
//! assert!(tape.read(r#"{"type": "mess"#).is_none());
//! # Ok::<(), &str>(())
//! ```

use crate::json::complete::{AfterValue, skip_space, string_end, value_of_key, word_end};
use crate::json::lexeme::is_number;
use crate::json::marks::Marks;
use crate::json::node::{NodeKind, TapeNode};
use crate::json::value::Json;

/// The deepest nesting of a line that is an event; a deeper line is not read as JSON.
pub const MAX_DEPTH: usize = 127;

/// Room for the places of one line's values, which is used again for the next line.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    nodes: Vec<TapeNode>,
    open: Vec<u32>,
}

impl Tape {
    /// Reads an object or an array.
    ///
    /// `None` if the text is anything else, nests too deep, or holds a number that no double can
    /// hold.
    ///
    /// Accepts exactly the JSON of RFC 8259, with one exception: an escape that is half of a
    /// surrogate pair is refused, because no string could hold it.
    pub fn read<'d>(&'d mut self, text: &'d str) -> Option<Json<'d>> {
        let bytes = text.as_bytes();
        if !matches!(bytes.first(), Some(b'{' | b'[')) || u32::try_from(bytes.len()).is_err() {
            return None;
        }
        self.nodes.clear();
        self.open.clear();
        let end = TextPass { bytes, marks: Marks::of(bytes), inside: NodeKind::Array, tape: self }
            .run()?;
        let rest = bytes.get(end..).unwrap_or_default();
        rest.iter().all(u8::is_ascii_whitespace).then_some(Json { text, nodes: &self.nodes })
    }
}

/// One reading of a text; a step gives `None` when the text is not valid.
///
/// Steps take and return places, so that the places stay in a register.
struct TextPass<'d> {
    bytes: &'d [u8],
    marks: Marks<'d>,
    /// The innermost open container.
    inside: NodeKind,
    tape: &'d mut Tape,
}

#[allow(
    clippy::inline_always,
    reason = "a call for each of a line's many short tokens is half of their cost"
)]
impl TextPass<'_> {
    /// Reads the text, and gives the end of the outermost value.
    fn run(mut self) -> Option<usize> {
        let mut place = 0;
        loop {
            let container = match *self.bytes.get(place)? {
                b'{' => Some((NodeKind::Object, b'}')),
                b'[' => Some((NodeKind::Array, b']')),
                _ => None,
            };
            let end = if let Some((kind, end)) = container {
                let first = self.open(place, kind)?;
                if *self.bytes.get(first)? != end {
                    place = if kind == NodeKind::Object { self.key(first)? } else { first };
                    continue;
                }
                first
            } else {
                self.scalar(place)?
            };
            match self.after_value(end)? {
                AfterValue::Value(start) => place = start,
                AfterValue::End(end) => return Some(end),
            }
        }
    }

    /// Reads what follows a value: the ends of the containers that end with it, and a comma.
    #[inline(always)]
    fn after_value(&mut self, mut place: usize) -> Option<AfterValue> {
        loop {
            place = skip_space(self.bytes, place)?;
            match (self.inside, *self.bytes.get(place)?) {
                (NodeKind::Object, b',') => {
                    let start = skip_space(self.bytes, place + 1)?;
                    return self.key(start).map(AfterValue::Value);
                }
                (NodeKind::Array, b',') => {
                    return skip_space(self.bytes, place + 1).map(AfterValue::Value);
                }
                (NodeKind::Object, b'}') | (NodeKind::Array, b']') => {
                    place += 1;
                    if self.close(place)? {
                        return Some(AfterValue::End(place));
                    }
                }
                _ => return None,
            }
        }
    }

    /// Opens a container, and gives the place of the first thing in it.
    fn open(&mut self, place: usize, kind: NodeKind) -> Option<usize> {
        if self.tape.open.len() >= MAX_DEPTH {
            return None;
        }
        self.tape.open.push(u32::try_from(self.tape.nodes.len()).ok()?);
        self.push(place, place, kind)?;
        self.inside = kind;
        skip_space(self.bytes, place + 1)
    }

    /// Closes the innermost container, which ends here, and returns whether it was the outermost.
    fn close(&mut self, end: usize) -> Option<bool> {
        let place = self.tape.open.pop()?;
        let count = u32::try_from(self.tape.nodes.len()).ok()?;
        let node = self.tape.nodes.get_mut(place as usize)?;
        node.end = u32::try_from(end).ok()?;
        node.nodes = count - place;
        let Some(outer) = self.tape.open.last() else { return Some(true) };
        self.inside = self.tape.nodes.get(*outer as usize)?.kind;
        Some(false)
    }

    /// Reads a key, and gives the place of its value.
    #[inline(always)]
    fn key(&mut self, place: usize) -> Option<usize> {
        if *self.bytes.get(place)? != b'"' {
            return None;
        }
        let end = self.string(place)?;
        value_of_key(self.bytes, end)
    }

    #[inline(always)]
    fn scalar(&mut self, place: usize) -> Option<usize> {
        let (end, kind) = match *self.bytes.get(place)? {
            b'"' => return self.string(place),
            b'-' | b'0'..=b'9' => (self.number(place)?, NodeKind::Number),
            b't' => (word_end(self.bytes, place, b"true")?, NodeKind::Literal),
            b'f' => (word_end(self.bytes, place, b"false")?, NodeKind::Literal),
            b'n' => (word_end(self.bytes, place, b"null")?, NodeKind::Literal),
            _ => return None,
        };
        self.push(place, end, kind)?;
        Some(end)
    }

    #[inline(always)]
    fn push(&mut self, start: usize, end: usize, kind: NodeKind) -> Option<()> {
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        self.tape.nodes.push(TapeNode { start, end, nodes: 1, kind });
        Some(())
    }

    /// Reads a key or a text.
    #[inline(always)]
    fn string(&mut self, start: usize) -> Option<usize> {
        let end = string_end(self.bytes, &mut self.marks, start)?;
        let kind = if end.is_escaped { NodeKind::Escaped } else { NodeKind::Plain };
        self.push(start, end.place, kind)?;
        Some(end.place)
    }

    /// Passes a number that a double can hold; short numbers without an exponent always fit.
    fn number(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..)?;
        let whole = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let is_plain = (whole == 1 || rest.first() != Some(&b'0'))
            && whole < 300
            && !is_part(rest.get(whole)?);
        if is_plain {
            return Some(start + whole);
        }
        let digits = rest.get(..rest.iter().position(|byte| !is_part(byte))?)?;
        let is_short = digits.len() < 300 && !digits.iter().any(|byte| matches!(byte, b'e' | b'E'));
        let fits =
            || str::from_utf8(digits).is_ok_and(|text| text.parse().is_ok_and(f64::is_finite));
        (is_number(digits) && (is_short || fits())).then_some(start + digits.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn is_read(text: &str) -> bool {
        Tape::default().read(text).is_some()
    }

    #[test]
    fn what_is_no_event_is_not_read() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(is_read(&deep(MAX_DEPTH)));
        for bad in [
            deep(MAX_DEPTH + 1).as_str(),
            "",
            "5",
            "\"x\"",
            "{",
            "{}x",
            "{} {}",
            r#"["\ud800"]"#,
            r#"["\ud800\u0041"]"#,
            r#"["\udc00"]"#,
            r#"["\x"]"#,
            r#"["\"#,
            r#"["\u12"]"#,
            "[\"tab\there\"]",
            "[1e999]",
            "[01]",
            "[+1]",
            "[1.]",
            "[1",
            "[-]",
            "[tru]",
            "[truee]",
            "[,]",
            "[1,]",
            "[1 2]",
            "[}",
            "{]",
            "[1}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1]"#,
            r#"{,"a":1}"#,
            "{1:1}",
        ] {
            assert!(!is_read(bad), "{bad}");
        }
    }

    #[test]
    fn white_space_stands_anywhere() {
        assert!(is_read("{ \"a\"\t: [ 1 , {\r\n} , [ ] , \"x\" ] , \"b\" : null } \u{c}"));
        assert!(!is_read("{\u{c}}"));
    }

    /// Texts that are JSON or nearly so.
    fn nearly_json() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            " ",
            "\"a\"",
            "\"\\n\"",
            "\"\\ud83d\\ude00\"",
            "\"\\",
            "\"",
            "1",
            "-2.5e3",
            "0",
            "true",
            "null",
            "é",
            "\"key\":",
            "\u{1}",
        ]);
        prop::collection::vec(piece, 0..12).prop_map(|pieces| format!("[{}]", pieces.concat()))
    }

    /// Whether a double can hold each number.
    fn holds_doubles(value: &Value) -> bool {
        match value {
            Value::Number(number) => number.as_f64().is_some_and(f64::is_finite),
            Value::Array(items) => items.iter().all(holds_doubles),
            Value::Object(members) => members.values().all(holds_doubles),
            _ => true,
        }
    }

    proptest! {
        /// `serde_json` takes the same texts, but for numbers that no double can hold, and each
        /// value stands at its place.
        #[test]
        fn it_takes_what_serde_json_takes(text in nearly_json()) {
            let expected = serde_json::from_str::<Value>(&text).ok().filter(holds_doubles);
            let mut tape = Tape::default();
            let read = tape.read(&text);
            prop_assert_eq!(read.is_some(), expected.is_some());
            if let (Some(read), Some(Value::Array(expected))) = (read, expected) {
                let items: Vec<Value> = read.items().map(|item| serde_json::from_str(item.raw()).unwrap()).collect();
                prop_assert_eq!(items, expected);
            }
        }
    }
}
