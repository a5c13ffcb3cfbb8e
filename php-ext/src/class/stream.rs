//! `Toolwire\Stream`: detects calls in a text that comes in pieces.

use std::cell::RefCell;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::call::Arguments;

use crate::class::call::{self, ToolCall};
use crate::class::detection::Detection;
use crate::class::event::Event;
use crate::class::rejection::Rejection;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{self, AnArray, As, Text};

/// A text that is not complete.
pub(crate) struct Stream(RefCell<toolwire::Stream>);

php_class!(Stream, "Toolwire\\Stream", [], private, {});

impl Stream {
    /// Wraps the core's stream.
    pub(crate) fn new(stream: toolwire::Stream) -> Self {
        Self(RefCell::new(stream))
    }

    /// Advances the stream and converts its events to PHP objects.
    fn advance(
        &self,
        step: impl FnOnce(&mut toolwire::Stream) -> Result<Vec<toolwire::Event>, Error>,
    ) -> PhpResult<As<AnArray>> {
        let mut stream = self.0.borrow_mut();
        let events = step(&mut stream).map_err(|error| exception::from_core(&error))?;
        let events =
            events.into_iter().filter_map(|event| event_object(&stream, &event).transpose());
        Ok(As::new(value::list(events.collect::<PhpResult<Vec<_>>>()?)?))
    }
}

/// An event as a PHP object; `None` for a kind of event that this extension does not know.
fn event_object(stream: &toolwire::Stream, event: &toolwire::Event) -> PhpResult<Option<Zval>> {
    let (input, findings) = (stream.input(), stream.findings());
    let event = match event {
        toolwire::Event::Text(span) => Event::Text(value::text(span.of(input))),
        toolwire::Event::CallStart { number, name, id, certain } => {
            let [name, id] = [name, id].map(|text| value::text(text.as_bytes()));
            Event::CallStart { number: *number, name, id, certain: *certain }
        }
        toolwire::Event::ArgumentsDelta { number, json } => {
            let json = match json {
                Arguments::Verbatim(span) => span.of(input),
                Arguments::Made(json) => json.as_bytes(),
            };
            Event::ArgumentsDelta(*number, value::text(json))
        }
        toolwire::Event::CallEnd { number, call } => {
            let Some(found) = findings.calls.get(*call) else { return Ok(None) };
            let call = call::object(ToolCall::alone(found.clone(), input));
            Event::CallEnd(*number, call)
        }
        toolwire::Event::CallRetracted { number } => Event::CallRetracted(*number),
        toolwire::Event::Reasoning(span) => Event::Reasoning(value::text(span.of(input)), *span),
        toolwire::Event::ReasoningEnd(span) => {
            Event::ReasoningEnd(value::text(span.of(input)), *span)
        }
        toolwire::Event::Rejection(index) => match findings.rejections.get(*index) {
            Some(found) => Event::Rejection(value::object(Rejection::new(found.clone()))?),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some(value::object(event)?))
}

#[php_impl]
impl Stream {
    /// Takes the next piece of the text; returns the events that it makes certain.
    fn feed(&self, chunk: Text<'_>) -> PhpResult<As<AnArray>> {
        self.advance(|stream| stream.feed(chunk.bytes()))
    }

    /// Ends the text; returns the events that were still open.
    fn finish(&self) -> PhpResult<As<AnArray>> {
        self.advance(toolwire::Stream::finish)
    }

    /// The whole outcome, after the text has ended.
    fn detection(&self) -> PhpResult<Detection> {
        let stream = self.0.borrow();
        let detection = stream.detection().map_err(|error| exception::from_core(&error))?;
        Ok(Detection::new(value::text(stream.input()), detection.into_findings()))
    }
}
