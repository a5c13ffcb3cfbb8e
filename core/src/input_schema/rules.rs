//! The rules of a JSON Schema, as its validator knows them.

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::input_schema::integers::{Integers, holds_integral_float};

/// The number of problems that are listed at most.
const MOST_PROBLEMS: usize = 5;

/// The rules of a schema.
pub(super) struct Rules {
    validator: Validator,
    /// Built when a value first writes an integer as a float.
    integers: OnceLock<Option<Integers>>,
}

impl Rules {
    /// Reads the rules of a schema, or says why it has none.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::options().offline().build(schema);
        let validator = validator.map_err(|problem| problem.to_string())?;
        Ok(Self { validator, integers: OnceLock::new() })
    }

    /// The paths at which a value breaks a rule, each with the rule; at most five.
    pub(super) fn problems(&self, value: &Value) -> Vec<(String, String)> {
        let problems = self.validator.iter_errors(value).take(MOST_PROBLEMS);
        problems
            .map(|problem| (problem.instance_path().to_string(), problem.masked().to_string()))
            .collect()
    }

    /// The value with integers written as such; `None` if they are.
    pub(super) fn integers_written(&self, schema: &Value, value: &Value) -> Option<Value> {
        if !holds_integral_float(value) {
            return None;
        }
        self.integers.get_or_init(|| Integers::new(schema)).as_ref()?.written(value)
    }
}
