//! The outcome of a detection.
//!
//! Immutable, comparable, hashable and picklable; a sequence of its calls.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString, PyTuple};

use crate::class::call;
use crate::class::call::{CallData, Span, ToolCall};
use crate::class::rejection::Rejection;
use crate::class::replace::{Part, ask, join, parts};
use crate::host::error::wrong_type;
use crate::host::text::CodePoints;
use crate::raw;

/// A part of the searched text: text between calls, or a call's markup.
///
/// ```pycon
/// >>> [segment.type for segment in toolwire.detect('a <tool:echo>{}</tool> b').segments]
/// ['text', 'call', 'text']
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire")]
pub struct Segment {
    /// ``text`` or ``call``.
    r#type: &'static str,
    /// The part of the input.
    text: Py<PyString>,
    /// The span of the part: start and end in code points.
    span: Span,
    /// The call, if the part is one.
    call: Option<Py<ToolCall>>,
}

#[pymethods]
impl Segment {
    #[new]
    #[pyo3(signature = (text, span, call=None))]
    fn new(text: Py<PyString>, span: Span, call: Option<Py<ToolCall>>) -> Self {
        Self { r#type: if call.is_some() { "call" } else { "text" }, text, span, call }
    }

    fn __getnewargs__(&self, py: Python<'_>) -> (Py<PyString>, Span, Option<Py<ToolCall>>) {
        (self.text.clone_ref(py), self.span, self.call.as_ref().map(|call| call.clone_ref(py)))
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py).into_pyobject(py)?.eq(other.__getnewargs__(py))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__getnewargs__(py).into_pyobject(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        call::fields(py, "Segment", &["type", "text", "span"], (self.r#type, &self.text, self.span))
    }
}

/// The calls of a text, the rejections, and the text between the calls.
///
/// It has a length, an index and an iterator over its calls, so it is false if there are no calls.
///
/// ```pycon
/// >>> detection = toolwire.detect('Now: <tool:echo>{"a": 1}</tool>!')
/// >>> len(detection), detection[0].arguments, detection.text
/// (1, {'a': 1}, 'Now: !')
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Detection {
    input: Py<PyString>,
    calls: Py<PyTuple>,
    rejections: Py<PyTuple>,
    rejections_dropped: usize,
    parts: Vec<Part>,
    text: OnceLock<Py<PyString>>,
    segments: OnceLock<Py<PyTuple>>,
}

#[pymethods]
impl Detection {
    #[new]
    #[pyo3(signature = (input, calls, rejections, rejections_dropped=0))]
    fn new(
        input: &Bound<'_, PyString>,
        calls: &Bound<'_, PyTuple>,
        rejections: Py<PyTuple>,
        rejections_dropped: usize,
    ) -> PyResult<Self> {
        let py = input.py();
        let spans = calls.iter().map(|call| match call.cast::<ToolCall>() {
            Ok(known) => Ok(known.get().span()),
            Err(_) => Err(wrong_type(py, "each of calls", "a ToolCall", &call)),
        });
        let spans = spans.collect::<PyResult<Vec<Span>>>()?;
        let parts = parts(py, input.code_point_len()?, &spans)?;
        Ok(Self {
            input: input.clone().unbind(),
            calls: calls.clone().unbind(),
            rejections,
            rejections_dropped,
            parts,
            text: OnceLock::new(),
            segments: OnceLock::new(),
        })
    }

    /// The searched text.
    #[getter]
    fn input(&self, py: Python<'_>) -> Py<PyString> {
        self.input.clone_ref(py)
    }

    /// The calls, in text order.
    #[getter]
    fn calls(&self, py: Python<'_>) -> Py<PyTuple> {
        self.calls.clone_ref(py)
    }

    /// Candidates that looked like a call and were refused.
    #[getter]
    fn rejections(&self, py: Python<'_>) -> Py<PyTuple> {
        self.rejections.clone_ref(py)
    }

    /// The number of rejections that were not kept.
    #[getter]
    fn rejections_dropped(&self) -> usize {
        self.rejections_dropped
    }

    /// The input without the calls' markup.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        if let Some(text) = self.text.get() {
            return Ok(text.bind(py).clone());
        }
        let text = join(self.input.bind(py), &self.parts, |_| Ok(None))?;
        let _ = self.text.set(text.clone().unbind());
        Ok(text)
    }

    /// The text and the calls, in order; their spans join to the input.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if let Some(segments) = self.segments.get() {
            return Ok(segments.bind(py).clone());
        }
        let segments = self.parts.iter().map(|part| match *part {
            Part::Text(span) => self.segment(py, span, None),
            Part::Call(at, span) => self.segment(py, span, Some(at)),
        });
        let segments = PyTuple::new(py, segments.collect::<PyResult<Vec<_>>>()?)?;
        let _ = self.segments.set(segments.clone().unbind());
        Ok(segments)
    }

    /// Returns the input, with what a function gives in place of each call's markup.
    ///
    /// ```pycon
    /// >>> detection = toolwire.detect('a <tool:echo>{"b": "c"}</tool> d')
    /// >>> detection.replace(lambda call: call.arguments["b"])
    /// 'a c d'
    ///
    /// ```
    fn replace<'py>(
        &self,
        py: Python<'py>,
        f: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyString>> {
        let calls = self.calls.bind(py);
        join(self.input.bind(py), &self.parts, |at| ask(f, &calls.get_item(at)?))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.calls.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.calls.bind(py).try_iter()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.calls.bind(key.py()).as_any().get_item(key)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py).into_pyobject(py)?.eq(other.__getnewargs__(py))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__getnewargs__(py).into_pyobject(py)?.hash()
    }

    fn __getnewargs__(&self, py: Python<'_>) -> (Py<PyString>, Py<PyTuple>, Py<PyTuple>, usize) {
        (self.input(py), self.calls(py), self.rejections(py), self.rejections_dropped)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["calls", "rejections", "rejections_dropped"];
        call::fields(
            py,
            "Detection",
            &names,
            (&self.calls, &self.rejections, self.rejections_dropped),
        )
    }
}

impl Detection {
    /// Converts core's findings in `bytes`, the searched form of the str `input`.
    pub fn of(
        findings: toolwire::detect::Findings,
        points: &CodePoints,
        bytes: &[u8],
        input: &Bound<'_, PyString>,
    ) -> PyResult<Self> {
        let py = input.py();
        let calls = findings.calls.into_iter().map(|call| {
            let data = CallData::of(call, points, bytes);
            let (start, end) = data.span();
            let original = raw::substring(input, start, end)?;
            Py::new(py, ToolCall::of(data, original.unbind()))
        });
        let calls = PyTuple::new(py, calls.collect::<PyResult<Vec<_>>>()?)?;
        let rejections =
            findings.rejections.iter().map(|one| Py::new(py, Rejection::of(one, points, bytes)));
        let rejections = PyTuple::new(py, rejections.collect::<PyResult<Vec<_>>>()?)?.unbind();
        Self::new(input, &calls, rejections, findings.rejections_dropped)
    }

    fn segment(&self, py: Python<'_>, span: Span, call: Option<usize>) -> PyResult<Py<Segment>> {
        let text = raw::substring(self.input.bind(py), span.0, span.1)?.unbind();
        let call = match call {
            Some(at) => Some(self.calls.bind(py).get_item(at)?.cast_into::<ToolCall>()?.unbind()),
            None => None,
        };
        Py::new(py, Segment::new(text, span, call))
    }
}
