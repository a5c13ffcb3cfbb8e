//! Core's well-known keys as interned strings, which can be compared by address.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use toolwire::tree::Key;

/// Core's keys as interned strings.
static KEYS: PyOnceLock<[Py<PyString>; Key::ALL.len()]> = PyOnceLock::new();

/// The interned string of a key.
#[inline]
pub fn name(py: Python<'_>, key: Key) -> Option<&Bound<'_, PyString>> {
    let names = KEYS.get_or_init(py, || {
        std::array::from_fn(|at| {
            let key = Key::ALL.get(at).map_or("", |key| key.slug());
            PyString::intern(py, key).unbind()
        })
    });
    names.get(key as usize).map(|name| name.bind(py))
}
