//! The topic `diff`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::Error;
use toolwire::diff::{DiffResult, DiffType, TextDiff, diff_json, diff_structured, diff_text};

use crate::case::Case;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextInput {
    #[serde(rename = "function")]
    _function: String,
    old: String,
    new: String,
    #[serde(rename = "type")]
    diff_type: Option<String>,
    context_lines: Option<usize>,
    fromfile: Option<String>,
    tofile: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonInput {
    #[serde(rename = "function")]
    _function: String,
    old: Value,
    new: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldsInput {
    #[serde(rename = "function")]
    _function: String,
    old: Map<String, Value>,
    new: Map<String, Value>,
    #[serde(default)]
    ignore_keys: Vec<String>,
}

/// Runs a case of the diffs.
pub fn diff(case: &Case) -> Result<(), String> {
    let outcome = match case.function()? {
        "text" => text(&case.input()?),
        "json" => {
            let JsonInput { old, new, .. } = case.input()?;
            diff_json(&&old, &&new).map(|diff| shown(&diff)).map_err(Error::from)
        }
        "structured" => {
            let FieldsInput { old, new, ignore_keys, .. } = case.input()?;
            let ignored = |key: &&str| Ok(ignore_keys.iter().any(|ignored| ignored == key));
            diff_structured(&&old, &&new, ignored).map(|diff| shown(&diff))
        }
        other => return Err(format!("input: an unknown function {other:?}")),
    };
    case.check(outcome)
}

fn text(input: &TextInput) -> Result<Value, Error> {
    let mut options = TextDiff::default();
    if let Some(diff_type) = &input.diff_type {
        options.diff_type = DiffType::named(diff_type)?;
    }
    if let Some(context_lines) = input.context_lines {
        options.context_lines = context_lines;
    }
    if let Some(fromfile) = &input.fromfile {
        options.fromfile = fromfile.as_bytes();
    }
    if let Some(tofile) = &input.tofile {
        options.tofile = tofile.as_bytes();
    }
    Ok(shown(&diff_text(input.old.as_bytes(), input.new.as_bytes(), &options)))
}

/// A result in the form of a case's output.
fn shown(diff: &DiffResult<'_>) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let line = |line: &toolwire::diff::DiffLine<'_>| {
        json!([
            line.line_type.slug(),
            text(&line.content),
            line.line_number_old,
            line.line_number_new
        ])
    };
    json!({
        "diff_type": diff.diff_type.slug(),
        "diff_output": text(&diff.diff_output),
        "changes": diff.changes.iter().map(line).collect::<Vec<_>>(),
        "additions": diff.additions,
        "deletions": diff.deletions,
        "unchanged": diff.unchanged,
        "similarity": diff.similarity,
        "change_summary": diff.change_summary(),
    })
}
