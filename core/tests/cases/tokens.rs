//! The topic `tokens`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::token::{ChunkOptions, chunk_text, count_tokens, truncate_to_tokens};
use toolwire::{Error, ErrorKind};

use crate::case::Case;

/// The text, the function's name and the options.
#[derive(Deserialize)]
struct Input {
    function: String,
    text: String,
    tokens: Option<i64>,
    #[serde(flatten)]
    options: Map<String, Value>,
}

/// Runs a case of `tokens`.
pub fn tokens(case: &Case) -> Result<(), String> {
    let Input { function, text, tokens, options } = case.input()?;
    if function != "chunks" && !options.is_empty() || tokens.is_some() != (function == "truncate") {
        return Err(format!("input: not the options of {function}"));
    }
    case.check(match function.as_str() {
        "count" => Ok(json!({ "tokens": count_tokens(&text) })),
        "truncate" => truncated(&text, tokens.unwrap_or_default()),
        "chunks" => chunks(&text, &options),
        other => return Err(format!("input: an unknown function {other:?}")),
    })
}

/// Truncates a text; the type rules out a negative number, which the other languages must refuse.
fn truncated(text: &str, tokens: i64) -> Result<Value, Error> {
    let tokens = usize::try_from(tokens)
        .map_err(|error| Error::new(ErrorKind::InvalidOption, error.to_string()))?;
    Ok(json!({ "text": truncate_to_tokens(text, tokens) }))
}

fn chunks(text: &str, given: &Map<String, Value>) -> Result<Value, Error> {
    let mut options = ChunkOptions::default();
    given.iter().try_for_each(|(name, value)| options.set(name, value))?;
    let chunks: Vec<_> = chunk_text(text, &options)
        .iter()
        .map(|chunk| json!([chunk.text, chunk.span.start, chunk.span.end, chunk.token_count]))
        .collect();
    Ok(json!({ "chunks": chunks }))
}
