//! Joins the arguments that Gemini streams in parts, each with its JSON path.
//!
//! A part is `{jsonPath, stringValue | numberValue | boolValue | nullValue, willContinue}`. A text
//! that will continue goes on in the next part with its path; no other value can be given twice.
//! What cannot be joined is refused: arguments are never guessed.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::call::RejectionCode;
use crate::json::Repair;
use crate::provider::read::arguments::{self, MAX_DEPTH, Read, Refused, Spelling};
use crate::provider::read::{JsonObject, Shape};

/// The arguments so far.
#[derive(Clone, Debug, Default)]
pub(in crate::provider) struct PartialArguments {
    value: Value,
    /// The paths of the texts that will continue.
    open: HashSet<String>,
    /// Why the parts cannot be joined.
    fault: Option<Refused>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum JsonStep {
    Key(String),
    Index(usize),
}

/// What a `functionCall` says of its arguments' parts.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct ArgumentParts<'v> {
    parts: Option<&'v Value>,
    /// Whether more parts follow.
    pub(in crate::provider) continues: bool,
}

impl<'v> ArgumentParts<'v> {
    /// Reads the members of a `functionCall`; `None` if it says nothing of parts.
    pub(in crate::provider) fn of(call: &'v JsonObject) -> Option<Self> {
        let parts = either(call, "partialArgs", "partial_args").filter(|parts| !parts.is_null());
        let continues = either(call, "willContinue", "will_continue");
        let continues = continues.and_then(Value::as_bool).unwrap_or_default();
        (parts.is_some() || continues).then_some(Self { parts, continues })
    }
}

fn either<'v>(object: &'v JsonObject, camel: &str, snake: &str) -> Option<&'v Value> {
    object.get(camel).or_else(|| object.get(snake))
}

/// The arguments of a whole call that has parts; `None` for a call without any.
pub(in crate::provider) fn arguments(
    object: &JsonObject,
    shape: &Shape,
    whole: Option<&Value>,
) -> Option<Result<Read, Refused>> {
    let [outer, _] = shape.arguments else { return None };
    let call = object.get(*outer)?.as_object()?;
    let part = ArgumentParts::of(call)?;
    let mut joined = PartialArguments::begun(whole);
    joined.take(&part);
    Some(if part.continues { Err(unfinished()) } else { joined.read() })
}

fn unfinished() -> Refused {
    let message = "more parts of the arguments were to follow".to_owned();
    Refused { code: RejectionCode::Incomplete, message }
}

impl PartialArguments {
    /// Begins with the arguments that came as a whole, if there are any.
    pub(in crate::provider) fn begun(whole: Option<&Value>) -> Self {
        let value = whole.filter(|whole| !whole.is_null()).cloned();
        Self { value: value.unwrap_or_else(|| Value::Object(Map::new())), ..Self::default() }
    }

    /// Adds the next parts.
    pub(in crate::provider) fn take(&mut self, part: &ArgumentParts<'_>) {
        let parts = match part.parts {
            None => return,
            Some(Value::Array(parts)) => parts,
            Some(_) => return self.fail("partialArgs must be a list"),
        };
        for part in parts {
            if self.fault.is_some() {
                return;
            }
            if let Err(message) = self.add(part) {
                self.fail(message);
            }
        }
    }

    /// Takes whole arguments behind parts, which would make two of them.
    pub(in crate::provider) fn take_whole(&mut self, whole: Option<&Value>) {
        let empty = match whole {
            None | Some(Value::Null) => true,
            Some(Value::Object(entries)) => entries.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(_) => false,
        };
        if !empty {
            self.fail("whole arguments follow arguments in parts");
        }
    }

    fn fail(&mut self, message: &str) {
        let refused = Refused { code: RejectionCode::BadShape, message: message.to_owned() };
        self.fault.get_or_insert(refused);
    }

    fn add(&mut self, part: &Value) -> Result<(), &'static str> {
        let part = part.as_object().ok_or("a part of the arguments must be an object")?;
        let path = either(part, "jsonPath", "json_path").and_then(Value::as_str);
        let path = path.ok_or("a part of the arguments has no path")?;
        let steps = steps(path).ok_or("the path of a part cannot be read")?;
        let continues = either(part, "willContinue", "will_continue");
        let continues = continues.and_then(Value::as_bool).unwrap_or_default();
        let begun = self.open.contains(path);
        match value_of(part)? {
            Some(Value::String(piece)) if begun => match place(&mut self.value, &steps)? {
                Value::String(text) => text.push_str(&piece),
                _ => return Err("a text goes on where there is another value"),
            },
            Some(_) if begun => return Err("a text goes on with another value"),
            None if begun => {}
            value => {
                let place = place(&mut self.value, &steps)?;
                if !place.is_null() {
                    return Err("a path comes twice");
                }
                *place = value.unwrap_or_else(|| String::new().into());
            }
        }
        if continues {
            self.open.insert(path.to_owned());
        } else {
            self.open.remove(path);
        }
        Ok(())
    }

    /// The arguments, once all parts have come.
    pub(in crate::provider) fn read(&self) -> Result<Read, Refused> {
        if let Some(refused) = &self.fault {
            return Err(refused.clone());
        }
        if !self.open.is_empty() {
            return Err(unfinished());
        }
        arguments::read(Some(&self.value), Spelling::Object, Repair::Off)
    }
}

/// The value of a part; none if the part has no value.
fn value_of(part: &JsonObject) -> Result<Option<Value>, &'static str> {
    let kinds = [
        ("stringValue", "string_value"),
        ("numberValue", "number_value"),
        ("boolValue", "bool_value"),
    ];
    let mut found = None;
    for (camel, snake) in kinds {
        let Some(value) = either(part, camel, snake).filter(|value| !value.is_null()) else {
            continue;
        };
        let fits = match camel {
            "stringValue" => value.is_string(),
            "numberValue" => value.is_number(),
            _ => value.is_boolean(),
        };
        if !fits || found.is_some() {
            return Err("the value of a part is not of its kind");
        }
        found = Some(value.clone());
    }
    let null = either(part, "nullValue", "null_value").is_some();
    match found {
        Some(_) if null => Err("the value of a part is not of its kind"),
        None if null => Ok(Some(Value::Null)),
        found => Ok(found),
    }
}

/// The steps of a JSON path that leads to one value: `$.a[0]['b']`.
fn steps(path: &str) -> Option<Vec<JsonStep>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() >= MAX_DEPTH {
            return None;
        }
        let (step, behind) = if let Some(named) = rest.strip_prefix('.') {
            let end = named.find(['.', '[']).unwrap_or(named.len());
            let (key, behind) = named.split_at(end);
            (JsonStep::Key(key.to_owned()), behind)
        } else {
            bracketed(rest.strip_prefix('[')?)?
        };
        if step == JsonStep::Key(String::new()) && !path.contains(['\'', '"']) {
            return None;
        }
        steps.push(step);
        rest = behind;
    }
    (!steps.is_empty()).then_some(steps)
}

/// The step in brackets, behind the opening one, and what follows it.
fn bracketed(rest: &str) -> Option<(JsonStep, &str)> {
    let quote = rest.chars().next()?;
    if !matches!(quote, '\'' | '"') {
        let (digits, behind) = rest.split_once(']')?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        return plain.then(|| Some((JsonStep::Index(digits.parse().ok()?), behind)))?;
    }
    let (mut key, mut escaped) = (String::new(), false);
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => {
                key.push(character);
                escaped = false;
            }
            '\\' => escaped = true,
            _ if character == quote => {
                let behind = rest.get(at + 1..)?.strip_prefix(']')?;
                return Some((JsonStep::Key(key), behind));
            }
            _ => key.push(character),
        }
    }
    None
}

/// The value under a path, which is made if it is not there; a list grows by one at a time.
fn place<'v>(root: &'v mut Value, steps: &[JsonStep]) -> Result<&'v mut Value, &'static str> {
    let mut at = root;
    for step in steps {
        at = match step {
            JsonStep::Key(key) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                let object = at.as_object_mut().ok_or("a path leads through a value")?;
                object.entry(key.as_str()).or_insert(Value::Null)
            }
            JsonStep::Index(index) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let list = at.as_array_mut().ok_or("a path leads through a value")?;
                if *index == list.len() {
                    list.push(Value::Null);
                }
                list.get_mut(*index).ok_or("a path leaves out an item of a list")?
            }
        };
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(parts: &Value) -> Result<String, RejectionCode> {
        let call = json!({"partialArgs": parts});
        let mut arguments = PartialArguments::begun(None);
        arguments.take(&ArgumentParts::of(call.as_object().unwrap()).unwrap());
        arguments.read().map(|read| read.json).map_err(|refused| refused.code)
    }

    #[test]
    fn paths_lead_to_keys_and_items() {
        let key = |key: &str| JsonStep::Key(key.to_owned());
        assert_eq!(steps("$.a[0].b"), Some(vec![key("a"), JsonStep::Index(0), key("b")]));
        assert_eq!(steps(r#"$['a.b']["it\"s"]"#), Some(vec![key("a.b"), key("it\"s")]));
        for bad in ["", "$", "a", "$a", "$.", "$..a", "$.a[", "$.a[x]", "$[*]", "$['a'", "$[-1]"] {
            assert_eq!(steps(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_joined_is_refused() {
        let text = |path: &str, text: &str| json!({"jsonPath": path, "stringValue": text});
        assert_eq!(joined(&json!([text("$.a", "x")])), Ok(r#"{"a":"x"}"#.to_owned()));
        for parts in [
            json!([text("$.a", "x"), text("$.a", "y")]),
            json!([text("$.a", "x"), text("$.a.b", "y")]),
            json!([text("$.a[7]", "x")]),
            json!([text("$.a[18446744073709551615]", "x")]),
            json!([{"jsonPath": "$.a", "numberValue": "7"}]),
            json!([{"jsonPath": "$.a", "numberValue": 7, "boolValue": true}]),
            json!(["x"]),
            json!("x"),
        ] {
            assert_eq!(joined(&parts), Err(RejectionCode::BadShape), "{parts}");
        }
        let open = json!([{"jsonPath": "$.a", "stringValue": "x", "willContinue": true}]);
        assert_eq!(joined(&open), Err(RejectionCode::Incomplete));
    }
}
