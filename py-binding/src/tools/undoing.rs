//! An undoing, step by step.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolwire::lifecycle::{UndoAnswer, UndoStep, Undoing};

use super::clock::moment;
use super::event;
use super::word::word;
use crate::error::raise;

/// A step: its word, and what goes with it.
///
/// ``run``; ``emit`` with an event's name and data; ``forget``; ``release``; ``finished`` with what the handler's
/// error says, or None.
type Handed<'py> = (Bound<'py, PyString>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The undoing of one run; each method says what came of the last step and gives the next.
#[pyclass(module = "toolwire._native")]
pub struct ToolUndoing {
    core: Undoing,
    tool: Py<PyAny>,
}

#[pymethods]
impl ToolUndoing {
    /// The tool's definition.
    #[getter]
    fn tool(&self, py: Python<'_>) -> Py<PyAny> {
        self.tool.clone_ref(py)
    }

    /// The last step was done.
    fn done<'py>(&mut self, py: Python<'py>) -> PyResult<Handed<'py>> {
        self.advance(py, UndoAnswer::Done)
    }

    /// The undo handler raised.
    fn raised<'py>(&mut self, error: &Bound<'py, PyAny>) -> PyResult<Handed<'py>> {
        let class = error.get_type().name()?.to_string();
        let message = word(error).unwrap_or_default();
        self.advance(error.py(), UndoAnswer::Raised { class: &class, message: &message })
    }
}

impl ToolUndoing {
    pub fn new(core: Undoing, tool: Py<PyAny>) -> Self {
        Self { core, tool }
    }

    fn advance<'py>(&mut self, py: Python<'py>, answer: UndoAnswer<'_>) -> PyResult<Handed<'py>> {
        let none = || py.None().into_bound(py);
        let step = self.core.advance(answer, moment()).map_err(|error| raise(py, &error))?;
        Ok(match step {
            UndoStep::Run => (intern!(py, "run").clone(), none(), none()),
            UndoStep::Emit(told) => {
                let data = event::data(py, &told, || Ok(py.None().into_bound(py)))?;
                (
                    intern!(py, "emit").clone(),
                    PyString::intern(py, told.kind.name()).into_any(),
                    data.into_any(),
                )
            }
            UndoStep::Forget => (intern!(py, "forget").clone(), none(), none()),
            UndoStep::Release => (intern!(py, "release").clone(), none(), none()),
            UndoStep::Finished(failed) => {
                (intern!(py, "finished").clone(), failed.into_pyobject(py)?, none())
            }
        })
    }
}
