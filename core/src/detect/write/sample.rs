//! Arguments for an example of a call, made from the schema of a tool.

use std::cell::Cell;

use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const DEEPEST: usize = 8;
/// How many values are made: a schema that names itself many times would never end.
const MOST: usize = 1000;

/// Arguments that a schema suggests: the required ones, or one if none is required.
pub(super) fn sample_arguments(schema: Option<&Value>) -> Value {
    let Some(root) = schema.filter(|schema| schema.is_object()) else { return json!({}) };
    let sampler = Sampler { root, made: Cell::new(0) };
    match sampler.object(root, 0) {
        arguments if arguments.is_empty() => {
            let properties = root.get("properties").and_then(Value::as_object);
            let first = properties.and_then(|properties| properties.iter().next());
            let sample =
                |(name, schema): (&String, &Value)| (name.clone(), sampler.value(schema, 1));
            Value::Object(first.map(sample).into_iter().collect())
        }
        arguments => Value::Object(arguments),
    }
}

struct Sampler<'s> {
    root: &'s Value,
    /// How many values were made.
    made: Cell<usize>,
}

impl Sampler<'_> {
    /// The required members of an object.
    fn object(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let required = schema.get("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        let member = |name: &str| {
            let schema = schema.get("properties").and_then(|properties| properties.get(name));
            let value = schema.map_or_else(|| "text".into(), |one| self.value(one, depth + 1));
            (name.to_owned(), value)
        };
        names.map(member).collect()
    }

    fn value(&self, schema: &Value, depth: usize) -> Value {
        let first =
            |key: &str| schema.get(key).and_then(Value::as_array).and_then(|all| all.first());
        let given = schema.get("const").or_else(|| first("enum")).or_else(|| first("examples"));
        if let Some(given) = given.or_else(|| schema.get("default").filter(|one| !one.is_null())) {
            return given.clone();
        }
        self.made.set(self.made.get() + 1);
        if depth > DEEPEST || self.made.get() > MOST {
            return Value::Null;
        }
        let named = schema.get("$ref").and_then(Value::as_str);
        let named = named.and_then(|path| self.root.pointer(path.strip_prefix('#')?));
        let choice = named.or_else(|| first("anyOf")).or_else(|| first("oneOf"));
        if let Some(other) = choice.or_else(|| first("allOf")) {
            return self.value(other, depth + 1);
        }
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().find(|kind| *kind != "null"),
            other => other,
        };
        match kind.and_then(Value::as_str) {
            Some("integer" | "number") => {
                schema.get("minimum").filter(|least| least.is_number()).cloned().unwrap_or(json!(1))
            }
            Some("boolean") => true.into(),
            Some("null") => Value::Null,
            Some("array") => {
                let items = schema.get("items").map(|items| self.value(items, depth + 1));
                items.into_iter().collect()
            }
            Some("object") => Value::Object(self.object(schema, depth)),
            Some("string") => text(schema).into(),
            _ if schema.get("properties").is_some() => Value::Object(self.object(schema, depth)),
            _ => "text".into(),
        }
    }
}

fn text(schema: &Value) -> &'static str {
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("time") => "12:00:00Z",
        Some("email") => "ann@example.com",
        Some("uri" | "url") => "https://example.com/",
        Some("uuid") => "123e4567-e89b-42d3-a456-426614174000",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_names_itself_many_times_comes_to_an_end() {
        let names: Vec<_> = (0..50).map(|number| format!("k{number}")).collect();
        let itself = names.iter().map(|name| (name.clone(), json!({"$ref": "#"})));
        let properties: Map<_, _> = itself.collect();
        let schema = json!({"type": "object", "required": names, "properties": properties});
        let sample = sample_arguments(Some(&schema));
        assert_eq!(sample.as_object().map(Map::len), Some(50));
    }
}
