//! What a provider writes beside a call and wants back with it: signatures, ids of items, states.
//!
//! Gemini refuses a call that comes back without the `thoughtSignature` of its part, and OpenAI's
//! copies of it keep that signature in `extra_content`. Members that are not known are kept too.

use serde_json::{Map, Value};

use super::arguments::{MAX_DEPTH, is_deeper};
use super::shape::{JsonObject, Kept, Shape};

/// The members that a call is written with anyway, or that only a stream has.
const WRITTEN: [&str; 9] = [
    "type",
    "index",
    "channel",
    "jsonrpc",
    "method",
    "partialArgs",
    "partial_args",
    "willContinue",
    "will_continue",
];

/// Both spellings of Gemini's signature.
const SIGNATURES: [&str; 2] = ["thoughtSignature", "thought_signature"];

/// Everything beside a call in its object; none if that nests too deep.
pub(in crate::provider) fn beside(object: &JsonObject, shape: &Shape) -> Option<JsonObject> {
    let mut found = Map::new();
    for (key, value) in object {
        if shape.kept == Kept::Nothing || WRITTEN.contains(&key.as_str()) {
            continue;
        }
        if SIGNATURES.contains(&key.as_str()) {
            found.insert(SIGNATURES[0].to_owned(), value.clone());
            continue;
        }
        if shape.kept == Kept::Signature {
            continue;
        }
        let paths = [shape.id, shape.name, shape.arguments];
        let mut inside = paths.into_iter().filter(|path| path.first() == Some(&key.as_str()));
        let Some(first) = inside.next() else {
            found.insert(key.clone(), value.clone());
            continue;
        };
        let Some(inner) = value.as_object().filter(|_| first.len() > 1) else { continue };
        let own = |key: &String| paths.iter().any(|path| path.get(1) == Some(&key.as_str()));
        let rest: JsonObject = inner
            .iter()
            .filter(|(key, _)| !own(key) && !WRITTEN.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !rest.is_empty() {
            let written = shape.written_key.unwrap_or(key);
            found.insert(written.to_owned(), Value::Object(rest));
        }
    }
    let deep = found.values().any(|value| is_deeper(value, MAX_DEPTH - 2));
    (!deep).then_some(found)
}

/// The JSON text of what stands beside a call; none if nothing does.
pub(in crate::provider) fn written(found: JsonObject) -> Option<Box<str>> {
    (!found.is_empty()).then(|| Value::Object(found).to_string().into_boxed_str())
}

/// Adds the members of another object; where both have one, the later one counts.
pub(in crate::provider) fn add(target: &mut JsonObject, other: JsonObject) {
    for (key, value) in other {
        match (target.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => add(inner, value),
            (_, value) => {
                target.insert(key, value);
            }
        }
    }
}

/// Adds the members that an object lacks.
pub(in crate::provider) fn fill(target: &mut JsonObject, other: JsonObject) {
    for (key, value) in other {
        match (target.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => fill(inner, value),
            (Some(_), _) => {}
            (None, value) => {
                target.insert(key, value);
            }
        }
    }
}
