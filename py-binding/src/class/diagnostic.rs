//! Notes on calls that were accepted.

use std::borrow::Cow;

use pyo3::prelude::*;

use crate::host::shown::fields;
use crate::host::text::CodePoints;

/// A note on an accepted call.
///
/// ```pycon
/// >>> toolwire.detect('<tool:echo>{"a": 1}').calls[0].diagnostics[0].code
/// 'missing_end'
///
/// ```
#[pyclass(frozen, eq, hash, from_py_object, get_all, module = "toolwire")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The subject of the note; a stable slug.
    pub code: Cow<'static, str>,
    /// The note for a person.
    pub message: String,
    /// The code point that the note is about.
    pub offset: usize,
}

#[pymethods]
impl Diagnostic {
    #[new]
    fn new(code: String, message: String, offset: usize) -> Self {
        Self { code: code.into(), message, offset }
    }

    fn __getnewargs__(&self) -> (&str, &str, usize) {
        (&self.code, &self.message, self.offset)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        fields(py, "Diagnostic", &["code", "message", "offset"], self.__getnewargs__())
    }
}

impl Diagnostic {
    /// Converts core's diagnostic.
    pub fn of(note: toolwire::call::Diagnostic, points: &CodePoints, text: &[u8]) -> Self {
        let offset = points.at(text, note.offset);
        Self { code: note.code.slug().into(), message: note.message, offset }
    }
}
