//! What was found in a text, which a detection shares with its calls.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolwire::detect::Findings;

use crate::host::text::{CodePoints, Span};

/// The findings in a text, and the text.
pub struct Found {
    /// The searched text.
    pub input: Py<PyString>,
    pub findings: Findings,
    /// Made when a span is asked for.
    points: OnceLock<CodePoints>,
    /// The searched form of a text that has no UTF-8 form.
    bytes: Option<Vec<u8>>,
}

impl Found {
    /// Joins findings with the text in which they were found.
    pub fn new(input: Py<PyString>, findings: Findings, bytes: Option<Vec<u8>>) -> Self {
        Self { input, findings, points: OnceLock::new(), bytes }
    }

    /// The translation of byte offsets of the text into code points.
    pub fn points(&self, py: Python<'_>) -> &CodePoints {
        self.points.get_or_init(|| {
            let length = self.input.bind(py).code_point_len().unwrap_or_default();
            CodePoints::of(self.text(py), length)
        })
    }

    /// A span of the text in code points.
    pub fn span(&self, py: Python<'_>, span: toolwire::Span) -> Span {
        self.points(py).span(self.text(py), span)
    }

    /// The bytes that core searched.
    pub fn text<'a>(&'a self, py: Python<'a>) -> &'a [u8] {
        match &self.bytes {
            Some(bytes) => bytes,
            // The `str` keeps its UTF-8 form, which the search has asked for.
            None => self.input.bind(py).to_str().map_or(&[], str::as_bytes),
        }
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        self.findings.give_back();
    }
}
