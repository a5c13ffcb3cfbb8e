//! Core's events as dicts for the sinks.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString};
use toolwire::compat::stageflow::{field_name, field_text};
use toolwire::lifecycle::{FieldName, FieldValue, RunEvent};

/// The names of fields as interned strings, as stageflow has them.
static NAMES: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();

/// Returns the interned string of a field's name.
fn name(py: Python<'_>, name: FieldName) -> Bound<'_, PyString> {
    let intern = |name: &FieldName| PyString::intern(py, field_name(*name)).unbind();
    let names = NAMES.get_or_init(py, || FieldName::ALL.iter().map(intern).collect());
    names
        .get(name as usize)
        .map_or_else(|| PyString::intern(py, field_name(name)), |name| name.bind(py).clone())
}

/// Returns an event's fields, in order; `summary` makes the summary of the payload.
pub fn data<'py>(
    py: Python<'py>,
    event: &RunEvent,
    summary: impl Fn() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    for (called, field) in &event.fields {
        let value = match field {
            FieldValue::Null => py.None().into_bound(py),
            FieldValue::Text(text) => {
                PyString::new(py, field_text(event.kind, *called, text)).into_any()
            }
            FieldValue::Count(count) => count.into_pyobject(py)?.into_any(),
            FieldValue::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
            FieldValue::Milliseconds(duration) => duration.into_pyobject(py)?.into_any(),
            FieldValue::Texts(texts) => PyList::new(py, texts)?.into_any(),
            FieldValue::Output(facts) => {
                let summary = PyDict::new(py);
                for (fact, is) in facts.entries() {
                    summary.set_item(name(py, fact), is)?;
                }
                summary.into_any()
            }
            FieldValue::Problems(problems) => self::problems(py, problems)?.into_any(),
            FieldValue::PayloadSummary => summary()?,
        };
        data.set_item(name(py, *called), value)?;
    }
    Ok(data)
}

/// Returns where arguments do not match their schema: a list of dicts of `path` and `message`.
pub fn problems<'py>(
    py: Python<'py>,
    problems: &[toolwire::input_schema::Problem],
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for problem in problems {
        let entry = PyDict::new(py);
        entry.set_item(pyo3::intern!(py, "path"), &problem.path)?;
        entry.set_item(pyo3::intern!(py, "message"), &problem.message)?;
        list.append(entry)?;
    }
    Ok(list)
}
