//! The schema of a tool's arguments, as a provider takes it.
//!
//! A provider refuses a whole request for one schema that it does not like. So what it is known to
//! refuse is left out where the tool still says what it takes, and is an error elsewhere. The
//! executor checks the arguments with the tool's own schema in any case.

use serde_json::{Map, Value, json};

use super::definition::ToolDefinition;
use super::portable_schema::make_portable;
use super::strict::{NotStrict, check_strict};
use crate::error::{Error, ErrorKind};
use crate::input_schema::usual_form;
use crate::provider::dialect::form::ToolDialect;

/// Writes the schema as one of an object.
///
/// # Errors
/// `invalid_schema` for a schema that a provider refuses, with the tool and the place.
pub(in crate::provider) fn schema_for(
    tool: &ToolDefinition<'_>,
    dialect: &ToolDialect,
    slug: &str,
    strict: bool,
) -> Result<Value, Error> {
    let (tool, schema) = (tool.name, tool.input_schema);
    let mut object = object_schema(tool, schema)?;
    let own = schema.and_then(|schema| schema.get("properties")).is_some();
    for keyword in dialect.refused_keywords {
        if object.contains_key(*keyword) {
            if !own {
                let message = format!(
                    "{slug} refuses it at the top level, and without it no properties are left"
                );
                return Err(at(tool, &format!("/{keyword}"), &message));
            }
            object.shift_remove(*keyword);
        }
    }
    make_portable(&mut object, dialect.takes_unions)
        .map_err(|(place, problem)| at(tool, &place, &format!("{slug} refuses it: {problem}")))?;
    check_properties(tool, &object, dialect)?;
    if strict && schema.is_none() {
        // Nothing is known to be an argument, so a strict model gives none.
        object.insert("required".into(), json!([]));
        object.insert("additionalProperties".into(), false.into());
    }
    let schema = Value::Object(object);
    if strict {
        check_strict(&schema).map_err(|NotStrict { place, problem }| {
            at(tool, &place, &format!("it does not qualify as strict: {problem}"))
        })?;
    }
    Ok(schema)
}

/// The error for a place of a schema; the path is a JSON Pointer.
fn at(tool: &str, path: &str, problem: &str) -> Error {
    let path = if path.is_empty() { "/" } else { path };
    let tool = tool.escape_debug();
    Error::new(ErrorKind::InvalidSchema, format!("the schema of \"{tool}\" at {path}: {problem}"))
}

/// The schema with `type` and `properties`; without a schema, one that allows any object.
fn object_schema(tool: &str, schema: Option<&Value>) -> Result<Map<String, Value>, Error> {
    let given = match schema {
        None => &Map::new(),
        Some(given @ Value::Object(_)) => &members(usual_form(given)),
        Some(_) => return Err(at(tool, "", "it must be the schema of an object")),
    };
    let is_object = match given.get("type") {
        None => true,
        Some(Value::Array(types)) => matches!(types.as_slice(), [one] if one == "object"),
        Some(one) => one == "object",
    };
    if !is_object {
        return Err(at(tool, "/type", "the arguments of a tool are an object"));
    }
    let mut object = Map::new();
    if !given.contains_key("type") {
        object.insert("type".into(), "object".into());
    }
    object.extend(given.clone());
    object.insert("type".into(), "object".into());
    if !object.contains_key("properties") {
        object.insert("properties".into(), json!({}));
    }
    Ok(object)
}

fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Checks the names of the properties.
fn check_properties(
    tool: &str,
    object: &Map<String, Value>,
    dialect: &ToolDialect,
) -> Result<(), Error> {
    let properties = object.get("properties").and_then(Value::as_object);
    for name in properties.into_iter().flat_map(Map::keys) {
        if let Some(problem) = (dialect.property_problem)(name) {
            let path = format!("/properties/{}", name.replace('~', "~0").replace('/', "~1"));
            return Err(at(tool, &path, problem));
        }
    }
    Ok(())
}
