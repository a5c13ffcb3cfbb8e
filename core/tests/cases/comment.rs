//! The topics `comment`, `quote` and `visible`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::Error;
use toolwire::comment::{PublishOptions, publishable};
use toolwire::compat::issue_agent::{clean_comment, comment_from_reply};
use toolwire::detect::quote;
use toolwire::redact::Redactor;
use toolwire::visible::visible_bytes;

use crate::case::{Case, Text};

/// The text, the function's name and the options.
#[derive(Deserialize)]
struct Input {
    function: String,
    text: String,
    #[serde(flatten)]
    options: Map<String, Value>,
}

/// Runs a case of `comment`.
pub fn comment(case: &Case) -> Result<(), String> {
    let Input { function, text, options } = case.input()?;
    if function != "publishable" && !options.is_empty() {
        return Err(format!("input: {function} has no options"));
    }
    case.check(match function.as_str() {
        "clean" => Ok(json!({ "text": clean_comment(&text) })),
        "from_reply" => Ok(json!({ "text": comment_from_reply(&text) })),
        "redact" => Ok(json!({ "text": Redactor::default().redact(&text).text })),
        "publishable" => posted(&text, &options),
        other => return Err(format!("input: an unknown function {other:?}")),
    })
}

fn posted(text: &str, given: &Map<String, Value>) -> Result<Value, Error> {
    let mut options = PublishOptions::default();
    given.iter().try_for_each(|(name, value)| options.set(name, value))?;
    let published = publishable(text, &options);
    let changes: Map<String, Value> = published
        .changes
        .iter()
        .map(|change| (change.code.slug().to_owned(), change.count.into()))
        .collect();
    Ok(json!({ "text": published.text, "changes": changes }))
}

/// The text, without options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    text: Text,
}

/// Runs a case of `visible`.
pub fn visible(case: &Case) -> Result<(), String> {
    let Shown { text } = case.input()?;
    case.check(Ok(json!({ "text": visible_bytes(&text.0) })))
}

/// Runs a case of `quote`.
pub fn quoted(case: &Case) -> Result<(), String> {
    let Shown { text } = case.input()?;
    case.check(Ok(json!({ "text": String::from_utf8_lossy(&quote(&text.0)) })))
}
