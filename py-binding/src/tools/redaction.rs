//! Summaries of payloads, without secrets, sharing nothing with the payload that could change.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toolwire::lifecycle::{Build, Measure, Redaction, summarize_payload};
use toolwire::{Name, Tree, View};

use crate::finder::raise_failure;
use crate::node::{Json, Node, Raised, string};

/// Keys that name secrets.
#[pyclass(frozen, module = "toolwire._native")]
pub struct Secrets {
    core: Arc<Redaction>,
}

#[pymethods]
impl Secrets {
    /// Takes keys; without any, the usual ones.
    #[new]
    #[pyo3(signature = (keys=None))]
    fn new(keys: Option<Vec<String>>) -> Self {
        Self { core: Arc::new(keys.map_or_else(Redaction::default, Redaction::new)) }
    }

    /// Sums a payload up as events do.
    fn summarize<'py>(&self, payload: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        summary(payload, &self.core)
    }
}

impl Secrets {
    pub fn core(&self) -> Arc<Redaction> {
        Arc::clone(&self.core)
    }
}

/// Sums a payload up.
pub fn summary<'py>(payload: &Bound<'py, PyAny>, redaction: &Redaction) -> PyResult<Bound<'py, PyAny>> {
    let py = payload.py();
    let node: Node<'py, Json> = Node::new(payload.clone());
    summarize_payload(&node, redaction, &mut Objects { py }).map_err(|failure| raise_failure(py, failure))?
}

/// Makes Python objects; the first that cannot be made is what comes of the summary.
struct Objects<'py> {
    py: Python<'py>,
}

impl<'py> Build<Node<'py, Json>> for Objects<'py> {
    type Value = PyResult<Bound<'py, PyAny>>;

    fn text(&mut self, text: &[u8]) -> Self::Value {
        string(self.py, text).map(Bound::into_any)
    }

    fn leaf(&mut self, node: &Node<'py, Json>) -> Result<Self::Value, Raised> {
        if is_constant(&node.value)? {
            return Ok(Ok(node.value.clone()));
        }
        let class = node.value.get_type().qualname()?;
        Ok(self.text(format!("<{class} object>").as_bytes()))
    }

    fn list(&mut self, items: Vec<Self::Value>) -> Self::Value {
        let items = items.into_iter().collect::<PyResult<Vec<_>>>()?;
        PyList::new(self.py, items).map(Bound::into_any)
    }

    fn map(
        &mut self,
        _: &Node<'py, Json>,
        entries: Vec<(Name<'_, Node<'py, Json>>, Self::Value)>,
    ) -> Result<Self::Value, Raised> {
        let dict = PyDict::new(self.py);
        for (name, value) in entries {
            let value = match value {
                Ok(value) => value,
                Err(error) => return Ok(Err(error)),
            };
            match name {
                Name::Text(text) => dict.set_item(string(self.py, &text)?, value)?,
                Name::Number(number) => dict.set_item(number, value)?,
                Name::Node(node) => dict.set_item(&node.value, value)?,
            }
        }
        Ok(Ok(dict.into_any()))
    }
}

impl<'py> Measure<Node<'py, Json>> for Objects<'py> {
    fn is_longer(&mut self, node: &Node<'py, Json>, characters: usize) -> Result<bool, Raised> {
        // A tuple was never counted.
        if node.value.is_instance_of::<PyTuple>() {
            return Ok(false);
        }
        // Each item takes two characters at least, so what has more need not be written.
        if let View::List(length) | View::Map(length) = node.view()
            && length > characters
        {
            return Ok(true);
        }
        // What cannot be shown is counted.
        let Ok(text) = node.value.str() else { return Ok(true) };
        Ok(text.len()? > characters)
    }
}

/// Whether a value can be handed on as it is: nothing can change it.
fn is_constant(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    static UUID: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static DATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static TIME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static DELTA: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static ENUM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    if value.is_none()
        || value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyComplex>()
    {
        return Ok(true);
    }
    let classes = [
        (&UUID, "uuid", "UUID"),
        (&DATE, "datetime", "date"),
        (&TIME, "datetime", "time"),
        (&DELTA, "datetime", "timedelta"),
        (&DECIMAL, "decimal", "Decimal"),
        (&ENUM, "enum", "Enum"),
    ];
    for (cell, module, name) in classes {
        let class =
            cell.get_or_try_init(py, || Ok::<_, PyErr>(py.import(module)?.getattr(name)?.unbind()))?;
        if value.is_instance(class.bind(py))? {
            return Ok(true);
        }
    }
    Ok(false)
}
