//! Values without references of their own, which are used while no Python code runs.

use std::borrow::Cow;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use pyo3::{Borrowed, ffi};
use toolwire::Tree;
use toolwire::packet::{PacketKind, names_another};
use toolwire::tree::{Failure, Hint, Hints, Key, Name, View};

use super::string::ascii_of;
#[cfg(known_tables)]
use super::table;
use crate::key;

/// Means that only Python code could decide.
pub(super) struct Unsure;

/// A value that lives as long as the list from which it was reached is unchanged.
#[derive(Clone, Copy)]
pub(super) struct Glance<'a, 'py>(pub(super) Borrowed<'a, 'py, PyAny>);

/// The slot in which the last dict had a key; a guess.
static SLOTS: [AtomicU8; Key::ALL.len()] = [const { AtomicU8::new(0) }; Key::ALL.len()];

/// The slot in which a key is searched first.
#[inline]
pub fn guess(key: Key) -> u8 {
    SLOTS.get(key as usize).map_or(0, |slot| slot.load(Ordering::Relaxed))
}

/// The most slots that are searched for a key.
const MOST_SLOTS: ffi::Py_ssize_t = 16;

/// The first packet of a list, from a position on, that may hold a result of one of the handlers
/// (of any handler if none are named); the list's length if there is no such packet.
///
/// Packets are read without a reference to each value, which takes half of the time. A packet that
/// is not plain (an exact dict, with exact ASCII keys and values of the simplest types) may hold a
/// result: it is left to the caller, since reading it may run Python code.
///
/// The packets of a long list are scattered over memory, so those ahead are fetched into the cache
/// meanwhile.
pub fn skip_others(list: &Bound<'_, PyList>, from: usize, names: Option<&[&[u8]]>) -> usize {
    let mut hints = Hints::default();
    let length = list.len();
    for at in from..length {
        if length >= LONG {
            fetch_ahead(list, at);
        }
        let Some(packet) = item(list, at).map(Glance) else { return at };
        let skipped = match names {
            Some(names) => names_another(&packet, &mut hints, |name| names.contains(&name)),
            None => PacketKind::of(&packet, &mut hints).map(|kind| kind.is_none()),
        };
        if !matches!(skipped, Ok(true)) {
            return at;
        }
    }
    length
}

/// Shorter lists stay in the cache without help.
const LONG: usize = 2048;

/// The number of packets between two stages of [`fetch_ahead`].
const STEP: usize = 4;

/// Fetches a link of each of some packets ahead: the dict, its table, the metadata, their table,
/// the name of the handler. A key is assumed to be in its last slot; if it is elsewhere, the
/// fetched data is not read.
#[cfg(known_tables)]
#[inline]
fn fetch_ahead(list: &Bound<'_, PyList>, at: usize) {
    let (metadata, handler) = (guess(Key::Metadata).into(), guess(Key::HandlerTool).into());
    let packet = |stage: usize| dict(item(list, at + stage * STEP)?);
    let inner = |stage| dict(table::entry(packet(stage)?, metadata)?.1);
    if let Some(packet) = item(list, at + 5 * STEP) {
        table::fetch_object(packet.as_ptr());
    }
    if let Some(packet) = packet(4) {
        table::fetch_table(packet, metadata);
    }
    if let Some(packet) = packet(3) {
        table::fetch_entry(packet, metadata);
    }
    if let Some(metadata) = inner(2) {
        table::fetch_table(metadata, handler);
    }
    if let Some(metadata) = inner(1) {
        table::fetch_entry(metadata, handler);
    }
}

/// Fetches nothing, since the layout of a dict's table is not known here.
#[cfg(not(known_tables))]
#[inline]
fn fetch_ahead(_: &Bound<'_, PyList>, _: usize) {}

/// The value as a dict, if it is exactly a dict.
#[inline]
fn dict<'a, 'py>(value: Borrowed<'a, 'py, PyAny>) -> Option<Borrowed<'a, 'py, PyDict>> {
    // SAFETY: the check finds that the value's type is `dict`.
    value.is_exact_instance_of::<PyDict>().then(|| unsafe { value.cast_unchecked() })
}

/// The item of a list.
#[inline]
fn item<'a, 'py>(list: &'a Bound<'py, PyList>, at: usize) -> Option<Borrowed<'a, 'py, PyAny>> {
    if at >= list.len() {
        return None;
    }
    // SAFETY: the position is before the list's end, and the item lives until the list is
    // changed: the only callers, `skip_others` and `fetch_ahead`, run no Python code and drop no
    // reference while they use the item.
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

/// The entry of a dict in a slot; if the slot holds none or cannot be read, the next one after it.
#[inline]
fn slot<'a, 'py>(
    value: Borrowed<'a, 'py, PyAny>,
    slot: u8,
) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
    #[cfg(known_tables)]
    if let Some(entry) = dict(value).and_then(|dict| table::entry(dict, slot.into())) {
        return Some(entry);
    }
    entry(value, &mut slot.into())
}

/// The attribute of an object at a position of the dict that holds its attributes; if it cannot be
/// read there, the next one after it.
#[inline]
pub(super) fn attribute<'a, 'py>(
    attributes: Borrowed<'a, 'py, PyAny>,
    position: u8,
) -> Option<(Borrowed<'a, 'py, PyAny>, Borrowed<'a, 'py, PyAny>)> {
    #[cfg(known_tables)]
    if let Some(found) = dict(attributes).and_then(|dict| table::attribute(dict, position.into())) {
        return Some(found);
    }
    entry(attributes, &mut position.into())
}

impl<'a> Glance<'a, '_> {
    /// The characters of an exact `str` of ASCII.
    #[inline]
    fn ascii(self) -> Option<&'a [u8]> {
        if !self.0.is_exact_instance_of::<PyString>() {
            return None;
        }
        // SAFETY: the check above found that the value's type is `str`.
        ascii_of(unsafe { self.0.cast_unchecked::<PyString>() })
    }

    /// The bytes of an exact `str`; a lone surrogate has none.
    #[inline]
    pub(super) fn utf8(self) -> Result<&'a [u8], Unsure> {
        match self.ascii() {
            Some(text) => Ok(text),
            None => self.encoded(),
        }
    }

    /// The UTF-8 of an exact `str` that is not ASCII, which the interpreter keeps in the `str`.
    #[cold]
    fn encoded(self) -> Result<&'a [u8], Unsure> {
        if !self.0.is_exact_instance_of::<PyString>() {
            return Err(Unsure);
        }
        let mut length = 0;
        // SAFETY: the value is a live str. The function gives the address of `length` bytes that
        // live as long as the str, or null with an exception set, which is cleared. After a null
        // no glance is used any more, since the exception may run code.
        unsafe {
            let text = ffi::PyUnicode_AsUTF8AndSize(self.0.as_ptr(), &raw mut length);
            if text.is_null() {
                ffi::PyErr_Clear();
                return Err(Unsure);
            }
            let length = usize::try_from(length).map_err(|_| Unsure)?;
            Ok(std::slice::from_raw_parts(text.cast(), length))
        }
    }

    /// The value of an `int` of 64 bits.
    #[inline]
    fn whole(self) -> Option<i64> {
        let mut overflow = 0;
        // SAFETY: the value is a live int, for which the function runs no code and does not fail.
        let number =
            unsafe { ffi::PyLong_AsLongLongAndOverflow(self.0.as_ptr(), &raw mut overflow) };
        (overflow == 0).then_some(number)
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

    #[inline]
    fn view(&self) -> View<'_> {
        let value = self.0;
        if value.is_exact_instance_of::<PyString>() {
            self.utf8().map_or(View::Opaque, |text| View::Text(Cow::Borrowed(text)))
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            View::List(list.len())
        } else if let Some(dict) = dict(value) {
            View::Map(dict.len())
        } else if value.is_exact_instance_of::<PyInt>() {
            self.whole().map_or(View::Opaque, View::Int)
        } else if let Ok(float) = value.cast_exact::<PyFloat>() {
            View::Float(float.value())
        } else if let Ok(truth) = value.cast_exact::<PyBool>() {
            View::Bool(truth.is_true())
        } else if value.is_none() {
            View::Null
        } else {
            View::Opaque
        }
    }

    #[allow(clippy::inline_always, reason = "the key is compared by words once it is known")]
    #[inline(always)]
    fn get(&self, key: Key, _: &mut Hint) -> Result<Option<Self>, Unsure> {
        if !self.0.is_exact_instance_of::<PyDict>() {
            return Err(Unsure);
        }
        match slot(self.0, guess(key)) {
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

    #[inline]
    fn truthy(&self) -> Result<bool, Unsure> {
        match dict(self.0) {
            Some(dict) => Ok(!dict.is_empty()),
            None if self.0.is_none() => Ok(false),
            None => Err(Unsure),
        }
    }

    #[inline]
    fn entries<F>(&self, mut visit: F) -> Result<(), Failure<Unsure>>
    where
        F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<Unsure>>,
    {
        let mut pass = |key, value| {
            let name = Self(key).utf8().map_err(Failure::Host)?;
            visit(Name::Text(Cow::Borrowed(name)), Self(value))
        };
        let Some(dict) = dict(self.0) else { return Err(Failure::Host(Unsure)) };
        #[cfg(known_tables)]
        if let Some(mut entries) = table::entries(dict) {
            return entries.try_for_each(|(key, value)| pass(key, value));
        }
        let mut position = 0;
        while let Some((key, value)) = entry(self.0, &mut position) {
            pass(key, value)?;
        }
        Ok(())
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
