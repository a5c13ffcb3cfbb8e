//! Detects calls in a text that comes in pieces.
//!
//! A piece may be cut anywhere: the bytes of an incomplete character wait for the rest of it.
//! Offsets are code points in the whole text fed so far.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView};
use toolwire::call::Arguments;

use crate::class::call::CallData;
use crate::class::detection::Detection;
use crate::class::event::Item;
use crate::class::rejection::Rejection;
use crate::host::error::raise;
use crate::host::text::{
    CodePoints, DETACH, SURROGATE, Slice, Surrogate, read, without_surrogates,
};

/// Finds calls in a text that comes in pieces; the outcome is the same as for the whole text.
///
/// :meth:`Detector.stream` makes it. Threads may share it; their pieces are joined in the order of
/// the calls to :meth:`feed`.
///
/// ```pycon
/// >>> stream = toolwire.Detector().stream()
/// >>> for piece in ('Now <tool:ec', 'ho>{"a": ', '1}</tool>.<'):
/// ...     for event in stream.feed(piece):
/// ...         told = event.text or event.name or event.json or event.call.arguments
/// ...         print(event.type, repr(told))
/// text 'Now '
/// call_start 'echo'
/// arguments_delta '{"a": '
/// arguments_delta '1}'
/// call_end {'a': 1}
/// text '.'
/// >>> [event.text for event in stream.finish()]
/// ['<']
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Stream {
    state: Mutex<State>,
}

/// A stream, and the data about its text that core does not have.
struct State {
    core: toolwire::Stream,
    points: CodePoints,
    /// The bytes of an incomplete character.
    pending: Vec<u8>,
    /// The surrogates for the bytes `FF` of the text, by offset.
    surrogates: Vec<Surrogate>,
}

#[pymethods]
impl Stream {
    /// Takes a piece of the text, and returns the events that it decides.
    ///
    /// ```pycon
    /// >>> toolwire.Detector().stream().feed('Hello<')
    /// [Event(type='text', text='Hello')]
    ///
    /// ```
    fn feed<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = text.py();
        // Python code that runs while objects are made may use this stream again, so the lock must
        // be free then: everything is read before the lock is taken, and objects are made after its
        // release.
        let piece = Piece::read(text)?;
        let found = if piece.len() < DETACH {
            self.lock(py).feed(piece)
        } else {
            py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).feed(piece))
        };
        found.map_err(|error| raise(py, &error))?.make(py)
    }

    /// Ends the stream, and returns the events that the end decides.
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

    /// The outcome, after the stream has ended.
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
        Detection::of(findings, whole.into_bytes().into(), &input)
    }
}

impl Stream {
    /// Wraps core's stream.
    pub fn of(core: toolwire::Stream) -> Self {
        let state = State {
            core,
            points: CodePoints::default(),
            pending: Vec::new(),
            surrogates: Vec::new(),
        };
        Self { state: Mutex::new(state) }
    }

    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        // A panic in core leaves no half-written state, so a poisoned lock is still usable.
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece of input.
enum Piece {
    /// Characters, with the surrogates for their bytes `FF`.
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
            Err(_) => {
                without_surrogates(&string).map(|(bytes, surrogates)| Self::Text(bytes, surrogates))
            }
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

    /// Decodes bytes and appends them to `out`, which starts at the offset `base` of the text. Each
    /// invalid byte becomes a surrogate, as in `surrogateescape`. An incomplete character at the
    /// end waits, unless this is the last piece.
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

    /// Reads the data of the events from core.
    fn collect(&mut self, from: usize, events: Vec<toolwire::Event>) -> Found {
        let input = self.core.input();
        self.points.extend(input, from);
        let findings = self.core.findings();
        let mut found = Found(Vec::with_capacity(events.len()));
        for event in events {
            match event {
                toolwire::Event::Text(span) => found.0.push(self.text("text", span)),
                toolwire::Event::Reasoning(span) => found.0.push(self.text("reasoning", span)),
                toolwire::Event::ReasoningEnd(span) => {
                    found.0.push(self.text("reasoning_end", span));
                }
                toolwire::Event::CallStart { number, name, id, certain } => {
                    found.0.push(Item::CallStart { number, name, id, certain });
                }
                toolwire::Event::ArgumentsDelta { number, json } => {
                    let json = match json {
                        Arguments::Verbatim(span) => Slice::of(span, input, &self.surrogates),
                        Arguments::Made(json) => Slice::made(&json),
                    };
                    found.0.push(Item::ArgumentsDelta(number, json));
                }
                toolwire::Event::CallEnd { number, call } => {
                    if let Some(call) = findings.calls.get(call) {
                        let original = Slice::of(call.span, input, &self.surrogates);
                        let data = CallData::of(call.clone(), &self.points, input);
                        found.0.push(Item::CallEnd(number, data, original));
                    }
                }
                toolwire::Event::CallRetracted { number } => {
                    found.0.push(Item::CallRetracted(number));
                }
                toolwire::Event::Rejection(index) => {
                    if let Some(rejection) = findings.rejections.get(index) {
                        found.0.push(Item::Rejection(Rejection::of(
                            rejection,
                            &self.points,
                            input,
                        )));
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn text(&self, kind: &'static str, span: toolwire::Span) -> Item {
        let input = self.core.input();
        let points = self.points.span(input, span);
        Item::Text(kind, points, Slice::of(span, input, &self.surrogates))
    }

    /// Copies the whole text and the findings in it.
    fn outcome(&self) -> Result<(Slice, toolwire::detect::Findings), toolwire::Error> {
        let findings = self.core.detection()?.into_findings();
        let input = self.core.input();
        let whole = toolwire::Span::new(0, input.len());
        Ok((Slice::of(whole, input, &self.surrogates), findings))
    }
}

/// The events of a piece, not yet as Python objects.
struct Found(Vec<Item>);

impl Found {
    /// Makes the Python events.
    fn make(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let events = self.0.into_iter().map(|item| Py::new(py, item.make(py)?));
        PyList::new(py, events.collect::<PyResult<Vec<_>>>()?)
    }
}
