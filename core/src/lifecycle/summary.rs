//! Sums a payload up for events and approvals: short, without secrets, sharing nothing with the payload.
//!
//! Under each key of the payload a text of more than 200 characters is cut and a list or map that would take
//! more than 200 characters is counted, as stageflow does; and, at any depth, what stands under a key that
//! names a secret is left out, and so is what looks like one.

use std::convert::Infallible;

use serde_json::Value;

use super::masked_copy::{Build, JsonBuild, MaskedCopy};
use super::redaction::Redaction;
use crate::text::prefix;
use crate::tree::{Failure, Tree, View};

/// Characters of a text, or of a list or map as text, that are shown.
const LONGEST: usize = 200;

/// How deep lists and maps are copied; deeper ones are counted.
const DEEPEST: usize = 16;

/// Says how long a host's values are when they are shown.
pub trait Measure<N: Tree> {
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
///
/// ```
/// use serde_json::json;
/// use toolwire::lifecycle::{JsonBuild, Redaction, summarize_payload};
///
/// let payload = json!({"title": "New", "api_key": "s3cr3t"});
/// let summary = summarize_payload(&&payload, &Redaction::default(), &mut JsonBuild)?;
/// assert_eq!(summary, json!({"title": "New", "api_key": "[redacted]"}));
/// # Ok::<(), toolwire::Failure<std::convert::Infallible>>(())
/// ```
pub fn summarize_payload<N: Tree, B: Build<N> + Measure<N>>(
    payload: &N,
    redaction: &Redaction,
    build: &mut B,
) -> Result<B::Value, Failure<N::Error>> {
    let mut copy = MaskedCopy::new(redaction, build, DEEPEST);
    match payload.view() {
        View::Map(_) => copy.map(payload, shortened),
        _ => shortened(&mut copy, payload),
    }
}

impl<'v> Measure<&'v Value> for JsonBuild {
    fn is_longer(&mut self, node: &&'v Value, characters: usize) -> Result<bool, Infallible> {
        Ok(node.to_string().chars().nth(characters).is_some())
    }
}

/// A value of the payload: a copy if it is short.
fn shortened<N: Tree, B: Build<N> + Measure<N>>(
    copy: &mut MaskedCopy<'_, B>,
    value: &N,
) -> Result<B::Value, Failure<N::Error>> {
    match value.view() {
        View::Text(text) => {
            // A secret that is cut may not be known for one any more, so the whole text is masked first.
            let masked = copy.redaction.masked_text(&text);
            let shown = prefix(&masked, LONGEST);
            if shown.len() == masked.len() {
                return Ok(copy.build.text(shown));
            }
            Ok(copy.build.text(&[shown, b"..."].concat()))
        }
        View::List(_) | View::Map(_) if copy.build.is_longer(value, LONGEST).map_err(Failure::Host)? => {
            Ok(copy.counted(value))
        }
        _ => copy.value(value, 1),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn summed(payload: &Value) -> Value {
        summarize_payload(&payload, &Redaction::default(), &mut JsonBuild)
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
    fn a_secret_that_the_cut_parts_is_masked() {
        let token = format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.c2lnbmF0dXJl", "zdWIiOiIxMjM0".repeat(200));
        let short = format!("ghp_{}", "Aa0".repeat(12));
        let expected = json!({"text": "[redacted] and more", "nested": {"[redacted]": "[redacted]"}});
        assert_eq!(
            summed(&json!({"text": token.clone() + " and more", "nested": {&*short: short}})),
            expected
        );
        let many = format!("{token}\n").repeat(30);
        assert_eq!(summed(&json!(many)), json!("[redacted]\n".repeat(30)[..200].to_owned() + "..."));
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
