//! Python values as core's [`Tree`]: dicts and lists are read in place.
//!
//! An exact dict is read directly. A subclass or another mapping is read through its own `get`,
//! whose errors are passed on. Every node holds a reference, so its value stays alive while other
//! code runs.

use std::borrow::Cow;
use std::marker::PhantomData;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use toolwire::Tree;
use toolwire::tree::{Failure, Hint, Key, Name, View};

use crate::host::error::raise;
use crate::key::name;
use crate::raw;

/// The exception that reading a value may raise; it is boxed to keep a successful look-up small.
pub type Raised = Box<PyErr>;

/// The exception for a failure during the reading of a value.
pub fn raise_failure(py: Python<'_>, failure: Failure<Raised>) -> PyErr {
    match failure {
        Failure::Misuse(error) => raise(py, &error),
        Failure::Host(error) => *error,
    }
}

/// The way in which a value is read.
pub trait Look: Clone {
    /// Whether the value is read as Python's `json` module reads it: tuples are lists, and
    /// subclasses count as their base types.
    const JSON: bool;
}

/// Reads values as the issue agent's summary does: only lists and dicts are counted, and a value
/// with its own `str` is shown by it.
#[derive(Clone)]
pub struct Shown;

impl Look for Shown {
    const JSON: bool = false;
}

/// Reads values as Python's `json` module does.
#[derive(Clone)]
pub struct Json;

impl Look for Json {
    const JSON: bool = true;
}

/// A Python value as a node.
#[derive(Clone)]
pub struct Node<'py, L: Look = Shown> {
    /// The caller's own object.
    pub value: Bound<'py, PyAny>,
    look: PhantomData<L>,
}

impl<'py, L: Look> Node<'py, L> {
    /// Makes a node of a value.
    #[inline]
    pub fn new(value: Bound<'py, PyAny>) -> Self {
        Self { value, look: PhantomData }
    }

    /// Whether the value is a mapping, but not a dict.
    fn is_mapping(&self) -> bool {
        let value = &self.value;
        // A type check against an abstract class is slow, so the common types of packets come
        // first.
        let simple = value.is_none()
            || value.is_exact_instance_of::<PyString>()
            || value.is_exact_instance_of::<PyBool>()
            || value.is_exact_instance_of::<PyInt>()
            || value.is_exact_instance_of::<PyFloat>();
        !simple && value.cast::<PyMapping>().is_ok()
    }

    /// Reads from a dict's subclass or another mapping through its own `get`.
    #[cold]
    fn get_slow(&self, name: &Bound<'py, PyString>) -> Result<Option<Self>, Raised> {
        static MISSING: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = self.value.py();
        if !(self.value.is_instance_of::<PyDict>() || self.is_mapping()) {
            return Ok(None);
        }
        let object = || Ok::<_, PyErr>(py.import("builtins")?.getattr("object")?.call0()?.unbind());
        let missing = MISSING.get_or_try_init(py, object)?.bind(py);
        let found = self.value.call_method1(pyo3::intern!(py, "get"), (name, missing))?;
        Ok(if found.is(missing) { None } else { Some(Self::new(found)) })
    }

    /// The view of a value whose type is a subclass of a simple type.
    fn view_derived(&self) -> View<'_> {
        let value = &self.value;
        if let Ok(list) = value.cast::<PyList>() {
            return View::List(list.len());
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            return View::Map(dict.len());
        }
        if let Ok(string) = value.cast::<PyString>() {
            // A summary shows a short text by its own `str`, and cuts the characters of a long
            // text.
            let long = string.code_point_len().is_ok_and(|length| length > 100);
            return if long || L::JSON { View::Text(bytes(string)) } else { View::Opaque };
        }
        if !L::JSON {
            return View::Opaque;
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            View::List(tuple.len())
        } else if let Ok(float) = value.cast::<PyFloat>() {
            View::Float(float.value())
        } else if value.is_instance_of::<PyInt>() {
            value.extract().map_or(View::BigInt, View::Int)
        } else if let Ok(mapping) = value.cast::<PyMapping>() {
            mapping.len().map_or(View::Opaque, View::Map)
        } else {
            View::Opaque
        }
    }
}

impl<'py, L: Look> Tree for Node<'py, L> {
    type Error = Raised;

    #[inline]
    fn view(&self) -> View<'_> {
        let value = &self.value;
        if let Ok(string) = value.cast_exact::<PyString>() {
            View::Text(bytes(string))
        } else if let Ok(truth) = value.cast_exact::<PyBool>() {
            View::Bool(truth.is_true())
        } else if value.is_exact_instance_of::<PyInt>() {
            value.extract().map_or(View::BigInt, View::Int)
        } else if let Ok(float) = value.cast_exact::<PyFloat>() {
            View::Float(float.value())
        } else if value.is_none() {
            View::Null
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            View::List(list.len())
        } else if let Ok(dict) = value.cast_exact::<PyDict>() {
            View::Map(dict.len())
        } else {
            self.view_derived()
        }
    }

    #[inline]
    fn get(&self, key: Key, hint: &mut Hint) -> Result<Option<Self>, Raised> {
        let Some(name) = name(self.value.py(), key) else { return Ok(None) };
        match self.value.cast_exact::<PyDict>() {
            Ok(dict) => match at_slot(dict, key, name, hint) {
                Some(value) => Ok(Some(Self::new(value))),
                None => get_learning(dict, key, name, hint).map(|found| found.map(Self::new)),
            },
            Err(_) => self.get_slow(name),
        }
    }

    fn member(&self, name: &str) -> Result<Option<Self>, Raised> {
        let name = PyString::new(self.value.py(), name);
        match self.value.cast_exact::<PyDict>() {
            Ok(dict) => Ok(dict.get_item(name)?.map(Self::new)),
            Err(_) => self.get_slow(&name),
        }
    }

    #[inline]
    fn text(&self) -> Option<Cow<'_, [u8]>> {
        self.value.cast::<PyString>().ok().map(bytes)
    }

    #[inline]
    fn is_container(&self) -> bool {
        let value = &self.value;
        value.is_instance_of::<PyDict>() || value.is_instance_of::<PyList>() || self.is_mapping()
    }

    /// Every look-up counts as one that runs code, since a key of a dict may have its own `__eq__`.
    #[inline]
    fn runs_code(&self) -> bool {
        true
    }

    #[inline]
    fn address(&self) -> Option<usize> {
        let value = &self.value;
        let plain =
            value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PyList>();
        plain.then(|| value.as_ptr().addr())
    }

    #[inline]
    fn truthy(&self) -> Result<bool, Raised> {
        Ok(self.value.is_truthy()?)
    }

    fn entries<F>(&self, mut visit: F) -> Result<(), Failure<Raised>>
    where
        F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<Raised>>,
    {
        let mut pass = |key: Bound<'py, PyAny>, value: Bound<'py, PyAny>| {
            let value = Self::new(value);
            match key.cast_exact::<PyString>() {
                Ok(name) => visit(Name::Text(bytes(name)), value),
                Err(_) => visit(Name::Node(Self::new(key)), value),
            }
        };
        if let Ok(dict) = self.value.cast_exact::<PyDict>() {
            let (length, mut position) = (dict.len(), 0);
            for _ in 0..length {
                let entry = raw::next_entry(dict, &mut position).filter(|_| dict.len() == length);
                let (key, value) = entry.ok_or_else(changed)?;
                pass(key, value)?;
            }
            return Ok(());
        }
        let items = self.value.call_method0(pyo3::intern!(self.value.py(), "items"));
        for item in items.and_then(|items| items.try_iter()).map_err(host)? {
            let (key, value) = item.and_then(|item| item.extract()).map_err(host)?;
            pass(key, value)?;
        }
        Ok(())
    }

    fn items<F>(&self, mut visit: F) -> Result<(), Failure<Raised>>
    where
        F: FnMut(Self) -> Result<(), Failure<Raised>>,
    {
        if let Ok(list) = self.value.cast_exact::<PyList>() {
            // No iterator is made, since it costs more than a short list.
            let mut at = 0;
            while at < list.len() {
                visit(Self::new(list.get_item(at).map_err(host)?))?;
                at += 1;
            }
            return Ok(());
        }
        for item in self.value.try_iter().map_err(host)? {
            visit(Self::new(item.map_err(host)?))?;
        }
        Ok(())
    }

    fn display(&self, out: &mut Vec<u8>) -> Result<(), Raised> {
        out.extend_from_slice(&bytes(&self.value.str()?));
        Ok(())
    }
}

/// The number of misses in a row after which the slot of a key is no longer tried, since the dicts
/// have no common layout.
const MOST_MISSES: u32 = 8;

/// The most slots that are searched to find the position of a key for the next dict.
const MOST_SLOTS: u8 = 16;

/// The parts of a hint: the slot, and the number of its misses in a row.
#[inline]
fn parts(hint: Hint) -> (u8, u32) {
    let [slot, ..] = hint.slot.to_le_bytes();
    (slot, hint.slot >> 8)
}

/// The value in the slot that held the key in the last dict, if the slot holds the key in this
/// dict.
#[inline]
fn at_slot<'py>(
    dict: &Bound<'py, PyDict>,
    key: Key,
    name: &Bound<'py, PyString>,
    hint: &mut Hint,
) -> Option<Bound<'py, PyAny>> {
    let (slot, misses) = parts(*hint);
    if misses > MOST_MISSES {
        return None;
    }
    let slot = if hint.slot == 0 { raw::guess(key) } else { slot };
    let value = raw::value_at(dict, slot, name, key.slug().as_bytes())?;
    hint.slot = slot.into();
    Some(value)
}

/// Looks a key up by its hash, and notes its slot.
#[cold]
fn get_learning<'py>(
    dict: &Bound<'py, PyDict>,
    key: Key,
    name: &Bound<'py, PyString>,
    hint: &mut Hint,
) -> Result<Option<Bound<'py, PyAny>>, Raised> {
    let value = dict.get_item(name)?;
    let (slot, misses) = parts(*hint);
    if value.is_some() && misses <= MOST_MISSES {
        let text = key.slug().as_bytes();
        let place = (0..MOST_SLOTS).find(|&at| raw::value_at(dict, at, name, text).is_some());
        hint.slot = u32::from(place.unwrap_or(slot)) | (misses + 1) << 8;
    }
    Ok(value)
}

/// An exception of the host, as core's failure.
pub fn host(error: PyErr) -> Failure<Raised> {
    Failure::Host(Box::new(error))
}

/// The error that Python raises for a dict that changes during a loop.
fn changed() -> Failure<Raised> {
    host(PyRuntimeError::new_err("dictionary changed size during iteration"))
}

/// The bytes of a `str`: its UTF-8, with three bytes for a lone surrogate.
#[inline]
pub fn bytes<'a>(string: &'a Bound<'_, PyString>) -> Cow<'a, [u8]> {
    match raw::ascii(string) {
        Some(text) => Cow::Borrowed(text),
        None => encoded(string),
    }
}

/// The bytes of a `str` that is not ASCII.
#[cold]
fn encoded<'a>(string: &'a Bound<'_, PyString>) -> Cow<'a, [u8]> {
    if let Ok(text) = string.to_str() {
        return Cow::Borrowed(text.as_bytes());
    }
    let encoded =
        string.call_method1(pyo3::intern!(string.py(), "encode"), ("utf-8", "surrogatepass"));
    // The encoding takes every code point, so only a lack of memory can make it fail.
    encoded.ok().and_then(|bytes| bytes.extract().ok()).map_or(Cow::Borrowed(&[]), Cow::Owned)
}

/// The `str` for bytes from [`bytes`].
pub fn string<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    if let Some(string) = raw::of_ascii(py, bytes) {
        return Ok(string);
    }
    if let Ok(string) = PyString::from_bytes(py, bytes) {
        return Ok(string);
    }
    let encoded = PyBytes::new(py, bytes);
    PyString::from_encoded_object(&encoded, Some(c"utf-8"), Some(c"surrogatepass"))
}
