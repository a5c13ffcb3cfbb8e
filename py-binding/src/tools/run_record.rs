//! A run as a store has it.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolwire::lifecycle::{self, OutputGap};

use super::clock::now;
use super::failure::details;
use crate::host::json;

/// A run as a store has it.
#[pyclass(frozen, module = "toolwire._native")]
pub struct RunRecord {
    core: lifecycle::RunRecord,
}

impl From<lifecycle::RunRecord> for RunRecord {
    fn from(core: lifecycle::RunRecord) -> Self {
        Self { core }
    }
}

#[pymethods]
impl RunRecord {
    #[getter]
    fn id(&self) -> &str {
        &self.core.id
    }

    #[getter]
    fn tool_name(&self) -> &str {
        &self.core.tool.name
    }

    #[getter]
    fn tool_id(&self) -> &str {
        &self.core.tool.id
    }

    /// The state at this moment.
    #[getter]
    fn state(&self) -> &'static str {
        self.core.state(now()).slug()
    }

    #[getter]
    fn approval_id(&self) -> Option<&str> {
        self.core.approval_id.as_deref()
    }

    #[getter]
    fn created_at(&self) -> String {
        self.core.created_at.to_string()
    }

    #[getter]
    fn changed_at(&self) -> String {
        self.core.changed_at.to_string()
    }

    #[getter]
    fn mode(&self) -> Option<&str> {
        self.core.input.run.mode.as_deref()
    }

    #[getter]
    fn parent_id(&self) -> Option<&str> {
        self.core.input.run.parent_id.as_deref()
    }

    #[getter]
    fn request_id(&self) -> Option<&str> {
        self.core.input.run.request_id.as_deref()
    }

    #[getter]
    fn caller(&self) -> &str {
        &self.core.input.caller
    }

    /// The output's fields, or None. Each read gives a new value.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let outcome = self.core.outcome.as_ref();
        let output = outcome.and_then(|outcome| outcome.output.as_ref());
        output.map(|output| json::value(py, output.get().as_bytes())).transpose()
    }

    /// Why the store does not have the output of a run that completed, or None.
    #[getter]
    fn output_gap(&self) -> Option<&'static str> {
        self.core.outcome.as_ref().and_then(|outcome| outcome.gap).map(OutputGap::slug)
    }

    /// The code of the failure, or None.
    #[getter]
    fn code(&self) -> Option<&'static str> {
        self.core.failure(now()).map(|failure| failure.code().slug())
    }

    /// The values that the error's class needs besides the tool and the action.
    #[getter]
    fn details<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.core.failure(now()).map(|failure| details(py, &failure)).transpose()
    }

    /// Why the handler was cut off last, or None.
    #[getter]
    fn interruption<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(why) = self.core.interruption() else { return Ok(None) };
        let made = PyDict::new(py);
        made.set_item("code", why.code.slug())?;
        made.set_item("detail", why.detail.as_deref())?;
        made.set_item("seen_at", why.seen_at.to_string())?;
        made.set_item("attempt", why.attempt)?;
        Ok(Some(made))
    }

    fn __repr__(&self) -> String {
        format!("RunRecord(id='{}', state='{}')", self.core.id, self.state())
    }
}

impl RunRecord {
    pub fn core(&self) -> &lifecycle::RunRecord {
        &self.core
    }
}
