//! The record of calls and rejections, and of the events that report them.

use crate::call::{Arguments, CallId, Rejection, Span};
use crate::detect::body::outcome::ReadSoFar;
use crate::detect::candidate::Refusal;
use crate::detect::engine::last_solid::LastSolid;
use crate::detect::engine::lines::LineCounter;
use crate::detect::engine::told_calls::ToldCalls;
use crate::detect::event::Event;
use crate::detect::findings::Findings;

/// The most characters in the excerpt of a rejection.
const EXCERPT: usize = 120;

/// Calls and rejections in the order in which they were decided, which is text order.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) findings: Findings,
    pub(super) lines: LineCounter,
    max_rejections: usize,
    /// The offset up to which events cover the text; `None` when no events are kept.
    pub(super) told: Option<usize>,
    pub(super) events: Vec<Event>,
    pub(super) calls: ToldCalls,
    /// The start of the reasoning that is not recorded yet.
    pub(super) reasoning: Option<usize>,
    /// Whether a call counts whatever follows it.
    calls_count: bool,
    /// Whether any reasoning was found.
    pub(super) reasoned: bool,
    /// Where the text that a person sees begins: all before it is reasoning and frames.
    pub(super) unseen: usize,
    pub(super) solid: LastSolid,
    /// Whether text was found that shows something.
    pub(super) shows_text: bool,
}

impl Recorder {
    /// `calls_count` says that no marker makes a thought of what stands before it.
    pub(crate) fn new(max_rejections: usize, calls_count: bool) -> Self {
        let (findings, lines) = (Findings::default(), LineCounter::default());
        Self {
            calls_count,
            findings,
            lines,
            max_rejections,
            told: None,
            events: Vec::new(),
            calls: ToldCalls::default(),
            reasoning: None,
            reasoned: false,
            unseen: 0,
            solid: LastSolid::default(),
            shows_text: false,
        }
    }

    /// Starts to keep events.
    pub(crate) fn listen(&mut self) {
        self.told.get_or_insert(0);
    }

    /// Whether events are kept.
    pub(crate) fn listens(&self) -> bool {
        self.told.is_some()
    }

    /// Swaps the list of events with `events`.
    #[inline]
    pub(crate) fn swap_events(&mut self, events: &mut Vec<Event>) {
        std::mem::swap(&mut self.events, events);
    }

    /// Reports the text up to `end`.
    #[inline]
    pub(crate) fn tell_text(&mut self, end: usize) {
        if self.reasoning.is_some() {
            self.tell_around_frames(end);
        }
        let text = self.text_up_to(end);
        self.events.extend(text);
    }

    /// The event for the text up to `end` that was not reported yet; the caller reports it.
    #[inline]
    pub(crate) fn text_up_to(&mut self, end: usize) -> Option<Event> {
        let told = self.told.as_mut().filter(|told| **told < end)?;
        let span = Span::new(std::mem::replace(told, end), end);
        Some(if self.reasoning.is_some() { Event::Reasoning(span) } else { Event::Text(span) })
    }

    /// Reports that a call begins, and returns its number; `None` when no events are kept.
    pub(crate) fn tell_start(&mut self, name: &str, id: &CallId) -> Option<usize> {
        self.told?;
        let number = self.calls.begin(id);
        let certain = self.calls_count || self.reasoned;
        self.events.push(Event::CallStart {
            number,
            name: name.into(),
            id: id.as_str().into(),
            certain,
        });
        Some(number)
    }

    /// Reports the new part of the arguments of a call that has begun.
    pub(crate) fn tell_arguments(&mut self, number: usize, read: ReadSoFar<'_>, input: &[u8]) {
        if let Some(json) = self.calls.new_arguments(number, read, input) {
            self.events.push(Event::ArgumentsDelta { number, json });
        }
    }

    /// Reports that what began as a call is not one.
    pub(crate) fn end_refused(&mut self, number: Option<usize>) {
        let Some(number) = number else { return };
        self.calls.drop(number);
        self.events.push(Event::CallRetracted { number });
    }

    /// Reports the call that was recorded last, with the text before it and the rest of its
    /// arguments.
    #[inline]
    pub(crate) fn tell_call(&mut self, span: Span, number: Option<usize>, input: &[u8]) {
        if self.told.is_none() && self.reasoning.is_none() {
            return;
        }
        let reasoning = self.reasoning;
        self.close_reasoning(span.start, input);
        self.tell_text(span.start);
        self.tell_last(number, input);
        self.reasoning = reasoning.map(|_| span.end);
    }

    fn tell_last(&mut self, number: Option<usize>, input: &[u8]) {
        let Some(mut call) = self.findings.calls.pop() else { return };
        if let Some(id) = number.and_then(|number| self.calls.id(number))
            && !call.id_given
        {
            call.id = id.into();
        }
        if let Some(number) = number.or_else(|| self.tell_start(&call.name, &call.id)) {
            let read = match &call.arguments {
                Arguments::Verbatim(span) => ReadSoFar::Verbatim(*span),
                Arguments::Made(json) => ReadSoFar::Made(json.as_bytes()),
            };
            self.tell_arguments(number, read, input);
            self.calls.end(number);
            self.events.push(Event::CallEnd { number, call: call.index });
            self.told = Some(call.span.end);
        }
        self.findings.calls.push(call);
    }

    /// Whether another rejection is kept, and not only counted.
    pub(super) fn keeps_rejections(&self) -> bool {
        self.findings.rejections.len() < self.max_rejections
    }

    /// Records a refusal of a candidate in `input`.
    pub(crate) fn refuse(&mut self, refusal: Refusal, input: &[u8]) {
        if !self.keeps_rejections() {
            self.findings.rejections_dropped += 1;
            return;
        }
        let span = refusal.span;
        // What one format has refused, another one refuses for the same reason: that says nothing.
        let last = self.findings.rejections.last();
        if last.is_some_and(|last| (last.code, last.span) == (refusal.code, span)) {
            return;
        }
        let (line, column) = self.lines.at(input, span.start);
        let rejection = Rejection {
            code: refusal.code,
            message: refusal.reason.into(),
            span,
            line,
            column,
            excerpt: excerpt(span.of(input)),
            format: refusal.format,
        };
        if self.told.is_some() {
            self.events.push(Event::Rejection(self.findings.rejections.len()));
        }
        self.findings.rejections.push(rejection);
    }
}

/// The beginning of the text, as a rejection shows it.
pub(crate) fn excerpt(text: &[u8]) -> String {
    // No character has more than four bytes.
    let start = text.get(..EXCERPT * 4).unwrap_or(text);
    String::from_utf8_lossy(start).chars().take(EXCERPT).collect()
}
