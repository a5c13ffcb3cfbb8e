//! Text that comes in pieces.
//!
//! A piece may be cut anywhere: bytes inside a character wait for the rest of it. Offsets are code
//! points over everything fed so far.

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

/// Finds calls in text that comes in pieces; the outcome is that of the whole text.
///
/// Made by :meth:`Detector.stream`. Threads may share it; their pieces come in the order of the
/// calls.
///
/// ```pycon
/// >>> stream = toolwire.Detector().stream()
/// >>> for piece in ('Now <tool:ec', 'ho>{"a": ', '1}</tool>. <'):
/// ...     for event in stream.feed(piece):
/// ...         print(event.type, repr(event.text or event.name or event.json or event.call.arguments))
/// text 'Now '
/// call_start 'echo'
/// arguments_delta '{"a": '
/// arguments_delta '1}'
/// call_end {'a': 1}
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
        // Python code that runs while objects are made may come back to this stream: the lock must
        // be free by then, so everything is read before it and made behind it.
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
        let state = State {
            core,
            points: CodePoints::default(),
            pending: Vec::new(),
            surrogates: Vec::new(),
        };
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

    /// Decodes bytes onto `out`, which goes to `base` in the text: each invalid byte becomes a
    /// surrogate, as `surrogateescape` has it. An incomplete character at the end waits, unless it
    /// is the last.
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
                toolwire::Event::CallStart { number, name } => {
                    found.0.push(Item::CallStart(number, name));
                }
                toolwire::Event::ArgumentsDelta { number, json } => {
                    let json = match json {
                        Arguments::Verbatim(span) => Slice::of(span, input, &self.surrogates),
                        Arguments::Made(json) => Slice::made(&json),
                    };
                    found.0.push(Item::ArgumentsDelta(number, json));
                }
                toolwire::Event::CallEnd { number, call } => {
                    let call = call.and_then(|index| findings.calls.get(index)).map(|call| {
                        let original = Slice::of(call.span, input, &self.surrogates);
                        (CallData::of(call.clone(), &self.points, input), original)
                    });
                    found.0.push(Item::CallEnd(number, call));
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

    /// Copies the whole text and the findings in it.
    fn outcome(&self) -> Result<(Slice, toolwire::detect::Findings), toolwire::Error> {
        let findings = self.core.detection()?.into_findings();
        let input = self.core.input();
        let whole = toolwire::Span::new(0, input.len());
        Ok((Slice::of(whole, input, &self.surrogates), findings))
    }
}

/// What a piece decided, not yet as Python objects.
struct Found(Vec<Item>);

impl Found {
    /// Makes the events.
    fn make(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let events = self.0.into_iter().map(|item| Py::new(py, item.make(py)?));
        PyList::new(py, events.collect::<PyResult<Vec<_>>>()?)
    }
}
