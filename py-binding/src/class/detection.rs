//! The outcome of a detection.
//!
//! Immutable, comparable, hashable and picklable; a sequence of its calls.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString, PyTuple};
use toolwire::ErrorKind;
use toolwire::detect::NewMessage;

use crate::class::call;
use crate::class::call::ToolCall;
use crate::class::found::Found;
use crate::class::rejection::Rejection;
use crate::class::replace::{Part, ask, join, parts};
use crate::host::error::{raise_kind, wrong_type};
use crate::host::text::{CodePoints, Span, without_surrogates};
use crate::raw;

/// The types of parts.
const TYPES: [&str; 4] = ["text", "reasoning", "call", "frame"];

/// A part of the searched text: text, reasoning, a call's markup, or framing.
///
/// ```pycon
/// >>> [segment.type for segment in toolwire.detect('a <tool:echo>{}</tool> b').segments]
/// ['text', 'call', 'text']
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire")]
pub struct Segment {
    /// ``text``, ``reasoning``, ``call`` or ``frame``.
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
    #[pyo3(signature = (r#type, text, span, call=None))]
    fn new(
        py: Python<'_>,
        r#type: &str,
        text: Py<PyString>,
        span: Span,
        call: Option<Py<ToolCall>>,
    ) -> PyResult<Self> {
        let known = TYPES.into_iter().find(|known| *known == r#type);
        let known =
            known.filter(|known| (*known == "call") == call.is_some()).ok_or_else(|| {
                let message =
                    format!("type must be one of {}; a call has its call", TYPES.join(", "));
                raise_kind(py, ErrorKind::InvalidOption, message)
            })?;
        Ok(Self { r#type: known, text, span, call })
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.r#type, &self.text, self.span, &self.call).into_pyobject(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__getnewargs__(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        call::fields(py, "Segment", &["type", "text", "span"], (self.r#type, &self.text, self.span))
    }
}

/// The parts of a message: reasoning, text and calls; and the rejections.
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
    rejections: OnceLock<Py<PyTuple>>,
    rejections_dropped: usize,
    reasoning_spans: Vec<Span>,
    frame_spans: Vec<Span>,
    reasoning_open: bool,
    parts: OnceLock<Vec<Part>>,
    text: OnceLock<Py<PyString>>,
    segments: OnceLock<Py<PyTuple>>,
    /// What was found; the rejections and the parts are made of it when they are asked for.
    found: Option<Arc<Found>>,
}

/// What is left of a block of reasoning without the frames in it.
fn without(block: Span, frames: &[toolwire::Span]) -> impl Iterator<Item = Span> {
    let parts = toolwire::Span::new(block.0, block.1).without(frames);
    parts.into_iter().map(|part| (part.start, part.end))
}

fn core_spans(spans: &[Span]) -> Vec<toolwire::Span> {
    spans.iter().map(|(start, end)| toolwire::Span::new(*start, *end)).collect()
}

impl Detection {
    /// The message, to be written again.
    pub fn as_new_message(&self, py: Python<'_>) -> PyResult<NewMessage> {
        let reasoning = self.reasoning(py)?.map(Bound::cast_into::<PyString>).transpose()?;
        let reasoning = reasoning.map(|text| text.to_string_lossy().into_owned());
        let calls = self.calls.bind(py).iter();
        let calls = calls.map(|call| Ok(call.cast::<ToolCall>()?.get().as_new_call(py)));
        Ok(NewMessage {
            reasoning: reasoning.unwrap_or_default(),
            text: self.text(py)?.to_string_lossy().into_owned(),
            calls: calls.collect::<PyResult<_>>()?,
        })
    }
}

#[pymethods]
impl Detection {
    #[new]
    #[pyo3(signature = (
        input, calls, rejections, rejections_dropped=0, reasoning_spans=vec![], frame_spans=vec![],
        reasoning_open=false
    ))]
    fn new(
        input: &Bound<'_, PyString>,
        calls: &Bound<'_, PyTuple>,
        rejections: Py<PyTuple>,
        rejections_dropped: usize,
        reasoning_spans: Vec<Span>,
        frame_spans: Vec<Span>,
        reasoning_open: bool,
    ) -> PyResult<Self> {
        let detection = Self {
            input: input.clone().unbind(),
            calls: calls.clone().unbind(),
            rejections: OnceLock::from(rejections),
            rejections_dropped,
            reasoning_spans,
            frame_spans,
            reasoning_open,
            parts: OnceLock::new(),
            text: OnceLock::new(),
            segments: OnceLock::new(),
            found: None,
        };
        // Only those of a real detection are known to fit the text.
        detection.parts(input.py())?;
        Ok(detection)
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
    fn rejections<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if let Some(rejections) = self.rejections.get() {
            return Ok(rejections.bind(py).clone());
        }
        let rejections = match &self.found {
            Some(found) => {
                let (points, text) = (found.points(py), found.text(py));
                let found = found.findings.rejections.iter();
                let made = found.map(|one| Py::new(py, Rejection::of(one, points, text)));
                PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)?
            }
            None => PyTuple::empty(py),
        };
        // Another thread may have been faster; then both return its tuple.
        Ok(self.rejections.get_or_init(|| rejections.unbind()).bind(py).clone())
    }

    /// The number of rejections that were not kept.
    #[getter]
    fn rejections_dropped(&self) -> usize {
        self.rejections_dropped
    }

    /// The calls of other formats, and damaged ones, that a detector of a few formats did not read.
    ///
    /// Rejections of the codes ``other_format`` and ``malformed``. The text is searched again.
    ///
    /// ```pycon
    /// >>> text = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    /// >>> [left.format for left in toolwire.Detector(formats="kimi_k2").detect(text).unread]
    /// ['hermes']
    ///
    /// ```
    #[getter]
    fn unread<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (text, _) = without_surrogates(self.input.bind(py))?;
        let points = CodePoints::of(&text, self.input.bind(py).code_point_len()?);
        let mut read =
            self.message_calls(py)?.iter().map(|call| call.get().span(py)).collect::<Vec<_>>();
        for refused in self.rejections(py)? {
            read.push(refused.cast::<Rejection>()?.get().span());
        }
        let read: Vec<_> = core_spans(&read);
        let left = py.detach(|| {
            toolwire::detect::unread(&text, |span| {
                let (start, end) = points.span(&text, span);
                read.iter().any(|read| read.overlaps(toolwire::Span::new(start, end)))
            })
        });
        let made = left.iter().map(|one| Py::new(py, Rejection::of(one, &points, &text)));
        PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)
    }

    /// Whether the text ends in reasoning that nothing closes.
    #[getter]
    fn reasoning_open(&self) -> bool {
        self.reasoning_open
    }

    /// What the model thought, or None; an empty line divides several parts.
    #[getter]
    fn reasoning<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.reasoning_spans.is_empty() {
            return Ok(None);
        }
        let input = self.input.bind(py);
        let joined = |texts: PyResult<Vec<Bound<'py, PyAny>>>, between: &str| {
            let between = PyString::new(py, between);
            between.call_method1(pyo3::intern!(py, "join"), (PyTuple::new(py, texts?)?,))
        };
        let frames = core_spans(&self.frame_spans);
        let blocks = self.reasoning_spans.iter().map(|block| {
            let parts = without(*block, &frames);
            let texts = parts.map(|part| Ok(raw::substring(input, part.0, part.1)?.into_any()));
            joined(texts.collect(), "")
        });
        joined(blocks.collect(), "\n\n").map(Some)
    }

    /// The spans of the reasoning, without the white space around it: start and end in code points.
    /// Frames may stand inside.
    #[getter]
    fn reasoning_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.reasoning_spans)
    }

    /// The spans of the tokens that frame the message, and of the white space around reasoning.
    #[getter]
    fn frame_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.frame_spans)
    }

    /// What a person should see: the input without calls, reasoning and framing.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        if let Some(text) = self.text.get() {
            return Ok(text.bind(py).clone());
        }
        let text = join(self.input.bind(py), self.parts(py)?, |_| Ok(None))?;
        let _ = self.text.set(text.clone().unbind());
        Ok(text)
    }

    /// The parts of the message, in order; their spans join to the input.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if let Some(segments) = self.segments.get() {
            return Ok(segments.bind(py).clone());
        }
        let segments = self.parts(py)?.iter().map(|part| self.segment(py, *part));
        let segments = PyTuple::new(py, segments.collect::<PyResult<Vec<_>>>()?)?;
        let _ = self.segments.set(segments.clone().unbind());
        Ok(segments)
    }

    /// Returns what a person should see, with what a function gives in place of each call.
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
        join(self.input.bind(py), self.parts(py)?, |at| ask(f, &calls.get_item(at)?))
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
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__getnewargs__(py)?.hash()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (reasoning, frames) = (self.reasoning_spans(py)?, self.frame_spans(py)?);
        let rejections = (self.rejections(py)?, self.rejections_dropped);
        let open = self.reasoning_open;
        (self.input(py), self.calls(py), rejections.0, rejections.1, reasoning, frames, open)
            .into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["calls", "rejections", "rejections_dropped"];
        call::fields(
            py,
            "Detection",
            &names,
            (&self.calls, self.rejections(py)?, self.rejections_dropped),
        )
    }
}

impl Detection {
    /// Converts core's findings in `bytes`, the searched form of the str `input`.
    pub fn of(
        findings: toolwire::detect::Findings,
        bytes: Cow<'_, [u8]>,
        input: &Bound<'_, PyString>,
    ) -> PyResult<Self> {
        let py = input.py();
        let bytes = match bytes {
            Cow::Borrowed(_) => None,
            Cow::Owned(bytes) => Some(bytes),
        };
        let found = Arc::new(Found::new(input.clone().unbind(), findings, bytes));
        let findings = &found.findings;
        let calls =
            (0..findings.calls.len()).map(|index| Py::new(py, ToolCall::found(&found, index)));
        let calls = PyTuple::new(py, calls.collect::<PyResult<Vec<_>>>()?)?;
        let spans = |spans: &[toolwire::Span]| {
            spans.iter().map(|span| found.span(py, *span)).collect::<Vec<_>>()
        };
        Ok(Self {
            input: input.clone().unbind(),
            calls: calls.unbind(),
            rejections: OnceLock::new(),
            rejections_dropped: findings.rejections_dropped,
            reasoning_spans: spans(&findings.reasoning),
            frame_spans: spans(&findings.frames),
            reasoning_open: findings.reasoning_open,
            parts: OnceLock::new(),
            text: OnceLock::new(),
            segments: OnceLock::new(),
            found: Some(Arc::clone(&found)),
        })
    }

    /// The parts of the message, in order.
    fn parts<'a>(&'a self, py: Python<'a>) -> PyResult<&'a [Part]> {
        if let Some(parts) = self.parts.get() {
            return Ok(parts);
        }
        let calls = self.calls.bind(py).iter().enumerate();
        let calls = calls.map(|(at, call)| match call.cast::<ToolCall>() {
            Ok(known) => Ok(Part::Call(at, known.get().span(py))),
            Err(_) => Err(wrong_type(py, "each of calls", "a ToolCall", &call)),
        });
        let mut known = calls.collect::<PyResult<Vec<Part>>>()?;
        let frames = core_spans(&self.frame_spans);
        for block in &self.reasoning_spans {
            known.extend(without(*block, &frames).map(Part::Reasoning));
        }
        known.extend(self.frame_spans.iter().copied().map(Part::Frame));
        let parts = parts(py, self.input.bind(py).code_point_len()?, known)?;
        Ok(self.parts.get_or_init(|| parts))
    }

    /// Whether the text ends inside a call or in reasoning.
    pub fn ends_open(&self) -> bool {
        self.reasoning_open || self.found.as_ref().is_some_and(|found| found.findings.ends_open())
    }

    /// The parts of the message, with their texts.
    pub fn message_texts(&self, py: Python<'_>) -> PyResult<Vec<(Part, Vec<u8>)>> {
        let input = self.input.bind(py);
        let texts = self.parts(py)?.iter().map(|part| {
            let (start, end) = part.span();
            let text = raw::substring(input, start, end)?;
            Ok((*part, without_surrogates(&text)?.0))
        });
        texts.collect()
    }

    /// The calls.
    pub fn message_calls<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, ToolCall>>> {
        self.calls.bind(py).iter().map(|call| Ok(call.cast_into::<ToolCall>()?)).collect()
    }

    fn segment(&self, py: Python<'_>, part: Part) -> PyResult<Py<Segment>> {
        let span = part.span();
        let text = raw::substring(self.input.bind(py), span.0, span.1)?.unbind();
        let call = match part {
            Part::Call(at, _) => {
                Some(self.calls.bind(py).get_item(at)?.cast_into::<ToolCall>()?.unbind())
            }
            _ => None,
        };
        Py::new(py, Segment { r#type: part.kind(), text, span, call })
    }
}
