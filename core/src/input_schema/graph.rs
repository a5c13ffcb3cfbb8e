//! Which parts of a schema look at the same value, one because of the other.
//!
//! `allOf`, `$ref` and their like apply more schemas to the value at hand. A chain of them may
//! fork at each step, so that a short schema stands for a huge one. This graph knows each such
//! step; references are resolved by the same crate that the validator uses.

use std::collections::HashMap;

use referencing::{Draft, List, Registry, RegistryBuilder, Resolver, Uri};
use serde_json::{Map, Value};

/// The most parts of a schema, each counted once for each way into another document.
pub(super) const MOST_PARTS: usize = 50_000;

/// The base of references in a schema without an id.
const NO_ID: &str = "json-schema:///";

/// The keywords whose schemas apply to the same value: lists, single ones, and those with names.
const LISTED: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLE: [&str; 4] = ["not", "if", "then", "else"];
const NAMED: [&str; 2] = ["dependentSchemas", "dependencies"];

/// The keywords whose validator looks at their neighbours a second time.
const LOOKING_AGAIN: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// One schema within the whole one.
#[derive(Default)]
pub(super) struct SchemaPart {
    /// The checks that need no look at a value inside of the value, so one schema may hold many.
    pub(super) checks: usize,
    /// Whether its neighbours are applied a second time.
    pub(super) looks_again: bool,
    /// The parts that apply to the same value.
    pub(super) in_place: Vec<usize>,
}

/// The parts of a schema; a part may come twice if it is reached through different documents.
pub(super) struct SchemaGraph {
    pub(super) parts: Vec<SchemaPart>,
}

impl SchemaGraph {
    /// The graph of a schema; `None` if it has too many parts. What cannot be resolved is left
    /// out: the validator refuses it.
    pub(super) fn new(schema: &Value) -> Option<Self> {
        let draft = Draft::default().detect(schema);
        let resource = draft.create_resource_ref(schema);
        let base = resource.id().unwrap_or(NO_ID).trim_end_matches('#');
        let registry =
            Registry::new().draft(draft).add(base, resource).and_then(RegistryBuilder::prepare);
        let (Ok(registry), Ok(base)) = (registry, referencing::uri::from_str(base)) else {
            return Some(Self { parts: Vec::new() });
        };
        let mut walk = GraphWalk::default();
        walk.part(schema, &registry.resolver(base), draft);
        while let Some(due) = walk.due.pop() {
            walk.read(due);
        }
        walk.join_dynamic();
        (!walk.is_full).then_some(Self { parts: walk.parts })
    }
}

/// A part by its address and the documents that led to it.
type PartKey = (usize, List<Uri<String>>);

/// A part whose keywords are not yet read.
struct DuePart<'r> {
    index: usize,
    contents: &'r Map<String, Value>,
    whole: &'r Value,
    resolver: Resolver<'r>,
    draft: Draft,
}

#[derive(Default)]
struct GraphWalk<'r> {
    parts: Vec<SchemaPart>,
    known: HashMap<PartKey, usize>,
    due: Vec<DuePart<'r>>,
    is_full: bool,
    /// The parts that a dynamic reference may lead to, and the parts that hold one, by its name.
    dynamic_targets: HashMap<&'r str, Vec<usize>>,
    dynamic_references: Vec<(usize, &'r str)>,
}

impl<'r> GraphWalk<'r> {
    /// The index of a part, which is read later if it is new.
    fn part(&mut self, whole: &'r Value, resolver: &Resolver<'r>, draft: Draft) -> Option<usize> {
        let draft = draft.detect(whole);
        let resolver = resolver.in_subresource(draft.create_resource_ref(whole)).ok()?;
        let key = (std::ptr::from_ref(whole).addr(), resolver.dynamic_scope());
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        if self.parts.len() >= MOST_PARTS {
            self.is_full = true;
            return None;
        }
        let index = self.parts.len();
        self.known.insert(key, index);
        self.parts.push(SchemaPart { checks: 1, ..SchemaPart::default() });
        if let Value::Object(contents) = whole {
            self.due.push(DuePart { index, contents, whole, resolver, draft });
        }
        Some(index)
    }

    fn read(&mut self, due: DuePart<'r>) {
        let DuePart { index, contents, whole, resolver, draft } = due;
        for inner in draft.subresources_of(whole) {
            self.part(inner, &resolver, draft);
        }
        let mut in_place = Vec::new();
        for inner in same_value(contents) {
            in_place.extend(self.part(inner, &resolver, draft));
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = contents.get(keyword).and_then(Value::as_str) else { continue };
            if let Ok(resolved) = resolver.lookup(reference) {
                let (target, resolver, draft) = resolved.into_inner();
                in_place.extend(self.part(target, &resolver, draft));
            }
            if keyword != "$ref" {
                let name = reference.rsplit_once('#').map_or("", |(_, name)| name);
                self.dynamic_references.push((index, name));
            }
        }
        if let Some(name) = contents.get("$dynamicAnchor").and_then(Value::as_str) {
            self.dynamic_targets.entry(name).or_default().push(index);
        }
        if contents.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
            self.dynamic_targets.entry("").or_default().push(index);
        }
        let part = SchemaPart {
            checks: 1 + names_required(contents),
            looks_again: LOOKING_AGAIN.iter().any(|keyword| contents.contains_key(*keyword)),
            in_place,
        };
        if let Some(known) = self.parts.get_mut(index) {
            *known = part;
        }
    }

    /// Lets each dynamic reference lead to every part of its name: which one it is depends on the
    /// way of the validator.
    fn join_dynamic(&mut self) {
        for (index, name) in std::mem::take(&mut self.dynamic_references) {
            let Some(targets) = self.dynamic_targets.get(name) else { continue };
            if let Some(part) = self.parts.get_mut(index) {
                part.in_place.extend(targets);
            }
        }
    }
}

/// The schemas within a schema that apply to the same value.
fn same_value(contents: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let get = |keyword: &&str| contents.get(*keyword);
    let listed = LISTED.iter().filter_map(get).filter_map(Value::as_array).flatten();
    let named = NAMED.iter().filter_map(get).filter_map(Value::as_object).flat_map(Map::values);
    let schemas = named.filter(|value| !value.is_array());
    listed.chain(SINGLE.iter().filter_map(get)).chain(schemas)
}

/// How many names a schema requires, always or beside another one.
fn names_required(contents: &Map<String, Value>) -> usize {
    let count = |value: &Value| value.as_array().map_or(0, Vec::len);
    let beside = |keyword: &str| {
        let named = contents.get(keyword).and_then(Value::as_object);
        named.map_or(0, |named| named.values().map(count).sum())
    };
    contents.get("required").map_or(0, count) + beside("dependentRequired") + beside("dependencies")
}
