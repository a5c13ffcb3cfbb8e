//! The JSON Schema of a tool's arguments: says where a value does not match it.
//!
//! No schema is fetched: one that refers to another document is refused when it is built. Messages name
//! places and rules, never the values that failed, since those may be secret.

use std::borrow::Cow;
use std::fmt;

use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::integers;

/// Failing places that are listed.
const MOST_PROBLEMS: usize = 5;

/// A schema that is ready to check arguments.
///
/// ```
/// use serde_json::json;
/// use toolwire::InputSchema;
///
/// let schema = InputSchema::new("search", &json!({"required": ["query"], "properties": {"n": {"type": "integer"}}}))?;
/// let problems = schema.problems(&json!({"n": "3", "query": "red"}));
/// assert_eq!((problems.len(), problems[0].path.as_str()), (1, "/n"));
///
/// let validated = schema.validate(&json!({"n": 3.0, "query": "red"})).unwrap().into_owned();
/// assert_eq!(validated, json!({"n": 3, "query": "red"}));
/// # Ok::<(), toolwire::Error>(())
/// ```
pub struct InputSchema {
    validator: Validator,
}

/// A place at which a value does not match its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// JSON Pointer to the value; empty for the whole.
    pub path: String,
    /// Which rule it breaks, without the value itself.
    pub message: String,
}

impl InputSchema {
    /// Makes a schema usable.
    ///
    /// # Errors
    ///
    /// `invalid_schema` when it is no valid JSON Schema or refers to another document; the message names the tool.
    pub fn new(tool: &str, schema: &Value) -> Result<Self, Error> {
        let validator = jsonschema::options().offline().build(schema).map_err(|problem| {
            let message = format!("the schema of \"{tool}\" is not usable: {problem}");
            Error::new(ErrorKind::InvalidSchema, message)
        })?;
        Ok(Self { validator })
    }

    /// Where the value does not match, at most five places; empty when it does.
    #[must_use]
    pub fn problems(&self, value: &Value) -> Vec<Problem> {
        let problems = self.validator.iter_errors(value).take(MOST_PROBLEMS);
        problems
            .map(|problem| Problem {
                path: problem.instance_path().to_string(),
                message: problem.masked().to_string(),
            })
            .collect()
    }

    /// The value as everything behind the schema is to see it: itself, unless it writes an integer as a float.
    ///
    /// JSON Schema takes `5.0` for an integer. Code that asks "is it an integer?" does not, so a number with an
    /// integral value becomes an integer wherever the schema takes integers and no other numbers.
    ///
    /// # Errors
    ///
    /// Where the value does not match, at most five places.
    pub fn validate<'v>(&self, value: &'v Value) -> Result<Cow<'v, Value>, Vec<Problem>> {
        let problems = self.problems(value);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(integers::written(&self.validator, value).map_or(Cow::Borrowed(value), Cow::Owned))
    }
}

impl fmt::Debug for InputSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InputSchema")
    }
}

/// The path with its rule; the whole value's path is `/`.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(formatter, "{path}: {}", self.message)
    }
}

/// The problems in one line.
#[must_use]
pub(crate) fn listed(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
