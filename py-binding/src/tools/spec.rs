//! The description of a tool and its limits, checked once at the registration.

use std::sync::Arc;

use pyo3::prelude::*;
use toolwire::lifecycle::{RateLimit, microseconds};
use toolwire::provider::ToolHints;
use toolwire::registry;

use super::word::{optional_word, word};
use crate::host::error::raise;
use crate::host::value::to_json;

/// The description of a tool and its limits.
#[pyclass(frozen, module = "toolwire._native")]
pub struct ToolSpec {
    core: Arc<registry::ToolSpec>,
}

#[pymethods]
impl ToolSpec {
    /// Reads a definition's fields, and prepares its schema.
    #[new]
    fn new(definition: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = definition.py();
        let field = |name: &str| definition.getattr(name);
        // A definition of stageflow's form has its words, and one of another class may lack fields.
        let extra = |name: &str| -> PyResult<_> {
            Ok(definition.getattr_opt(name)?.filter(|value| !value.is_none()))
        };
        let words = |list: Option<Bound<'_, PyAny>>| -> PyResult<Vec<String>> {
            match list {
                Some(list) => list.try_iter()?.map(|item| word(&item?)).collect(),
                None => Ok(Vec::new()),
            }
        };
        let rate_limit =
            match extra("rate_limit")?.map(|limit| limit.extract::<(u32, f64)>()).transpose()? {
                Some((count, seconds)) => Some(
                    RateLimit::new(count, microseconds(seconds))
                        .map_err(|error| raise(py, &error))?,
                ),
                None => None,
            };
        let modes = match extra("allowed_behaviors")? {
            Some(theirs) => Some(theirs),
            None => extra("modes")?,
        };
        let name = field("name")?;
        let id = extra("action_type")?.unwrap_or_else(|| name.clone());
        let artifact = extra("artifact_type")?;
        let spec = registry::ToolSpec {
            description: word(&field("description")?)?,
            allowed_modes: words(modes)?,
            requires_approval: field("requires_approval")?.is_truthy()?,
            approval_message: optional_word(&field("approval_message")?)?,
            undoable: field("undoable")?.is_truthy()?,
            artifact_type: artifact.map(|kind| word(&kind)).transpose()?,
            aliases: words(extra("aliases")?)?,
            capability: extra("capability")?.map(|capability| word(&capability)).transpose()?,
            limits: registry::ToolLimits { rate: rate_limit, timeout: None },
            hints: hints_of(definition)?,
            ..registry::ToolSpec::new(word(&name)?).with_id(word(&id)?)
        };
        let schema = to_json("input_schema", &field("input_schema")?)?;
        let spec = spec.with_schema(&schema).map_err(|error| raise(py, &error))?;
        spec.check().map_err(|error| raise(py, &error))?;
        Ok(Self { core: Arc::new(spec) })
    }
}

impl ToolSpec {
    /// Returns the specification as core's type.
    pub fn core(&self) -> &Arc<registry::ToolSpec> {
        &self.core
    }
}

/// Reads what a tool says of its effect; an object that lacks a hint does not say it.
pub fn hints_of(tool: &Bound<'_, PyAny>) -> PyResult<ToolHints> {
    let hint = |name: &str| -> PyResult<_> {
        let given = tool.getattr_opt(name)?.filter(|value| !value.is_none());
        given.map(|hint| hint.is_truthy()).transpose()
    };
    Ok(ToolHints { read_only: hint("read_only")?, destructive: hint("destructive")? })
}
