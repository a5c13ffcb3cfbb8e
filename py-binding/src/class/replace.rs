//! Cuts a text at the spans of its parts, and puts other text in the place of calls.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use toolwire::ErrorKind;

use crate::class::call::ToolCall;
use crate::host::error::{raise_kind, wrong_type};
use crate::host::text;
use crate::host::text::Span;
use crate::raw;

/// A part of a text. A call is given by its position in the list of calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Text(Span),
    Reasoning(Span),
    Frame(Span),
    Call(usize, Span),
}

impl Part {
    /// Where it stands.
    pub fn span(self) -> Span {
        match self {
            Self::Text(span) | Self::Reasoning(span) | Self::Frame(span) | Self::Call(_, span) => {
                span
            }
        }
    }

    /// What it is called.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Reasoning(_) => "reasoning",
            Self::Frame(_) => "frame",
            Self::Call(..) => "call",
        }
    }
}

/// Adds the text between the given parts, which may be in any order, of a text of `length` code
/// points.
///
/// # Errors
/// `invalid_option` when a part is not inside the text or overlaps another.
pub fn parts(py: Python<'_>, length: usize, mut known: Vec<Part>) -> PyResult<Vec<Part>> {
    known.sort_by_key(|part| part.span());
    let mut parts = Vec::with_capacity(known.len() * 2 + 1);
    let mut done = 0;
    for part in known {
        let (start, end) = part.span();
        let problem = if end < start || end > length {
            "is not inside the text"
        } else if start < done {
            "overlaps another part"
        } else {
            ""
        };
        if !problem.is_empty() {
            let what = match part {
                Part::Call(at, _) => format!("call {at}"),
                other => other.kind().to_owned(),
            };
            let message = format!("the span {start}..{end} of {what} {problem}");
            return Err(raise_kind(py, ErrorKind::InvalidOption, message));
        }
        if start > done {
            parts.push(Part::Text((done, start)));
        }
        parts.push(part);
        done = end;
    }
    if length > done {
        parts.push(Part::Text((done, length)));
    }
    Ok(parts)
}

/// Joins what a person should see of a text, with the result of `call` in place of each call.
pub fn join<'py>(
    input: &Bound<'py, PyString>,
    parts: &[Part],
    mut call: impl FnMut(usize) -> PyResult<Option<Bound<'py, PyString>>>,
) -> PyResult<Bound<'py, PyString>> {
    let py = input.py();
    if let [Part::Text(_)] = parts {
        return Ok(input.clone());
    }
    let pieces = PyList::empty(py);
    for part in parts {
        match *part {
            Part::Text((start, end)) => pieces.append(raw::substring(input, start, end)?)?,
            Part::Reasoning(_) | Part::Frame(_) => {}
            Part::Call(at, _) => {
                if let Some(text) = call(at)? {
                    pieces.append(text)?;
                }
            }
        }
    }
    let empty = PyString::new(py, "");
    Ok(empty.call_method1(pyo3::intern!(py, "join"), (pieces,))?.cast_into::<PyString>()?)
}

/// Calls a callable for the text that replaces a call.
pub fn ask<'py>(
    function: &Bound<'py, PyAny>,
    call: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let answer = function.call1((call,))?;
    match answer.cast_into::<PyString>() {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let answer = error.into_inner();
            Err(wrong_type(answer.py(), "a call's replacement", "str", &answer))
        }
    }
}

/// Replaces the markup of each call with the text that a function returns for the call.
///
/// The spans of the calls give the places, so equal calls, and results that look like calls, cannot
/// be mixed up. The calls may be any of the text's calls in any order; the markup of the others
/// stays.
///
/// ```pycon
/// >>> detection = toolwire.detect('2 + 2 = <tool:sum>{"of": [2, 2]}</tool>')
/// >>> total = lambda call: str(sum(call.arguments["of"]))
/// >>> toolwire.replace(detection.input, detection.calls, total)
/// '2 + 2 = 4'
///
/// ```
#[pyfunction]
pub fn replace<'py>(
    text: &Bound<'py, PyAny>,
    calls: &Bound<'py, PyAny>,
    f: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    let input = text::read("text", text)?;
    let mut found: Vec<Bound<'py, PyAny>> = Vec::new();
    let mut spans = Vec::new();
    for call in calls.try_iter()? {
        let call = call?;
        match call.cast::<ToolCall>() {
            Ok(known) => spans.push(Part::Call(found.len(), known.get().span(call.py()))),
            Err(_) => return Err(wrong_type(py, "each of calls", "a ToolCall", &call)),
        }
        found.push(call);
    }
    let parts = parts(py, input.code_point_len()?, spans)?;
    join(&input, &parts, |at| found.get(at).map_or(Ok(None), |call| ask(f, call)))
}
