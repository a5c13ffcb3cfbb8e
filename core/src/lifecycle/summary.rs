//! Sums a payload up for events and approvals: short, without secrets, sharing nothing with the payload.
//!
//! Under each key of the payload a text of more than 200 characters is cut and a list or map that would take
//! more than 200 characters is counted, as stageflow does; and, at any depth, what stands under a key that
//! names a secret is left out, and so is what looks like one.

use std::convert::Infallible;

use serde_json::Value;

use super::redaction::{REDACTED, Redaction, masked_text};
use crate::result::prefix;
use crate::tree::{Failure, Name, Tree, View};

/// Characters of a text, or of a list or map as text, that are shown.
const LONGEST: usize = 200;

/// Characters behind them that are looked at, so that a secret among them is known for one.
const LONGEST_SECRET: usize = 1024;

/// How deep lists and maps are copied; deeper ones are counted.
const DEEPEST: usize = 16;

/// Makes a summary in a host's own values.
pub trait Build<N: Tree> {
    /// What is made.
    type Value;

    /// A text.
    fn text(&mut self, text: &[u8]) -> Self::Value;

    /// A value that is no text, list or map.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn leaf(&mut self, node: &N) -> Result<Self::Value, N::Error>;

    /// A list.
    fn list(&mut self, items: Vec<Self::Value>) -> Self::Value;

    /// A map.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn map(&mut self, entries: Vec<(Name<'_, N>, Self::Value)>) -> Result<Self::Value, N::Error>;

    /// Whether a list or map, as the host shows it, has more characters than this.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn is_longer(&mut self, node: &N, characters: usize) -> Result<bool, N::Error>;
}

/// Sums a payload up; one that is no map is summed up as a value under a key would be.
///
/// # Errors
///
/// What the host raised.
pub fn summarize_payload<N: Tree, B: Build<N>>(
    payload: &N,
    redaction: &Redaction,
    build: &mut B,
) -> Result<B::Value, Failure<N::Error>> {
    let mut summary = Summary { redaction, build };
    match payload.view() {
        View::Map(_) => summary.entries(payload, 0),
        _ => summary.shortened(payload),
    }
}

/// Makes summaries of JSON values, for hosts whose values are JSON.
///
/// ```
/// use serde_json::json;
/// use toolwire::lifecycle::{JsonSummary, Redaction, summarize_payload};
///
/// let payload = json!({"title": "New", "api_key": "s3cr3t"});
/// let summary = summarize_payload(&&payload, &Redaction::default(), &mut JsonSummary)?;
/// assert_eq!(summary, json!({"title": "New", "api_key": "[redacted]"}));
/// # Ok::<(), toolwire::Failure<std::convert::Infallible>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonSummary;

impl<'v> Build<&'v Value> for JsonSummary {
    type Value = Value;

    fn text(&mut self, text: &[u8]) -> Value {
        Value::String(String::from_utf8_lossy(text).into_owned())
    }

    fn leaf(&mut self, node: &&'v Value) -> Result<Value, Infallible> {
        Ok((*node).clone())
    }

    fn list(&mut self, items: Vec<Value>) -> Value {
        Value::Array(items)
    }

    fn map(&mut self, entries: Vec<(Name<'_, &'v Value>, Value)>) -> Result<Value, Infallible> {
        let named = entries.into_iter().map(|(name, value)| match name {
            Name::Text(text) => (String::from_utf8_lossy(&text).into_owned(), value),
            Name::Number(number) => (number.to_string(), value),
            Name::Node(node) => (node.to_string(), value),
        });
        Ok(Value::Object(named.collect()))
    }

    fn is_longer(&mut self, node: &&'v Value, characters: usize) -> Result<bool, Infallible> {
        Ok(node.to_string().chars().nth(characters).is_some())
    }
}

struct Summary<'s, B> {
    redaction: &'s Redaction,
    build: &'s mut B,
}

impl<B> Summary<'_, B> {
    /// The entries of a map; those of the payload itself are shortened.
    fn entries<N: Tree>(&mut self, map: &N, depth: usize) -> Result<B::Value, Failure<N::Error>>
    where
        B: Build<N>,
    {
        let mut entries = Vec::new();
        map.entries(|name, value| {
            let secret = match &name {
                Name::Text(text) => std::str::from_utf8(text).is_ok_and(|key| self.redaction.hides(key)),
                _ => false,
            };
            let value = match depth {
                _ if secret => self.build.text(REDACTED.as_bytes()),
                0 => self.shortened(&value)?,
                _ => self.copied(&value, depth)?,
            };
            entries.push((name.into_owned(), value));
            Ok(())
        })?;
        self.build.map(entries).map_err(Failure::Host)
    }

    /// A value of the payload: a copy if it is short.
    fn shortened<N: Tree>(&mut self, value: &N) -> Result<B::Value, Failure<N::Error>>
    where
        B: Build<N>,
    {
        match value.view() {
            View::Text(text) => {
                // A secret that begins in what is shown is struck out before the text is cut.
                let looked_at = prefix(&text, LONGEST + LONGEST_SECRET);
                let masked = masked_text(looked_at);
                let shown = prefix(&masked, LONGEST);
                if shown.len() == masked.len() && looked_at.len() == text.len() {
                    return Ok(self.build.text(shown));
                }
                Ok(self.build.text(&[shown, b"..."].concat()))
            }
            View::List(_) | View::Map(_)
                if self.build.is_longer(value, LONGEST).map_err(Failure::Host)? =>
            {
                Ok(self.counted(value))
            }
            _ => self.copied(value, 1),
        }
    }

    /// A copy of a value, without secrets.
    fn copied<N: Tree>(&mut self, value: &N, depth: usize) -> Result<B::Value, Failure<N::Error>>
    where
        B: Build<N>,
    {
        match value.view() {
            View::List(_) | View::Map(_) if depth > DEEPEST => Ok(self.counted(value)),
            View::Map(_) => self.entries(value, depth + 1),
            View::List(_) => {
                let mut items = Vec::new();
                value.items(|item| {
                    items.push(self.copied(&item, depth + 1)?);
                    Ok(())
                })?;
                Ok(self.build.list(items))
            }
            View::Text(text) => Ok(self.build.text(&masked_text(&text))),
            _ => self.build.leaf(value).map_err(Failure::Host),
        }
    }

    /// How many items a list or map has.
    fn counted<N: Tree>(&mut self, value: &N) -> B::Value
    where
        B: Build<N>,
    {
        let (kind, length) = match value.view() {
            View::Map(length) => ("dict", length),
            View::List(length) => ("list", length),
            _ => ("value", 1),
        };
        self.build.text(format!("<{kind} with {length} items>").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn summed(payload: &Value) -> Value {
        summarize_payload(&payload, &Redaction::default(), &mut JsonSummary)
            .unwrap_or_else(|_| panic!("reading a JSON value cannot fail"))
    }

    #[test]
    fn long_values_are_cut_and_counted() {
        let long = "ä".repeat(201);
        let numbers: Vec<usize> = (0..100).collect();
        let map: Map<String, Value> = numbers.iter().map(|n| (format!("key{n}"), json!(n))).collect();
        let payload = json!({"text": long, "list": numbers, "map": map, "n": 1, "short": [1, {"a": null}]});
        let expected = json!({
            "text": "ä".repeat(200) + "...",
            "list": "<list with 100 items>",
            "map": "<dict with 100 items>",
            "n": 1,
            "short": [1, {"a": null}],
        });
        assert_eq!(summed(&payload), expected);
    }

    #[test]
    fn secrets_are_left_out_at_any_depth() {
        let payload =
            json!({"password": "x", "headers": [{"Authorization": "y", "n": 1}], "apiKey": {"a": 1}});
        let expected = json!({"password": "[redacted]", "headers": [{"Authorization": "[redacted]", "n": 1}], "apiKey": "[redacted]"});
        assert_eq!(summed(&payload), expected);
    }

    #[test]
    fn a_payload_that_nests_without_end_is_counted() {
        let mut payload = json!([]);
        for _ in 0..60 {
            payload = json!([payload]);
        }
        assert!(summed(&json!({"deep": payload})).to_string().contains("<list with 1 items>"));
    }
}
