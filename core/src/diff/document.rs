//! A host's value as JSON text, and where its parts stand in that text.
//!
//! The layout is that of Python's `json.dumps(value, default=str)`: one line, `", "` and `": "` between parts,
//! ASCII. What [`pretty_json`](crate::pretty_json) writes otherwise is written so here too: `nan` and the
//! infinities are `null`, bytes that are no text U+FFFD. Two values are the same if their text is, the order
//! of keys apart: 1, 1.0 and true differ.

use std::ops::Range;

use ahash::HashMap;

use crate::error::{Error, ErrorKind};
use crate::result::json::{check_depth, close, key, write_break, write_scalar, write_text};
use crate::tree::{self, Failure, Tree, View};

/// How many values a document may hold: one that holds itself twice would never end.
const MAX_VALUES: usize = 2_000_000;

/// A value within a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(usize);

impl Node {
    /// The whole value.
    pub(super) const ROOT: Self = Self(0);
}

/// What a value is made of.
pub(super) enum Parts<'a> {
    /// Nothing: it is all text.
    None,
    /// Items in order.
    List(&'a [Node]),
    /// Entries in order, each name once; they are named by [`Document::name`].
    Map(&'a [Node]),
}

/// What a value is.
enum Kind {
    Scalar,
    List(Vec<Node>),
    Map(Vec<Node>),
}

struct Value {
    kind: Kind,
    /// Where it stands in the text.
    text: Range<usize>,
    /// Its name, if it is an entry of a map.
    name: Name,
}

/// The name of an entry.
#[derive(Clone, Default)]
struct Name {
    /// Where it stands among the names.
    plain: Range<usize>,
    /// Where it stands in the text, in quotes.
    written: Range<usize>,
}

/// A value as JSON text with the places of its parts.
#[derive(Default)]
pub(super) struct Document {
    text: Vec<u8>,
    /// The names of entries as the host has them, one behind the other.
    names: Vec<u8>,
    values: Vec<Value>,
    /// Whether the text has entries that do not count, since a later one has their name.
    repeats: bool,
}

impl Document {
    /// Writes a value down.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] if the value nests too deep or holds too many values, or what the host raised.
    pub(super) fn of<N: Tree>(value: &N) -> Result<Self, Failure<N::Error>> {
        let mut document = Self::default();
        document.read(value, 0, Name::default())?;
        Ok(document)
    }

    /// An empty map.
    pub(super) fn empty_map() -> Self {
        let value = Value { kind: Kind::Map(Vec::new()), text: 0..2, name: Name::default() };
        Self { text: b"{}".to_vec(), values: vec![value], ..Self::default() }
    }

    /// A value's text.
    pub(super) fn text(&self, node: Node) -> &[u8] {
        let range = self.values.get(node.0).map_or(0..0, |value| value.text.clone());
        self.text.get(range).unwrap_or_default()
    }

    /// The name of a map's entry, as the host has it.
    pub(super) fn name(&self, node: Node) -> &[u8] {
        let range = self.values.get(node.0).map_or(0..0, |value| value.name.plain.clone());
        self.names.get(range).unwrap_or_default()
    }

    /// The name of a map's entry as it is written, in quotes.
    pub(super) fn written_name(&self, node: Node) -> &[u8] {
        let range = self.values.get(node.0).map_or(0..0, |value| value.name.written.clone());
        self.text.get(range).unwrap_or_default()
    }

    /// A value's parts.
    pub(super) fn parts(&self, node: Node) -> Parts<'_> {
        match self.values.get(node.0).map(|value| &value.kind) {
            Some(Kind::List(items)) => Parts::List(items),
            Some(Kind::Map(entries)) => Parts::Map(entries),
            Some(Kind::Scalar) | None => Parts::None,
        }
    }

    /// Whether the values of two documents are the same.
    pub(super) fn same(&self, node: Node, other: &Self, other_node: Node) -> bool {
        if self.text(node) == other.text(other_node) {
            return true;
        }
        match (self.parts(node), other.parts(other_node)) {
            (Parts::List(items), Parts::List(others)) => {
                items.len() == others.len()
                    && items.iter().zip(others).all(|(item, its)| self.same(*item, other, *its))
            }
            (Parts::Map(entries), Parts::Map(others)) => {
                let mut named = Names::of(other, others);
                entries.len() == others.len()
                    && entries.iter().enumerate().all(|(place, entry)| {
                        named.find(self.name(*entry), place).is_some_and(|its| self.same(*entry, other, its))
                    })
            }
            _ => false,
        }
    }

    /// The whole document with the entries of its maps in the order of their names.
    pub(super) fn sorted(&self) -> Vec<u8> {
        let mut text = Vec::new();
        self.write_sorted(Node::ROOT, &mut text);
        text
    }

    /// Appends a value with the entries of its maps in the order of their names.
    fn write_sorted(&self, node: Node, out: &mut Vec<u8>) {
        match self.parts(node) {
            Parts::None => out.extend_from_slice(self.text(node)),
            Parts::List(items) => {
                write_parts(b'[', items, b']', out, |item, out| self.write_sorted(*item, out));
            }
            Parts::Map(entries) => {
                let mut sorted = entries.to_vec();
                sorted.sort_by_key(|entry| self.name(*entry));
                write_parts(b'{', &sorted, b'}', out, |entry, out| {
                    out.extend_from_slice(self.written_name(*entry));
                    out.extend_from_slice(b": ");
                    self.write_sorted(*entry, out);
                });
            }
        }
    }

    /// The document as [`pretty_json`] writes the value, unless that has entries that do not count here.
    pub(super) fn pretty(&self) -> Option<Vec<u8>> {
        if self.repeats {
            return None;
        }
        let mut text = Vec::with_capacity(2 * self.text.len());
        self.write_pretty(Node::ROOT, 1, &mut text);
        Some(text)
    }

    /// Appends a value whose parts stand `depth` levels deep.
    fn write_pretty(&self, node: Node, depth: usize, out: &mut Vec<u8>) {
        let (parts, brackets) = match self.parts(node) {
            Parts::None => return out.extend_from_slice(self.text(node)),
            Parts::List(items) => (items, (b'[', b']')),
            Parts::Map(entries) => (entries, (b'{', b'}')),
        };
        out.push(brackets.0);
        let start = out.len();
        for part in parts {
            write_break(depth, start, out);
            if brackets.0 == b'{' {
                out.extend_from_slice(self.written_name(*part));
                out.extend_from_slice(b": ");
            }
            self.write_pretty(*part, depth + 1, out);
        }
        close(brackets.1, depth, start, out);
    }

    fn read<N: Tree>(&mut self, value: &N, depth: usize, name: Name) -> Result<Node, Failure<N::Error>> {
        let node = Node(self.values.len());
        if node.0 >= MAX_VALUES {
            let message = format!("a value that holds more than {MAX_VALUES} values cannot be compared");
            return Err(Error::new(ErrorKind::WrongType, message).into());
        }
        let start = self.text.len();
        self.values.push(Value { kind: Kind::Scalar, text: start..start, name });
        let kind = match value.view() {
            View::List(_) => self.read_list(value, depth + 1)?,
            View::Map(_) => self.read_map(value, depth + 1)?,
            view => {
                write_scalar(value, view, &mut self.text).map_err(Failure::Host)?;
                Kind::Scalar
            }
        };
        if let Some(slot) = self.values.get_mut(node.0) {
            slot.kind = kind;
            slot.text = start..self.text.len();
        }
        Ok(node)
    }

    fn read_list<N: Tree>(&mut self, list: &N, depth: usize) -> Result<Kind, Failure<N::Error>> {
        check_depth(depth)?;
        let mut items = Vec::new();
        self.text.push(b'[');
        list.items(|item| {
            self.separate(items.len());
            items.push(self.read(&item, depth, Name::default())?);
            Ok(())
        })?;
        self.text.push(b']');
        Ok(Kind::List(items))
    }

    fn read_map<N: Tree>(&mut self, map: &N, depth: usize) -> Result<Kind, Failure<N::Error>> {
        check_depth(depth)?;
        let (mut entries, mut may_repeat) = (Vec::new(), false);
        self.text.push(b'{');
        map.entries(|name, value| {
            self.separate(entries.len());
            may_repeat |= !matches!(name, tree::Name::Text(_));
            let name = key(name).map_err(Failure::Host)?;
            let (plain, written) = (self.names.len(), self.text.len());
            self.names.extend_from_slice(&name);
            write_text(&name, &mut self.text);
            let name = Name { plain: plain..self.names.len(), written: written..self.text.len() };
            self.text.extend_from_slice(b": ");
            entries.push(self.read(&value, depth, name)?);
            Ok(())
        })?;
        self.text.push(b'}');
        if may_repeat {
            // The number 1 and the text "1" are one name in JSON, where the last entry counts.
            let last: HashMap<&[u8], Node> =
                entries.iter().map(|entry| (self.name(*entry), *entry)).collect();
            let count = entries.len();
            entries.retain(|entry| last.get(self.name(*entry)) == Some(entry));
            self.repeats |= entries.len() < count;
        }
        Ok(Kind::Map(entries))
    }

    /// Appends what stands between parts, behind the first `count` of them.
    fn separate(&mut self, count: usize) {
        if count > 0 {
            self.text.extend_from_slice(b", ");
        }
    }
}

/// Appends parts between brackets.
fn write_parts<T>(
    open: u8,
    parts: &[T],
    close: u8,
    out: &mut Vec<u8>,
    mut write: impl FnMut(&T, &mut Vec<u8>),
) {
    out.push(open);
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            out.extend_from_slice(b", ");
        }
        write(part, out);
    }
    out.push(close);
}

/// Appends fields, each a name and the JSON text of a value, as a map in the order of their names.
pub(super) fn write_sorted_fields(mut fields: Vec<(Vec<u8>, Vec<u8>)>, out: &mut Vec<u8>) {
    fields.sort_by(|one, other| one.0.cmp(&other.0));
    write_parts(b'{', &fields, b'}', out, |(name, value), out| {
        write_text(name, out);
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
    });
}

/// Finds the entries of a map by name.
pub(super) struct Names<'a> {
    document: &'a Document,
    entries: &'a [Node],
    /// Filled when an entry does not stand where it was looked for first.
    by_name: Option<HashMap<&'a [u8], Node>>,
}

impl<'a> Names<'a> {
    /// Looks into entries of a map.
    pub(super) fn of(document: &'a Document, entries: &'a [Node]) -> Self {
        Self { document, entries, by_name: None }
    }

    /// The entry of a name; it is looked for at `place` first, where the other map has it.
    pub(super) fn find(&mut self, name: &[u8], place: usize) -> Option<Node> {
        if let Some(entry) = self.entries.get(place)
            && self.document.name(*entry) == name
        {
            return Some(*entry);
        }
        let (document, entries) = (self.document, self.entries);
        let by_name = self
            .by_name
            .get_or_insert_with(|| entries.iter().map(|entry| (document.name(*entry), *entry)).collect());
        by_name.get(name).copied()
    }
}

/// Appends a value as JSON on one line, as Python's `json.dumps(value, default=str)` writes it.
///
/// ```
/// use serde_json::json;
///
/// let mut text = Vec::new();
/// toolwire::compact_json(&&json!({"b": [1, "ü"], "a": null}), &mut text).map_err(toolwire::Error::from)?;
/// assert_eq!(text, br#"{"b": [1, "\u00fc"], "a": null}"#);
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::WrongType`] if the value nests deeper than [`MAX_DEPTH`](crate::MAX_DEPTH) or holds millions
/// of values (it may hold itself), or what the host raised. Then nothing is appended.
pub fn compact_json<N: Tree>(value: &N, out: &mut Vec<u8>) -> Result<(), Failure<N::Error>> {
    out.append(&mut Document::of(value)?.text);
    Ok(())
}

/// Appends the same with the entries of maps in the order of their names.
///
/// ```
/// use serde_json::json;
///
/// let mut text = Vec::new();
/// toolwire::sorted_json(&&json!({"b": [1], "a": null}), &mut text).map_err(toolwire::Error::from)?;
/// assert_eq!(text, br#"{"a": null, "b": [1]}"#);
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
///
/// As [`compact_json`].
pub fn sorted_json<N: Tree>(value: &N, out: &mut Vec<u8>) -> Result<(), Failure<N::Error>> {
    out.append(&mut Document::of(value)?.sorted());
    Ok(())
}

/// Whether two values are the same as JSON: types count, the order of keys does not.
///
/// ```
/// use serde_json::json;
/// use toolwire::same_json;
///
/// assert!(same_json(&&json!({"a": 1, "b": 2}), &&json!({"b": 2, "a": 1}))?);
/// assert!(!same_json(&&json!([1]), &&json!([1.0]))?);
/// # Ok::<(), toolwire::Failure<std::convert::Infallible>>(())
/// ```
///
/// # Errors
///
/// As [`compact_json`].
pub fn same_json<N: Tree>(one: &N, other: &N) -> Result<bool, Failure<N::Error>> {
    let (one, other) = (Document::of(one)?, Document::of(other)?);
    Ok(one.same(Node::ROOT, &other, Node::ROOT))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(text: &str) -> Document {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        Document::of(&&value).unwrap()
    }

    #[test]
    fn the_order_of_keys_does_not_count_and_types_do() {
        let same = |one: &str, other: &str| {
            let (one, other) = (document(one), document(other));
            one.same(Node::ROOT, &other, Node::ROOT)
        };
        assert!(same(r#"{"a": {"b": 1, "c": [2]}, "d": 3}"#, r#"{"d": 3, "a": {"c": [2], "b": 1}}"#));
        for (one, other) in [
            ("1", "1.0"),
            ("1", "true"),
            ("0", "false"),
            ("0", "null"),
            ("[]", "{}"),
            ("\"1\"", "1"),
            ("[1, 2]", "[2, 1]"),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#),
            (r#"{"a": 1, "b": 2}"#, r#"{"a": 1}"#),
            (r#"{"a": null}"#, r#"{"b": null}"#),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn sorting_is_by_the_names_and_not_by_how_they_are_written() {
        let mut out = Vec::new();
        sorted_json(&&json!({"é": 1, "z": {"b": 1, "a": [{"d": 1, "c": 2}]}}), &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"z": {"a": [{"c": 2, "d": 1}], "b": 1}, "\u00e9": 1}"#
        );
    }

    #[test]
    fn nesting_is_bounded() {
        let nest = |levels| (0..levels).fold(json!(0), |inner, _| json!([inner]));
        assert!(compact_json(&&nest(crate::MAX_DEPTH), &mut Vec::new()).is_ok());
        let failure = compact_json(&&nest(crate::MAX_DEPTH + 1), &mut Vec::new()).unwrap_err();
        assert_eq!(Error::from(failure).kind(), ErrorKind::WrongType);
    }
}
