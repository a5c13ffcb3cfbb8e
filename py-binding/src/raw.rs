//! The calls for which pyo3 has no safe function.
//!
//! The only file with `unsafe` code; every public function of it is safe.

use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyList, PyString, PyType};
use pyo3::{Borrowed, ffi};
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
use toolwire::packet::ResultPacket;
use toolwire::tree::Hints;

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
fn ascii_of<'a>(string: Borrowed<'a, '_, PyString>) -> Option<&'a [u8]> {
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

/// Returns `None`, since the layout of a `str` is not known here.
#[inline]
#[cfg(any(Py_3_14, PyPy, GraalPy))]
pub fn ascii<'a>(_: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    None
}

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

/// The first packet of a list, from a position on, that may hold a result of one of the handlers
/// (of any handler if none are named); the list's length if there is no such packet.
///
/// Packets are read without a reference to each value, which takes half of the time. A packet that
/// is not plain (an exact dict, with exact ASCII keys and values of the simplest types) may hold a
/// result: it is left to the caller, since reading it may run Python code. No packet is prefetched:
/// the attempt was not faster, since memory is the limit.
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
pub fn skip_others(list: &Bound<'_, PyList>, from: usize, names: Option<&[&[u8]]>) -> usize {
    let mut hints = Hints::default();
    let length = list.len();
    for at in from..length {
        let Some(packet) = item(list, at) else { return at };
        let result = match ResultPacket::of(&Glance(packet), &mut hints) {
            Ok(None) => continue,
            Ok(Some(result)) => result,
            Err(Unsure) => return at,
        };
        let Some(handler) = result.handler.and_then(Glance::ascii) else { continue };
        if names.is_none_or(|names| names.contains(&handler)) {
            return at;
        }
    }
    length
}

/// Skips no packet, since reading a value needs a reference here.
#[cfg(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))]
pub fn skip_others(_: &Bound<'_, PyList>, from: usize, _: Option<&[&[u8]]>) -> usize {
    from
}

#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
pub use glance::guess;
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
use glance::{Glance, Unsure, item};

/// Returns 0: without skipped packets, the positions of keys are not known.
#[cfg(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED))]
pub fn guess(_: toolwire::tree::Key) -> u8 {
    0
}

/// Values without references of their own, which are used while no Python code runs.
#[cfg(not(any(Py_3_14, PyPy, GraalPy, Py_GIL_DISABLED)))]
mod glance {
    use std::borrow::Cow;
    use std::ptr;
    use std::sync::atomic::{AtomicU8, Ordering};

    use pyo3::prelude::*;
    use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
    use pyo3::{Borrowed, ffi};
    use toolwire::Tree;
    use toolwire::tree::{Failure, Hint, Key, Name, View};

    use super::ascii_of;
    use crate::key;

    /// Means that only Python code could decide.
    pub struct Unsure;

    /// A value that lives as long as the list from which it was reached is unchanged.
    #[derive(Clone, Copy)]
    pub struct Glance<'a, 'py>(pub Borrowed<'a, 'py, PyAny>);

    /// The slot in which the last dict had a key; a guess.
    static SLOTS: [AtomicU8; Key::ALL.len()] = [const { AtomicU8::new(0) }; Key::ALL.len()];

    /// The slot in which a key is searched first.
    #[inline]
    pub fn guess(key: Key) -> u8 {
        SLOTS.get(key as usize).map_or(0, |slot| slot.load(Ordering::Relaxed))
    }

    /// The most slots that are searched for a key.
    const MOST_SLOTS: ffi::Py_ssize_t = 16;

    /// The item of a list.
    #[inline]
    pub fn item<'a, 'py>(
        list: &'a Bound<'py, PyList>,
        at: usize,
    ) -> Option<Borrowed<'a, 'py, PyAny>> {
        if at >= list.len() {
            return None;
        }
        // SAFETY: the position is before the list's end, and the item lives until the list is
        // changed: the only caller, `skip_others`, runs no Python code and drops no reference while
        // it uses the item.
        unsafe {
            let item = ffi::PyList_GET_ITEM(list.as_ptr(), ffi::Py_ssize_t::try_from(at).ok()?);
            Some(Borrowed::from_ptr(list.py(), item))
        }
    }

    /// The entry at a dict's position, or the next one after it; the position is advanced.
    #[inline]
    fn entry<'a, 'py>(
        dict: Borrowed<'a, 'py, PyAny>,
        position: &mut ffi::Py_ssize_t,
    ) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
        let (mut key, mut value) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: CPython checks that this is a dict, and the position against its entries. It
        // fills both pointers when it returns 1; they live as `item` says.
        unsafe {
            if ffi::PyDict_Next(dict.as_ptr(), position, &raw mut key, &raw mut value) == 0 {
                return None;
            }
            Some((Borrowed::from_ptr(dict.py(), key), Borrowed::from_ptr(dict.py(), value)))
        }
    }

    impl<'a> Glance<'a, '_> {
        /// The characters of an exact `str` of ASCII.
        #[inline]
        pub fn ascii(self) -> Option<&'a [u8]> {
            if !self.0.is_exact_instance_of::<PyString>() {
                return None;
            }
            // SAFETY: the check above found that the value's type is `str`.
            ascii_of(unsafe { self.0.cast_unchecked::<PyString>() })
        }

        /// The value, if every question about it can be answered without Python code.
        #[inline]
        fn sure(self) -> Result<Self, Unsure> {
            let value = self.0;
            if value.is_exact_instance_of::<PyString>() {
                return self.ascii().map(|_| self).ok_or(Unsure);
            }
            let plain = value.is_exact_instance_of::<PyDict>()
                || value.is_exact_instance_of::<PyList>()
                || value.is_none()
                || value.is_exact_instance_of::<PyBool>()
                || value.is_exact_instance_of::<PyInt>()
                || value.is_exact_instance_of::<PyFloat>();
            if plain { Ok(self) } else { Err(Unsure) }
        }

        /// Whether a dict's key is this one.
        #[allow(clippy::inline_always, reason = "the key is compared by words once it is known")]
        #[inline(always)]
        fn is(self, key: Key) -> Result<bool, Unsure> {
            if key::name(self.0.py(), key).is_some_and(|name| self.0.is(name)) {
                return Ok(true);
            }
            Ok(self.ascii().ok_or(Unsure)? == key.slug().as_bytes())
        }

        /// Searches a dict for a key, and notes the position of the key.
        #[inline(never)]
        fn search(self, key: Key) -> Result<Option<Self>, Unsure> {
            let mut position = 0;
            while let Some((name, value)) = entry(self.0, &mut position) {
                if Self(name).is(key)? {
                    if let (Some(slot), Ok(place)) =
                        (SLOTS.get(key as usize), u8::try_from(position - 1))
                    {
                        slot.store(place, Ordering::Relaxed);
                    }
                    return Self(value).sure().map(Some);
                }
                if position > MOST_SLOTS {
                    return Err(Unsure);
                }
            }
            Ok(None)
        }
    }

    impl Tree for Glance<'_, '_> {
        type Error = Unsure;

        fn view(&self) -> View<'_> {
            View::Opaque
        }

        #[allow(clippy::inline_always, reason = "the key is compared by words once it is known")]
        #[inline(always)]
        fn get(&self, key: Key, _: &mut Hint) -> Result<Option<Self>, Unsure> {
            if !self.0.is_exact_instance_of::<PyDict>() {
                return Err(Unsure);
            }
            match entry(self.0, &mut guess(key).into()) {
                Some((name, value)) if matches!(Self(name).is(key), Ok(true)) => {
                    Self(value).sure().map(Some)
                }
                _ => self.search(key),
            }
        }

        fn member(&self, _: &str) -> Result<Option<Self>, Unsure> {
            Err(Unsure)
        }

        #[inline]
        fn text(&self) -> Option<Cow<'_, [u8]>> {
            self.ascii().map(Cow::Borrowed)
        }

        #[inline]
        fn is_container(&self) -> bool {
            self.0.is_exact_instance_of::<PyDict>() || self.0.is_exact_instance_of::<PyList>()
        }

        fn truthy(&self) -> Result<bool, Unsure> {
            Err(Unsure)
        }

        fn entries<F>(&self, _: F) -> Result<(), Failure<Unsure>>
        where
            F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<Unsure>>,
        {
            Err(Failure::Host(Unsure))
        }

        fn items<F>(&self, _: F) -> Result<(), Failure<Unsure>>
        where
            F: FnMut(Self) -> Result<(), Failure<Unsure>>,
        {
            Err(Failure::Host(Unsure))
        }

        fn display(&self, _: &mut Vec<u8>) -> Result<(), Unsure> {
            Err(Unsure)
        }
    }
}
