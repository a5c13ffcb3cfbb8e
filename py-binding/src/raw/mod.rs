//! The calls for which pyo3 has no safe function, and the layouts of CPython's values.
//!
//! The only folder with `unsafe` code; every public function of it is safe.
//!
//! [`string`]: a `str` and its characters. [`dict`]: entries of a dict by position. [`glance`]:
//! values without references of their own, for as long as no Python code runs. [`table`]: a dict's
//! own table, in the versions whose layout is known.

mod dict;
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
mod glance;
mod string;
#[cfg(all(Py_3_11, not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))))]
mod table;

pub use dict::{attributes, next_entry, value_at};
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
pub use glance::{guess, skip_others};
pub use string::{ascii, is_of_type, substring};
#[cfg(all(Py_3_11, not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))))]
pub use table::check as check_layout;

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
