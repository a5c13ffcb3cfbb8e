//! How the package's objects are shown.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Writes `Name(field=repr, …)`.
pub fn fields<'py, T>(py: Python<'py>, name: &str, names: &[&str], values: T) -> PyResult<String>
where
    T: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    let mut parts = Vec::with_capacity(names.len());
    for (field, value) in names.iter().zip(values.into_pyobject(py)?.iter()) {
        parts.push(format!("{field}={}", value.repr()?.to_cow()?));
    }
    Ok(format!("{name}({})", parts.join(", ")))
}
