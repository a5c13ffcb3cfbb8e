//! A value of a line, read in place: texts without escapes are borrowed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::node::{NodeKind, TapeNode};
use crate::json::parse::parse_json;
use crate::json::text::decoded;

/// A value of a line.
#[derive(Clone, Copy, Debug)]
pub struct Json<'d> {
    pub(crate) text: &'d str,
    pub(crate) nodes: &'d [TapeNode],
}

impl<'d> Json<'d> {
    /// The value's JSON, verbatim.
    #[must_use]
    pub fn raw(self) -> &'d str {
        self.node()
            .and_then(|node| self.text.get(node.start as usize..node.end as usize))
            .unwrap_or_default()
    }

    /// A text's content.
    #[must_use]
    pub fn text(self) -> Option<Cow<'d, str>> {
        let node = self.node()?;
        match node.kind {
            NodeKind::Plain => {
                self.text.get(node.start as usize + 1..node.end as usize - 1).map(Cow::Borrowed)
            }
            NodeKind::Escaped => self
                .text
                .get(node.start as usize + 1..node.end as usize - 1)
                .map(decoded)
                .map(Cow::Owned),
            _ => None,
        }
    }

    /// Whether the value is a text.
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self.kind(), Some(NodeKind::Plain | NodeKind::Escaped))
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        self.kind() == Some(NodeKind::Object)
    }

    /// Whether the value is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        self.kind() == Some(NodeKind::Array)
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
        if self.kind() == Some(NodeKind::Number) { self.raw().parse().ok() } else { None }
    }

    /// The value of a whole number that may be negative, written without fraction and exponent.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        if self.kind() == Some(NodeKind::Number) { self.raw().parse().ok() } else { None }
    }

    /// Gives an object's keys and values, in order. Other values give nothing.
    #[inline]
    pub(crate) fn each_member(self, mut take: impl FnMut(&[u8], Json<'d>)) {
        let mut inside =
            ContainedValues { text: self.text, nodes: self.children(NodeKind::Object) };
        while let (Some(key), Some(value)) = (inside.next(), inside.next()) {
            match key.plain() {
                Some(plain) => take(plain, value),
                None => take(key.text().unwrap_or_default().as_bytes(), value),
            }
        }
    }

    /// An object's keys and values, in order. Other values have none.
    pub fn members(self) -> impl Iterator<Item = (Cow<'d, str>, Json<'d>)> {
        let mut inside =
            ContainedValues { text: self.text, nodes: self.children(NodeKind::Object) };
        std::iter::from_fn(move || {
            let key = inside.next()?.text()?;
            Some((key, inside.next()?))
        })
    }

    /// An array's values. Other values have none.
    pub fn items(self) -> impl Iterator<Item = Json<'d>> {
        ContainedValues { text: self.text, nodes: self.children(NodeKind::Array) }
    }

    /// The value of an object's key; the last one counts when the key is repeated.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Json<'d>> {
        let mut found = None;
        self.each_member(|name, value| {
            if name == key.as_bytes() {
                found = Some(value);
            }
        });
        found
    }

    /// The bytes of a text without escapes.
    #[inline]
    fn plain(self) -> Option<&'d [u8]> {
        let node = self.node().filter(|node| node.kind == NodeKind::Plain)?;
        self.text.as_bytes().get(node.start as usize + 1..node.end as usize - 1)
    }

    /// The content of the text under a key of an object.
    #[must_use]
    pub fn text_of(self, key: &str) -> Option<Cow<'d, str>> {
        self.get(key)?.text()
    }

    fn node(self) -> Option<&'d TapeNode> {
        self.nodes.first()
    }

    fn kind(self) -> Option<NodeKind> {
        self.node().map(|node| node.kind)
    }

    /// The nodes in a container of this kind.
    fn children(self, kind: NodeKind) -> &'d [TapeNode] {
        match self.node() {
            Some(node) if node.kind == kind => {
                self.nodes.get(1..node.nodes as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

/// The nodes in a container, one value after the other.
struct ContainedValues<'d> {
    text: &'d str,
    nodes: &'d [TapeNode],
}

impl<'d> Iterator for ContainedValues<'d> {
    type Item = Json<'d>;

    fn next(&mut self) -> Option<Json<'d>> {
        let count = self.nodes.first()?.nodes as usize;
        let (nodes, rest) = self.nodes.split_at_checked(count)?;
        self.nodes = rest;
        Some(Json { text: self.text, nodes })
    }
}

/// How numbers are written when JSON is written again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// Digit for digit.
    #[default]
    Exact,
    /// As 64-bit integers and doubles, as in most JSON libraries.
    Doubles,
}

/// Reads JSON text as a value, with its numbers as `numbers` asks.
pub(crate) fn value(raw: &str, numbers: Numbers) -> Value {
    let mut value = parse_json(raw.as_bytes()).unwrap_or(Value::Null);
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
        // An integer zero cannot keep its minus sign.
        Value::Number(number) if number.as_str() == "-0" => *value = Value::from(-0.0),
        Value::Array(items) => items.iter_mut().for_each(to_doubles),
        Value::Object(members) => members.values_mut().for_each(to_doubles),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tape::Tape;

    fn with<T>(text: &str, read: impl FnOnce(Json<'_>) -> T) -> Option<T> {
        Tape::default().read(text).map(read)
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
    fn numbers_are_strict() {
        let number = |text: &str| {
            with(&format!("[{text}]"), |line| line.items().next().unwrap().as_u64()).unwrap()
        };
        assert_eq!(number("18446744073709551615"), Some(u64::MAX));
        for other in ["18446744073709551616", "1.0", "-1", "1e3", "\"1\"", "null", "-0"] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn doubles_are_written_as_most_write_them() {
        let written = |numbers| {
            value("[123456789012345678901234567890, 1E21, 1.0, -0, 7]", numbers).to_string()
        };
        assert_eq!(written(Numbers::Doubles), "[1.2345678901234568e+29,1e+21,1.0,-0.0,7]");
        assert_eq!(written(Numbers::Exact), "[123456789012345678901234567890,1e+21,1.0,-0,7]");
    }
}
