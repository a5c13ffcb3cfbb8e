//! Puts a schema in order for one engine, and notes what the engine does not hold.
//!
//! Parts that apply together (`allOf`, what stands beside `$ref` and `anyOf`) are merged, objects
//! are closed where they do not say otherwise, and texts for people are dropped, so that they
//! cannot change a grammar.

use serde_json::{Map, Value, json};

use super::integer_range::IntegerRange;
use super::kinds::{is_of, kinds};
use super::merge::merge;
use super::notes::SchemaNotes;
use super::quotes::escapes;
use crate::error::{Error, ErrorKind};

/// What holds a schema while a model writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GrammarEngine {
    Xgrammar,
    Llguidance,
    /// The rules of `notation`.
    Own,
}

/// The most characters that own rules count.
pub(super) const LONGEST: u64 = 1000;
/// The most parts within each other.
const DEEPEST: usize = 64;

/// What says nothing of values.
const ANNOTATIONS: [&str; 19] = [
    "description",
    "title",
    "default",
    "examples",
    "example",
    "$comment",
    "$schema",
    "$id",
    "deprecated",
    "readOnly",
    "writeOnly",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
    "contentEncoding",
    "contentMediaType",
    "strict",
    "nullable",
    "discriminator",
];
/// The formats that both JSON engines hold.
const FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];
/// What every engine holds as it is.
const HELD: [&str; 11] = [
    "type",
    "enum",
    "const",
    "required",
    "minItems",
    "maxItems",
    "$ref",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// The keywords whose schemas apply beside the others.
const JOINING: [&str; 4] = ["allOf", "$ref", "anyOf", "oneOf"];

/// Puts schemas in order.
pub(super) struct Tidier<'t, 'n> {
    pub(super) engine: GrammarEngine,
    pub(super) root: &'t Value,
    pub(super) notes: &'t mut SchemaNotes<'n>,
}

impl Tidier<'_, '_> {
    /// The schema as the engine is to hold it. `pointer` says where it stands.
    pub(super) fn tidy(&mut self, schema: &Value, pointer: &str) -> Result<Value, Error> {
        self.part(schema, pointer, DEEPEST)
    }

    fn part(&mut self, schema: &Value, pointer: &str, levels: usize) -> Result<Value, Error> {
        let Value::Object(members) = schema else { return Ok(schema.clone()) };
        let levels = levels.checked_sub(1).ok_or_else(|| {
            let tool = self.notes.tool;
            let message = format!("the schema of \"{tool}\" leads back to itself at {pointer}");
            Error::new(ErrorKind::CannotConstrain, message)
        })?;
        let is_said = |key: &String| !ANNOTATIONS.contains(&key.as_str());
        if JOINING.iter().any(|key| members.contains_key(*key)) {
            let mut members = members.clone();
            members.retain(|key, _| is_said(key));
            if let Some(joined) = self.joined(&members, pointer)? {
                return self.part(&joined, pointer, levels);
            }
        }
        let mut out = Map::new();
        for (key, value) in members.iter().filter(|(key, _)| is_said(key)) {
            let place = format!("{pointer}/{}", escaped(key));
            self.member(&mut out, (key, value), &place, levels)?;
        }
        if members.contains_key("patternProperties") && self.engine != GrammarEngine::Llguidance {
            out.insert("additionalProperties".to_owned(), true.into());
        }
        self.lengths(&mut out, pointer);
        self.shapes(&mut out);
        close(&mut out);
        Ok(Value::Object(out))
    }

    /// The parts that apply together as one schema; `None` where there are none.
    fn joined(
        &mut self,
        members: &Map<String, Value>,
        pointer: &str,
    ) -> Result<Option<Value>, Error> {
        let mut rest = members.clone();
        let definitions = |key: &str| matches!(key, "$defs" | "definitions");
        if let Some(Value::Array(parts)) = rest.shift_remove("allOf") {
            let mut whole = Value::Object(rest);
            for part in &parts {
                let part = self.target(part)?.clone();
                whole = merge(&whole, &part, pointer, self.notes);
            }
            return Ok(Some(whole));
        }
        let beside = |rest: &Map<String, Value>| rest.keys().any(|key| !definitions(key));
        if let Some(reference) = rest.shift_remove("$ref")
            && beside(&rest)
        {
            let target = json!({"$ref": reference});
            let target = self.target(&target)?.clone();
            return Ok(Some(merge(&Value::Object(rest), &target, pointer, self.notes)));
        }
        let key = if members.contains_key("anyOf") { "anyOf" } else { "oneOf" };
        let mut rest = members.clone();
        if let Some(Value::Array(parts)) = rest.shift_remove(key)
            && beside(&rest)
        {
            let (defined, own): (Map<_, _>, Map<_, _>) =
                rest.into_iter().partition(|(key, _)| definitions(key));
            let own = Value::Object(own);
            let mut each = Vec::new();
            for part in &parts {
                let part = self.target(part)?.clone();
                each.push(merge(&own, &part, pointer, self.notes));
            }
            let mut whole = defined;
            whole.insert(key.to_owned(), each.into());
            return Ok(Some(Value::Object(whole)));
        }
        Ok(None)
    }

    /// The schema that a reference names, or the schema itself.
    pub(super) fn target<'s>(&'s self, schema: &'s Value) -> Result<&'s Value, Error> {
        let mut schema = schema;
        for _ in 0..DEEPEST {
            let Some(path) = schema.get("$ref").and_then(Value::as_str) else { return Ok(schema) };
            schema = followed(self.root, path).ok_or_else(|| {
                let tool = self.notes.tool;
                let message = format!("the schema of \"{tool}\" refers to \"{path}\"");
                Error::new(ErrorKind::CannotConstrain, message)
            })?;
        }
        Ok(schema)
    }

    /// Takes over one member, or notes that it is not held.
    fn member(
        &mut self,
        out: &mut Map<String, Value>,
        (key, value): (&str, &Value),
        place: &str,
        levels: usize,
    ) -> Result<(), Error> {
        let is_own = self.engine == GrammarEngine::Own;
        let held = match key {
            "properties" | "$defs" | "definitions" => {
                out.insert(key.to_owned(), self.each(value, place, levels)?);
                return Ok(());
            }
            "items" | "additionalProperties" => {
                out.insert(key.to_owned(), self.part(value, place, levels)?);
                return Ok(());
            }
            "prefixItems" | "anyOf" | "oneOf" => {
                if key == "oneOf" {
                    self.notes.add(place, key, "more than one of the alternatives may fit");
                }
                let key = if key == "oneOf" { "anyOf" } else { key };
                out.insert(key.to_owned(), self.list(value, place, levels)?);
                return Ok(());
            }
            "patternProperties" if self.engine == GrammarEngine::Llguidance => {
                out.insert(key.to_owned(), self.each(value, place, levels)?);
                return Ok(());
            }
            "minLength" | "maxLength" => !is_own || value.as_u64().is_some_and(|n| n <= LONGEST),
            "multipleOf" | "pattern" => !is_own,
            "format" => !is_own && value.as_str().is_some_and(|word| FORMATS.contains(&word)),
            other => HELD.contains(&other),
        };
        if held {
            out.insert(key.to_owned(), value.clone());
            return Ok(());
        }
        self.notes.add(place, key, "not held");
        Ok(())
    }

    fn each(&mut self, all: &Value, place: &str, levels: usize) -> Result<Value, Error> {
        let Value::Object(all) = all else { return Ok(all.clone()) };
        let mut out = Map::new();
        for (key, schema) in all {
            let place = format!("{place}/{}", escaped(key));
            out.insert(key.clone(), self.part(schema, &place, levels)?);
        }
        Ok(out.into())
    }

    fn list(&mut self, all: &Value, place: &str, levels: usize) -> Result<Value, Error> {
        let all = all.as_array().map(Vec::as_slice).unwrap_or_default();
        let each = all.iter().enumerate();
        let each = each.map(|(at, schema)| self.part(schema, &format!("{place}/{at}"), levels));
        Ok(each.collect::<Result<Vec<_>, _>>()?.into())
    }

    /// Says the lengths and ranges as the engine can hold them.
    fn lengths(&mut self, out: &mut Map<String, Value>, pointer: &str) {
        let keys = ["minLength", "maxLength"];
        let bounds = keys.map(|key| out.get(key).and_then(Value::as_u64));
        if self.engine == GrammarEngine::Xgrammar && bounds.iter().any(Option::is_some) {
            // Its own lengths refuse escapes and let control characters through.
            for key in keys {
                out.shift_remove(key);
            }
            if out.contains_key("pattern") || out.contains_key("format") {
                for (key, _) in keys.iter().zip(bounds).filter(|(_, bound)| bound.is_some()) {
                    let place = format!("{pointer}/{key}");
                    self.notes.add(&place, key, "not held beside pattern or format");
                }
            } else {
                let max = bounds[1].map(|max| max.to_string()).unwrap_or_default();
                let least = bounds[0].unwrap_or_default();
                let (_, escape) = escapes('"', false);
                let plain = "[^\"\\\\\\x00-\\x1f\\x7f]";
                let pattern = format!("^(({plain})|({escape})){{{least},{max}}}$");
                out.insert("pattern".to_owned(), pattern.into());
            }
        }
        if self.engine == GrammarEngine::Own {
            let keys = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
            if keys.iter().any(|key| out.contains_key(*key)) && IntegerRange::of(out).is_none() {
                for key in keys {
                    if out.shift_remove(key).is_some() {
                        self.notes.add(&format!("{pointer}/{key}"), key, "not held");
                    }
                }
            }
        }
    }

    /// Says constant objects and arrays by their members, where the engine does not hold them.
    fn shapes(&self, out: &mut Map<String, Value>) {
        if let Some(value) = out.shift_remove("const") {
            out.insert("enum".to_owned(), json!([value]));
        }
        let kind = out.get("type").cloned();
        let kinds = kinds(kind.as_ref());
        let Some(Value::Array(words)) = out.get_mut("enum") else { return };
        words.retain(|word| kinds.is_empty() || kinds.iter().any(|kind| is_of(word, kind)));
        if self.engine != GrammarEngine::Xgrammar || !words.iter().any(is_container) {
            return;
        }
        let (containers, scalars): (Vec<_>, Vec<_>) = words.iter().cloned().partition(is_container);
        let mut parts: Vec<_> = containers.iter().map(shape).collect();
        if !scalars.is_empty() {
            parts.push(json!({"enum": scalars}));
        }
        out.shift_remove("enum");
        out.shift_remove("type");
        out.insert("anyOf".to_owned(), parts.into());
    }
}

/// Closes an object that does not say whether it may have other members.
fn close(out: &mut Map<String, Value>) {
    let is_object = kinds(out.get("type")).contains(&"object")
        || out.contains_key("properties")
        || out.contains_key("required");
    if !is_object {
        return;
    }
    let is_open = !out.contains_key("properties");
    if !out.contains_key("additionalProperties") {
        out.insert("additionalProperties".to_owned(), is_open.into());
    }
    // A required member that is not declared may be anything.
    let required = out.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if required.is_empty() {
        return;
    }
    let properties = out.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else { return };
    for name in required.iter().filter_map(Value::as_str) {
        if !properties.contains_key(name) {
            properties.insert(name.to_owned(), json!({}));
        }
    }
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// The schema of exactly this value.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let properties: Map<_, _> =
                members.iter().map(|(key, value)| (key.clone(), shape(value))).collect();
            let required: Vec<_> = members.keys().cloned().collect();
            json!({"type": "object", "properties": properties, "required": required,
                   "additionalProperties": false})
        }
        Value::Array(items) => {
            let count = items.len();
            let items: Vec<_> = items.iter().map(shape).collect();
            json!({"type": "array", "prefixItems": items, "items": false,
                   "minItems": count, "maxItems": count})
        }
        scalar => json!({"enum": [scalar]}),
    }
}

/// The schema at the end of a reference inside the document.
pub(super) fn followed<'r>(root: &'r Value, path: &str) -> Option<&'r Value> {
    root.pointer(path.strip_prefix('#')?)
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
