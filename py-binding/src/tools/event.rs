//! Core's events as the dicts that sinks are given.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use toolwire::lifecycle::{Event, Field};

/// An event's fields, in order; `summary` makes the payload's.
pub fn data<'py>(
    py: Python<'py>,
    event: &Event<'_>,
    summary: impl Fn() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    for (name, field) in &event.fields {
        let value = match field {
            Field::Null => py.None().into_bound(py),
            Field::Text(text) => PyString::new(py, text).into_any(),
            Field::Count(count) => count.into_pyobject(py)?.into_any(),
            Field::Milliseconds(duration) => duration.into_pyobject(py)?.into_any(),
            Field::Texts(texts) => PyList::new(py, *texts)?.into_any(),
            Field::Output(facts) => {
                let summary = PyDict::new(py);
                for (name, is) in facts.entries() {
                    summary.set_item(PyString::intern(py, name), is)?;
                }
                summary.into_any()
            }
            Field::Problems(problems) => self::problems(py, problems)?.into_any(),
            Field::PayloadSummary => summary()?,
        };
        data.set_item(PyString::intern(py, name), value)?;
    }
    Ok(data)
}

/// Where arguments do not match their schema: a list of dicts of `path` and `message`.
pub fn problems<'py>(py: Python<'py>, problems: &[toolwire::Problem]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for problem in problems {
        let entry = PyDict::new(py);
        entry.set_item(pyo3::intern!(py, "path"), &problem.path)?;
        entry.set_item(pyo3::intern!(py, "message"), &problem.message)?;
        list.append(entry)?;
    }
    Ok(list)
}
