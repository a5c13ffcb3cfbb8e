//! Builds objects member by member, in the order in which a provider writes them.

use serde_json::{Map, Value};

use crate::provider::read::shape::JsonObject;

/// Adds a member to an object.
pub(in crate::provider) fn insert(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value.into());
    }
}

/// Adds a member to an object, if there is a value for it.
pub(in crate::provider) fn insert_some(
    object: &mut Value,
    key: &str,
    value: Option<impl Into<Value>>,
) {
    if let Some(value) = value {
        insert(object, key, value);
    }
}

/// Adds the members of another object.
pub(in crate::provider) fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

/// An object that begins with an id, if there is one.
pub(in crate::provider) fn with_id(id: Option<&str>, members: Value) -> Value {
    let mut object: JsonObject = Map::new();
    object.extend(id.map(|id| ("id".to_owned(), id.into())));
    let mut object = Value::Object(object);
    extend(&mut object, members);
    object
}

/// An object with a type and one value.
pub(in crate::provider) fn typed(name: &str, key: &str, value: impl Into<Value>) -> Value {
    let mut object = Value::Object(Map::new());
    insert(&mut object, "type", name);
    insert(&mut object, key, value);
    object
}
