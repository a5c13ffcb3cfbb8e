//! Summaries of payloads, without secrets. A summary shares no mutable value with its payload.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use toolwire::Tree;
use toolwire::lifecycle::{Measure, summarize_payload};
use toolwire::redact::{Build, Redaction};
use toolwire::tree::{Name, View};

use crate::host::node::{Json, Node, Raised, raise_failure, string};
use crate::host::value::is_constant;

/// Keys that name secrets.
#[pyclass(frozen, module = "toolwire._native")]
pub struct Secrets {
    core: Arc<Redaction>,
}

#[pymethods]
impl Secrets {
    /// Makes a set of keys. Without keys, it has the usual ones.
    #[new]
    #[pyo3(signature = (keys=None))]
    fn new(keys: Option<Vec<String>>) -> Self {
        Self { core: Arc::new(keys.map_or_else(Redaction::default, Redaction::new)) }
    }

    /// Makes the summary of a payload, as events have it.
    fn summarize<'py>(&self, payload: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        summary(payload, &self.core)
    }

    /// Copies a whole value without its secrets.
    fn mask<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        let node: Node<'py, Json> = Node::new(value.clone());
        self.core.mask(&node, &mut Objects { py }).map_err(|failure| raise_failure(py, failure))?
    }
}

impl Secrets {
    pub fn core(&self) -> Arc<Redaction> {
        Arc::clone(&self.core)
    }
}

/// Makes the summary of a payload.
pub fn summary<'py>(
    payload: &Bound<'py, PyAny>,
    redaction: &Redaction,
) -> PyResult<Bound<'py, PyAny>> {
    let py = payload.py();
    let node: Node<'py, Json> = Node::new(payload.clone());
    summarize_payload(&node, redaction, &mut Objects { py })
        .map_err(|failure| raise_failure(py, failure))?
}

/// Makes Python objects. The first object that cannot be made gives the error of the summary.
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
    fn length(&mut self, node: &Node<'py, Json>, most: usize) -> Result<Option<usize>, Raised> {
        let value = &node.value;
        // Some values are longer in any case, so they are not written: each item takes two
        // characters, each byte takes one, and a digit takes less than four bits.
        let is_longer = match node.view() {
            View::List(length) | View::Map(length) => length > most,
            View::BigInt => {
                value.call_method0(intern!(value.py(), "bit_length"))?.extract::<usize>()?
                    > 4 * most
            }
            _ => value
                .cast::<PyBytes>()
                .is_ok_and(|bytes| bytes.len().is_ok_and(|length| length > most)),
        };
        if is_longer {
            return Ok(None);
        }
        // For any other object only its class is shown, and the object's code does not run.
        if !matches!(node.view(), View::List(_) | View::Map(_)) && !is_constant(value)? {
            return Ok(Some(value.get_type().qualname()?.len()?).filter(|length| *length <= most));
        }
        let Ok(text) = value.str() else { return Ok(None) };
        Ok(Some(text.len()?).filter(|length| *length <= most))
    }
}
