//! A dict's own table, as CPython 3.11 to 3.15 lay it out.
//!
//! To read an entry here takes a third of the time of `PyDict_Next`. [`check`] compares the layout
//! with what the interpreter says when the module is imported; before, or if they differ, no entry
//! is read here, and callers ask the interpreter.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use pyo3::{Borrowed, ffi};

/// The header of a table. `1 << log2_index_bytes` bytes of indices follow it, then the entries.
#[repr(C)]
struct Keys {
    references: ffi::Py_ssize_t,
    log2_size: u8,
    log2_index_bytes: u8,
    kind: u8,
    version: u32,
    usable: ffi::Py_ssize_t,
    entries: ffi::Py_ssize_t,
}

/// An entry of a table whose keys are all of type `str`; both are null if it was removed.
#[repr(C)]
struct Entry {
    key: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
}

/// The kind of a table whose keys are all of type `str`, and that holds the values too.
const TEXT_KEYS: u8 = 1;

/// The kind of a table that the objects of a class share; each object has values of its own.
const SHARED_KEYS: u8 = 2;

/// The size of what stands before the values of an object.
const VALUES_HEADER: usize = if cfg!(Py_3_13) { 8 } else { 0 };

/// Whether the layout was compared with the interpreter's.
static CHECKED: AtomicBool = AtomicBool::new(false);

/// Whether the layout of the values of an object was compared too.
static SHARED_CHECKED: AtomicBool = AtomicBool::new(false);

/// The header of a dict's table; `None` if the values lie elsewhere.
#[inline]
fn keys<'a>(dict: Borrowed<'a, '_, PyDict>) -> Option<&'a Keys> {
    // SAFETY: `dict` is a live dict, whose header pyo3 declares. Its table is never null, and stays
    // as long as the dict is unchanged, which the caller sees to.
    unsafe {
        let dict = dict.as_ptr().cast::<ffi::PyDictObject>();
        if (*dict).ma_values.is_null() { (*dict).ma_keys.cast::<Keys>().as_ref() } else { None }
    }
}

/// The name and the value of an object's attribute at a position; `None` if it is not set, or if
/// the object does not share its table, or if the layout is not known. Both live as long as no
/// Python code runs.
#[inline]
pub(super) fn attribute<'a, 'py>(
    dict: Borrowed<'a, 'py, PyDict>,
    position: usize,
) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
    if SHARED_CHECKED.load(Ordering::Relaxed) { read_attribute(dict, position) } else { None }
}

/// Does the work of [`attribute`] for a layout that is not checked yet.
#[inline]
fn read_attribute<'a, 'py>(
    dict: Borrowed<'a, 'py, PyDict>,
    position: usize,
) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
    // SAFETY: as in `keys`. A dict with a table of this kind has values of its own, as many as the
    // table has entries, or more; those that are not set are null. An entry holds a reference to
    // its key, and its own value is null.
    unsafe {
        let header = dict.as_ptr().cast::<ffi::PyDictObject>();
        let keys = (*header).ma_keys.cast::<Keys>().as_ref()?;
        let values = (*header).ma_values;
        if keys.kind != SHARED_KEYS
            || values.is_null()
            || position >= usize::try_from(keys.entries).ok()?
        {
            return None;
        }
        let values = values.cast::<*mut ffi::PyObject>().byte_add(VALUES_HEADER);
        let (key, value) = ((*first(keys).add(position)).key, *values.add(position));
        if value.is_null() {
            return None;
        }
        Some((Borrowed::from_ptr(dict.py(), key), Borrowed::from_ptr(dict.py(), value)))
    }
}

/// The key and the value of an entry of a dict; `None` if there is no such entry, or its layout is
/// not known. Both live as long as no Python code runs.
#[inline]
pub(super) fn entry<'a, 'py>(
    dict: Borrowed<'a, 'py, PyDict>,
    position: usize,
) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
    if CHECKED.load(Ordering::Relaxed) { read(dict, position) } else { None }
}

/// Does the work of [`entry`] for a layout that is not checked yet.
#[inline]
fn read<'a, 'py>(
    dict: Borrowed<'a, 'py, PyDict>,
    position: usize,
) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
    let keys = keys(dict)?;
    if keys.kind != TEXT_KEYS || position >= usize::try_from(keys.entries).ok()? {
        return None;
    }
    // SAFETY: this kind of table has as many initialised entries as its header says, after the
    // indices. An entry that was removed has a null value; any other one holds a reference to its
    // key and to its value.
    unsafe {
        let entry = &*first(keys).add(position);
        if entry.value.is_null() {
            return None;
        }
        Some((Borrowed::from_ptr(dict.py(), entry.key), Borrowed::from_ptr(dict.py(), entry.value)))
    }
}

/// The entries of a dict in order; `None` if their layout is not known. They live as long as no
/// Python code runs.
#[inline]
pub(super) fn entries<'a, 'py>(
    dict: Borrowed<'a, 'py, PyDict>,
) -> Option<impl Iterator<Item = (Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)>> {
    let keys = keys(dict)?;
    if !CHECKED.load(Ordering::Relaxed) || keys.kind != TEXT_KEYS {
        return None;
    }
    let count = usize::try_from(keys.entries).ok()?;
    // SAFETY: as in `read`.
    let entries = unsafe { std::slice::from_raw_parts(first(keys), count) };
    let used = entries.iter().filter(|entry| !entry.value.is_null());
    let py = dict.py();
    Some(used.map(move |entry| {
        // SAFETY: the dict holds a reference to the key and to the value.
        unsafe { (Borrowed::from_ptr(py, entry.key), Borrowed::from_ptr(py, entry.value)) }
    }))
}

/// The address of a table's first entry.
#[inline]
fn first(keys: &Keys) -> *const Entry {
    let indices = 1_usize.wrapping_shl(keys.log2_index_bytes.into());
    ptr::from_ref(keys).wrapping_add(1).wrapping_byte_add(indices).cast()
}

/// Prefetches the table of a dict that the cache holds, up to an entry.
#[inline]
pub(super) fn fetch_table(dict: Borrowed<'_, '_, PyDict>, position: usize) {
    if let Some(keys) = keys(dict) {
        let keys = ptr::from_ref(keys);
        fetch(keys);
        // A small table has 8 bytes of indices.
        let entries = keys.wrapping_add(1).wrapping_byte_add(8).cast::<Entry>();
        fetch(entries.wrapping_add(position));
    }
}

/// Prefetches the key and the value of an entry that the cache holds.
#[inline]
pub(super) fn fetch_entry(dict: Borrowed<'_, '_, PyDict>, position: usize) {
    if let Some((key, value)) = entry(dict, position) {
        fetch_object(key.as_ptr());
        fetch_object(value.as_ptr());
    }
}

/// Prefetches the fields that are read of a value: its header, and what follows 48 bytes later, the
/// characters of a `str`.
#[inline]
pub(super) fn fetch_object(object: *mut ffi::PyObject) {
    fetch(object);
    fetch(object.wrapping_byte_add(48));
}

/// Asks the processor to load an address into the cache; the hint does not affect results.
#[inline]
fn fetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is allowed.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Compares the layout with the interpreter's, and allows to read by it if they are the same; call
/// it when the module is imported.
pub fn check(py: Python<'_>) -> PyResult<()> {
    // Tables with indices of one byte and of two bytes, small and grown ones.
    for length in [0, 1, 5, 6, 40, 200, 400] {
        if !agrees(py, length)? {
            return Ok(());
        }
    }
    CHECKED.store(true, Ordering::Relaxed);
    SHARED_CHECKED.store(agrees_on_attributes(py)?, Ordering::Relaxed);
    Ok(())
}

/// The parts of the layout that were found to be the interpreter's.
pub(super) fn checked() -> impl Iterator<Item = &'static str> {
    let parts = [("dict", &CHECKED), ("attributes", &SHARED_CHECKED)];
    parts.into_iter().filter(|(_, checked)| checked.load(Ordering::Relaxed)).map(|(name, _)| name)
}

/// Whether the layout fits the attributes of objects of one class, one of which lacks some.
fn agrees_on_attributes(py: Python<'_>) -> PyResult<bool> {
    let class = py.get_type::<PyType>().call1(("Pair", PyTuple::empty(py), PyDict::new(py)))?;
    for names in [["first", "second"], ["second", "first"]] {
        for count in [2, 1] {
            let object = class.call0()?;
            for name in names.iter().take(count) {
                object.setattr(*name, (*name,))?;
            }
            let Some(dict) = super::attributes(&object) else { return Ok(false) };
            for (at, name) in ["first", "second"].into_iter().enumerate() {
                let expected = dict.get_item(name)?;
                let agrees = match (read_attribute(dict.as_borrowed(), at), expected) {
                    (Some((key, value)), Some(expected)) => key.eq(name)? && value.is(&expected),
                    (None, None) => true,
                    _ => false,
                };
                if !agrees {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Whether the layout fits a new dict of this length, also after one of its keys is removed.
fn agrees(py: Python<'_>, length: usize) -> PyResult<bool> {
    let dict = PyDict::new(py);
    let names: Vec<_> = (0..length).map(|at| PyString::new(py, &format!("key {at}"))).collect();
    for name in &names {
        dict.set_item(name, (name,))?;
    }
    // An empty dict shares a table that is like no other.
    if length == 0 {
        return Ok(read(dict.as_borrowed(), 0).is_none());
    }
    // The header is compared first, so that no entry is read where there may be none.
    if !keys(dict.as_borrowed()).is_some_and(|keys| fits(keys, length)) {
        return Ok(false);
    }
    let holds = |at: usize, name: &Bound<'_, PyString>| {
        let Some((key, value)) = read(dict.as_borrowed(), at) else { return Ok(false) };
        let expected = dict.get_item(name)?;
        Ok::<_, PyErr>(key.is(name) && expected.is_some_and(|expected| value.is(&expected)))
    };
    for (at, name) in names.iter().enumerate() {
        if !holds(at, name)? {
            return Ok(false);
        }
    }
    let (removed, last) = (length / 2, length - 1);
    if let (Some(gone), Some(name)) = (names.get(removed), names.get(last)) {
        dict.del_item(gone)?;
        if read(dict.as_borrowed(), removed).is_some() || (last > removed && !holds(last, name)?) {
            return Ok(false);
        }
    }
    // Any other key makes it a table of another kind.
    dict.set_item(1, 1)?;
    Ok(read(dict.as_borrowed(), 0).is_none())
}

/// Whether a header says what that of a new dict with so many keys says.
fn fits(keys: &Keys, length: usize) -> bool {
    let size = 1_usize << keys.log2_size.min(16);
    let index_bytes = if keys.log2_size < 8 { keys.log2_size } else { keys.log2_size + 1 };
    keys.references == 1
        && keys.kind == TEXT_KEYS
        && (3..16).contains(&keys.log2_size)
        && keys.log2_index_bytes == index_bytes
        && usize::try_from(keys.entries) == Ok(length)
        && usize::try_from(keys.usable) == Ok((size * 2 / 3).saturating_sub(length))
}
