//! Whether a schema qualifies as strict: the part of JSON Schema that OpenAI's structured outputs
//! support, in which every object is closed and requires all of its properties.

use serde_json::{Map, Value};

/// The keywords that hold no schema.
const PLAIN: [&str; 18] = [
    "type",
    "title",
    "description",
    "enum",
    "const",
    "required",
    "additionalProperties",
    "$ref",
    "$schema",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];

/// The keywords that hold a map of schemas.
const MAPS: [&str; 3] = ["properties", "$defs", "definitions"];

/// How deep schemas may nest.
const DEEPEST: usize = 64;

/// Why a schema is not strict.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::provider) struct NotStrict {
    /// The place in the schema, as a JSON Pointer.
    pub(in crate::provider) place: String,
    pub(in crate::provider) problem: String,
}

impl NotStrict {
    fn at(place: String, problem: &str) -> Self {
        Self { place, problem: problem.to_owned() }
    }
}

/// Checks a schema of an object.
pub(in crate::provider) fn check_strict(schema: &Value) -> Result<(), NotStrict> {
    if schema.get("anyOf").is_some() {
        let problem = "the whole schema must be one object";
        return Err(NotStrict::at("/anyOf".to_owned(), problem));
    }
    check(schema, "", 0)
}

fn check(schema: &Value, path: &str, depth: usize) -> Result<(), NotStrict> {
    let refuse = |problem: &str| Err(NotStrict::at(path.to_owned(), problem));
    let Value::Object(members) = schema else {
        return refuse("a schema must be an object");
    };
    if depth > DEEPEST {
        return refuse("the schema nests too deep");
    }
    if is_object(members) {
        check_object(members, path)?;
    }
    for (keyword, value) in members {
        let below = format!("{path}/{}", escaped(keyword));
        match (keyword.as_str(), value) {
            (keyword, Value::Object(schemas)) if MAPS.contains(&keyword) => {
                for (name, schema) in schemas {
                    check(schema, &format!("{below}/{}", escaped(name)), depth + 1)?;
                }
            }
            ("items", schema) => check(schema, &below, depth + 1)?,
            ("anyOf", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    check(schema, &format!("{below}/{index}"), depth + 1)?;
                }
            }
            (keyword, _) if PLAIN.contains(&keyword) => {}
            (keyword, _) => {
                let problem = format!("{} is not supported", keyword.escape_debug());
                return Err(NotStrict { place: below, problem });
            }
        }
    }
    Ok(())
}

fn is_object(members: &Map<String, Value>) -> bool {
    let named = match members.get("type") {
        Some(Value::Array(types)) => types.iter().any(|one| one == "object"),
        Some(one) => one == "object",
        None => false,
    };
    named || members.contains_key("properties")
}

/// An object is closed, and requires what it has.
fn check_object(members: &Map<String, Value>, path: &str) -> Result<(), NotStrict> {
    if members.get("additionalProperties") != Some(&Value::Bool(false)) {
        let place = format!("{path}/additionalProperties");
        return Err(NotStrict::at(place, "additionalProperties must be false"));
    }
    let required = members.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        required.is_some_and(|required| required.iter().any(|one| one.as_str() == Some(name)))
    };
    let properties = members.get("properties").and_then(Value::as_object);
    let missing =
        properties.and_then(|properties| properties.keys().find(|name| !is_required(name)));
    match missing {
        None => Ok(()),
        Some(name) => {
            let place = format!("{path}/properties/{}", escaped(name));
            Err(NotStrict::at(place, "every property must be required"))
        }
    }
}

/// A key as a step of a JSON Pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
