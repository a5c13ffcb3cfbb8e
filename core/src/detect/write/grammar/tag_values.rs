//! What the values of arguments in tags have in common, whether they are elements or not.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::banned::Banned;
use super::expression::{Expression, Text};
use super::kinds::{is_of, kinds};
use super::schema::{LONGEST, followed};
use crate::detect::format::reference::encoded;
use crate::detect::format::shape::{NamePlace, Parameter};
use crate::detect::write::value::{Notation, Style};

/// The style of values in tags that are no texts.
pub(super) const JSON: Style = Style { notation: Notation::Json, spaced: true };

/// The alternatives of a schema by their types, text first. References lead into `tidied`.
pub(super) fn by_kind(tidied: &Value, schema: &Value) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    push_kinds(tidied, schema, &mut all, 16);
    // What may be anything is written as text.
    if all.is_empty() {
        all.push(("string", json!({})));
    }
    all.sort_by_key(|(kind, _)| *kind != "string");
    all
}

fn push_kinds(tidied: &Value, schema: &Value, all: &mut Vec<(&'static str, Value)>, levels: usize) {
    const KINDS: [&str; 7] = ["string", "integer", "number", "boolean", "null", "array", "object"];
    let Some(levels) = levels.checked_sub(1) else { return };
    if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
        if let Some(target) = followed(tidied, path) {
            push_kinds(tidied, target, all, levels);
        }
        return;
    }
    if let Some(Value::Array(parts)) = schema.get("anyOf") {
        for part in parts {
            push_kinds(tidied, part, all, levels);
        }
        return;
    }
    if let Some(Value::Array(words)) = schema.get("enum") {
        for kind in KINDS {
            let of_kind: Vec<_> = words
                .iter()
                .filter(|word| is_of(word, kind) && (kind != "number" || word.is_f64()))
                .cloned()
                .collect();
            if !of_kind.is_empty() {
                all.push((kind, json!({"enum": of_kind})));
            }
        }
        return;
    }
    let mut named = kinds(schema.get("type"));
    if named.is_empty() && schema.get("properties").is_some() {
        named.push("object");
    }
    if named.is_empty() && schema.get("items").is_some() {
        named.push("array");
    }
    for kind in KINDS.into_iter().filter(|kind| named.contains(kind)) {
        let mut part = schema.clone();
        if let Some(members) = part.as_object_mut() {
            members.insert("type".to_owned(), kind.into());
        }
        all.push((kind, part));
    }
}

/// The name of an argument as a tag holds it.
pub(super) fn written_key<'k>(parameter: &Parameter, key: &'k str) -> Cow<'k, str> {
    let is_attribute = matches!(parameter.key, NamePlace::Attribute(_));
    if is_attribute { encoded(key) } else { Cow::Borrowed(key) }
}

pub(super) fn is_listed(schema: &Value) -> bool {
    schema.get("enum").is_some()
}

/// A text as it is, up to the end of its element.
pub(super) fn raw(schema: &Value, end: &str, without: &Banned) -> Option<Expression> {
    if is_listed(schema) {
        return listed_texts(schema, |text| format!("{text}{end}"), without);
    }
    Some(Expression::until(text(schema, without), end))
}

/// The same where a line break behind the opening is markup, with one in front of the end, but none
/// is written: a text that begins with one stands between two of them.
pub(super) fn raw_in_lines(schema: &Value, end: &str, without: &Banned) -> Option<Expression> {
    if is_listed(schema) {
        let line = |text: &str| if text.starts_with('\n') { "\n" } else { "" };
        return listed_texts(schema, |text| format!("{0}{text}{0}{end}", line(text)), without);
    }
    let inner = text(schema, without);
    // A line break that is not counted is no matter where nothing is counted.
    if inner.min == 0 {
        return Some(Expression::until(inner, end));
    }
    let between = Expression::until(inner.clone(), &format!("\n{end}"));
    let alone = Text { first_not: "\n".to_owned(), ..inner };
    Some(Expression::choice([
        Expression::until(alone, end),
        Expression::sequence([Expression::literal("\n"), between]),
    ]))
}

/// The texts that a schema lists, as they are written.
fn listed_texts(
    schema: &Value,
    write: impl Fn(&str) -> String,
    without: &Banned,
) -> Option<Expression> {
    let words = schema.get("enum").and_then(Value::as_array);
    let texts = words.into_iter().flatten().filter_map(Value::as_str);
    let texts = texts.filter(|text| !without.are_in(text));
    let texts: Vec<_> = texts.map(|text| Expression::literal(write(text))).collect();
    (!texts.is_empty()).then(|| Expression::choice(texts))
}

/// A text of the lengths that a schema allows.
fn text(schema: &Value, without: &Banned) -> Text {
    let length = |key: &str| {
        let bound = schema.get(key).and_then(Value::as_u64)?;
        u32::try_from(bound.min(LONGEST)).ok()
    };
    let min = length("minLength").unwrap_or_default();
    Text { min, max: length("maxLength"), ..Text::without(without.clone()) }
}
