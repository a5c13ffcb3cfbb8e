//! The rules of a JSON Schema, as its validator knows them, within bounds.
//!
//! The validator's work may grow exponentially with a schema or a value, and so may the errors that
//! it collects. So the cost of a schema is bounded when it is built ([`SchemaCost`]); and each look
//! at a value is counted while the schema is applied ([`Looks`]). Validity comes first: errors are
//! collected for a value that is not valid, and have bounds of their own.

use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::input_schema::cost::SchemaCost;
use crate::input_schema::extent::ValueExtent;
use crate::input_schema::integers::{Integers, holds_integral_float};
use crate::input_schema::looks::{CountedJson, Look, Looks, options};
use crate::input_schema::problem::{Mismatch, Problem, Unusable};

/// The number of problems that are listed at most.
const MOST_PROBLEMS: usize = 5;

/// The steps for a value: so many, and so many for each value within it.
const STEPS: u64 = 200_000;
const STEPS_A_NODE: u64 = 1_000;

/// The steps for collecting errors: each may keep an error and what the validator knows beside it.
const ERROR_STEPS: u64 = 20_000;
const ERROR_STEPS_A_NODE: u64 = 200;

/// The steps for writing integers as integers, which keeps a note of each step.
const NOTED_STEPS: u64 = 100_000;
const NOTED_STEPS_A_NODE: u64 = 50;

/// The memory of all errors, in units of 64 bytes.
const ERROR_UNITS: u64 = 500_000;
/// The bytes of the errors that may still come after the last unit is spent.
const LAST_ERROR_BYTES: usize = 64 << 20;
/// The bytes of an error without its path.
const ERROR_BYTES: usize = 400;

/// The most schemas and values that are within each other at once: each takes from the stack.
const MOST_LEVELS: usize = 1_000;

/// The rules of a schema.
pub(super) struct Rules {
    validator: Validator<CountedJson>,
    cost: SchemaCost,
    /// Built when a value first writes an integer as a float.
    integers: OnceLock<Option<Integers>>,
}

impl Rules {
    /// Reads the rules of a schema, or says why it has none.
    pub(super) fn new(schema: &Value) -> Result<Self, Unusable> {
        let cost = SchemaCost::of(schema).map_err(Unusable::Limit)?;
        let validator = options().build(schema);
        let validator = validator.map_err(|problem| {
            let place = problem.instance_path().as_str();
            let place = if place.is_empty() { "/" } else { place };
            Unusable::Invalid(format!("at {place}: {problem}"))
        })?;
        Ok(Self { validator, cost, integers: OnceLock::new() })
    }

    /// Whether a value obeys the rules; the problems are at most five.
    pub(super) fn check(&self, value: &Value) -> Result<(), Mismatch> {
        let extent = self.extent(value)?;
        let nodes = wide(extent.nodes);
        let looks = |steps| Looks::new(&self.cost, &extent, steps, ERROR_UNITS);
        let first = looks(STEPS.saturating_add(STEPS_A_NODE.saturating_mul(nodes)));
        let is_valid = self.validator.is_valid(Look::new(value, &first));
        if first.are_spent() {
            return Err(Mismatch::Limit);
        }
        if is_valid {
            return Ok(());
        }
        if self.last_error_bytes(&extent) > LAST_ERROR_BYTES {
            return Err(Mismatch::Limit);
        }
        let steps = ERROR_STEPS.saturating_add(ERROR_STEPS_A_NODE.saturating_mul(nodes));
        let all = looks(steps);
        let mut problems: Vec<_> = self
            .validator
            .iter_errors(Look::new(value, &all))
            .take(MOST_PROBLEMS)
            .map(|error| problem(&error))
            .collect();
        if all.are_spent() {
            // The first error may be found where the list of all is too long.
            let one = looks(steps);
            let error = self.validator.validate(Look::new(value, &one)).err();
            problems = error.iter().map(problem).collect();
            if one.are_spent() {
                return Err(Mismatch::Limit);
            }
        }
        let problems: Option<Vec<Problem>> = problems.into_iter().collect();
        match problems {
            Some(problems) if !problems.is_empty() => Err(Mismatch::Problems(problems)),
            _ => Err(Mismatch::Limit),
        }
    }

    /// The value with integers written as such; `None` if they are. The value must obey the rules.
    pub(super) fn integers_written(
        &self,
        schema: &Value,
        value: &Value,
    ) -> Result<Option<Value>, Mismatch> {
        if !holds_integral_float(value) {
            return Ok(None);
        }
        let Some(integers) = self.integers.get_or_init(|| Integers::new(schema)) else {
            return Ok(None);
        };
        let extent = self.extent(value)?;
        let steps = NOTED_STEPS_A_NODE.saturating_mul(wide(extent.nodes));
        let looks = Looks::new(&self.cost, &extent, NOTED_STEPS.saturating_add(steps), ERROR_UNITS)
            .with_paths(&extent);
        let written = integers.written(value, &looks);
        if looks.are_spent() { Err(Mismatch::Limit) } else { Ok(written) }
    }

    /// The bytes of the errors that may still come after the last unit is spent: one for each
    /// check of the values that the validator is in. With patterns, those of the whole value keep
    /// a copy of it.
    fn last_error_bytes(&self, extent: &ValueExtent) -> usize {
        let error = ERROR_BYTES + extent.path + self.cost.detail;
        let copy = if self.cost.patterns.any { extent.bytes } else { 0 };
        let levels = error.saturating_mul(extent.depth + 1);
        levels.saturating_add(copy).saturating_mul(self.cost.checks)
    }

    /// The extent of a value that the stack is deep enough for.
    fn extent(&self, value: &Value) -> Result<ValueExtent, Mismatch> {
        ValueExtent::of(value, MOST_LEVELS / self.cost.height).ok_or(Mismatch::Limit)
    }
}

/// The problem of an error; `None` if a pattern was given up, so nothing is known.
fn problem(error: &ValidationError<'_>) -> Option<Problem> {
    match error.kind() {
        ValidationErrorKind::BacktrackLimitExceeded { .. }
        | ValidationErrorKind::RegexEngineFailure { .. } => None,
        _ => Some(Problem::new(error.instance_path().to_string(), error.masked().to_string())),
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
