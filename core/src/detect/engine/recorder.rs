//! The record of what was decided, and what a listener has been told of it.

use crate::call::{Arguments, Rejection, Span, ToolCall};
use crate::detect::body::call::ReadSoFar;
use crate::detect::candidate::Refusal;
use crate::detect::engine::lines::Lines;
use crate::detect::event::Event;
use crate::detect::findings::Findings;

/// Characters of a rejection's excerpt.
const EXCERPT: usize = 120;

/// Calls and rejections in the order in which they were decided, which is text order.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) findings: Findings,
    lines: Lines,
    max_rejections: usize,
    /// What the events so far reach to; none when nobody listens.
    told: Option<usize>,
    events: Vec<Event>,
    /// Calls of which a listener was told that they begin.
    begun: usize,
    /// How much of the arguments of each call that has begun and not ended was told, in bytes.
    open: Vec<(usize, usize)>,
}

impl Recorder {
    pub(crate) fn new(max_rejections: usize) -> Self {
        let (findings, lines) = (Findings::default(), Lines::default());
        Self {
            findings,
            lines,
            max_rejections,
            told: None,
            events: Vec::new(),
            begun: 0,
            open: Vec::new(),
        }
    }

    /// Keeps events from now on.
    pub(crate) fn listen(&mut self) {
        self.told.get_or_insert(0);
    }

    /// Whether anybody is told.
    pub(crate) fn listens(&self) -> bool {
        self.told.is_some()
    }

    /// Lends the list that events are appended to, and gives it back.
    #[inline]
    pub(crate) fn swap_events(&mut self, events: &mut Vec<Event>) {
        std::mem::swap(&mut self.events, events);
    }

    /// Tells the text up to `end`.
    #[inline]
    pub(crate) fn tell_text(&mut self, end: usize) {
        let text = self.text_up_to(end);
        self.events.extend(text);
    }

    /// The text up to `end` as far as it was not told, for who tells it.
    #[inline]
    pub(crate) fn text_up_to(&mut self, end: usize) -> Option<Event> {
        let told = self.told.as_mut().filter(|told| **told < end)?;
        Some(Event::Text(Span::new(std::mem::replace(told, end), end)))
    }

    /// Tells that a call begins, and gives its number; none when nobody listens.
    pub(crate) fn tell_start(&mut self, name: &str) -> Option<usize> {
        self.told?;
        let number = self.begun;
        self.begun += 1;
        self.open.push((number, 0));
        self.events.push(Event::CallStart { number, name: name.into() });
        Some(number)
    }

    /// Tells what is new of the arguments of a call that has begun.
    pub(crate) fn tell_arguments(&mut self, number: usize, read: ReadSoFar<'_>, input: &[u8]) {
        let Some((_, sent)) = self.open.iter_mut().find(|(open, _)| *open == number) else {
            return;
        };
        let (text, from) = match read {
            ReadSoFar::Verbatim(span) => (span.of(input), Some(span.start)),
            ReadSoFar::Made(json) => (json, None),
        };
        // A character is told as a whole.
        let new = text.get(*sent..).unwrap_or_default();
        let whole = new.len() - cut_character(new);
        let Some(new) = new.get(..whole).filter(|new| !new.is_empty()) else { return };
        let json = match from {
            Some(from) => Arguments::Verbatim(Span::new(from + *sent, from + *sent + whole)),
            None => Arguments::Made(String::from_utf8_lossy(new).into()),
        };
        *sent += whole;
        self.events.push(Event::ArgumentsDelta { number, json });
    }

    /// Reports that what began as a call is not one.
    pub(crate) fn end_refused(&mut self, number: Option<usize>) {
        let Some(number) = number else { return };
        self.open.retain(|(open, _)| *open != number);
        self.events.push(Event::CallEnd { number, call: None });
    }

    /// Records a call and tells it, with the text before it and what was not told of its arguments.
    pub(crate) fn add_call(&mut self, call: ToolCall, number: Option<usize>, input: &[u8]) {
        self.tell_text(call.span.start);
        if let Some(number) = number.or_else(|| self.tell_start(&call.name)) {
            let read = match &call.arguments {
                Arguments::Verbatim(span) => ReadSoFar::Verbatim(*span),
                Arguments::Made(json) => ReadSoFar::Made(json.as_bytes()),
            };
            self.tell_arguments(number, read, input);
            self.open.retain(|(open, _)| *open != number);
            self.events.push(Event::CallEnd { number, call: Some(call.index) });
            self.told = Some(call.span.end);
        }
        self.findings.calls.push(call);
    }

    /// Records a refusal of a candidate in `input`.
    pub(crate) fn refuse(&mut self, refusal: Refusal, input: &[u8]) {
        if self.findings.rejections.len() >= self.max_rejections {
            self.findings.rejections_dropped += 1;
            return;
        }
        let span = refusal.span;
        let (line, column) = self.lines.at(input, span.start);
        let rejection = Rejection {
            code: refusal.code,
            message: refusal.message,
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

/// How many bytes at the end of the text are the beginning of a character.
fn cut_character(text: &[u8]) -> usize {
    let starts = |length: &usize| {
        let first = text
            .len()
            .checked_sub(*length)
            .and_then(|at| text.get(at))
            .copied()
            .unwrap_or_default();
        match first {
            0xF0.. => *length < 4,
            0xE0.. => *length < 3,
            0xC0.. => *length < 2,
            _ => false,
        }
    };
    (1..=3).find(starts).unwrap_or_default()
}

fn excerpt(text: &[u8]) -> String {
    // No character has more than four bytes.
    let start = text.get(..EXCERPT * 4).unwrap_or(text);
    String::from_utf8_lossy(start).chars().take(EXCERPT).collect()
}
