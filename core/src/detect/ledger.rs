//! The record of what was decided, and what a listener has been told of it.

use super::candidate::Refusal;
use super::findings::Findings;
use super::lines::Lines;
use super::stream::Event;
use crate::call::{Rejection, Span, ToolCall};

/// Characters of a rejection's excerpt.
const EXCERPT: usize = 120;

/// Calls and rejections in the order in which they were decided, which is text order.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) findings: Findings,
    lines: Lines,
    max_rejections: usize,
    /// What the events so far reach to; none when nobody listens.
    told: Option<usize>,
    events: Vec<Event>,
}

impl Ledger {
    pub(super) fn new(max_rejections: usize) -> Self {
        let (findings, lines) = (Findings::default(), Lines::default());
        Self { findings, lines, max_rejections, told: None, events: Vec::new() }
    }

    /// Keeps events from now on.
    pub(super) fn listen(&mut self) {
        self.told.get_or_insert(0);
    }

    /// The events since the last time.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Tells the text up to `end`.
    pub(super) fn tell_text(&mut self, end: usize) {
        let Some(told) = &mut self.told else { return };
        if end > *told {
            self.events.push(Event::Text(Span::new(*told, end)));
            *told = end;
        }
    }

    /// Records a call and tells it, with the text before it.
    pub(super) fn add_call(&mut self, call: ToolCall) {
        self.tell_text(call.span.start);
        if let Some(told) = &mut self.told {
            *told = call.span.end;
            self.events.push(Event::Call(call.index));
        }
        self.findings.calls.push(call);
    }

    /// Records a refusal of a candidate in `input`.
    pub(super) fn refuse(&mut self, refusal: Refusal, input: &[u8]) {
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

fn excerpt(text: &[u8]) -> String {
    // No character has more than four bytes.
    let start = text.get(..EXCERPT * 4).unwrap_or(text);
    String::from_utf8_lossy(start).chars().take(EXCERPT).collect()
}
