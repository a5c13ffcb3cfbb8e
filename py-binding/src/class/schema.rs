//! The JSON Schema of an object that a model writes.

use pyo3::prelude::*;
use toolwire::input_schema::Mismatch;
use toolwire::{Error, ErrorKind};

use crate::host::error::raise;
use crate::host::value::{sent_json, to_json};

/// A JSON Schema that is ready to check values; errors use ``name`` for it.
///
/// ```pycon
/// >>> from toolwire import _native
/// >>> schema = _native.InputSchema("reply", {"properties": {"n": {"type": "integer"}}})
/// >>> schema.problems({"n": "3"})
/// [('/n', 'value is not of type "integer"')]
///
/// ```
#[pyclass(frozen, module = "toolwire._native")]
pub struct InputSchema {
    core: toolwire::input_schema::InputSchema,
}

#[pymethods]
impl InputSchema {
    #[new]
    fn new(name: &str, schema: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rules = to_json("schema", schema)?;
        let core = toolwire::input_schema::InputSchema::new(name, &rules)
            .map_err(|error| raise(schema.py(), &error))?;
        Ok(Self { core })
    }

    /// Returns the places where a value does not match: JSON Pointer and rule, at most five,
    /// without the value itself. Raises ``schema_limit`` where the limits are too low to tell.
    fn problems(&self, value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
        let py = value.py();
        let value = sent_json("value", value)?;
        match self.core.check(&value) {
            Ok(()) => Ok(Vec::new()),
            Err(Mismatch::Problems(problems)) => {
                Ok(problems.into_iter().map(|one| (one.path, one.message)).collect())
            }
            Err(limit @ Mismatch::Limit) => {
                Err(raise(py, &Error::new(ErrorKind::SchemaLimit, limit.to_string())))
            }
        }
    }
}
