//! Builds objects member by member, in the order in which a provider writes them.

use serde_json::{Map, Value};

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

/// An object with these members. Unlike in `json!`, large values are moved and not copied.
pub(in crate::provider) fn object_of<const N: usize>(members: [(&str, Value); N]) -> Value {
    with_id(None, members)
}

/// An object that begins with an id, if there is one.
pub(in crate::provider) fn with_id<const N: usize>(
    id: Option<&str>,
    members: [(&str, Value); N],
) -> Value {
    let mut object = Map::with_capacity(N + usize::from(id.is_some()));
    object.extend(id.map(|id| ("id".to_owned(), id.into())));
    object.extend(members.map(|(key, value)| (key.to_owned(), value)));
    Value::Object(object)
}

/// An object with a type and one value.
pub(in crate::provider) fn typed(name: &str, key: &str, value: impl Into<Value>) -> Value {
    object_of([("type", name.into()), (key, value.into())])
}
