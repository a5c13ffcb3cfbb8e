//! An undoing, step by step.

use pyo3::prelude::*;
use toolwire::lifecycle::{UndoAnswer, UndoStep, Undoing};

use super::clock::moment;
use super::event::{self, Words};
use super::step::ToolStep;
use super::word::word;
use crate::host::error::raise;

/// The undoing of one run. Each method gives the answer to the last step and returns the next step.
#[pyclass(module = "toolwire._native")]
pub struct ToolUndoing {
    core: Undoing,
    tool: Py<PyAny>,
    words: Words,
}

#[pymethods]
impl ToolUndoing {
    /// The tool's definition.
    #[getter]
    fn tool(&self, py: Python<'_>) -> Py<PyAny> {
        self.tool.clone_ref(py)
    }

    /// Answers that the last step was done.
    fn done(&mut self, py: Python<'_>) -> PyResult<ToolStep> {
        self.advance(py, UndoAnswer::Done)
    }

    /// Answers that the undo handler raised.
    fn raised(&mut self, error: &Bound<'_, PyAny>) -> PyResult<ToolStep> {
        let class = error.get_type().name()?.to_string();
        let message = word(error).unwrap_or_default();
        self.advance(error.py(), UndoAnswer::Raised { class, message })
    }
}

impl ToolUndoing {
    pub fn new(core: Undoing, tool: Py<PyAny>, words: Words) -> Self {
        Self { core, tool, words }
    }

    fn advance(&mut self, py: Python<'_>, answer: UndoAnswer) -> PyResult<ToolStep> {
        let step = self.core.advance(answer, moment()).map_err(|error| raise(py, &error))?;
        let made = match &step {
            UndoStep::Emit(told) => {
                let data = event::data(py, told, self.words, || Ok(py.None().into_bound(py)))?;
                Some(data.into_any().unbind())
            }
            _ => None,
        };
        Ok(ToolStep::new(step, made))
    }
}
