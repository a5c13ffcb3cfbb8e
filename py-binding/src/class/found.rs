//! What was found in a text, which a detection shares with its calls.

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolwire::detect::Findings;

use crate::host::text::CodePoints;

/// The findings in a text, and the text.
pub struct Found {
    /// The searched text.
    pub input: Py<PyString>,
    pub findings: Findings,
    pub points: CodePoints,
    /// The searched form of a text that has no UTF-8 form.
    pub bytes: Option<Vec<u8>>,
}

impl Found {
    /// The bytes that core searched.
    pub fn text<'a>(&'a self, py: Python<'a>) -> &'a [u8] {
        match &self.bytes {
            Some(bytes) => bytes,
            // The `str` keeps its UTF-8 form, which the search has asked for.
            None => self.input.bind(py).to_str().map_or(&[], str::as_bytes),
        }
    }
}
