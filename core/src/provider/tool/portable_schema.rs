//! Writes a schema with the words that a provider takes, so that it means the same.
//!
//! OpenAI, Gemini and those who copy them refuse an array that says nothing of its items. Some
//! refuse a list of types.

use serde_json::{Map, Value, json};

use crate::input_schema::each_part;

/// Rewrites a schema for a provider that takes lists of types, or refuses them.
///
/// # Errors
/// The place, as a JSON Pointer, of what the provider refuses and no other words say.
pub(in crate::provider) fn make_portable(
    schema: &mut Map<String, Value>,
    takes_unions: bool,
) -> Result<(), (String, &'static str)> {
    rewrite(schema, takes_unions, "")
}

fn rewrite(
    schema: &mut Map<String, Value>,
    takes_unions: bool,
    path: &str,
) -> Result<(), (String, &'static str)> {
    if !takes_unions {
        split_union(schema, path)?;
    }
    let is_array = schema.get("type").is_some_and(|kind| kind == "array");
    if is_array && !schema.contains_key("items") && !schema.contains_key("prefixItems") {
        schema.insert("items".to_owned(), json!({}));
    }
    each_part(schema, |place, part| match part {
        Value::Object(part) => rewrite(part, takes_unions, &format!("{path}{place}")),
        _ => Ok(()),
    })
}

/// Writes a list of types as alternatives. The other keywords apply beside them, as before; those
/// of one type do not concern values of another one.
fn split_union(schema: &mut Map<String, Value>, path: &str) -> Result<(), (String, &'static str)> {
    let Some(Value::Array(types)) = schema.get("type") else { return Ok(()) };
    if let [only] = types.as_slice() {
        schema.insert("type".to_owned(), only.clone());
        return Ok(());
    }
    if schema.contains_key("anyOf") {
        return Err((format!("{path}/type"), "it takes one type, or anyOf, and not both"));
    }
    let own = |kind: &Value| {
        // Items and properties stand beside their type, where a server looks for them.
        let mut one = Map::new();
        one.insert("type".to_owned(), kind.clone());
        let of_type: &[&str] = match kind.as_str() {
            Some("array") => &["items", "prefixItems"],
            Some("object") => &["properties", "required", "additionalProperties"],
            _ => &[],
        };
        for keyword in of_type {
            if let Some(value) = schema.get(*keyword) {
                one.insert((*keyword).to_owned(), value.clone());
            }
        }
        Value::Object(one)
    };
    let alternatives: Vec<_> = types.iter().map(own).collect();
    for keyword in
        ["type", "items", "prefixItems", "properties", "required", "additionalProperties"]
    {
        schema.shift_remove(keyword);
    }
    schema.insert("anyOf".to_owned(), alternatives.into());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portable(schema: &Value, takes_unions: bool) -> Result<Value, (String, &'static str)> {
        let mut members = schema.as_object().unwrap().clone();
        make_portable(&mut members, takes_unions).map(|()| Value::Object(members))
    }

    #[test]
    fn an_array_says_that_its_items_are_anything() {
        let schema = json!({"properties": {"a": {"type": "array"}, "b": {"anyOf": [
            {"type": "array", "prefixItems": [{"type": "array"}]}, {"type": "string"},
        ]}}});
        let expected = json!({"properties": {"a": {"type": "array", "items": {}}, "b": {"anyOf": [
            {"type": "array", "prefixItems": [{"type": "array", "items": {}}]}, {"type": "string"},
        ]}}});
        assert_eq!(portable(&schema, true), Ok(expected));
    }

    #[test]
    fn several_types_are_alternatives_where_a_list_is_refused() {
        let schema = json!({"properties": {"a": {
            "type": ["array", "null"], "items": {"type": ["integer", "string"]}, "title": "A",
        }, "b": {"type": ["string"]}}});
        assert_eq!(portable(&schema, true), Ok(schema.clone()));
        let items = json!({"anyOf": [{"type": "integer"}, {"type": "string"}]});
        let array = json!({"type": "array", "items": items});
        let expected = json!({"properties": {
            "a": {"title": "A", "anyOf": [array, {"type": "null"}]},
            "b": {"type": "string"},
        }});
        assert_eq!(portable(&schema, false), Ok(expected));
        let both = json!({"items": {"type": ["string", "null"], "anyOf": [true]}});
        let (place, _) = portable(&both, false).unwrap_err();
        assert_eq!(place, "/items/type");
    }
}
