//! Core's events as dicts for the sinks.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString};
use toolwire::compat::stageflow::{field_name, field_text};
use toolwire::lifecycle::{EventKind, FieldName, FieldValue, RunEvent};

/// Whose words an event has: the project's own, or stageflow's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    Own,
    Stageflow,
}

impl Words {
    pub fn new(is_stageflow: bool) -> Self {
        if is_stageflow { Self::Stageflow } else { Self::Own }
    }

    /// The name of a field.
    fn slug(self, name: FieldName) -> &'static str {
        match self {
            Self::Own => name.slug(),
            Self::Stageflow => field_name(name),
        }
    }

    /// Returns the interned string of a field's name.
    fn name(self, py: Python<'_>, name: FieldName) -> Bound<'_, PyString> {
        let intern = |name: &FieldName| PyString::intern(py, self.slug(*name)).unbind();
        let names = match self {
            Self::Own => &OWN_NAMES,
            Self::Stageflow => &STAGEFLOW_NAMES,
        };
        let names = names.get_or_init(py, || FieldName::ALL.iter().map(intern).collect());
        names
            .get(name as usize)
            .map_or_else(|| PyString::intern(py, self.slug(name)), |name| name.bind(py).clone())
    }

    /// The text of a field.
    fn text(self, event: EventKind, name: FieldName, text: &str) -> &str {
        match self {
            Self::Own => text,
            Self::Stageflow => field_text(event, name, text),
        }
    }
}

/// The own names of fields as interned strings.
static OWN_NAMES: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();

/// The names of fields as interned strings, as stageflow has them.
static STAGEFLOW_NAMES: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();

/// Returns an event's fields, in order; `summary` makes the summary of the payload.
pub fn data<'py>(
    py: Python<'py>,
    event: &RunEvent,
    words: Words,
    summary: impl Fn() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    for (called, field) in &event.fields {
        let value = match field {
            FieldValue::Null => py.None().into_bound(py),
            FieldValue::Text(text) => {
                PyString::new(py, words.text(event.kind, *called, text)).into_any()
            }
            FieldValue::Count(count) => count.into_pyobject(py)?.into_any(),
            FieldValue::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
            FieldValue::Milliseconds(duration) => duration.into_pyobject(py)?.into_any(),
            FieldValue::Texts(texts) => PyList::new(py, texts)?.into_any(),
            FieldValue::Output(facts) => {
                let summary = PyDict::new(py);
                for (fact, is) in facts.entries() {
                    summary.set_item(words.name(py, fact), is)?;
                }
                summary.into_any()
            }
            FieldValue::Problems(problems) => self::problems(py, problems)?.into_any(),
            FieldValue::PayloadSummary => summary()?,
        };
        data.set_item(words.name(py, *called), value)?;
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
