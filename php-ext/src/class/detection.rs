//! `Toolwire\Detection`: the findings in a text, and the text.
//!
//! The text is the caller's own string, which is shared. Lists are built on first access, and the
//! same lists are returned after that.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendCallable, ZendStr, Zval};
use ext_php_rs::zend::ClassEntry;
use toolwire::call::Segment as Segments;
use toolwire::detect::{Findings, NewMessage, unread};
use toolwire::provider::MessagePart;
use toolwire::{Error, Span};

use crate::class::call::{self, ToolCall};
use crate::class::found::Found;
use crate::class::rejection::Rejection;
use crate::class::segment::Segment;
use crate::host::class::{AGGREGATE, COUNTABLE, php_class};
use crate::host::exception;
use crate::host::record::{self, Fields, Record};
use crate::host::value::{self, ACallable, AString, AnArray, AnIterator, As, Table, held};
use crate::zend;

/// Calls and rejections, and the text in which they were found.
pub(crate) struct Detection {
    found: Rc<Found>,
    calls: OnceCell<Zval>,
    rejections: OnceCell<Zval>,
    segments: OnceCell<Zval>,
}

php_class!(Detection, "Toolwire\\Detection", [COUNTABLE, AGGREGATE], private, {
    "calls": DataType::Array, false => calls;
    "rejections": DataType::Array, false => rejections;
    "rejectionsDropped": DataType::Long, false => rejections_dropped;
    "reasoningOpen": DataType::Bool, false => reasoning_open;
    "text": DataType::String, false => text;
    "reasoning": DataType::String, true => reasoning;
    "segments": DataType::Array, false => segments;
});

impl Detection {
    /// Joins findings with the text in which they were found, a PHP string.
    #[inline]
    pub(crate) fn new(text: Zval, findings: Findings) -> Self {
        Self {
            found: Rc::new(Found::new(text, findings)),
            calls: OnceCell::new(),
            rejections: OnceCell::new(),
            segments: OnceCell::new(),
        }
    }

    /// The message, to be written again.
    pub(crate) fn as_new_message(&self) -> NewMessage {
        NewMessage::of(&self.found.findings, self.found.bytes())
    }

    pub(crate) fn calls(&self) -> PhpResult<Zval> {
        value::list_once(&self.calls, || {
            let calls = 0..self.found.findings.calls.len();
            value::sized_list(
                calls.map(|index| Ok(call::object(ToolCall::found(&self.found, index)))),
            )
        })
    }

    /// The parts of the message; `calls` is the list of its calls.
    pub(crate) fn message_parts<'a>(
        &'a self,
        calls: &'a Zval,
    ) -> impl Iterator<Item = MessagePart<'a>> {
        let input = self.found.bytes();
        let call = |index| held::<ToolCall>(calls.array()?.get(index)?);
        self.found.findings.segments(input.len()).into_iter().filter_map(move |segment| {
            let span = segment.span();
            Some(match segment {
                Segments::Text(_) => MessagePart::Text(span.of(input)),
                Segments::Reasoning(_) => MessagePart::Reasoning(span.of(input), span),
                Segments::Call(index, _) => {
                    MessagePart::Call(index, call(index)?.as_message_call())
                }
                Segments::Frame(_) => return None,
            })
        })
    }

    /// Whether the text ends inside a call or in reasoning.
    pub(crate) fn ends_open(&self) -> bool {
        self.found.findings.ends_open()
    }

    fn rejections(&self) -> PhpResult<Zval> {
        value::list_once(&self.rejections, || {
            let rejections = self.found.findings.rejections.iter();
            value::sized_list(
                rejections.map(|found| Ok(value::object(Rejection::new(found.clone()))?)),
            )
        })
    }

    fn segments(&self) -> PhpResult<Zval> {
        value::list_once(&self.segments, || {
            let input = self.found.bytes();
            let calls = self.calls()?;
            let parts = self.found.findings.segments(input.len()).into_iter();
            value::sized_list(
                parts.map(|part| Ok(value::object(Segment::new(part, input, &calls))?)),
            )
        })
    }

    fn rejections_dropped(&self) -> Zval {
        value::whole(self.found.findings.rejections_dropped)
    }

    fn reasoning_open(&self) -> Zval {
        value::flag(self.found.findings.reasoning_open)
    }

    fn text(&self) -> Zval {
        match self.found.findings.text(self.found.bytes()) {
            Cow::Borrowed(_) => self.found.text.shallow_clone(),
            Cow::Owned(text) => value::text(text),
        }
    }

    fn reasoning(&self) -> Zval {
        let reasoning = self.found.findings.reasoning_text(self.found.bytes());
        reasoning.map_or_else(Zval::null, value::text)
    }
}

#[php_impl]
impl Detection {
    /// The number of calls.
    fn count(&self) -> usize {
        self.found.findings.calls.len()
    }

    /// Every field, by its name in snake case; the searched text is `input`, and its segments are
    /// left out.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }

    /// The calls, for `foreach`.
    fn get_iterator(&self) -> PhpResult<As<AnIterator>> {
        let calls = self.calls()?;
        let class =
            ClassEntry::try_find("ArrayIterator").ok_or("there is no class ArrayIterator")?;
        let iterator = class.new();
        iterator.try_call_method("__construct", vec![&calls])?;
        Ok(As::new(value::object(iterator)?))
    }

    /// The calls of other formats, and damaged ones, that a detector of a few formats did not read,
    /// as rejections. The text is searched again.
    fn unread(&self) -> PhpResult<As<AnArray>> {
        let findings = &self.found.findings;
        let calls = findings.calls.iter().map(|call| call.span);
        let read: Vec<_> = calls.chain(findings.rejections.iter().map(|one| one.span)).collect();
        let is_read = |span| read.iter().any(|read| read.overlaps(span));
        let left = unread(self.found.bytes(), is_read).into_iter();
        let left = left.map(|one| Ok(value::object(Rejection::new(one))?));
        Ok(As::new(value::list(left.collect::<PhpResult<Vec<_>>>()?)?))
    }

    /// The span of each of these markups in the text; null for a markup that is not in the text.
    fn locate(&self, originals: Table<'_>) -> PhpResult<As<AnArray>> {
        let refuse = |value: &Zval| {
            exception::wrong_type(format!(
                "originals must be strings, got {}",
                value::type_name(value)
            ))
        };
        let markups =
            zend::table(originals.0).into_iter().flat_map(zend::entries).map(|(_, markup)| {
                zend::text(markup).map(ZendStr::as_bytes).ok_or_else(|| refuse(markup))
            });
        let markups: Vec<_> = markups.collect::<PhpResult<_>>()?;
        let places =
            toolwire::detect::locate(self.found.bytes(), &self.found.findings.calls, &markups);
        let places =
            places.into_iter().map(|place| place.map_or_else(|| Ok(Zval::null()), call::span));
        Ok(As::new(value::list(places.collect::<PhpResult<Vec<_>>>()?)?))
    }

    /// What a person should see, with the result of `replacement` in place of each call.
    fn replace(&self, replacement: As<ACallable>) -> PhpResult<As<AString>> {
        let Ok(callable) = ZendCallable::new(&replacement.0) else {
            let message =
                format!("replacement must be callable, got {}", value::type_name(&replacement.0));
            return Err(exception::wrong_type(message));
        };
        let calls = self.calls()?;
        let mut replacements = Vec::with_capacity(self.found.findings.calls.len());
        for index in 0..self.found.findings.calls.len() {
            let Some(call) = calls.array().and_then(|calls| calls.get(index)) else { break };
            let given = callable.try_call(vec![call])?;
            if given.dereference().zend_str().is_none() {
                let message = format!(
                    "the replacement of a call must be a string, got {}",
                    value::type_name(&given)
                );
                return Err(exception::wrong_type(message));
            }
            replacements.push(given);
        }
        let replaced = self.found.findings.replace(self.found.bytes(), |call| {
            let given = replacements.get(call.index).map(Zval::dereference);
            given.map(value::bytes).unwrap_or_default()
        });
        Ok(As::new(value::text(replaced)))
    }
}

impl Record for Detection {
    fn write(&self) -> PhpResult<Zval> {
        let (calls, rejections) = (self.calls()?, self.rejections()?);
        Ok(value::record([
            ("calls", record::each::<ToolCall>(&calls)?),
            ("rejections", record::each::<Rejection>(&rejections)?),
            ("rejections_dropped", self.rejections_dropped()),
            ("reasoning_open", self.reasoning_open()),
            ("reasoning", self.reasoning()),
            ("reasoning_spans", spans(&self.found.findings.reasoning)?),
            ("frame_spans", spans(&self.found.findings.frames)?),
            ("input", self.found.text.shallow_clone()),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let text = searched(fields)?;
        let input = value::bytes(&text);
        let calls = fields.objects::<ToolCall>("calls")?;
        let rejections = fields.objects::<Rejection>("rejections")?;
        let mut findings = Findings::default();
        (findings.reasoning, findings.frames) = hidden_parts(fields, input.len())?;
        findings.rejections_dropped = fields.whole("rejections_dropped")?;
        findings.reasoning_open = fields.later_flag("reasoning_open")?;
        let mut end = 0;
        for call in calls.iter().filter_map(held::<ToolCall>) {
            let found = call.core();
            let span = found.span;
            if found.index != findings.calls.len()
                || span.start < end
                || span.of(input) != call.markup()
            {
                return Err(fields.error("calls", "in the order of the text, and to stand in it"));
            }
            end = span.end;
            findings.calls.push(found.clone());
        }
        for rejection in rejections.iter().filter_map(held::<Rejection>) {
            let found = rejection.core();
            if found.span.end > input.len() {
                return Err(fields.error("rejections", "in the text"));
            }
            findings.rejections.push(found.clone());
        }
        if !findings.is_in_order(input.len()) {
            return Err(fields.error("calls", "apart from the reasoning and the frames"));
        }
        let list = |name: &str, objects: Vec<Zval>| {
            value::list(objects)
                .map(OnceCell::from)
                .map_err(|error| fields.error(name, &error.to_string()))
        };
        let (calls, rejections) = (list("calls", calls)?, list("rejections", rejections)?);
        let found = Rc::new(Found::new(text, findings));
        Ok(Self { found, calls, rejections, segments: OnceCell::new() })
    }
}

/// The spans as a PHP list.
fn spans(spans: &[Span]) -> PhpResult<Zval> {
    let spans = spans.iter().map(|span| call::span(*span));
    Ok(value::list(spans.collect::<PhpResult<Vec<_>>>()?)?)
}

/// The spans of the reasoning and of the frames.
fn hidden_parts(fields: &Fields<'_>, length: usize) -> Result<(Vec<Span>, Vec<Span>), Error> {
    if !fields.are_properties() {
        return Ok((fields.spans("reasoning_spans")?, fields.spans("frame_spans")?));
    }
    let (mut reasoning, mut frames) = (Vec::new(), Vec::new());
    for segment in fields.objects::<Segment>("segments")? {
        match held::<Segment>(&segment).map(Segment::place) {
            Some((_, span)) if span.end > length => {
                return Err(fields.error("segments", "in the text"));
            }
            Some(("reasoning", span)) => reasoning.push(span),
            Some(("frame", span)) => frames.push(span),
            _ => {}
        }
    }
    Ok((reasoning, frames))
}

/// The searched text: the given one, or the joined texts of the segments among the properties.
fn searched(fields: &Fields<'_>) -> Result<Zval, Error> {
    if !fields.are_properties() {
        return fields.bytes("input").map(Zval::shallow_clone);
    }
    let mut text = Vec::new();
    for segment in fields.objects::<Segment>("segments")? {
        if let Some(segment) = held::<Segment>(&segment) {
            text.extend_from_slice(segment.bytes());
        }
    }
    Ok(value::text(text))
}
