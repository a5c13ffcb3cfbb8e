//! What a record looks like that nobody understands.

use std::borrow::Cow;

use crate::json::value::Json;

/// The kind of a record that is not understood.
pub(super) fn kind(record: Json<'_>) -> String {
    let named = ["type", "kind", "event", "role", "record_type"];
    named.iter().find_map(|key| record.text_of(key)).map_or_else(|| looks(record), Cow::into_owned)
}

/// What a record looks like: its first keys.
pub(super) fn looks(record: Json<'_>) -> String {
    let inner = record.items().next().unwrap_or(record);
    let keys: Vec<_> = inner.members().map(|(key, _)| format!("\"{key}\"")).take(6).collect();
    let what = if record.is_array() { "an array of records" } else { "a record" };
    if keys.is_empty() { what.to_owned() } else { format!("{what} with {}", keys.join(", ")) }
}
