//! The keys of objects, most of which come again and again.

use std::sync::{Mutex, MutexGuard};

use jiter::cached_py_string;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::raw;

/// The number of keys that are kept.
const KEPT: usize = 256;

/// The keys that were made last, each at the place of its [`place`].
static LAST: Mutex<Vec<Option<Py<PyString>>>> = Mutex::new(Vec::new());

/// Makes the keys of one value.
///
/// They are looked up in a short list first, since a look-up in jiter's cache costs more than the
/// rest of a short member.
pub struct Keys(Option<MutexGuard<'static, Vec<Option<Py<PyString>>>>>);

impl Keys {
    /// Takes the list, unless another thread has it, or a value is being made in this one: Python
    /// code may run meanwhile.
    pub fn new() -> Self {
        let mut last = LAST.try_lock().ok();
        if let Some(last) = &mut last
            && last.is_empty()
        {
            last.resize_with(KEPT, || None);
        }
        Self(last)
    }

    /// The `str` of a key.
    #[inline]
    pub fn get<'py>(&mut self, py: Python<'py>, key: &[u8]) -> Bound<'py, PyString> {
        let Some(kept) = self.0.as_mut().and_then(|last| last.get_mut(place(key))) else {
            return made(py, key);
        };
        if let Some(known) = kept
            && raw::ascii(known.bind(py)) == Some(key)
        {
            return known.bind(py).clone();
        }
        let key = made(py, key);
        *kept = Some(key.clone().unbind());
        key
    }
}

/// A key that is not in the list.
#[cold]
fn made<'py>(py: Python<'py>, key: &[u8]) -> Bound<'py, PyString> {
    cached_py_string(py, std::str::from_utf8(key).unwrap_or_default())
}

/// The place of a key in the list.
#[inline]
fn place(key: &[u8]) -> usize {
    let ends = key.first().zip(key.last());
    let sum = ends.map_or(0, |(first, last)| usize::from(*first) * 5 + usize::from(*last) * 3);
    (sum + key.len()) % KEPT
}
