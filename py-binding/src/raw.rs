//! What pyo3 has no safe call for.
//!
//! The only file with `unsafe` code; every function it hands out is safe.

use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyString, PyType};
use pyo3::{Borrowed, ffi};

/// Cuts code points `start..end` out of a `str`, as a plain `str`; bounds beyond its end are clipped.
///
/// A slice object per cut would double the cost of a detection with many calls, and a subclass of
/// `str` could answer it with anything.
pub fn substring<'py>(
    string: &Bound<'py, PyString>,
    start: usize,
    end: usize,
) -> PyResult<Bound<'py, PyString>> {
    let start = ffi::Py_ssize_t::try_from(start)?;
    let end = ffi::Py_ssize_t::try_from(end)?;
    // SAFETY: `string` is a live str and the interpreter is attached (both by `Bound`); the indices are
    // not negative, and the function clips them to the length. It returns a new reference to a str, or
    // null with an exception set, which `from_owned_ptr_or_err` takes over.
    let cut = unsafe {
        Bound::from_owned_ptr_or_err(string.py(), ffi::PyUnicode_Substring(string.as_ptr(), start, end))?
    };
    Ok(cut.cast_into::<PyString>()?)
}

/// Whether a value's type is this one or derives from it, whatever its metaclass would say.
///
/// `isinstance` with an Enum asks its metaclass, which costs more than to write the result's line.
#[inline]
pub fn is_of_type(value: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> bool {
    // SAFETY: both are live objects, the second is a type, and only types are compared.
    unsafe { ffi::PyObject_TypeCheck(value.as_ptr(), class.as_type_ptr()) != 0 }
}

/// The characters of a `str` that is ASCII, where they stand; none where that cannot be told.
///
/// A look-up compares its key with this, for which a call into the interpreter would cost more than the
/// rest of the look-up.
#[inline]
#[cfg(not(any(Py_3_14, PyPy, GraalPy)))]
pub fn ascii<'a>(string: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    let string = string.as_ptr();
    // SAFETY: `string` is a live str. In a compact ASCII one, which the first call tells, as many
    // bytes as it is long follow the header, are initialised, and never change.
    unsafe {
        if ffi::PyUnicode_IS_COMPACT_ASCII(string) == 0 {
            return None;
        }
        let length = usize::try_from(ffi::PyUnicode_GET_LENGTH(string)).ok()?;
        Some(std::slice::from_raw_parts(ffi::PyUnicode_DATA(string).cast::<u8>(), length))
    }
}

/// Where the layout of a `str` is not known, nothing can be told.
#[inline]
#[cfg(any(Py_3_14, PyPy, GraalPy))]
pub fn ascii<'a>(_: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    None
}

/// The value at a dict's position, or the next one behind it, if its key is this one: `name`, or a plain
/// ASCII `str` of the characters `text`.
///
/// Trying the position where the last packet had the key is half the work of a look-up by hash.
#[inline]
pub fn value_at<'py>(
    dict: &Bound<'py, PyDict>,
    position: u8,
    name: &Bound<'py, PyString>,
    text: &[u8],
) -> Option<Bound<'py, PyAny>> {
    with_critical_section(dict, || value_of(dict, position, name, text))
}

/// The work of [`value_at`]; the dict is locked where it has a lock.
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
    let found = unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut position, &raw mut key, &raw mut value) };
    if found == 0 {
        return None;
    }
    // SAFETY: both are borrowed from the dict; until the value has a reference of its own only pointers
    // and characters are compared, which runs no other code.
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

/// The entry of a dict at a position, or the next one behind it; the position, 0 at first, is moved on.
///
/// pyo3's iterator panics when code that runs between two entries changes the dict, and cannot begin in
/// the middle; here any position may be asked for. It only grows, so a loop ends unless entries are
/// added without end.
#[inline]
pub fn next_entry<'py>(dict: &Bound<'py, PyDict>, position: &mut ffi::Py_ssize_t) -> Option<Entry<'py>> {
    with_critical_section(dict, || {
        let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: `dict` is a live dict, the interpreter is attached, and the dict is locked where it has
        // a lock. CPython checks the position against the entries as they are now, so any position and any
        // change between two calls are sound. It fills both pointers when it returns 1.
        let found = unsafe { ffi::PyDict_Next(dict.as_ptr(), position, &raw mut key, &raw mut value) };
        if found == 0 {
            return None;
        }
        // SAFETY: both are borrowed from the dict, which nothing has changed since; each is made a
        // reference of its own before any other code runs.
        let (key, value) =
            unsafe { (Bound::from_borrowed_ptr(dict.py(), key), Bound::from_borrowed_ptr(dict.py(), value)) };
        Some((key, value))
    })
}

/// A dict's key and value.
pub type Entry<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);
