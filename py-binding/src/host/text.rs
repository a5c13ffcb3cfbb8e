//! Python text as bytes for core, and core's offsets as code points.
//!
//! A `str` is searched in its UTF-8 form. A lone surrogate has no UTF-8 form, so it becomes the
//! byte `FF`. This byte is invalid UTF-8 for core, and one code point for [`CodePoints`], which
//! counts the bytes that do not continue a character. Text that is returned to Python is always cut
//! out of the caller's own `str`.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::host::error::wrong_type;
use crate::raw;

/// A range of code points: the start, and the position after the end.
pub type Span = (usize, usize);

/// The smallest size of a text that is searched while other threads run; for a smaller text, the
/// release of the interpreter costs more.
pub const DETACH: usize = 4096;

/// The byte in place of a lone surrogate; no UTF-8 contains it.
pub const SURROGATE: u8 = 0xFF;

/// Reads a `str`, or bytes-like input decoded to a `str` with `surrogateescape`.
pub fn read<'py>(what: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = value.py();
    if let Ok(string) = value.cast_exact::<PyString>() {
        return Ok(string.clone());
    }
    if let Ok(string) = value.cast::<PyString>() {
        // A subclass may change the meaning of slicing, so it is copied into a plain `str`.
        return raw::substring(string, 0, string.code_point_len()?);
    }
    let utf8 = Some(c"utf-8");
    let escape = Some(c"surrogateescape");
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        return PyString::from_encoded_object(value, utf8, escape);
    }
    if value.is_instance_of::<PyMemoryView>() {
        let copy = py.get_type::<PyBytes>().call1((value,))?;
        return PyString::from_encoded_object(&copy, utf8, escape);
    }
    Err(wrong_type(py, what, "str or bytes", value))
}

/// The bytes that core searches for a `str`.
pub fn to_bytes<'a>(string: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    match string.to_str() {
        Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
        Err(_) => Ok(Cow::Owned(without_surrogates(string)?.0)),
    }
}

/// A lone surrogate of a text: its byte offset and its code unit.
pub type Surrogate = (usize, u16);

/// The bytes of a `str` with its lone surrogates replaced, and the replaced surrogates.
pub fn without_surrogates(string: &Bound<'_, PyString>) -> PyResult<(Vec<u8>, Vec<Surrogate>)> {
    let py = string.py();
    let encoded = string.call_method1(pyo3::intern!(py, "encode"), ("utf-8", "surrogatepass"))?;
    let mut rest = encoded.cast::<PyBytes>()?.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    let mut surrogates = Vec::new();
    // In this encoding, ED followed by A0 or more always begins a surrogate.
    while let Some((&byte, tail)) = rest.split_first() {
        match tail {
            [second, third, after @ ..] if byte == 0xED && *second >= 0xA0 => {
                let unit = 0xD000 | (u16::from(*second & 0x3F) << 6) | u16::from(*third & 0x3F);
                surrogates.push((bytes.len(), unit));
                bytes.push(SURROGATE);
                rest = after;
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    Ok((bytes, surrogates))
}

/// A part of a text that is not yet in a `str`, with its lone surrogates.
pub struct Slice {
    bytes: Vec<u8>,
    surrogates: Vec<Surrogate>,
}

impl Slice {
    /// Copies a span of a text; `surrogates` are all surrogates of the text, by offset.
    pub fn of(span: toolwire::Span, text: &[u8], surrogates: &[Surrogate]) -> Self {
        let from = surrogates.partition_point(|&(at, _)| at < span.start);
        let to = surrogates.partition_point(|&(at, _)| at < span.end);
        let inside = surrogates.get(from..to).unwrap_or_default();
        let surrogates = inside.iter().map(|&(at, unit)| (at - span.start, unit)).collect();
        Self { bytes: span.of(text).to_vec(), surrogates }
    }

    /// Copies a text that is not part of the searched text.
    pub fn made(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), surrogates: Vec::new() }
    }

    /// The bytes that core searched, as [`to_bytes`] gives them for the `str` of the text.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The text as a `str`, with its lone surrogates.
    pub fn to_string<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        if self.surrogates.is_empty() {
            return PyString::from_bytes(py, &self.bytes);
        }
        let mut encoded = Vec::with_capacity(self.bytes.len() + 2 * self.surrogates.len());
        let mut done = 0;
        for &(at, unit) in &self.surrogates {
            encoded.extend(self.bytes.get(done..at).unwrap_or_default());
            let [high, low] = unit.to_be_bytes();
            encoded.extend([0xED, 0x80 | (high & 0x0F) << 2 | low >> 6, 0x80 | low & 0x3F]);
            done = at + 1;
        }
        encoded.extend(self.bytes.get(done..).unwrap_or_default());
        let encoded = PyBytes::new(py, &encoded);
        PyString::from_encoded_object(&encoded, Some(c"utf-8"), Some(c"surrogatepass"))
    }
}

/// The number of code points that start in these bytes.
fn count(bytes: &[u8]) -> usize {
    // A sum of at most 255 fits in a byte, so the compiler can count 16 or 32 bytes at a time.
    bytes
        .chunks(255)
        .map(|chunk| {
            usize::from(chunk.iter().map(|&byte| u8::from(byte & 0xC0 != 0x80)).sum::<u8>())
        })
        .sum()
}

/// The distance between two marks of [`CodePoints`], in bytes.
const STEP: usize = 1024;

/// Translates byte offsets into code points.
///
/// It makes one pass over a text, and no pass over ASCII. A translation then reads less than 1 KiB.
#[derive(Default)]
pub struct CodePoints {
    /// The number of code points before each multiple of `STEP`.
    marks: Vec<usize>,
    /// The number of bytes and of code points after the last mark.
    bytes: usize,
    points: usize,
}

impl CodePoints {
    /// The translation for a whole text with this many code points.
    pub fn of(text: &[u8], points: usize) -> Self {
        if text.len() == points {
            return Self { marks: Vec::new(), bytes: text.len(), points };
        }
        let mut whole = Self::default();
        whole.extend(text, 0);
        whole
    }

    /// Adds the bytes of `text` from the offset `from`, at which the last call ended.
    pub fn extend(&mut self, text: &[u8], from: usize) {
        let mut at = from;
        while at < text.len() {
            if at.is_multiple_of(STEP) {
                self.marks.push(self.points);
            }
            let end = text.len().min(at - at % STEP + STEP);
            self.points += count(text.get(at..end).unwrap_or_default());
            at = end;
        }
        self.bytes = text.len();
    }

    /// The number of code points before a byte offset.
    pub fn at(&self, text: &[u8], offset: usize) -> usize {
        if self.bytes == self.points {
            return offset;
        }
        let mark = offset / STEP;
        match self.marks.get(mark) {
            Some(points) => points + count(text.get(mark * STEP..offset).unwrap_or_default()),
            None => self.points,
        }
    }

    /// Converts a span of bytes to a span of code points.
    pub fn span(&self, text: &[u8], span: toolwire::Span) -> Span {
        (self.at(text, span.start), self.at(text, span.end))
    }
}
