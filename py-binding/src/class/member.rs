//! Members of lines of JSON, for the console.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use toolwire::ErrorKind;

use crate::batch::members;
use crate::class::column::Column;
use crate::host::error::raise_kind;

/// The text at a path of each line of JSON, the lines' numbers, and a byte for each of these lines:
/// ``t`` for a text, ``n`` for a line without it, ``x`` for one that is no JSON. Blank lines are
/// skipped; the first line has the number ``first``.
#[pyfunction]
pub fn json_members<'py>(
    py: Python<'py>,
    piece: &[u8],
    path: Vec<String>,
    first: i64,
) -> PyResult<(Column, Column, Bound<'py, PyBytes>)> {
    let path = path.into_boxed_slice();
    let found = py
        .detach(|| members::members(piece, &path, first))
        .map_err(|_| raise_kind(py, ErrorKind::InvalidOption, "a line is too long for a column"))?;
    let column =
        |array: arrow_data::ArrayData| Column::of(array.data_type().clone(), Arc::new([array]));
    Ok((column(found.texts), column(found.numbers), PyBytes::new(py, &found.lines)))
}
