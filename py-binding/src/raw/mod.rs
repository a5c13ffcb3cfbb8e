//! The calls for which pyo3 has no safe function, and the layouts of CPython's values.
//!
//! The only folder with `unsafe` code; every public function of it is safe.
//!
//! [`string`]: a `str` and its characters. [`dict`]: entries of a dict by position. [`glance`]:
//! values without references of their own, for as long as no Python code runs. [`plain_result`]:
//! results that are read in this way. [`table`]: a dict's own table, in the versions whose layout
//! is known.

mod dict;
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
mod glance;
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
mod plain_result;
mod string;
#[cfg(all(Py_3_11, not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))))]
mod table;

pub use dict::{attributes, next_entry, value_at};
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
pub use glance::{guess, skip_others};
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
pub use plain_result::write_plain_result;
pub use string::{ascii, is_of_type, of_ascii, substring};
#[cfg(all(Py_3_11, not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))))]
pub use table::check as check_layout;

/// The names in results that are summed up.
#[derive(Clone, Copy)]
#[cfg_attr(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED), expect(dead_code, reason = "not read"))]
pub struct ResultNames<'a, 'py> {
    /// The attributes, as the interpreter keeps their names, in the order in which they are set:
    /// tool, success, data, error message, confidence.
    pub attributes: [&'a pyo3::Bound<'py, pyo3::types::PyString>; 5],
    /// Tools that are no texts, and their names.
    pub tools: &'a [(pyo3::Bound<'py, pyo3::PyAny>, pyo3::Bound<'py, pyo3::PyAny>)],
}

/// Checks nothing, since no layout of a dict's table is known here.
#[cfg(not(all(Py_3_11, not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))))]
pub fn check_layout(_: pyo3::Python<'_>) -> pyo3::PyResult<()> {
    Ok(())
}

/// Skips no packet, since reading a value needs a reference here.
#[cfg(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))]
pub fn skip_others(
    _: &pyo3::Bound<'_, pyo3::types::PyList>,
    from: usize,
    _: Option<&[&[u8]]>,
) -> usize {
    from
}

/// Returns 0: without skipped packets, the positions of keys are not known.
#[cfg(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))]
pub fn guess(_: toolwire::tree::Key) -> u8 {
    0
}

/// Writes no result, since reading a value needs a reference here.
#[cfg(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))]
pub fn write_plain_result<'py>(
    _: &pyo3::Bound<'py, pyo3::types::PyDict>,
    _: ResultNames<'_, 'py>,
    _: toolwire::tree::Constants<'_>,
    _: &mut Vec<u8>,
) -> bool {
    false
}
