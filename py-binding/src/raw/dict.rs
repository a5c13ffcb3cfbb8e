//! Entries of a dict by position.

use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyString};
use pyo3::{Borrowed, ffi};

use super::string::ascii;

/// The value at a dict's position, or the next one after it, if its key is `name` or a plain ASCII
/// `str` with the characters `text`.
///
/// A try at the position of the key in the last packet costs half of a look-up by hash.
#[inline]
pub fn value_at<'py>(
    dict: &Bound<'py, PyDict>,
    position: u8,
    name: &Bound<'py, PyString>,
    text: &[u8],
) -> Option<Bound<'py, PyAny>> {
    with_critical_section(dict, || value_of(dict, position, name, text))
}

/// Does the work of [`value_at`]; the dict is locked if it has a lock.
#[inline]
fn value_of<'py>(
    dict: &Bound<'py, PyDict>,
    position: u8,
    name: &Bound<'py, PyString>,
    text: &[u8],
) -> Option<Bound<'py, PyAny>> {
    let mut position = ffi::Py_ssize_t::from(position);
    let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: as in `next_entry`.
    let found =
        unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut position, &raw mut key, &raw mut value) };
    if found == 0 {
        return None;
    }
    // SAFETY: the key and the value are borrowed from the dict; until the value has a reference of
    // its own, only pointers and characters are compared, which runs no other code.
    unsafe {
        if key != name.as_ptr() {
            let key = Borrowed::from_ptr(dict.py(), key);
            if ascii(&*key.cast_exact::<PyString>().ok()?) != Some(text) {
                return None;
            }
        }
        Some(Bound::from_borrowed_ptr(dict.py(), value))
    }
}

/// The entry of a dict at a position, or the next one after it; the position, 0 at first, is
/// advanced.
///
/// pyo3's iterator panics when code between two entries changes the dict, and it cannot start in
/// the middle. Here any position is allowed. The position only grows, so a loop ends unless entries
/// are added without end.
#[inline]
pub fn next_entry<'py>(
    dict: &Bound<'py, PyDict>,
    position: &mut ffi::Py_ssize_t,
) -> Option<Entry<'py>> {
    with_critical_section(dict, || {
        let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: `dict` is a live dict, the interpreter is attached, and the dict is locked if it
        // has a lock. CPython checks the position against the current entries, so any position and
        // any change between two calls are sound. It fills both pointers when it returns 1.
        let found =
            unsafe { ffi::PyDict_Next(dict.as_ptr(), position, &raw mut key, &raw mut value) };
        if found == 0 {
            return None;
        }
        // SAFETY: the key and the value are borrowed from the dict, which nothing has changed
        // since; each becomes a reference of its own before any other code runs.
        let (key, value) = unsafe {
            (Bound::from_borrowed_ptr(dict.py(), key), Bound::from_borrowed_ptr(dict.py(), value))
        };
        Some((key, value))
    })
}

/// A dict's key and value.
pub type Entry<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The dict in which an object keeps its attributes; `None` if it has none.
///
/// An attribute is looked up in a class first, and that look-up costs more than reading the dict.
#[inline]
pub fn attributes<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    // SAFETY: `value` is a live object and the interpreter is attached. The function gives a new
    // reference, or null with an exception set, which `from_owned_ptr_or_err` takes over.
    let dict = unsafe {
        let dict = ffi::PyObject_GenericGetDict(value.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(value.py(), dict)
    };
    dict.ok()?.cast_into_exact::<PyDict>().ok()
}
