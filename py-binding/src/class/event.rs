//! The events of a stream.
//!
//! Immutable, comparable, hashable and picklable. Spans are code points.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use toolwire::ErrorKind;
use toolwire::provider::{CallStart, MessagePart};

use crate::class::call::{CallData, ToolCall, fields};
use crate::class::rejection::Rejection;
use crate::host::error::raise_kind;
use crate::host::text::{Slice, Span, without_surrogates};

/// The types of events.
const TYPES: [&str; 8] = [
    "text",
    "reasoning",
    "reasoning_end",
    "call_start",
    "arguments_delta",
    "call_end",
    "call_retracted",
    "rejection",
];

/// An event of a stream: text to show, reasoning, a step of a call, or a rejection.
///
/// A call begins, reports its arguments piece by piece, and ends; the events of one call have the
/// same number. ``call_retracted`` says that what began as a call is none. ``reasoning_end`` says
/// that all text so far was reasoning: text that was reported before does not count, and the calls
/// in it are retracted.
///
/// ```pycon
/// >>> stream = toolwire.Detector().stream()
/// >>> start, delta, end = stream.feed('<tool:echo>{"a": 1}</tool>')
/// >>> start.type, start.number, start.name, start.id == end.call.id
/// ('call_start', 0, 'echo', True)
/// >>> delta
/// Event(type='arguments_delta', number=0, json='{"a": 1}')
/// >>> end.type, end.number, end.call.name, end.span
/// ('call_end', 0, 'echo', (0, 26))
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire")]
pub struct Event {
    /// ``text``, ``reasoning``, ``reasoning_end``, ``call_start``, ``arguments_delta``,
    /// ``call_end``, ``call_retracted`` or ``rejection``.
    r#type: &'static str,
    /// The span of the text, the whole call or the rejection: start and end in code points.
    span: Option<Span>,
    /// The number of the call that begins, continues or ends, counted from 0.
    number: Option<usize>,
    /// The tool's name, with an alias resolved; only for a call that begins.
    name: Option<Py<PyString>>,
    /// The next piece of the arguments' JSON; the pieces add up to the call's ``arguments_raw``.
    json: Option<Py<PyString>>,
    /// The text of a text event, in which no call can begin any more, or the reasoning.
    text: Option<Py<PyString>>,
    /// The call, when it ends.
    call: Option<Py<ToolCall>>,
    /// The rejection of a rejection event; its text comes as text events.
    rejection: Option<Py<Rejection>>,
    /// The id that a call that begins will have. Only an id that the text writes behind the
    /// arguments replaces it.
    id: Option<Py<PyString>>,
    /// Whether nothing behind the beginning of a call can show that it was only a thought. A call
    /// that is damaged is still refused.
    certain: Option<bool>,
}

#[pymethods]
impl Event {
    #[new]
    #[pyo3(signature = (
        r#type, span=None, number=None, name=None, json=None, text=None, call=None, rejection=None,
        id=None, certain=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "a Python constructor has an argument a field")]
    fn new(
        py: Python<'_>,
        r#type: &str,
        span: Option<Span>,
        number: Option<usize>,
        name: Option<Py<PyString>>,
        json: Option<Py<PyString>>,
        text: Option<Py<PyString>>,
        call: Option<Py<ToolCall>>,
        rejection: Option<Py<Rejection>>,
        id: Option<Py<PyString>>,
        certain: Option<bool>,
    ) -> PyResult<Self> {
        let known = TYPES.into_iter().find(|known| *known == r#type).ok_or_else(|| {
            let message = format!("type must be one of {}", TYPES.join(", "));
            raise_kind(py, ErrorKind::InvalidOption, message)
        })?;
        Ok(Self { r#type: known, span, number, name, json, text, call, rejection, id, certain })
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { r#type, span, number, name, json, text, call, rejection, id, certain } = self;
        (*r#type, *span, *number, name, json, text, call, rejection, id, *certain).into_pyobject(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__getnewargs__(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Self { r#type, number, name, json, text, call, rejection, id, certain, .. } = self;
        match *r#type {
            "call_start" => {
                let names = ["type", "number", "name", "id", "certain"];
                fields(py, "Event", &names, (r#type, number, name, id, certain))
            }
            "arguments_delta" => {
                fields(py, "Event", &["type", "number", "json"], (r#type, number, json))
            }
            "call_end" => fields(py, "Event", &["type", "number", "call"], (r#type, number, call)),
            "call_retracted" => fields(py, "Event", &["type", "number"], (r#type, number)),
            "rejection" => fields(py, "Event", &["type", "rejection"], (r#type, rejection)),
            _ => fields(py, "Event", &["type", "text"], (r#type, text)),
        }
    }
}

/// What an event tells of a message.
pub struct EventPart {
    kind: &'static str,
    number: usize,
    span: Span,
    text: Vec<u8>,
    /// The id and the name of a call that begins, and whether it is certain.
    head: [String; 2],
    certain: bool,
    call: Option<Py<ToolCall>>,
}

impl EventPart {
    /// The part in core's form.
    pub fn as_part<'a>(&'a self, py: Python<'a>) -> MessagePart<'a> {
        let Self { kind, number, span, text, head, certain, call } = self;
        let span = toolwire::Span::new(span.0, span.1);
        match (*kind, call) {
            ("text", _) => MessagePart::Text(text),
            ("reasoning", _) => MessagePart::Reasoning(text, span),
            ("reasoning_end", _) => MessagePart::ReasoningEnd(text, span),
            ("rejection", _) => MessagePart::CutOff,
            ("call_start", _) => {
                let [id, name] = head;
                MessagePart::CallStart(CallStart { number: *number, id, name, certain: *certain })
            }
            ("arguments_delta", _) => MessagePart::ArgumentsDelta(*number, text),
            (_, Some(call)) => MessagePart::Call(*number, call.get().as_message_call(py)),
            _ => MessagePart::CallRetracted(*number),
        }
    }
}

impl Event {
    /// What the event tells of the message; None for an event that changes nothing.
    pub fn as_message(&self, py: Python<'_>) -> PyResult<Option<EventPart>> {
        let Self { r#type: kind, span, number, name, json, text, call, rejection, id, certain } =
            self;
        let call = call.as_ref().map(|call| call.clone_ref(py));
        let missing = match *kind {
            "text" => text.is_none(),
            "reasoning" | "reasoning_end" => text.is_none() || span.is_none(),
            "call_start" => id.is_none() || name.is_none() || number.is_none(),
            "arguments_delta" => json.is_none() || number.is_none(),
            "call_end" => call.is_none() || number.is_none(),
            "call_retracted" => number.is_none(),
            "rejection" if rejection.as_ref().is_some_and(|one| one.get().is_cut_off()) => false,
            _ => return Ok(None),
        };
        if missing {
            let message =
                format!("an event {kind} lacks its text, its span, its number or its call");
            return Err(raise_kind(py, ErrorKind::InvalidOption, message));
        }
        let bytes = |text: &Option<Py<PyString>>| match text {
            Some(text) => Ok::<_, PyErr>(without_surrogates(text.bind(py))?.0),
            None => Ok(Vec::new()),
        };
        let text = bytes(if text.is_some() { text } else { json })?;
        let string = |text| Ok::<_, PyErr>(String::from_utf8_lossy(&bytes(text)?).into_owned());
        let head = [string(id)?, string(name)?];
        let (number, span) = (number.unwrap_or_default(), span.unwrap_or_default());
        let certain = certain.unwrap_or_default();
        Ok(Some(EventPart { kind, number, span, text, head, certain, call }))
    }
}

/// An event whose Python objects do not exist yet.
pub enum Item {
    /// Text or reasoning: the type, the span and the text.
    Text(&'static str, Span, Slice),
    /// A call that begins.
    CallStart { number: usize, name: Box<str>, id: Box<str>, certain: bool },
    /// A call's number, and a piece of its arguments.
    ArgumentsDelta(usize, Slice),
    /// A call's number, the call and its markup.
    CallEnd(usize, CallData, Slice),
    /// A call's number.
    CallRetracted(usize),
    /// A rejection.
    Rejection(Rejection),
}

impl Item {
    /// Makes the event.
    pub fn make(self, py: Python<'_>) -> PyResult<Event> {
        let string = |slice: Slice| slice.to_string(py).map(Bound::unbind);
        let blank = Event {
            r#type: "text",
            span: None,
            number: None,
            name: None,
            json: None,
            text: None,
            call: None,
            rejection: None,
            id: None,
            certain: None,
        };
        Ok(match self {
            Self::Text(r#type, span, text) => {
                Event { r#type, span: Some(span), text: Some(string(text)?), ..blank }
            }
            Self::CallStart { number, name, id, certain } => {
                let [name, id] = [name, id].map(|text| Some(PyString::new(py, &text).unbind()));
                let (number, certain) = (Some(number), Some(certain));
                Event { r#type: "call_start", number, name, id, certain, ..blank }
            }
            Self::ArgumentsDelta(number, json) => {
                let json = Some(string(json)?);
                Event { r#type: "arguments_delta", number: Some(number), json, ..blank }
            }
            Self::CallEnd(number, data, original) => {
                let span = Some(data.span());
                let call = Some(Py::new(py, ToolCall::of(data, string(original)?))?);
                Event { r#type: "call_end", span, number: Some(number), call, ..blank }
            }
            Self::CallRetracted(number) => {
                Event { r#type: "call_retracted", number: Some(number), ..blank }
            }
            Self::Rejection(rejection) => Event {
                r#type: "rejection",
                span: Some(rejection.span()),
                rejection: Some(Py::new(py, rejection)?),
                ..blank
            },
        })
    }
}
