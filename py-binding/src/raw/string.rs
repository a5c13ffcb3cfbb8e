//! A `str` and its characters, and the types of values.

#[cfg(known_str)]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(known_str)]
use pyo3::Borrowed;
use pyo3::ffi;
use pyo3::prelude::*;
#[cfg(known_str)]
use pyo3::types::PyDict;
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

/// The header of a `str`, as CPython 3.14 and 3.15 lay it out. pyo3 declares that of older
/// versions.
#[cfg(all(known_str, Py_3_14))]
#[repr(C)]
struct Header {
    object: ffi::PyObject,
    length: ffi::Py_ssize_t,
    hash: ffi::Py_hash_t,
    /// Bits that never change, beside a byte that other threads may write. The characters of a
    /// compact ASCII `str` follow these four bytes and four more of padding.
    state: [u8; 4],
}

/// Where the bits `compact` and `ascii` lie in the state, and which they are.
#[cfg(all(known_str, Py_3_14))]
const COMPACT_ASCII: (usize, u8) =
    if cfg!(Py_GIL_DISABLED) { (1, 0b0001_1000) } else { (0, 0b0110_0000) };

/// Whether the layout was compared with the interpreter's.
#[cfg(known_str)]
static CHECKED: AtomicBool = AtomicBool::new(false);

/// The characters of an ASCII `str`, in place; `None` if the layout of the `str` is not known.
///
/// A look-up compares its key with these characters, and a call into the interpreter would cost
/// more than the rest of the look-up.
#[inline]
#[cfg(known_str)]
pub fn ascii<'a>(string: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    ascii_of(string.as_borrowed())
}

#[inline]
#[cfg(known_str)]
pub(super) fn ascii_of<'a>(string: Borrowed<'a, '_, PyString>) -> Option<&'a [u8]> {
    if CHECKED.load(Ordering::Relaxed) { read(string) } else { None }
}

/// Does the work of [`ascii`] for a layout that is not checked yet.
#[inline]
#[cfg(all(known_str, not(Py_3_14)))]
fn read<'a>(string: Borrowed<'a, '_, PyString>) -> Option<&'a [u8]> {
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

/// Does the work of [`ascii`] for a layout that is not checked yet.
#[inline]
#[cfg(all(known_str, Py_3_14))]
fn read<'a>(string: Borrowed<'a, '_, PyString>) -> Option<&'a [u8]> {
    let header = string.as_ptr().cast::<Header>();
    let (byte, bits) = COMPACT_ASCII;
    // SAFETY: `string` is a live str, which begins with this header; only fields that never change
    // are read. In a compact ASCII str the header is followed by as many bytes as the str is long;
    // they are initialised and never change.
    unsafe {
        if (&raw const (*header).state).cast::<u8>().add(byte).read() & bits != bits {
            return None;
        }
        let length = usize::try_from((&raw const (*header).length).read()).ok()?;
        Some(std::slice::from_raw_parts(header.add(1).cast::<u8>(), length))
    }
}

/// Compares the layout with the interpreter's, and allows to read by it if they are the same; call
/// it when the module is imported.
#[cfg(known_str)]
pub(super) fn check(py: Python<'_>) -> PyResult<()> {
    let long = "many words ".repeat(40);
    let texts =
        ["", "a", "metadata", &long, "\u{e9}", "na\u{ef}ve", "\u{65e5}\u{672c}", "\u{1f600}"];
    for text in texts {
        // An interned one has other bits in its state.
        for string in [PyString::new(py, text), PyString::intern(py, text)] {
            if !agrees(&string, text)? {
                return Ok(());
            }
        }
    }
    // The characters of a `str` of a derived class lie elsewhere.
    let class = (py.get_type::<PyString>(),);
    let class = py.get_type::<PyType>().call1(("Text", class, PyDict::new(py)))?;
    let derived = class.call1(("metadata",))?.cast_into::<PyString>()?;
    CHECKED.store(read(derived.as_borrowed()).is_none(), Ordering::Relaxed);
    Ok(())
}

/// Whether the layout was found to be the interpreter's.
#[cfg(known_str)]
pub(super) fn is_checked() -> bool {
    CHECKED.load(Ordering::Relaxed)
}

/// Whether the layout fits a `str` with this text.
#[cfg(known_str)]
fn agrees(string: &Bound<'_, PyString>, text: &str) -> PyResult<bool> {
    let Some(read) = read(string.as_borrowed()) else { return Ok(!text.is_ascii()) };
    let mut length = 0;
    // SAFETY: `string` is a live str. The function gives the address of its characters if they are
    // ASCII, or null with an exception set.
    let characters = unsafe { ffi::PyUnicode_AsUTF8AndSize(string.as_ptr(), &raw mut length) };
    if characters.is_null() {
        return Err(PyErr::fetch(string.py()));
    }
    // Only addresses and lengths are compared, so that nothing beyond the `str` is read.
    Ok(text.is_ascii()
        && read.as_ptr() == characters.cast()
        && read.len() == text.len()
        && usize::try_from(length) == Ok(text.len()))
}

/// A new `str` of these bytes if all of them are ASCII; `None` if they are not, or if the layout of
/// a `str` is not known.
///
/// The interpreter's decoder costs more than the rest of a short `str`.
#[inline]
#[cfg(known_str)]
pub fn of_ascii<'py>(py: Python<'py>, bytes: &[u8]) -> Option<Bound<'py, PyString>> {
    // The interpreter keeps each `str` of one character only once.
    if bytes.len() < 2 || !bytes.is_ascii() || !CHECKED.load(Ordering::Relaxed) {
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
        #[cfg(not(Py_3_14))]
        let characters = ffi::PyUnicode_DATA(string).cast::<u8>();
        #[cfg(Py_3_14)]
        let characters = string.cast::<Header>().add(1).cast::<u8>();
        characters.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Some(Bound::from_owned_ptr(py, string).cast_into_unchecked())
    }
}

/// Returns `None`, since the layout of a `str` is not known here.
#[inline]
#[cfg(not(known_str))]
pub fn of_ascii<'py>(_: Python<'py>, _: &[u8]) -> Option<Bound<'py, PyString>> {
    None
}

/// Returns `None`, since the layout of a `str` is not known here.
#[inline]
#[cfg(not(known_str))]
pub fn ascii<'a>(_: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    None
}
