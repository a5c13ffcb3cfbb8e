//! A host's value as JSON text, and the places of its parts in that text.
//!
//! A value becomes JSON as [`pretty_json`](crate::json::pretty_json) writes it: the text is ASCII,
//! `nan` and the infinities are `null`, and bytes that are not text are U+FFFD. Two values are the
//! same if their texts are the same, apart from the order of keys: 1, 1.0 and true differ.

use std::borrow::Cow;

use ahash::HashMap;

use crate::json::writer::write_text;

/// A value within a document, as its index among all values; a value stands before its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(pub(super) u32);

impl Node {
    /// The whole value.
    pub(super) const ROOT: Self = Self(0);

    /// The index.
    pub(super) fn place(self) -> usize {
        self.0 as usize
    }
}

/// How a document's text is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// As Python's `json.dumps(value, default=str)` writes it, with `", "` and `": "` between
    /// parts.
    #[default]
    Line,
    /// As [`pretty_json`](crate::json::pretty_json) writes it.
    Pretty,
}

/// What a value is made of.
pub(super) enum NodeParts<'a> {
    /// None: the value is all text.
    None,
    /// Items in order.
    List(Children<'a>),
    /// Entries in order, each name once; [`Document::name`] gives their names.
    Map(Children<'a>),
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar,
    List,
    Map,
}

/// What is known of a value.
pub(super) struct NodeData {
    pub(super) kind: Kind,
    /// Whether no later entry of the same map has the same name.
    pub(super) counts: bool,
    /// The index of the first value behind this value and its parts.
    pub(super) behind: u32,
    /// Where an entry begins in the text with its name, which is quoted and has a colon behind it.
    pub(super) entry: usize,
    /// Where the value itself begins in the text.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A value as JSON text with the places of its parts.
#[derive(Default)]
pub(super) struct Document {
    pub(super) layout: Layout,
    pub(super) text: Vec<u8>,
    pub(super) values: Vec<NodeData>,
    /// The names that are not written as they are, in the order of their entries.
    pub(super) escaped: Vec<(Node, Box<[u8]>)>,
}

impl Document {
    /// An empty map.
    pub(super) fn empty_map(layout: Layout) -> Self {
        let map = NodeData { kind: Kind::Map, counts: true, behind: 1, entry: 0, start: 0, end: 2 };
        Self { layout, text: b"{}".to_vec(), values: vec![map], escaped: Vec::new() }
    }

    /// The text of the whole value.
    pub(super) fn into_text(self) -> Vec<u8> {
        self.text
    }

    /// A value's text.
    ///
    /// Two values at the same depth of two documents are the same if their texts are the same.
    pub(super) fn text(&self, node: Node) -> &[u8] {
        let range = self.values.get(node.place()).map_or(0..0, |value| value.start..value.end);
        self.text.get(range).unwrap_or_default()
    }

    /// How long a value is on one line.
    pub(super) fn length(&self, node: Node) -> usize {
        let behind = self.values.get(node.place()).map_or(0, |value| value.behind as usize);
        let within = self.values.get(node.place()..behind).unwrap_or_default();
        let (mut length, mut commas) = (0, within.len().saturating_sub(1));
        for (value, next) in within.iter().zip(node.0 + 1..) {
            length += value.start - value.entry;
            length += if value.kind == Kind::Scalar { value.end - value.start } else { BRACKETS };
            // Each value but the root has a comma before it, or is the first part of its parent.
            if value.kind != Kind::Scalar && value.behind > next {
                commas = commas.saturating_sub(1);
            }
        }
        let name = within.first().map_or(0, |value| value.start - value.entry);
        length + COMMA.len() * commas - name
    }

    /// The name of a map's entry, as the host has it.
    pub(super) fn name(&self, node: Node) -> &[u8] {
        if !self.escaped.is_empty()
            && let Ok(place) = self.escaped.binary_search_by_key(&node, |(entry, _)| *entry)
        {
            return self.escaped.get(place).map_or(&[], |(_, name)| name);
        }
        match self.written_name(node) {
            [b'"', name @ .., b'"'] => name,
            _ => &[],
        }
    }

    /// The name of a map's entry as it is written, in quotes.
    pub(super) fn written_name(&self, node: Node) -> &[u8] {
        let range = self
            .values
            .get(node.place())
            .map_or(0..0, |value| value.entry..value.start.saturating_sub(COLON.len()));
        self.text.get(range).unwrap_or_default()
    }

    /// A value's parts.
    pub(super) fn parts(&self, node: Node) -> NodeParts<'_> {
        let Some(value) = self.values.get(node.place()) else { return NodeParts::None };
        let children = Children { document: self, at: node.0 + 1, end: value.behind };
        match value.kind {
            Kind::Scalar => NodeParts::None,
            Kind::List => NodeParts::List(children),
            Kind::Map => NodeParts::Map(children),
        }
    }

    /// Whether the values of two documents are the same.
    pub(super) fn same(&self, node: Node, other: &Self, other_node: Node) -> bool {
        if self.layout == other.layout && self.text(node) == other.text(other_node) {
            return true;
        }
        match (self.parts(node), other.parts(other_node)) {
            (NodeParts::List(items), NodeParts::List(others)) => {
                items.clone().count() == others.clone().count()
                    && items.zip(others).all(|(item, its)| self.same(item, other, its))
            }
            (NodeParts::Map(mut entries), NodeParts::Map(others)) => {
                let mut named = Names::of(others.clone());
                entries.clone().count() == others.count()
                    && entries.all(|entry| {
                        named.find(self.name(entry)).is_some_and(|its| self.same(entry, other, its))
                    })
            }
            _ => false,
        }
    }

    /// The whole document on one line, with the entries of its maps in the order of their names.
    pub(super) fn sorted(&self) -> Vec<u8> {
        let mut text = Vec::new();
        self.write_sorted(Node::ROOT, &mut text);
        text
    }

    /// Appends a value on one line, with the entries of its maps in the order of their names.
    fn write_sorted(&self, node: Node, out: &mut Vec<u8>) {
        match self.parts(node) {
            NodeParts::None => out.extend_from_slice(self.text(node)),
            NodeParts::List(items) => {
                write_parts(b'[', items, b']', out, |item, out| self.write_sorted(item, out));
            }
            NodeParts::Map(entries) => {
                let mut sorted: Vec<Node> = entries.collect();
                sorted.sort_by_key(|entry| self.name(*entry));
                write_parts(b'{', sorted, b'}', out, |entry, out| {
                    out.extend_from_slice(self.written_name(entry));
                    out.extend_from_slice(COLON);
                    self.write_sorted(entry, out);
                });
            }
        }
    }

    /// A value on one line, with all entries in the order in which the host has them.
    pub(super) fn line(&self, node: Node) -> Cow<'_, [u8]> {
        match self.layout {
            Layout::Line => Cow::Borrowed(self.text(node)),
            Layout::Pretty => {
                let mut text = Vec::with_capacity(self.length(node));
                self.write_line(node, &mut text);
                Cow::Owned(text)
            }
        }
    }

    fn write_line(&self, node: Node, out: &mut Vec<u8>) {
        let Some(value) = self.values.get(node.place()) else { return };
        let next = |node: &Node| self.values.get(node.place()).map(|value| Node(value.behind));
        let within = std::iter::successors(Some(Node(node.0 + 1)), next);
        let within = within.take_while(|part| part.0 < value.behind);
        match value.kind {
            Kind::Scalar => out.extend_from_slice(self.text(node)),
            Kind::List => {
                write_parts(b'[', within, b']', out, |item, out| self.write_line(item, out));
            }
            Kind::Map => write_parts(b'{', within, b'}', out, |entry, out| {
                out.extend_from_slice(self.written_name(entry));
                out.extend_from_slice(COLON);
                self.write_line(entry, out);
            }),
        }
    }
}

/// Characters that stand around the parts of a list or map.
pub(super) const BRACKETS: usize = 2;

/// What stands between a name and its value.
pub(super) const COLON: &[u8] = b": ";

/// What stands between parts on one line.
pub(super) const COMMA: &[u8] = b", ";

/// The direct parts of a list or map, without entries that do not count.
#[derive(Clone)]
pub(super) struct Children<'a> {
    document: &'a Document,
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = Node;

    #[inline]
    fn next(&mut self) -> Option<Node> {
        while self.at < self.end {
            let node = Node(self.at);
            let value = self.document.values.get(node.place())?;
            self.at = value.behind;
            if value.counts {
                return Some(node);
            }
        }
        None
    }
}

/// Appends parts between brackets.
fn write_parts<T>(
    open: u8,
    parts: impl IntoIterator<Item = T>,
    close: u8,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(open);
    for (place, part) in parts.into_iter().enumerate() {
        if place > 0 {
            out.extend_from_slice(COMMA);
        }
        write(part, out);
    }
    out.push(close);
}

/// Appends fields as a map in the order of their names; a field is a name and JSON text.
pub(super) fn write_sorted_fields(mut fields: Vec<(Vec<u8>, Vec<u8>)>, out: &mut Vec<u8>) {
    fields.sort_by(|one, other| one.0.cmp(&other.0));
    write_parts(b'{', fields, b'}', out, |(name, value), out| {
        write_text(&name, out);
        out.extend_from_slice(COLON);
        out.extend_from_slice(&value);
    });
}

/// Finds the entries of a map by name.
pub(super) struct Names<'a> {
    entries: Children<'a>,
    /// The entry that is tried first.
    next: Children<'a>,
    /// The entries by name; filled once the entry that is tried first is not the right one.
    by_name: Option<HashMap<&'a [u8], Node>>,
}

impl<'a> Names<'a> {
    /// Begins the look-ups in the entries of a map.
    pub(super) fn of(entries: Children<'a>) -> Self {
        Self { next: entries.clone(), entries, by_name: None }
    }

    /// The entry with a name.
    ///
    /// The next entry in order is tried before all others, since two maps mostly have their entries
    /// in the same order.
    pub(super) fn find(&mut self, name: &[u8]) -> Option<Node> {
        let document = self.entries.document;
        if let Some(entry) = self.next.next()
            && document.name(entry) == name
        {
            return Some(entry);
        }
        let entries = &self.entries;
        let by_name = self.by_name.get_or_insert_with(|| {
            entries.clone().map(|entry| (document.name(entry), entry)).collect()
        });
        by_name.get(name).copied()
    }
}
