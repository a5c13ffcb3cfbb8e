//! What changed between two JSON values, as an RFC 6902 patch.

use std::borrow::Cow;

use super::document::{Children, Document, Layout, Names, Node, NodeParts};
use super::result::{DiffResult, DiffType};
use super::similarity;
use crate::json::writer::write_text;
use crate::tree::{Failure, Tree, View};

/// The longest path that is compared further, in bytes; a deeper value is replaced as a whole.
///
/// Every operation on a part of that value would repeat the long path.
const LONGEST_PATH: usize = 4096;

/// Finds the operations that turn the old value into the new one.
///
/// `diff_output` is the patch, with one operation per line. Applied to the old value as RFC 6902
/// says, the patch gives the new value, types included: 1, 1.0 and true differ. Removed entries
/// come first, in the old order. Added and changed entries follow, in the new order. A list is
/// compared item by item from its start, and items that it lost are removed from the end. A value
/// of another kind is replaced; at the root the path is `""`. Null at the root counts as an empty
/// map.
///
/// `changes` is empty. Added and replaced values count as additions, removed values as deletions.
/// The contents are the values as [`pretty_json`](crate::json::pretty_json) writes them; null has
/// no content. Similarity compares the values as text with sorted keys; it is 0 if only one of them
/// is null.
///
/// ```
/// use serde_json::json;
///
/// let old = json!({"name": "Alice", "age": 30});
/// let new = json!({"name": "Alice", "age": 31, "a/b": [true]});
/// let diff = toolwire::diff::diff_json(&&old, &&new).map_err(toolwire::Error::from)?;
/// assert_eq!(String::from_utf8_lossy(&diff.diff_output), r#"[
///   {"op": "replace", "path": "/age", "value": 31},
///   {"op": "add", "path": "/a~1b", "value": [true]}
/// ]"#);
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a value nests deeper than
/// [`MAX_DEPTH`](crate::json::MAX_DEPTH) or holds millions of values (it may hold itself), or what
/// the host raised.
pub fn diff_json<N: Tree>(old: &N, new: &N) -> Result<DiffResult<'static>, Failure<N::Error>> {
    let (old_document, new_document) = if is_null(old) || is_null(new) {
        (read(old)?, read(new)?)
    } else {
        Document::pair(old, new, Layout::Pretty)?
    };
    let mut patch = JsonComparison {
        old: &old_document,
        new: &new_document,
        path: Vec::new(),
        operations: Operations::default(),
    };
    patch.compare(Node::ROOT, Node::ROOT);
    let Operations { text, additions, deletions } = patch.operations;
    let mut diff_output = b"[\n".to_vec();
    diff_output.extend_from_slice(&text);
    diff_output.extend_from_slice(if text.is_empty() { b"]" } else { b"\n]" });
    Ok(DiffResult {
        diff_type: DiffType::JsonPatch,
        diff_output,
        changes: Vec::new(),
        additions,
        deletions,
        unchanged: 0,
        similarity: match (is_null(old), is_null(new)) {
            (true, true) => 1.0,
            (false, false) => similarity::of_documents(&old_document, &new_document),
            _ => 0.0,
        },
        old_content: content(old, old_document),
        new_content: content(new, new_document),
    })
}

fn is_null<N: Tree>(value: &N) -> bool {
    value.view() == View::Null
}

/// Reads a value into a document; null becomes an empty map.
fn read<N: Tree>(value: &N) -> Result<Document, Failure<N::Error>> {
    if is_null(value) {
        Ok(Document::empty_map(Layout::Pretty))
    } else {
        Document::of(value, Layout::Pretty)
    }
}

/// The value as text for a person; none for null.
fn content<N: Tree>(value: &N, document: Document) -> Option<Cow<'static, [u8]>> {
    (!is_null(value)).then(|| Cow::Owned(document.into_text()))
}

/// The operations found so far.
#[derive(Default)]
struct Operations {
    /// The operations, one per line, with commas between them.
    text: Vec<u8>,
    additions: usize,
    deletions: usize,
}

impl Operations {
    fn begin(&mut self, name: &[u8], path: &[u8]) {
        if !self.text.is_empty() {
            self.text.extend_from_slice(b",\n");
        }
        self.text.extend_from_slice(b"  {\"op\": \"");
        self.text.extend_from_slice(name);
        self.text.extend_from_slice(b"\", \"path\": ");
        write_text(path, &mut self.text);
    }

    fn remove(&mut self, path: &[u8]) {
        self.begin(b"remove", path);
        self.text.push(b'}');
        self.deletions += 1;
    }

    /// Appends an `add` or `replace` operation, as `name` says.
    fn set(&mut self, name: &[u8], path: &[u8], value: &[u8]) {
        self.begin(name, path);
        self.text.extend_from_slice(b", \"value\": ");
        self.text.extend_from_slice(value);
        self.text.push(b'}');
        self.additions += 1;
    }
}

/// A comparison of two documents.
struct JsonComparison<'a> {
    old: &'a Document,
    new: &'a Document,
    /// The JSON Pointer (RFC 6901) of what is being compared.
    path: Vec<u8>,
    operations: Operations,
}

impl JsonComparison<'_> {
    fn compare(&mut self, old_node: Node, new_node: Node) {
        if self.old.text(old_node) != self.new.text(new_node) {
            self.change(old_node, new_node);
        }
    }

    /// Compares values whose texts differ.
    fn change(&mut self, old_node: Node, new_node: Node) {
        let (old, new) = (self.old, self.new);
        match (old.parts(old_node), new.parts(new_node)) {
            (NodeParts::Map(old_entries), NodeParts::Map(new_entries))
                if self.path.len() <= LONGEST_PATH =>
            {
                self.compare_maps(&old_entries, new_entries);
            }
            (NodeParts::List(old_items), NodeParts::List(new_items))
                if self.path.len() <= LONGEST_PATH =>
            {
                self.compare_lists(old_items, new_items);
            }
            _ if !old.same(old_node, new, new_node) => {
                self.operations.set(b"replace", &self.path, &new.line(new_node));
            }
            _ => {}
        }
    }

    fn compare_maps(&mut self, old_entries: &Children<'_>, new_entries: Children<'_>) {
        let (old, new) = (self.old, self.new);
        let mut named = Names::of(new_entries.clone());
        for entry in old_entries.clone() {
            let name = old.name(entry);
            if named.find(name).is_none() {
                self.within(name, |patch| patch.operations.remove(&patch.path));
            }
        }
        let mut named = Names::of(old_entries.clone());
        for entry in new_entries {
            let name = new.name(entry);
            self.compare_part(named.find(name), entry, || Cow::Borrowed(name));
        }
    }

    fn compare_lists(&mut self, mut old_items: Children<'_>, new_items: Children<'_>) {
        let mut length = 0;
        for (index, item) in new_items.enumerate() {
            length = index + 1;
            self.compare_part(old_items.next(), item, || {
                Cow::Owned(index.to_string().into_bytes())
            });
        }
        let rest = old_items.count();
        for index in (length..length + rest).rev() {
            self.within(index.to_string().as_bytes(), |patch| patch.operations.remove(&patch.path));
        }
    }

    /// Compares the part under a name or at an index with the old part there, if there was one.
    fn compare_part<'n>(
        &mut self,
        was: Option<Node>,
        is: Node,
        name: impl FnOnce() -> Cow<'n, [u8]>,
    ) {
        let (old, new) = (self.old, self.new);
        match was {
            Some(was) if old.text(was) == new.text(is) => {}
            Some(was) => self.within(&name(), |patch| patch.change(was, is)),
            None => self
                .within(&name(), |patch| patch.operations.set(b"add", &patch.path, &new.line(is))),
        }
    }

    /// Calls `act` with a path that is longer by a name.
    fn within(&mut self, name: &[u8], act: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push(b'/');
        for &byte in name {
            match byte {
                b'~' => self.path.extend_from_slice(b"~0"),
                b'/' => self.path.extend_from_slice(b"~1"),
                _ => self.path.push(byte),
            }
        }
        act(self);
        self.path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::json::pretty_json;

    /// The patch, applied by another crate.
    fn applied(old: &Value, new: &Value) -> Value {
        let diff = diff_json(&old, &new).unwrap();
        let patch: json_patch::Patch = serde_json::from_slice(&diff.diff_output).unwrap();
        let removed = patch
            .0
            .iter()
            .filter(|step| matches!(step, json_patch::PatchOperation::Remove(_)))
            .count();
        assert_eq!((diff.additions + diff.deletions, diff.deletions), (patch.0.len(), removed));
        let mut value = old.clone();
        json_patch::patch(&mut value, &patch).unwrap();
        value
    }

    /// Some JSON value with few names, so that values have names in common.
    fn some_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (0_i64..3).prop_map(Value::from),
            (0_u8..3).prop_map(|number| Value::from(f64::from(number))),
            "[~/é\"\\\\]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[ab~/01-]{0,2}", inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_patch_makes_the_old_value_the_new_one(old in some_json(), new in some_json()) {
            let (was, is) = (json!({"x": old, "same": 1}), json!({"x": new, "same": 1}));
            for (old, new) in [(&old, &new), (&was, &is)] {
                if *old != Value::Null && *new != Value::Null {
                    // Numbers are compared by their digits, so 1 and 1.0 are told apart.
                    prop_assert_eq!(&applied(old, new), new);
                }
            }
        }

        #[test]
        fn the_same_value_needs_no_operations(value in some_json()) {
            let diff = diff_json(&&value, &&value).unwrap();
            prop_assert_eq!(diff.diff_output, b"[\n]");
            let mut pretty = Vec::new();
            pretty_json(&&value, &mut pretty).unwrap();
            prop_assert_eq!(diff.new_content.as_deref(), (!value.is_null()).then_some(pretty.as_slice()));
        }
    }

    #[test]
    fn a_path_that_would_be_repeated_too_often_is_not_looked_behind() {
        let name = "n".repeat(LONGEST_PATH);
        let value = |most: i32| {
            let inner: Map<_, _> =
                (0..1000).map(|key| (key.to_string(), json!(key.min(most)))).collect();
            json!({ name.as_str(): { "in": inner } })
        };
        let (old, new) = (value(10), value(1000));
        let diff = diff_json(&&old, &&new).unwrap();
        assert_eq!((diff.additions, diff.deletions), (1, 0));
        assert!(diff.diff_output.len() < 20_000);
        assert_eq!(applied(&old, &new), new);
    }

    #[test]
    fn null_at_the_root_is_an_empty_map() {
        let diff = |old: Value, new: Value| {
            let diff = diff_json(&&old, &&new).unwrap();
            (
                String::from_utf8(diff.diff_output).unwrap(),
                diff.similarity.to_string(),
                diff.old_content.is_none(),
            )
        };
        assert_eq!(diff(json!(null), json!({})), ("[\n]".into(), "0".into(), true));
        assert_eq!(diff(json!(null), json!(null)), ("[\n]".into(), "1".into(), true));
        let removed = "[\n  {\"op\": \"remove\", \"path\": \"/a\"}\n]";
        assert_eq!(diff(json!({"a": 1}), json!(null)), (removed.into(), "0".into(), false));
    }
}
