//! A `str` and its characters, and the types of values.

#[cfg(not(any(Py_3_14, PyPy, GraalPy)))]
use pyo3::Borrowed;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// Cuts the code points `start..end` out of a `str` as a plain `str`; bounds beyond the end of the
/// `str` are clipped.
///
/// A slice object for each cut would double the cost of a detection with many calls, and a subclass
/// of `str` could return any value for it.
pub fn substring<'py>(
    string: &Bound<'py, PyString>,
    start: usize,
    end: usize,
) -> PyResult<Bound<'py, PyString>> {
    let start = ffi::Py_ssize_t::try_from(start)?;
    let end = ffi::Py_ssize_t::try_from(end)?;
    // SAFETY: `string` is a live str and the interpreter is attached (both by `Bound`); the indices
    // are not negative, and the function clips them to the length. It returns a new reference to a
    // str, or null with an exception set, which `from_owned_ptr_or_err` takes over.
    let cut = unsafe {
        Bound::from_owned_ptr_or_err(
            string.py(),
            ffi::PyUnicode_Substring(string.as_ptr(), start, end),
        )?
    };
    Ok(cut.cast_into::<PyString>()?)
}

/// Whether a value's type is this type or derives from it, regardless of the metaclass.
///
/// `isinstance` with an Enum calls its metaclass, which costs more than writing the result's line.
#[inline]
pub fn is_of_type(value: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> bool {
    // SAFETY: both are live objects, the second is a type, and only types are compared.
    unsafe { ffi::PyObject_TypeCheck(value.as_ptr(), class.as_type_ptr()) != 0 }
}

/// The characters of an ASCII `str`, in place; `None` if the layout of the `str` is not known.
///
/// A look-up compares its key with these characters, and a call into the interpreter would cost
/// more than the rest of the look-up.
#[inline]
#[cfg(not(any(Py_3_14, PyPy, GraalPy)))]
pub fn ascii<'a>(string: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    ascii_of(string.as_borrowed())
}

#[inline]
#[cfg(not(any(Py_3_14, PyPy, GraalPy)))]
pub(super) fn ascii_of<'a>(string: Borrowed<'a, '_, PyString>) -> Option<&'a [u8]> {
    let string = string.as_ptr();
    // SAFETY: `string` is a live str. In a compact ASCII str, which the first call detects, the
    // header is followed by as many bytes as the str is long; they are initialised and never
    // change.
    unsafe {
        if ffi::PyUnicode_IS_COMPACT_ASCII(string) == 0 {
            return None;
        }
        let length = usize::try_from(ffi::PyUnicode_GET_LENGTH(string)).ok()?;
        Some(std::slice::from_raw_parts(ffi::PyUnicode_DATA(string).cast::<u8>(), length))
    }
}

/// A new `str` of these bytes if all of them are ASCII; `None` if they are not, or if the layout of
/// a `str` is not known.
///
/// The interpreter's decoder costs more than the rest of a short `str`.
#[inline]
#[cfg(not(any(Py_3_14, PyPy, GraalPy)))]
pub fn of_ascii<'py>(py: Python<'py>, bytes: &[u8]) -> Option<Bound<'py, PyString>> {
    // The interpreter keeps each `str` of one character only once.
    if bytes.len() < 2 || !bytes.is_ascii() {
        return None;
    }
    let length = ffi::Py_ssize_t::try_from(bytes.len()).ok()?;
    // SAFETY: the interpreter is attached. The function gives a new compact ASCII str with room for
    // so many bytes behind its header, which nobody else knows yet, or null with an exception set;
    // the exception is cleared, and the caller's own way to make a str meets the lack of memory
    // again.
    unsafe {
        let string = ffi::PyUnicode_New(length, 127);
        if string.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        let characters = ffi::PyUnicode_DATA(string).cast::<u8>();
        characters.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Some(Bound::from_owned_ptr(py, string).cast_into_unchecked())
    }
}

/// Returns `None`, since the layout of a `str` is not known here.
#[inline]
#[cfg(any(Py_3_14, PyPy, GraalPy))]
pub fn of_ascii<'py>(_: Python<'py>, _: &[u8]) -> Option<Bound<'py, PyString>> {
    None
}

/// Returns `None`, since the layout of a `str` is not known here.
#[inline]
#[cfg(any(Py_3_14, PyPy, GraalPy))]
pub fn ascii<'a>(_: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    None
}
