//! How a value fails to match a schema, and why a schema cannot be used.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The characters of a path or a message at most.
#[cfg(feature = "schema")]
const MOST_TEXT: usize = 500;

/// A place at which a value does not match its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// JSON Pointer to the value; empty for the whole.
    pub path: String,
    /// The rule that the value breaks, without the value itself.
    pub message: String,
}

/// How a value fails to match a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The places that do not match, at most five.
    Problems(Vec<Problem>),
    /// Whether the value matches, or where it does not, cannot be found out within the bounds on
    /// steps, depth and memory: `schema_limit`.
    Limit,
}

/// Why a schema cannot be used.
#[cfg_attr(not(feature = "schema"), allow(dead_code, reason = "then no schema can be used"))]
pub(super) enum Unusable {
    /// It is no valid JSON Schema, or refers to another document.
    Invalid(String),
    /// It is too large, as written or without its references.
    Limit(&'static str),
}

impl Problem {
    /// A problem with texts of bounded length: they may quote long names that a model made up.
    #[cfg(feature = "schema")]
    pub(super) fn new(path: String, message: String) -> Self {
        Self { path: bounded(path), message: bounded(message) }
    }
}

/// Writes the path and its rule; the path of the whole value is written `/`.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(formatter, "{path}: {}", self.message)
    }
}

/// Writes the problems in one line.
impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problems(problems) => formatter.write_str(&listed(problems)),
            Self::Limit => formatter.write_str(LIMIT),
        }
    }
}

/// What a person reads of [`Mismatch::Limit`].
const LIMIT: &str =
    "the schema cannot be applied to the arguments within the limits on steps, depth and memory";

/// Shortens a text by leaving out its middle.
#[cfg(feature = "schema")]
fn bounded(text: String) -> String {
    if text.chars().nth(MOST_TEXT).is_none() {
        return text;
    }
    let half = MOST_TEXT / 2;
    let end: Vec<char> = text.chars().rev().take(half).collect();
    text.chars().take(half).chain(std::iter::once('…')).chain(end.into_iter().rev()).collect()
}

/// The problems in one line.
#[must_use]
pub(crate) fn listed(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(all(test, feature = "schema"))]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_ends() {
        let short = "é".repeat(MOST_TEXT);
        assert_eq!(bounded(short.clone()), short);
        let long = bounded(format!("a{}z", "é".repeat(100_000)));
        assert_eq!(long.chars().count(), MOST_TEXT + 1);
        assert!(long.starts_with('a') && long.ends_with('z'));
    }
}
