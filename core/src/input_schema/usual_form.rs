//! What programs write for JSON Schema, in the form of JSON Schema.
//!
//! PHP has one kind of array, so a list with a gap becomes an object with numbers for keys, and an
//! empty object a list. Draft 3 of JSON Schema says of each property whether it is required, and so
//! does WordPress. All of that can mean one thing only, so it is read as that.

use std::convert::Infallible;

use serde_json::{Map, Value};

use super::parts::{MAPS, SCHEMAS, each_part};

/// The keywords whose value is a list.
const LISTS: [&str; 7] = ["enum", "required", "type", "anyOf", "oneOf", "allOf", "prefixItems"];
/// How deep schemas are looked into; one that nests deeper is refused anyway.
const DEEPEST: usize = 128;

/// Writes a schema in the form of JSON Schema; what can mean several things stays as it is.
///
/// ```
/// use serde_json::json;
/// use toolwire::input_schema::usual_form;
///
/// let of_wordpress = json!({"type": "object", "properties": {
///     "size": {"type": "string", "enum": {"0": "s", "2": "l"}, "required": true},
/// }});
/// let properties = json!({"size": {"type": "string", "enum": ["s", "l"]}});
/// let expected = json!({"type": "object", "properties": properties, "required": ["size"]});
/// assert_eq!(usual_form(&of_wordpress), expected);
/// ```
#[must_use]
pub fn usual_form(schema: &Value) -> Value {
    let mut schema = schema.clone();
    rewrite(&mut schema, DEEPEST);
    schema
}

fn rewrite(schema: &mut Value, depth: usize) {
    let (Value::Object(members), Some(depth)) = (schema, depth.checked_sub(1)) else { return };
    for (keyword, value) in members.iter_mut() {
        let keyword = keyword.as_str();
        if LISTS.contains(&keyword) {
            to_list(value, matches!(keyword, "enum" | "required"));
        } else if MAPS.contains(&keyword) || SCHEMAS.contains(&keyword) {
            to_object(value);
        }
    }
    require_as_said(members);
    let inner = |_: &str, part: &mut Value| -> Result<(), Infallible> {
        rewrite(part, depth);
        Ok(())
    };
    let Ok(()) = each_part(members, inner);
}

/// Makes a list of an object whose keys are numbers. Those of a list of `plain` values may be any
/// names: WordPress does not mind the keys of an `enum`.
fn to_list(value: &mut Value, plain: bool) {
    let Value::Object(entries) = value else { return };
    let is_number = |key: &String| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = plain && !entries.values().any(|entry| entry.is_object() || entry.is_array());
    if !entries.is_empty() && (is_plain || entries.keys().all(is_number)) {
        *value = std::mem::take(entries).into_iter().map(|(_, entry)| entry).collect();
    }
}

/// Makes an object of an empty list.
fn to_object(value: &mut Value) {
    if value.as_array().is_some_and(Vec::is_empty) {
        *value = Value::Object(Map::new());
    }
}

/// Collects the properties that say of themselves that they are required.
fn require_as_said(members: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = members.get_mut("properties") else { return };
    let mut required = Vec::new();
    for (name, property) in properties.iter_mut() {
        let Value::Object(property) = property else { continue };
        let Some(Value::Bool(is_required)) = property.get("required") else { continue };
        if *is_required {
            required.push(Value::from(name.as_str()));
        }
        property.shift_remove("required");
    }
    if required.is_empty() {
        return;
    }
    match members.get_mut("required") {
        Some(Value::Array(names)) => {
            required.retain(|name| !names.contains(name));
            names.extend(required);
        }
        Some(_) => {}
        None => {
            members.insert("required".to_owned(), required.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_in_form_stays_as_it_is() {
        for schema in [
            json!(true),
            json!({"type": ["string", "null"], "enum": ["a", {"0": 1}], "required": []}),
            json!({"properties": {"required": {"type": "boolean"}}, "required": ["required"]}),
            json!({"anyOf": {"small": {}}, "default": [], "items": [{"type": "string"}]}),
            json!({"properties": {"a": {"const": {"0": 1}, "examples": {"0": 1}}}}),
        ] {
            assert_eq!(usual_form(&schema), schema);
        }
    }

    #[test]
    fn what_php_and_wordpress_write_means_one_thing() {
        for (written, meant) in [
            (json!({"properties": []}), json!({"properties": {}})),
            (json!({"required": {"1": "a", "4": "b"}}), json!({"required": ["a", "b"]})),
            (json!({"enum": {"small": "s", "large": 2}}), json!({"enum": ["s", 2]})),
            (json!({"items": [], "type": "array"}), json!({"items": {}, "type": "array"})),
            (
                json!({"properties": {"a": {"required": true}, "b": {"required": false}}}),
                json!({"properties": {"a": {}, "b": {}}, "required": ["a"]}),
            ),
            (
                json!({"required": ["b", "a"], "properties": {"a": {"required": true}}}),
                json!({"required": ["b", "a"], "properties": {"a": {}}}),
            ),
            (
                json!({"items": {"anyOf": {"0": {"properties": []}, "3": {"enum": {"7": 1}}}}}),
                json!({"items": {"anyOf": [{"properties": {}}, {"enum": [1]}]}}),
            ),
        ] {
            assert_eq!(usual_form(&written), meant, "{written}");
            assert_eq!(usual_form(&meant), meant);
        }
    }
}
