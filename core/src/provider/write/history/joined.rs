//! Joins the pieces of values, as the deltas of a stream bring them.

use serde_json::{Map, Value, json};

/// The members whose texts come in pieces. Any other text replaces the one before.
const PIECES: [&str; 12] = [
    "arguments",
    "content",
    "data",
    "input",
    "reasoning",
    "reasoning_content",
    "refusal",
    "summary",
    "text",
    "thinking",
    "tool_plan",
    "transcript",
];

/// How many entries of a list, from its end, a piece may belong to. It keeps the time linear.
const NEAR: usize = 256;

/// Adds the members of a delta to an object.
pub(in crate::provider) fn join(into: &mut Map<String, Value>, delta: &Map<String, Value>) {
    for (name, piece) in delta {
        match into.get_mut(name) {
            Some(held) => join_value(name, held, piece),
            None => {
                into.insert(name.clone(), begun(piece));
            }
        }
    }
}

/// A list is built anew, so that its own entries are joined as well.
fn begun(piece: &Value) -> Value {
    let Value::Array(entries) = piece else { return piece.clone() };
    let mut list = Vec::with_capacity(entries.len());
    join_list(&mut list, entries);
    Value::Array(list)
}

fn join_value(name: &str, held: &mut Value, piece: &Value) {
    match (held, piece) {
        (_, Value::Null) => {}
        (Value::String(text), Value::String(more)) if PIECES.contains(&name) => text.push_str(more),
        // Servers write placeholders into the pieces that continue.
        (Value::String(_), Value::String(more)) if more.is_empty() || more == "null" => {}
        (Value::Object(members), Value::Object(more)) => join(members, more),
        (Value::Array(entries), Value::Array(more)) => join_list(entries, more),
        (Value::Array(entries), Value::String(more)) => {
            if !more.is_empty() {
                join_list(entries, &[json!({"type": "text", "text": more})]);
            }
        }
        (held @ Value::String(_), Value::Array(more)) => {
            let text = held.as_str().filter(|text| !text.is_empty());
            let mut entries: Vec<Value> =
                text.map(|text| json!({"type": "text", "text": text})).into_iter().collect();
            join_list(&mut entries, more);
            *held = Value::Array(entries);
        }
        (held, piece) => *held = piece.clone(),
    }
}

/// Adds entries to a list. An entry with the index of another one, or of the same kind of text as
/// the last one, continues it.
fn join_list(list: &mut Vec<Value>, more: &[Value]) {
    for piece in more {
        let Value::Object(members) = piece else {
            list.push(piece.clone());
            continue;
        };
        match continued(list, members) {
            Some(Value::Object(held)) => join(held, members),
            _ => list.push(begun_object(members)),
        }
    }
}

fn begun_object(members: &Map<String, Value>) -> Value {
    let mut object = Map::new();
    join(&mut object, members);
    Value::Object(object)
}

fn continued<'l>(list: &'l mut [Value], piece: &Map<String, Value>) -> Option<&'l mut Value> {
    let same = |held: &Value, name: &str| held.get(name) == piece.get(name);
    if piece.get("index").is_some_and(Value::is_number) {
        let near = list.iter_mut().rev().take(NEAR);
        return near.into_iter().find(|held| same(held, "index") && same(held, "type"));
    }
    let kind = piece.get("type").and_then(Value::as_str);
    let is_text = matches!(kind, Some("text" | "thinking"));
    list.last_mut().filter(|last| is_text && same(last, "type") && last.get("index").is_none())
}

/// Finds the call that a piece of a call continues: that of its id, else of its index, else the
/// last one. A new id begins a call, also under an index in use.
pub(in crate::provider) fn join_call(
    calls: &mut Vec<Map<String, Value>>,
    piece: &Map<String, Value>,
) {
    let id = piece.get("id").and_then(Value::as_str).filter(|id| !id.is_empty() && *id != "null");
    let index = piece.get("index").filter(|index| index.is_number());
    let near = || (0..calls.len()).rev().take(NEAR);
    let of = |place: usize, name: &str| calls.get(place).and_then(|call| call.get(name));
    let found = match (id, index) {
        (Some(id), _) => near().find(|place| of(*place, "id").and_then(Value::as_str) == Some(id)),
        (None, Some(index)) => near().find(|place| of(*place, "index") == Some(index)),
        (None, None) => calls.len().checked_sub(1),
    };
    match found.and_then(|place| calls.get_mut(place)) {
        Some(call) => join(call, piece),
        None => calls.push(piece.clone()),
    }
}

/// A message of the assistant with this content.
pub(in crate::provider) fn message(role: &str, key: &str, content: Vec<Value>) -> Vec<Value> {
    if content.is_empty() {
        return Vec::new();
    }
    let members = [("role".to_owned(), role.into()), (key.to_owned(), content.into())];
    vec![Value::Object(Map::from_iter(members))]
}
