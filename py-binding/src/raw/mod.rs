//! The calls for which pyo3 has no safe function, and the layouts of CPython's values.
//!
//! The only folder with `unsafe` code; every public function of it is safe.
//!
//! [`string`]: a `str` and its characters. [`dict`]: entries of a dict by position. [`glance`]:
//! values without references of their own, for as long as no Python code runs. [`plain_result`]:
//! results that are read in this way. [`table`]: a dict's own table, in the versions whose layout
//! is known. [`arrow`]: Arrow's structures in capsules. `build.rs` says which layouts are known:
//! `known_str`, `known_values`, `known_tables`.

pub mod arrow;
mod dict;
#[cfg(known_values)]
mod glance;
#[cfg(known_values)]
mod plain_result;
mod string;
#[cfg(known_tables)]
mod table;

pub use dict::{attributes, next_entry, value_at};
#[cfg(known_values)]
pub use glance::{guess, skip_others};
#[cfg(known_values)]
pub use plain_result::write_plain_result;
pub use string::{ascii, is_of_type, of_ascii, substring};

/// The names in results that are summed up.
#[derive(Clone, Copy)]
#[cfg_attr(not(known_values), expect(dead_code, reason = "not read"))]
pub struct ResultNames<'a, 'py> {
    /// The attributes, as the interpreter keeps their names, in the order in which they are set:
    /// tool, success, data, error message, confidence.
    pub attributes: [&'a pyo3::Bound<'py, pyo3::types::PyString>; 5],
    /// Tools that are no texts, and their names.
    pub tools: &'a [(pyo3::Bound<'py, pyo3::PyAny>, pyo3::Bound<'py, pyo3::PyAny>)],
}

/// Compares the layouts of values with what the interpreter says, once, when the module is
/// imported.
/// A layout that differs is not used.
#[cfg_attr(not(known_str), expect(clippy::unnecessary_wraps, reason = "nothing is compared"))]
pub fn check_layouts(py: pyo3::Python<'_>) -> pyo3::PyResult<()> {
    #[cfg(known_str)]
    string::check(py)?;
    #[cfg(known_tables)]
    table::check(py)?;
    #[cfg(not(known_str))]
    let _ = py;
    Ok(())
}

/// The layouts that values are read by: the known ones that are the interpreter's own.
#[pyo3::pyfunction]
pub fn layouts() -> Vec<&'static str> {
    #[allow(unused_mut, reason = "no layout may be known")]
    let mut names = Vec::new();
    #[cfg(known_str)]
    if string::is_checked() {
        names.push("str");
    }
    #[cfg(known_tables)]
    names.extend(table::checked());
    names
}

/// Skips no packet, since reading a value needs a reference here.
#[cfg(not(known_values))]
pub fn skip_others(
    _: &pyo3::Bound<'_, pyo3::types::PyList>,
    from: usize,
    _: Option<&[&[u8]]>,
) -> usize {
    from
}

/// Returns 0: without skipped packets, the positions of keys are not known.
#[cfg(not(known_values))]
pub fn guess(_: toolwire::tree::Key) -> u8 {
    0
}

/// Writes no result, since reading a value needs a reference here.
#[cfg(not(known_values))]
pub fn write_plain_result<'py>(
    _: &pyo3::Bound<'py, pyo3::types::PyDict>,
    _: ResultNames<'_, 'py>,
    _: toolwire::tree::Constants<'_>,
    _: &mut Vec<u8>,
) -> bool {
    false
}
