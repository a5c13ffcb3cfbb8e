//! The schemas that stand in a schema.

use serde_json::{Map, Value};

/// The keywords whose value is a map of schemas.
pub(super) const MAPS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// The keywords whose value is a schema.
pub(super) const SCHEMAS: [&str; 9] = [
    "items",
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedProperties",
];
/// The keywords whose value is a list of schemas. In older drafts `items` may have one.
const LISTS: [&str; 5] = ["anyOf", "oneOf", "allOf", "prefixItems", "items"];

/// Shows each schema that stands directly in a schema, with its place there as a JSON Pointer.
pub(crate) fn each_part<E>(
    schema: &mut Map<String, Value>,
    mut show: impl FnMut(&str, &mut Value) -> Result<(), E>,
) -> Result<(), E> {
    for (keyword, value) in schema.iter_mut() {
        let keyword = keyword.as_str();
        match value {
            Value::Object(parts) if MAPS.contains(&keyword) => {
                for (name, part) in parts.iter_mut() {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    show(&format!("/{keyword}/{name}"), part)?;
                }
            }
            Value::Array(parts) if LISTS.contains(&keyword) => {
                for (index, part) in parts.iter_mut().enumerate() {
                    show(&format!("/{keyword}/{index}"), part)?;
                }
            }
            part if SCHEMAS.contains(&keyword) => show(&format!("/{keyword}"), part)?,
            _ => {}
        }
    }
    Ok(())
}
