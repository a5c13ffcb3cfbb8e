//! The JSON Schema of a tool's arguments: it says where a value does not match.
//!
//! No schema is fetched: a schema that refers to another document is refused when it is built.
//! Messages name places and rules, but never the failed values, since a value may be secret.
//!
//! A schema and a value may come from strangers, and together ask for endless work. A schema that
//! can blow up whatever the value is refused as `schema_limit` when it is built; a value that would
//! need too many steps, levels or bytes is a [`Mismatch::Limit`].
//!
//! Without the crate's feature `schema`, no schema can be built: each is refused when it is given.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use crate::error::{Error, ErrorKind};
#[cfg(not(feature = "schema"))]
use crate::input_schema::no_rules::NoRules as Rules;
use crate::input_schema::problem::Unusable;
#[cfg(feature = "schema")]
use crate::input_schema::rules::Rules;

pub(crate) use parts::each_part;
#[cfg(feature = "runs")]
pub(crate) use problem::listed;
pub use problem::{Mismatch, Problem};
pub use usual_form::usual_form;

#[cfg(feature = "schema")]
mod cost;
#[cfg(feature = "schema")]
mod distinct;
#[cfg(feature = "schema")]
mod extent;
#[cfg(feature = "schema")]
mod graph;
#[cfg(feature = "schema")]
mod integers;
#[cfg(feature = "schema")]
mod looks;
#[cfg(not(feature = "schema"))]
mod no_rules;
mod parts;
#[cfg(feature = "schema")]
mod patterns;
mod problem;
#[cfg(feature = "schema")]
mod rules;
mod usual_form;

/// A schema that is ready to check arguments.
///
/// ```
/// use serde_json::json;
/// use toolwire::input_schema::{InputSchema, Mismatch};
///
/// let schema = json!({"required": ["query"], "properties": {"n": {"type": "integer"}}});
/// let schema = InputSchema::new("search", &schema)?;
/// let Err(Mismatch::Problems(problems)) = schema.check(&json!({"n": "3", "query": "red"})) else {
///     panic!("a text is no integer");
/// };
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

impl InputSchema {
    /// Builds a schema from its JSON, in its [usual form](usual_form).
    ///
    /// # Errors
    ///
    /// `invalid_schema` when the value is not a valid JSON Schema or refers to another document,
    /// or when the crate was built without its feature `schema`. `schema_limit` when the schema is
    /// too large: it nests deeper than 128 levels or has more than 50,000 parts; or, its
    /// references written out, more than 10,000 checks apply to one value; or its patterns need
    /// more than 32 MiB. The message names the tool.
    pub fn new(tool: &str, schema: &Value) -> Result<Self, Error> {
        let schema = usual_form(schema);
        let rules = Rules::new(&schema).map_err(|problem| {
            let (kind, problem) = match problem {
                Unusable::Invalid(problem) => (ErrorKind::InvalidSchema, problem),
                Unusable::Limit(problem) => (ErrorKind::SchemaLimit, problem.to_owned()),
            };
            Error::new(kind, format!("the schema of \"{tool}\" is not usable: {problem}"))
        })?;
        Ok(Self { rules, schema })
    }

    /// The schema itself.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.schema
    }

    /// Checks whether a value matches.
    ///
    /// # Errors
    ///
    /// The places where it does not match, at most five; or [`Mismatch::Limit`].
    pub fn check(&self, value: &Value) -> Result<(), Mismatch> {
        self.rules.check(value)
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
    /// The places where the value does not match, at most five; or [`Mismatch::Limit`].
    pub fn validate<'v>(&self, value: &'v Value) -> Result<Cow<'v, Value>, Mismatch> {
        self.check(value)?;
        let written = self.rules.integers_written(&self.schema, value)?;
        Ok(written.map_or(Cow::Borrowed(value), Cow::Owned))
    }
}

impl fmt::Debug for InputSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InputSchema")
    }
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
            let Err(Mismatch::Problems(problems)) = schema.check(&value) else { panic!() };
            assert_eq!(problems.len(), 1);
            let Problem { path, message } = &problems[0];
            assert!(path.chars().count() + message.chars().count() <= 1002);
            assert!(message.starts_with("Additional properties are not allowed"), "{message}");
            assert!(message.ends_with("unexpected)"), "{message}");
        }
    }
}
