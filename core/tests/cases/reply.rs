//! The topic `reply`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::Error;
use toolwire::reply::{ReplyOptions, extract_json};

use crate::case::{Case, Text};

/// The reply and the options.
#[derive(Deserialize)]
struct Input {
    text: Text,
    #[serde(flatten)]
    options: Map<String, Value>,
}

/// Runs a case of `reply`; the span and the repairs are compared if the case states them.
pub fn reply(case: &Case) -> Result<(), String> {
    let input: Input = case.input()?;
    let found = read_options(&input.options).map(|options| extract_json(&input.text.0, &options));
    let Some((found, expected)) = case.outcome(found)? else { return Ok(()) };
    let value: Value = found.as_ref().map_or(Ok(Value::Null), |found| {
        serde_json::from_str(&found.json).map_err(|error| format!("{error} in {}", found.json))
    })?;
    let mut made = Map::from_iter([("value".to_owned(), value)]);
    for name in expected.as_object().into_iter().flat_map(Map::keys).skip(1) {
        let Some(found) = &found else {
            return Err(format!("nothing was found that has a {name}"));
        };
        let value = match name.as_str() {
            "span" => json!([found.span.start, found.span.end]),
            "repairs" => found.repairs.iter().map(|note| note.code.slug()).collect(),
            _ => return Err(format!("an unknown field {name}")),
        };
        made.insert(name.clone(), value);
    }
    case.check(Ok(made.into()))
}

fn read_options(given: &Map<String, Value>) -> Result<ReplyOptions, Error> {
    let mut options = ReplyOptions::default();
    given.iter().try_for_each(|(name, value)| options.set(name, value))?;
    Ok(options)
}
