//! Reads a host's value into a document.

use ahash::HashMap;

use super::document::{COLON, COMMA, Document, Kind, Layout, Node, NodeData, NodeParts};
use crate::error::{Error, ErrorKind};
use crate::json::writer::{check_depth, close, key, write_break, write_scalar, write_text};
use crate::tree::{Failure, Name, Tree, View};

/// How many values a document may hold; a value that holds itself twice has no end.
const MAX_VALUES: usize = 2_000_000;

impl Document {
    /// Reads a value.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] if the value nests too deep or holds too many values, or what the
    /// host raised.
    pub(super) fn of<N: Tree>(value: &N, layout: Layout) -> Result<Self, Failure<N::Error>> {
        let document = Self { layout, ..Self::default() };
        Ok(DocumentReader { document, places: None, before: None }.read_whole(value)?.document)
    }

    /// Reads two values; a list or map that both share is read only once.
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    pub(super) fn pair<N: Tree>(
        old: &N,
        new: &N,
        layout: Layout,
    ) -> Result<(Self, Self), Failure<N::Error>> {
        let document = Self { layout, ..Self::default() };
        let places = Some(Places { nodes: HashMap::default() });
        let DocumentReader { document: old, places, .. } =
            DocumentReader { document, places, before: None }.read_whole(old)?;
        // The new document is likely to be about as long as the old one.
        let room = |length: usize| length + length / 8;
        let document = Self {
            layout,
            text: Vec::with_capacity(room(old.text.len())),
            values: Vec::with_capacity(room(old.values.len())),
            escaped: Vec::new(),
        };
        let before = places.as_ref().map(|places| (&old, places));
        let new = DocumentReader { document, places: None, before }.read_whole(new)?.document;
        Ok((old, new))
    }
}

/// The lists and maps of a document, by address and depth.
struct Places<N> {
    /// The host's value is kept too, so that no other value can get its address.
    nodes: HashMap<(usize, usize), (Node, N)>,
}

/// How many values a list or map must hold to be worth a look-up.
const WORTHWHILE: u32 = 3;

/// Fills a document.
struct DocumentReader<'a, N> {
    document: Document,
    /// The lists and maps that another document may share with this one; none once code of the host
    /// has run, since it may change values.
    places: Option<Places<N>>,
    /// The other document whose parts this one may share; none once code of the host has run.
    before: Option<(&'a Document, &'a Places<N>)>,
}

impl<N: Tree> DocumentReader<'_, N> {
    fn read_whole(mut self, value: &N) -> Result<Self, Failure<N::Error>> {
        self.read(value, 0, 0)?;
        Ok(self)
    }

    /// Notes that code of the host may have run.
    #[cold]
    fn share_nothing(&mut self) {
        (self.places, self.before) = (None, None);
    }

    /// Appends a value that stands `depth` levels deep; `entry` is where it begins with its name,
    /// if it has one.
    fn read(&mut self, value: &N, depth: usize, entry: usize) -> Result<(), Failure<N::Error>> {
        if self.document.values.len() >= MAX_VALUES {
            return Err(too_many().into());
        }
        let kind = match value.view() {
            View::List(_) => Kind::List,
            View::Map(_) => Kind::Map,
            view => {
                if matches!(view, View::BigInt | View::Opaque) {
                    self.share_nothing();
                }
                let start = self.document.text.len();
                write_scalar(value, view, &mut self.document.text).map_err(Failure::Host)?;
                self.note(Kind::Scalar, entry, start);
                return Ok(());
            }
        };
        let depth = depth + 1;
        check_depth(depth)?;
        let address = value.address();
        match (address, self.before) {
            (None, _) => self.share_nothing(),
            (Some(address), Some((document, places))) => {
                if let Some((node, _)) = places.nodes.get(&(address, depth)) {
                    return Ok(self.copy(document, *node, entry)?);
                }
            }
            (Some(_), None) => {}
        }
        let node = self.open(kind, entry);
        let may_repeat = match kind {
            Kind::Map => self.read_entries(value, depth)?,
            Kind::List | Kind::Scalar => self.read_items(value, depth)?,
        };
        let behind = self.close(node, depth);
        if may_repeat {
            self.drop_repeated(node);
        }
        if let (Some(places), Some(address)) = (&mut self.places, address)
            && behind.0 - node.0 > WORTHWHILE
        {
            places.nodes.insert((address, depth), (node, value.clone()));
        }
        Ok(())
    }

    /// Appends the items of a list, which stand `depth` levels deep; false, since items have no
    /// names.
    fn read_items(&mut self, list: &N, depth: usize) -> Result<bool, Failure<N::Error>> {
        let start = self.document.text.len();
        list.items(|item| {
            self.separate(depth, start);
            let entry = self.document.text.len();
            self.read(&item, depth, entry)
        })?;
        Ok(false)
    }

    /// Appends the entries of a map, which stand `depth` levels deep; true if two of them may have
    /// the same name.
    fn read_entries(&mut self, map: &N, depth: usize) -> Result<bool, Failure<N::Error>> {
        let (start, mut may_repeat) = (self.document.text.len(), false);
        map.entries(|name, value| {
            self.separate(depth, start);
            let entry = self.document.text.len();
            match name {
                Name::Text(text) => self.write_name(&text),
                other => {
                    may_repeat = true;
                    self.share_nothing();
                    self.write_name(&key(other).map_err(Failure::Host)?);
                }
            }
            self.read(&value, depth, entry)
        })?;
        Ok(may_repeat)
    }

    /// Copies a value from the same depth of another document.
    fn copy(&mut self, from: &Document, node: Node, entry: usize) -> Result<(), Error> {
        let Some(value) = from.values.get(node.place()) else { return Ok(()) };
        let here = next_node(&self.document.values);
        let document = &mut self.document;
        let within = from.values.get(node.place()..value.behind as usize).unwrap_or_default();
        if document.values.len() + within.len() > MAX_VALUES {
            return Err(too_many());
        }
        let start = document.text.len();
        document.text.extend_from_slice(from.text(node));
        document.values.push(NodeData {
            kind: value.kind,
            counts: true,
            behind: value.behind - node.0 + here.0,
            entry,
            start,
            end: document.text.len(),
        });
        let place = |place: usize| place - value.start + start;
        document.values.extend(within.iter().skip(1).map(|inner| NodeData {
            kind: inner.kind,
            counts: inner.counts,
            behind: inner.behind - node.0 + here.0,
            entry: place(inner.entry),
            start: place(inner.start),
            end: place(inner.end),
        }));
        let names =
            from.escaped.iter().skip(from.escaped.partition_point(|(entry, _)| *entry <= node));
        let names = names.take_while(|(entry, _)| entry.0 < value.behind);
        document
            .escaped
            .extend(names.map(|(entry, name)| (Node(entry.0 - node.0 + here.0), name.clone())));
        Ok(())
    }

    /// Appends the name of the entry whose value is the next one.
    #[inline]
    fn write_name(&mut self, name: &[u8]) {
        let document = &mut self.document;
        let start = document.text.len();
        write_text(name, &mut document.text);
        // Every escape is longer than the character that it stands for.
        if document.text.len() - start > name.len() + QUOTES {
            let node = next_node(&document.values);
            document.escaped.push((node, name.into()));
        }
        document.text.extend_from_slice(COLON);
    }

    /// Marks all entries but the last one of each name as not counting.
    ///
    /// The number 1 and the text "1" are the same name in JSON.
    fn drop_repeated(&mut self, map: Node) {
        let NodeParts::Map(entries) = self.document.parts(map) else { return };
        let last: HashMap<&[u8], Node> =
            entries.clone().map(|entry| (self.document.name(entry), entry)).collect();
        let repeated: Vec<Node> =
            entries.filter(|entry| last.get(self.document.name(*entry)) != Some(entry)).collect();
        for entry in repeated {
            if let Some(value) = self.document.values.get_mut(entry.place()) {
                value.counts = false;
            }
        }
    }

    /// Adds a value to `values`; its end is the end of the text so far.
    #[inline]
    fn note(&mut self, kind: Kind, entry: usize, start: usize) -> Node {
        let node = next_node(&self.document.values);
        let (behind, end) = (node.0 + 1, self.document.text.len());
        self.document.values.push(NodeData { kind, counts: true, behind, entry, start, end });
        node
    }

    /// Appends the bracket before the parts of a list or map.
    fn open(&mut self, kind: Kind, entry: usize) -> Node {
        let node = self.note(kind, entry, self.document.text.len());
        self.document.text.push(if kind == Kind::List { b'[' } else { b'{' });
        node
    }

    /// Appends the separator before a part.
    ///
    /// The part stands `depth` levels deep, and the parts of its list or map begin at `start`.
    #[inline]
    fn separate(&mut self, depth: usize, start: usize) {
        let text = &mut self.document.text;
        match self.document.layout {
            Layout::Pretty => write_break(depth, start, text),
            Layout::Line if text.len() > start => text.extend_from_slice(COMMA),
            Layout::Line => {}
        }
    }

    /// Appends the closing bracket of a list or map; gives the node behind it.
    ///
    /// The parts of the list or map stand `depth` levels deep.
    fn close(&mut self, node: Node, depth: usize) -> Node {
        let Document { layout, text, values, .. } = &mut self.document;
        let behind = next_node(values);
        let Some(value) = values.get_mut(node.place()) else { return behind };
        let bracket = if value.kind == Kind::List { b']' } else { b'}' };
        match layout {
            Layout::Pretty => close(bracket, depth, value.start + 1, text),
            Layout::Line => text.push(bracket),
        }
        value.end = text.len();
        value.behind = behind.0;
        behind
    }
}

/// The node of the value that is added next.
#[inline]
fn next_node(values: &[NodeData]) -> Node {
    // There are never more than `MAX_VALUES` values.
    Node(u32::try_from(values.len()).unwrap_or(u32::MAX))
}

/// The bytes around a text.
const QUOTES: usize = 2;

#[cold]
fn too_many() -> Error {
    let message = format!("a value that holds more than {MAX_VALUES} values cannot be compared");
    Error::new(ErrorKind::WrongType, message)
}
