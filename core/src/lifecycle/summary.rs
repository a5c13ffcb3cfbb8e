//! Sums a payload up for events and approvals: short, without secrets, sharing nothing with the payload.
//!
//! Under each key of the payload a text of more than 200 characters is cut and a list or map that would take
//! more than 200 characters is counted, as stageflow does; and, at any depth, what stands under a key that
//! names a secret is left out.

use std::convert::Infallible;

use serde_json::Value;

use crate::result::prefix;
use crate::tree::{Failure, Name, Tree, View};

/// Characters of a text, or of a list or map as text, that are shown.
const LONGEST: usize = 200;

/// How deep lists and maps are copied; deeper ones are counted.
const DEEPEST: usize = 16;

/// What is shown of a secret.
pub const REDACTED: &str = "[redacted]";

/// Keys that name secrets.
///
/// A key names a secret if the words of a listed one stand in it in a row, whatever its case and whether words
/// are joined by `_`, `-`, a space or a capital letter: `api_key` finds `apiKey`, `X-API-KEY` and `apikey`,
/// and `token` finds `access_token`, but not `max_tokens`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    secrets: Vec<Words>,
}

impl Default for Redaction {
    fn default() -> Self {
        Self::new(["password", "passwd", "token", "secret", "authorization", "api_key", "private_key"])
    }
}

impl Redaction {
    /// Takes the keys that name secrets; those without a letter or digit are ignored.
    pub fn new<K: AsRef<str>>(keys: impl IntoIterator<Item = K>) -> Self {
        let secrets = keys.into_iter().map(|key| Words::of(key.as_ref()));
        Self { secrets: secrets.filter(|words| !words.joined.is_empty()).collect() }
    }

    /// Whether what stands under this key is left out.
    #[must_use]
    pub fn hides(&self, key: &str) -> bool {
        if self.secrets.is_empty() {
            return false;
        }
        let words = Words::of(key);
        self.secrets.iter().any(|secret| words.joined == secret.joined || words.hold(secret))
    }
}

/// The words of a key in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Words {
    joined: String,
    /// Where each word ends in them.
    ends: Vec<usize>,
}

impl Words {
    fn of(key: &str) -> Self {
        let (mut joined, mut ends) = (String::with_capacity(key.len()), Vec::new());
        let (mut start, mut after_small) = (0, false);
        for character in key.chars() {
            let starts = !character.is_alphanumeric() || (after_small && character.is_uppercase());
            if starts && joined.len() > start {
                start = joined.len();
                ends.push(start);
            }
            if character.is_alphanumeric() {
                joined.extend(character.to_lowercase());
            }
            after_small = character.is_lowercase() || character.is_numeric();
        }
        if joined.len() > start {
            ends.push(joined.len());
        }
        Self { joined, ends }
    }

    /// Whether other words stand in a row among these.
    fn hold(&self, others: &Self) -> bool {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.enumerate().any(|(word, start)| {
            let ends = self.ends.iter().skip(word).map(|end| end - start);
            self.joined.get(start..).is_some_and(|rest| rest.starts_with(&others.joined))
                && ends.take(others.ends.len()).eq(others.ends.iter().copied())
        })
    }
}

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
                let shown = prefix(&text, LONGEST);
                if shown.len() == text.len() {
                    return Ok(self.build.text(&text));
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
            View::Text(text) => Ok(self.build.text(&text)),
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
    fn keys_name_secrets_by_their_words() {
        let redaction = Redaction::default();
        for key in [
            "password",
            "userPassword",
            "db-password",
            "X-API-KEY",
            "apikey",
            "api_key",
            "access_token",
            "TOKEN",
        ] {
            assert!(redaction.hides(key), "{key}");
        }
        for key in ["max_tokens", "secretary", "passage", "key", "api", "", "tokenizer"] {
            assert!(!redaction.hides(key), "{key}");
        }
        assert!(!Redaction::new(["", "-"]).hides("password"));
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
