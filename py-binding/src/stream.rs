//! Text that comes in pieces.
//!
//! A piece may be cut anywhere: bytes inside a character wait for the rest of it. Offsets are code
//! points over everything fed so far.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString};

use crate::call::{CallData, Span, ToolCall, fields};
use crate::detection::Detection;
use crate::error::raise;
use crate::rejection::Rejection;
use crate::text::{CodePoints, DETACH, SURROGATE, Slice, Surrogate, read, without_surrogates};

/// What a stream learned from a piece: text to show, a call, or a rejection.
///
/// ```pycon
/// >>> stream = toolwire.Detector().stream()
/// >>> event, = stream.feed('<tool:echo>{}</tool>')
/// >>> event.type, event.call.name, event.span
/// ('call', 'echo', (0, 20))
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire")]
pub struct Event {
    /// ``text``, ``call`` or ``rejection``.
    r#type: &'static str,
    /// Where it stands: start and end in code points.
    span: Span,
    /// The text, of a text event; what no call can begin in any more.
    text: Option<Py<PyString>>,
    /// The call, of a call event.
    call: Option<Py<ToolCall>>,
    /// The rejection, of a rejection event; its text comes as text events.
    rejection: Option<Py<Rejection>>,
}

type EventFields = (Span, Option<Py<PyString>>, Option<Py<ToolCall>>, Option<Py<Rejection>>);

#[pymethods]
impl Event {
    #[new]
    #[pyo3(signature = (span, text=None, call=None, rejection=None))]
    fn new(
        span: Span,
        text: Option<Py<PyString>>,
        call: Option<Py<ToolCall>>,
        rejection: Option<Py<Rejection>>,
    ) -> Self {
        let r#type = match (&call, &rejection) {
            (Some(_), _) => "call",
            (None, Some(_)) => "rejection",
            (None, None) => "text",
        };
        Self { r#type, span, text, call, rejection }
    }

    fn __getnewargs__(&self, py: Python<'_>) -> EventFields {
        (
            self.span,
            self.text.as_ref().map(|text| text.clone_ref(py)),
            self.call.as_ref().map(|call| call.clone_ref(py)),
            self.rejection.as_ref().map(|rejection| rejection.clone_ref(py)),
        )
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py).into_pyobject(py)?.eq(other.__getnewargs__(py))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__getnewargs__(py).into_pyobject(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        match (&self.call, &self.rejection) {
            (Some(call), _) => fields(py, "Event", &["type", "call"], (self.r#type, call)),
            (_, Some(rejection)) => fields(py, "Event", &["type", "rejection"], (self.r#type, rejection)),
            _ => fields(py, "Event", &["type", "text"], (self.r#type, &self.text)),
        }
    }
}

/// Finds calls in text that comes in pieces; the outcome is that of the whole text.
///
/// Made by :meth:`Detector.stream`. Threads may share it; their pieces come in the order of the calls.
///
/// ```pycon
/// >>> stream = toolwire.Detector().stream()
/// >>> for piece in ('Now <tool:ec', 'ho>{"a": ', '1}</tool>. <'):
/// ...     for event in stream.feed(piece):
/// ...         print(event.type, event.call.arguments if event.call else repr(event.text))
/// text 'Now '
/// call {'a': 1}
/// text '. '
/// >>> [event.text for event in stream.finish()]
/// ['<']
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Stream {
    state: Mutex<State>,
}

/// A stream, and what core does not know of its text.
struct State {
    core: toolwire::Stream,
    points: CodePoints,
    /// The bytes of a character that is not complete yet.
    pending: Vec<u8>,
    /// What the bytes `FF` of the text stand for, by offset.
    surrogates: Vec<Surrogate>,
}

#[pymethods]
impl Stream {
    /// Takes in a piece, and gives what it decided.
    ///
    /// ```pycon
    /// >>> toolwire.Detector().stream().feed('Hello <')
    /// [Event(type='text', text='Hello ')]
    ///
    /// ```
    fn feed<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = text.py();
        // Python code that runs while objects are made may come back to this stream: the lock must be
        // free by then, so everything is read before it and made behind it.
        let piece = Piece::read(text)?;
        let found = if piece.len() < DETACH {
            self.lock(py).feed(piece)
        } else {
            py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).feed(piece))
        };
        found.map_err(|error| raise(py, &error))?.make(py)
    }

    /// Ends the stream, and gives what its end decided.
    ///
    /// ```pycon
    /// >>> toolwire.Detector().stream().finish()
    /// []
    ///
    /// ```
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = self.lock(py).finish();
        found.map_err(|error| raise(py, &error))?.make(py)
    }

    /// The outcome, once the stream is finished.
    ///
    /// ```pycon
    /// >>> stream = toolwire.Detector().stream()
    /// >>> _ = stream.feed('<tool:echo>{}</tool>'), stream.finish()
    /// >>> stream.detection().calls[0].name
    /// 'echo'
    ///
    /// ```
    fn detection(&self, py: Python<'_>) -> PyResult<Detection> {
        let outcome = self.lock(py).outcome();
        let (whole, findings) = outcome.map_err(|error| raise(py, &error))?;
        let input = whole.to_string(py)?;
        let points = CodePoints::of(whole.bytes(), input.code_point_len()?);
        Detection::of(findings, &points, whole.bytes(), &input)
    }
}

impl Stream {
    /// Wraps core's stream.
    pub fn of(core: toolwire::Stream) -> Self {
        let state =
            State { core, points: CodePoints::default(), pending: Vec::new(), surrogates: Vec::new() };
        Self { state: Mutex::new(state) }
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        // Core has no state that a panic could leave half-written behind an unlocked door.
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece as it was fed.
enum Piece {
    /// Characters, with what their bytes `FF` stand for.
    Text(Vec<u8>, Vec<Surrogate>),
    /// Bytes, which may begin and end inside a character.
    Bytes(Vec<u8>),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Text(bytes, _) | Self::Bytes(bytes) => bytes.len(),
        }
    }

    fn read(piece: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = piece.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes().to_vec()));
        }
        if piece.is_instance_of::<PyByteArray>() || piece.is_instance_of::<PyMemoryView>() {
            let copy = piece.py().get_type::<PyBytes>().call1((piece,))?;
            return Ok(Self::Bytes(copy.cast::<PyBytes>()?.as_bytes().to_vec()));
        }
        let string = read("text", piece)?;
        match string.to_str() {
            Ok(text) => Ok(Self::Text(text.as_bytes().to_vec(), Vec::new())),
            Err(_) => without_surrogates(&string).map(|(bytes, surrogates)| Self::Text(bytes, surrogates)),
        }
    }
}

impl State {
    fn feed(&mut self, piece: Piece) -> Result<Found, toolwire::Error> {
        let from = self.core.input().len();
        let known = self.surrogates.len();
        let mut bytes = Vec::new();
        match piece {
            Piece::Text(text, surrogates) => {
                self.decode(&[], true, from, &mut bytes);
                let base = from + bytes.len();
                self.surrogates.extend(surrogates.into_iter().map(|(at, unit)| (base + at, unit)));
                bytes.extend(text);
            }
            Piece::Bytes(raw) => self.decode(&raw, false, from, &mut bytes),
        }
        match self.core.feed(&bytes) {
            Ok(events) => Ok(self.collect(from, events)),
            Err(error) => {
                self.surrogates.truncate(known);
                Err(error)
            }
        }
    }

    fn finish(&mut self) -> Result<Found, toolwire::Error> {
        let from = self.core.input().len();
        let mut bytes = Vec::new();
        self.decode(&[], true, from, &mut bytes);
        let mut events = if bytes.is_empty() { Vec::new() } else { self.core.feed(&bytes)? };
        events.extend(self.core.finish()?);
        Ok(self.collect(from, events))
    }

    /// Decodes bytes onto `out`, which goes to `base` in the text: each invalid byte becomes a surrogate,
    /// as `surrogateescape` has it. An incomplete character at the end waits, unless it is the last.
    fn decode(&mut self, raw: &[u8], last: bool, base: usize, out: &mut Vec<u8>) {
        let mut rest = std::mem::take(&mut self.pending);
        rest.extend(raw);
        let mut rest = rest.as_slice();
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, bad) = rest.split_at(error.valid_up_to());
            out.extend(valid);
            let length = match error.error_len() {
                Some(length) => length,
                None if last => bad.len(),
                None => {
                    self.pending = bad.to_vec();
                    return;
                }
            };
            let (bad, after) = bad.split_at(length.min(bad.len()));
            for &byte in bad {
                self.surrogates.push((base + out.len(), 0xDC00 | u16::from(byte)));
                out.push(SURROGATE);
            }
            rest = after;
        }
        out.extend(rest);
    }

    /// Takes out of core what events tell about.
    fn collect(&mut self, from: usize, events: Vec<toolwire::Event>) -> Found {
        let input = self.core.input();
        self.points.extend(input, from);
        let findings = self.core.findings();
        let mut found = Found(Vec::with_capacity(events.len()));
        for event in events {
            match event {
                toolwire::Event::Text(span) => {
                    let points = self.points.span(input, span);
                    found.0.push(Item::Text(points, Slice::of(span, input, &self.surrogates)));
                }
                toolwire::Event::Call(index) => {
                    if let Some(call) = findings.calls.get(index) {
                        let original = Slice::of(call.span, input, &self.surrogates);
                        let data = CallData::of(call.clone(), &self.points, input);
                        found.0.push(Item::Call(data, original));
                    }
                }
                toolwire::Event::Rejection(index) => {
                    if let Some(rejection) = findings.rejections.get(index) {
                        found.0.push(Item::Rejection(Rejection::of(rejection, &self.points, input)));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Copies the whole text and the findings in it.
    fn outcome(&self) -> Result<(Slice, toolwire::Findings), toolwire::Error> {
        let findings = self.core.detection()?.into_findings();
        let input = self.core.input();
        let whole = toolwire::Span::new(0, input.len());
        Ok((Slice::of(whole, input, &self.surrogates), findings))
    }
}

/// What a piece decided, not yet as Python objects.
struct Found(Vec<Item>);

enum Item {
    Text(Span, Slice),
    Call(CallData, Slice),
    Rejection(Rejection),
}

impl Found {
    /// Makes the events.
    fn make(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let events = self.0.into_iter().map(|item| {
            let event = match item {
                Item::Text(span, text) => Event::new(span, Some(text.to_string(py)?.unbind()), None, None),
                Item::Call(data, original) => {
                    let span = data.span();
                    let call = ToolCall::of(data, original.to_string(py)?.unbind());
                    Event::new(span, None, Some(Py::new(py, call)?), None)
                }
                Item::Rejection(rejection) => {
                    Event::new(rejection.span(), None, None, Some(Py::new(py, rejection)?))
                }
            };
            Py::new(py, event)
        });
        PyList::new(py, events.collect::<PyResult<Vec<_>>>()?)
    }
}
