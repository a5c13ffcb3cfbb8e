//! Diffs of texts, JSON values and fields: `toolwire.tools.diff`.
//!
//! The classes of the results are Python code: dataclasses, as in the package that they replace.

use pyo3::exceptions::PyException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyType};
use toolwire::diff::{DiffLine, DiffResult, DiffType, FieldMap, TextDiff, sorted_json};
use toolwire::tree::Failure;

use crate::host::argument::{text, whole};
use crate::host::error::{raise, wrong_type};
use crate::host::node::{Json, Node, bytes, raise_failure, string};
use crate::host::text::DETACH;

/// Finds the removed and the added lines.
#[pyfunction]
pub fn diff_text<'py>(
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
    diff_type: &Bound<'py, PyAny>,
    context_lines: &Bound<'py, PyAny>,
    fromfile: &Bound<'py, PyAny>,
    tofile: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = old.py();
    let (old_text, new_text) = (text("old", old)?, text("new", new)?);
    let slug = text("diff_type", diff_type)?;
    let diff_type =
        DiffType::named(&String::from_utf8_lossy(&slug)).map_err(|error| raise(py, &error))?;
    let context_lines = whole("context_lines", context_lines)?;
    let (fromfile, tofile) = (text("fromfile", fromfile)?, text("tofile", tofile)?);
    let options = TextDiff { diff_type, context_lines, fromfile: &fromfile, tofile: &tofile };
    let (old_bytes, new_bytes): (&[u8], &[u8]) = (&old_text, &new_text);
    let diff = if old_bytes.len() + new_bytes.len() < DETACH {
        toolwire::diff::diff_text(old_bytes, new_bytes, &options)
    } else {
        py.detach(|| toolwire::diff::diff_text(old_bytes, new_bytes, &options))
    };
    result(py, &diff, Some(old.clone()), Some(new.clone()))
}

/// Finds the operations that change one JSON value into the other.
#[pyfunction]
pub fn diff_json<'py>(
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = old.py();
    let (old, new) = (Node::<'_, Json>::new(old.clone()), Node::<'_, Json>::new(new.clone()));
    let diff =
        toolwire::diff::diff_json(&old, &new).map_err(|failure| raise_failure(py, failure))?;
    let content =
        |content: Option<&[u8]>| content.map(|text| Ok::<_, PyErr>(string(py, text)?.into_any()));
    let old_content = content(diff.old_content.as_deref()).transpose()?;
    let new_content = content(diff.new_content.as_deref()).transpose()?;
    result(py, &diff, old_content, new_content)
}

/// Finds the removed, added and changed fields of two dicts.
#[pyfunction]
pub fn diff_structured<'py>(
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
    ignore_keys: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = old.py();
    let (old, new) = (Dict::of("old", old)?, Dict::of("new", new)?);
    let ignored = ignore_keys.is_truthy()?.then_some(ignore_keys);
    let is_ignored = |key: &Bound<'py, PyAny>| ignored.map_or(Ok(false), |keys| keys.contains(key));
    let diff = toolwire::diff::diff_structured(&old, &new, is_ignored)?;
    result(py, &diff, None, None)
}

/// The figures of a diff for a person.
#[pyfunction]
pub fn change_summary(additions: i64, deletions: i64) -> String {
    let count = |figure: i64| usize::try_from(figure).unwrap_or(0);
    toolwire::diff::change_summary(count(additions), count(deletions))
}

/// Makes the `DiffResult`.
fn result<'py>(
    py: Python<'py>,
    diff: &DiffResult<'_>,
    old_content: Option<Bound<'py, PyAny>>,
    new_content: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static RESULT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    const MODULE: &str = "toolwire.tools.diff";
    let diff_type = TYPE.import(py, MODULE, "DiffType")?.call1((diff.diff_type.slug(),))?;
    RESULT.import(py, MODULE, "DiffResult")?.call1((
        diff_type,
        string(py, &diff.diff_output)?,
        lines(py, &diff.changes)?,
        diff.additions,
        diff.deletions,
        diff.unchanged,
        diff.similarity,
        old_content,
        new_content,
    ))
}

/// The list of `DiffLine`.
fn lines<'py>(py: Python<'py>, changes: &[DiffLine<'_>]) -> PyResult<Bound<'py, PyList>> {
    static LINE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = LINE.import(py, "toolwire.tools.diff", "DiffLine")?;
    let lines = changes.iter().map(|line| {
        let line_type = PyString::intern(py, line.line_type.slug());
        let content = string(py, &line.content)?;
        class.call1((line_type, content, line.line_number_old, line.line_number_new))
    });
    PyList::new(py, lines.collect::<PyResult<Vec<_>>>()?)
}

/// A dict or another mapping whose fields are compared as Python compares them.
struct Dict<'py>(Bound<'py, PyMapping>);

impl<'py> Dict<'py> {
    fn of(what: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        match value.cast::<PyMapping>() {
            Ok(mapping) => Ok(Self(mapping.clone())),
            Err(_) => Err(wrong_type(value.py(), what, "a mapping", value)),
        }
    }
}

/// Returns `otherwise` in place of an exception; an exception that ends the program is passed on.
fn unless_fatal<T>(py: Python<'_>, error: PyErr, otherwise: T) -> PyResult<T> {
    if error.is_instance_of::<PyException>(py) { Ok(otherwise) } else { Err(error) }
}

/// Appends the shown form of a value; a value that cannot be shown is written as its class name.
fn write_shown<'py>(
    value: &Bound<'py, PyAny>,
    shown: PyResult<Bound<'py, PyAny>>,
    out: &mut Vec<u8>,
) -> PyResult<()> {
    match shown.and_then(|shown| Ok(shown.cast_into::<PyString>()?)) {
        Ok(shown) => out.extend_from_slice(&bytes(&shown)),
        Err(error) => {
            let name = value.get_type().name()?;
            unless_fatal(value.py(), error, ())?;
            out.extend_from_slice(format!("<unprintable {name} object>").as_bytes());
        }
    }
    Ok(())
}

impl<'py> FieldMap for Dict<'py> {
    type Error = PyErr;
    type Key = Bound<'py, PyAny>;
    type Value = Bound<'py, PyAny>;

    fn entries(&self) -> PyResult<Vec<(Self::Key, Self::Value)>> {
        self.0.items()?.iter().map(|entry| entry.extract()).collect()
    }

    fn find(&self, key: &Self::Key) -> PyResult<Option<Self::Value>> {
        if let Ok(dict) = self.0.cast_exact::<PyDict>() {
            return dict.get_item(key);
        }
        if self.0.contains(key)? { self.0.get_item(key).map(Some) } else { Ok(None) }
    }

    fn same(&self, old: &Self::Value, new: &Self::Value) -> PyResult<bool> {
        let differ = old.rich_compare(new, CompareOp::Ne).and_then(|differ| differ.is_truthy());
        differ.map(|differ| !differ).or_else(|error| unless_fatal(old.py(), error, false))
    }

    fn show_key(&self, key: &Self::Key, out: &mut Vec<u8>) -> PyResult<()> {
        let py = key.py();
        write_shown(key, key.call_method1(intern!(py, "__format__"), (intern!(py, ""),)), out)
    }

    fn show(&self, value: &Self::Value, out: &mut Vec<u8>) -> PyResult<()> {
        write_shown(value, value.repr().map(Bound::into_any), out)
    }

    fn json(&self, value: &Self::Value, out: &mut Vec<u8>) -> PyResult<bool> {
        match sorted_json(&Node::<'_, Json>::new(value.clone()), out) {
            Ok(()) => Ok(true),
            Err(Failure::Misuse(_)) => Ok(false),
            Err(Failure::Host(error)) => unless_fatal(value.py(), *error, false),
        }
    }
}
