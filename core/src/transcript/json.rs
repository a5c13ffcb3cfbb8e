//! One line's JSON, scanned once and read in place.
//!
//! A [`Document`] keeps the positions of a line's values and is used again for the next line, so reading a
//! log allocates nothing for its JSON. A [`Json`] is a value in it: texts without escapes are borrowed.
//!
//! ```
//! use toolwire::transcript::Document;
//!
//! let mut document = Document::default();
//! let line = document.read(r#"{"type": "message", "text": "a\nb"}"#).ok_or("no JSON")?;
//! assert_eq!(line.get("text").and_then(|text| text.text()).as_deref(), Some("a\nb"));
//! assert!(document.read(r#"{"type": "mess"#).is_none());
//! # Ok::<(), &str>(())
//! ```

use std::borrow::Cow;

use serde_json::Value;

use crate::detect::json::scanner::{Quoted, Scanner, Step, Token};
use crate::detect::json::text::decode;

/// The deepest nesting of a line that is an event; what is deeper is not read as JSON.
pub const MAX_DEPTH: usize = 127;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    Plain,
    Escaped,
    Number,
    Literal,
}

/// A value or a key, where it stands, and how many nodes it takes with all that is in it.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    nodes: u32,
    kind: Kind,
}

/// Room for the positions of one line's values.
#[derive(Clone, Debug, Default)]
pub struct Document {
    nodes: Vec<Node>,
    open: Vec<u32>,
}

impl Document {
    /// Reads an object or an array; none if the text is anything else, nests too deep, or holds a number that
    /// no double can hold.
    pub fn read<'d>(&'d mut self, text: &'d str) -> Option<Json<'d>> {
        let bytes = text.as_bytes();
        if !matches!(bytes.first(), Some(b'{' | b'[')) || u32::try_from(bytes.len()).is_err() {
            return None;
        }
        self.nodes.clear();
        self.open.clear();
        let mut scanner = Scanner::new(0, MAX_DEPTH);
        while !scanner.done() {
            match scanner.next(bytes) {
                Step::Token(token) => self.push(bytes, token)?,
                Step::More | Step::Fault(_) => return None,
            }
        }
        let rest = bytes.get(scanner.pos()..).unwrap_or_default();
        rest.iter().all(u8::is_ascii_whitespace).then_some(Json { text, nodes: &self.nodes })
    }

    fn push(&mut self, bytes: &[u8], token: Token) -> Option<()> {
        let (start, end, kind) = match token {
            Token::Open(container, start) => {
                self.open.push(u32::try_from(self.nodes.len()).ok()?);
                let object = container == crate::detect::json::scanner::Container::Object;
                (start, start, if object { Kind::Object } else { Kind::Array })
            }
            Token::Close(_, end) => return self.close(end),
            Token::Key(quoted) | Token::Text(quoted) => {
                (quoted.start, quoted.end, if quoted.escaped { Kind::Escaped } else { Kind::Plain })
            }
            Token::Number(start, end) => {
                let digits = bytes.get(start..end).unwrap_or_default();
                if !is_finite(digits) {
                    return None;
                }
                (start, end, Kind::Number)
            }
            Token::Literal(start, end) => (start, end, Kind::Literal),
        };
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        self.nodes.push(Node { start, end, nodes: 1, kind });
        Some(())
    }

    fn close(&mut self, end: usize) -> Option<()> {
        let place = self.open.pop()?;
        let count = u32::try_from(self.nodes.len()).ok()?;
        let node = self.nodes.get_mut(place as usize)?;
        node.end = u32::try_from(end).ok()?;
        node.nodes = count - place;
        Some(())
    }
}

/// Whether a double can hold a number; short ones without an exponent always fit.
fn is_finite(digits: &[u8]) -> bool {
    if digits.len() < 300 && !digits.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        return true;
    }
    str::from_utf8(digits).ok().and_then(|text| text.parse::<f64>().ok()).is_some_and(f64::is_finite)
}

/// A value of a line.
#[derive(Clone, Copy, Debug)]
pub struct Json<'d> {
    text: &'d str,
    nodes: &'d [Node],
}

impl<'d> Json<'d> {
    /// The value's JSON, verbatim.
    #[must_use]
    pub fn raw(self) -> &'d str {
        self.node().and_then(|node| self.text.get(node.start as usize..node.end as usize)).unwrap_or_default()
    }

    /// A text's content.
    #[must_use]
    pub fn text(self) -> Option<Cow<'d, str>> {
        let node = self.node()?;
        match node.kind {
            Kind::Plain => self.text.get(node.start as usize + 1..node.end as usize - 1).map(Cow::Borrowed),
            Kind::Escaped => {
                let quoted = Quoted { start: node.start as usize, end: node.end as usize, escaped: true };
                let decoded = decode(self.text.as_bytes(), quoted).into_owned();
                String::from_utf8(decoded).ok().map(Cow::Owned)
            }
            _ => None,
        }
    }

    /// Whether the value is a text.
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self.kind(), Some(Kind::Plain | Kind::Escaped))
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.kind() == Some(Kind::Object)
    }

    /// Whether the value is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.kind() == Some(Kind::Array)
    }

    /// Whether the value is null.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.raw() == "null"
    }

    /// The value of `true` and `false`.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.raw() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The value of a whole number written without fraction and exponent.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        if self.kind() == Some(Kind::Number) { self.raw().parse().ok() } else { None }
    }

    /// The same for one that may be negative.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        if self.kind() == Some(Kind::Number) { self.raw().parse().ok() } else { None }
    }

    /// An object's keys and values, in its order; nothing of another value.
    pub fn members(self) -> impl Iterator<Item = (Cow<'d, str>, Json<'d>)> {
        let mut inside = Inside { text: self.text, nodes: self.children(Kind::Object) };
        std::iter::from_fn(move || {
            let key = inside.next()?.text()?;
            Some((key, inside.next()?))
        })
    }

    /// An array's values; nothing of another value.
    pub fn items(self) -> impl Iterator<Item = Json<'d>> {
        Inside { text: self.text, nodes: self.children(Kind::Array) }
    }

    /// The value of an object's key: the last one, where the key comes twice.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Json<'d>> {
        self.members().filter(|(name, _)| name == key).last().map(|(_, value)| value)
    }

    /// The content of an object's text.
    #[must_use]
    pub fn text_of(self, key: &str) -> Option<Cow<'d, str>> {
        self.get(key)?.text()
    }

    fn node(self) -> Option<&'d Node> {
        self.nodes.first()
    }

    fn kind(self) -> Option<Kind> {
        self.node().map(|node| node.kind)
    }

    /// The nodes in a container of a kind.
    fn children(self, kind: Kind) -> &'d [Node] {
        match self.node() {
            Some(node) if node.kind == kind => self.nodes.get(1..node.nodes as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// The nodes in a container, one value after the other.
struct Inside<'d> {
    text: &'d str,
    nodes: &'d [Node],
}

impl<'d> Iterator for Inside<'d> {
    type Item = Json<'d>;

    fn next(&mut self) -> Option<Json<'d>> {
        let count = self.nodes.first()?.nodes as usize;
        let (nodes, rest) = self.nodes.split_at_checked(count)?;
        self.nodes = rest;
        Some(Json { text: self.text, nodes })
    }
}

/// How numbers are written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Digit for digit.
    Exact,
    /// As 64-bit integers and doubles, as most JSON libraries have them.
    Doubles,
}

/// JSON text as a value, its numbers written as asked.
pub(crate) fn value(raw: &str, numbers: Numbers) -> Value {
    let mut value = serde_json::from_str(raw).unwrap_or(Value::Null);
    if numbers == Numbers::Doubles {
        to_doubles(&mut value);
    }
    value
}

fn to_doubles(value: &mut Value) {
    match value {
        Value::Number(number) if number.as_i64().is_none() && number.as_u64().is_none() => {
            if let Some(double) = number.as_f64().and_then(serde_json::Number::from_f64) {
                *number = double;
            }
        }
        // A minus is lost on a whole zero.
        Value::Number(number) if number.as_str() == "-0" => *value = Value::from(-0.0),
        Value::Array(items) => items.iter_mut().for_each(to_doubles),
        Value::Object(members) => members.values_mut().for_each(to_doubles),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(text: &str, read: impl FnOnce(Json<'_>) -> T) -> Option<T> {
        Document::default().read(text).map(read)
    }

    #[test]
    fn values_are_found_where_they_stand() {
        let text = r#" {"a":[1,{"b":"x"},"y\u00e9"],"c":{"d":null},"c":true} "#.trim();
        let found = with(text, |line| {
            let a = line.get("a").unwrap();
            let items: Vec<_> = a.items().map(Json::raw).collect();
            assert_eq!(items, ["1", r#"{"b":"x"}"#, r#""y\u00e9""#]);
            assert_eq!(a.items().last().unwrap().text().unwrap(), "yé");
            assert_eq!(line.get("c").unwrap().as_bool(), Some(true));
            line.members().map(|(key, value)| format!("{key}={}", value.raw())).collect::<Vec<_>>()
        });
        assert_eq!(found.unwrap().len(), 3);
    }

    #[test]
    fn what_is_no_event_is_not_read() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(with(&deep(MAX_DEPTH), |_| ()).is_some());
        for bad in
            [deep(MAX_DEPTH + 1).as_str(), "", "5", "\"x\"", "{", "{}x", "{} {}", r#"["\ud800"]"#, "[1e999]"]
        {
            assert!(with(bad, |_| ()).is_none(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_strict() {
        let number =
            |text: &str| with(&format!("[{text}]"), |line| line.items().next().unwrap().as_u64()).unwrap();
        assert_eq!(number("18446744073709551615"), Some(u64::MAX));
        for other in ["18446744073709551616", "1.0", "-1", "1e3", "\"1\"", "null", "-0"] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn doubles_are_written_as_most_write_them() {
        let written =
            |numbers| value("[123456789012345678901234567890, 1E21, 1.0, -0, 7]", numbers).to_string();
        assert_eq!(written(Numbers::Doubles), "[1.2345678901234568e+29,1e+21,1.0,-0.0,7]");
        assert_eq!(written(Numbers::Exact), "[123456789012345678901234567890,1e+21,1.0,-0,7]");
    }
}
