//! The JSON Schema of a tool's arguments: it says where a value does not match.
//!
//! No schema is fetched: a schema that refers to another document is refused when it is built.
//! Messages name places and rules, but never the failed values, since a value may be secret.

//!
//! Without the crate's feature `schema`, no schema can be built: each is refused when it is given.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, ErrorKind};
#[cfg(not(feature = "schema"))]
use crate::input_schema::no_rules::NoRules as Rules;
#[cfg(feature = "schema")]
use crate::input_schema::rules::Rules;

#[cfg(feature = "schema")]
mod integers;
#[cfg(not(feature = "schema"))]
mod no_rules;
#[cfg(feature = "schema")]
mod rules;

/// The characters of a path or a message at most.
const MOST_TEXT: usize = 500;

/// A schema that is ready to check arguments.
///
/// ```
/// use serde_json::json;
/// use toolwire::input_schema::InputSchema;
///
/// let schema = json!({"required": ["query"], "properties": {"n": {"type": "integer"}}});
/// let schema = InputSchema::new("search", &schema)?;
/// let problems = schema.problems(&json!({"n": "3", "query": "red"}));
/// assert_eq!((problems.len(), problems[0].path.as_str()), (1, "/n"));
///
/// let validated = schema.validate(&json!({"n": 3.0, "query": "red"})).unwrap().into_owned();
/// assert_eq!(validated, json!({"n": 3, "query": "red"}));
/// # Ok::<(), toolwire::Error>(())
/// ```
pub struct InputSchema {
    rules: Rules,
    schema: Value,
}

/// A place at which a value does not match its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// JSON Pointer to the value; empty for the whole.
    pub path: String,
    /// The rule that the value breaks, without the value itself.
    pub message: String,
}

impl InputSchema {
    /// Builds a schema from its JSON.
    ///
    /// # Errors
    ///
    /// `invalid_schema` when the value is not a valid JSON Schema or refers to another document,
    /// or when the crate was built without its feature `schema`; the message names the tool.
    pub fn new(tool: &str, schema: &Value) -> Result<Self, Error> {
        let rules = Rules::new(schema).map_err(|problem| {
            let message = format!("the schema of \"{tool}\" is not usable: {problem}");
            Error::new(ErrorKind::InvalidSchema, message)
        })?;
        Ok(Self { rules, schema: schema.clone() })
    }

    /// The schema itself.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.schema
    }

    /// The places where the value does not match, at most five; empty when the value matches.
    #[must_use]
    pub fn problems(&self, value: &Value) -> Vec<Problem> {
        let problems = self.rules.problems(value).into_iter();
        let problem = |(path, message)| Problem { path: bounded(path), message: bounded(message) };
        problems.map(problem).collect()
    }

    /// The value with each integer written as an integer; the unchanged value unless it writes an
    /// integer as a float.
    ///
    /// JSON Schema accepts `5.0` as an integer, but code that asks "is it an integer?" does not. So
    /// a number with an integral value becomes an integer wherever a part of the schema that
    /// applies to it names integers.
    ///
    /// # Errors
    ///
    /// The places where the value does not match, at most five.
    pub fn validate<'v>(&self, value: &'v Value) -> Result<Cow<'v, Value>, Vec<Problem>> {
        let problems = self.problems(value);
        if !problems.is_empty() {
            return Err(problems);
        }
        let written = self.rules.integers_written(&self.schema, value);
        Ok(written.map_or(Cow::Borrowed(value), Cow::Owned))
    }
}

impl fmt::Debug for InputSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InputSchema")
    }
}

/// Writes the path and its rule; the path of the whole value is written `/`.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(formatter, "{path}: {}", self.message)
    }
}

/// Shortens a text by leaving out its middle: the text may quote long names that a model made up.
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
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_quotes_only_so_much_of_a_name() {
        let inner = json!({"additionalProperties": false, "properties": {"a": true}});
        let closed = json!({"additionalProperties": false, "properties": {"in": inner}});
        let schema = InputSchema::new("closed", &closed).unwrap();
        for value in [json!({"é".repeat(100_000): 1}), json!({"in": {"x".repeat(100_000): 1}})] {
            let problems = schema.problems(&value);
            assert_eq!(problems.len(), 1);
            let Problem { path, message } = &problems[0];
            assert!(path.chars().count() + message.chars().count() <= 2 * MOST_TEXT + 2);
            assert!(message.starts_with("Additional properties are not allowed"), "{message}");
            assert!(message.ends_with("unexpected)"), "{message}");
        }
    }
}
