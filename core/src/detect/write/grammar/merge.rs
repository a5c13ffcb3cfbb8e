//! Makes one schema of two that apply together.

use serde_json::{Map, Value, json};

use super::notes::SchemaNotes;

/// The schema that both allow. What cannot be said as one is noted, and taken from the first.
pub(super) fn merge(
    one: &Value,
    other: &Value,
    pointer: &str,
    notes: &mut SchemaNotes<'_>,
) -> Value {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return match (one, other) {
            (Value::Bool(false), _) | (_, Value::Bool(false)) => false.into(),
            (Value::Bool(true), kept) | (kept, _) => kept.clone(),
        };
    };
    let mut out = one.clone();
    for (key, value) in other {
        let merged = match out.get(key) {
            None => Some(value.clone()),
            Some(own) if own == value => None,
            Some(own) => Some(member(key, own, value, pointer, notes)),
        };
        if let Some(merged) = merged {
            out.insert(key.clone(), merged);
        }
    }
    Value::Object(out)
}

fn member(
    key: &str,
    own: &Value,
    other: &Value,
    pointer: &str,
    notes: &mut SchemaNotes<'_>,
) -> Value {
    let number = |value: &Value| value.as_f64();
    let either = |first: bool| if first { own.clone() } else { other.clone() };
    match (key, own, other) {
        ("properties" | "$defs" | "definitions", Value::Object(own), Value::Object(other)) => {
            let mut all: Map<String, Value> = own.clone();
            for (name, schema) in other {
                let merged = match all.get(name) {
                    Some(own) => json!({"allOf": [own, schema]}),
                    None => schema.clone(),
                };
                all.insert(name.clone(), merged);
            }
            all.into()
        }
        ("required", Value::Array(own), Value::Array(other)) => {
            let new = other.iter().filter(|name| !own.contains(name));
            own.iter().chain(new).cloned().collect()
        }
        ("allOf", Value::Array(own), Value::Array(other)) => {
            own.iter().chain(other).cloned().collect()
        }
        ("enum", Value::Array(own), Value::Array(other)) => {
            own.iter().filter(|word| other.contains(word)).cloned().collect()
        }
        ("type", own, other) => {
            let list = |value: &Value| match value {
                Value::Array(kinds) => kinds.clone(),
                one => vec![one.clone()],
            };
            let (own, other) = (list(own), list(other));
            let narrow = |kind: &Value| {
                let numbers = kind == "number" && other.iter().any(|kind| kind == "integer");
                if other.contains(kind) || (kind == "integer" && other.contains(&"number".into())) {
                    Some(kind.clone())
                } else {
                    numbers.then(|| "integer".into())
                }
            };
            own.iter().filter_map(narrow).collect()
        }
        ("minimum" | "exclusiveMinimum" | "minLength" | "minItems", own, other) => {
            either(number(own) >= number(other))
        }
        ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems", own, other) => {
            either(number(own) <= number(other))
        }
        ("items" | "additionalProperties", own, other) => json!({"allOf": [own, other]}),
        _ => {
            notes.add(&format!("{pointer}/{key}"), key, "not held twice at one place");
            own.clone()
        }
    }
}
