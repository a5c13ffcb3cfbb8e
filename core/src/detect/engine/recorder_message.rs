//! The record of reasoning and of the tokens that frame a message.

use crate::call::{RejectionCode, Span};
use crate::detect::candidate::Refusal;
use crate::detect::engine::config::ReasoningRules;
use crate::detect::engine::last_solid::without_blank_end;
use crate::detect::engine::recorder::Recorder;
use crate::detect::event::Event;

impl Recorder {
    /// Whether what follows is reasoning.
    pub(super) fn in_reasoning(&self) -> bool {
        self.reasoning.is_some()
    }

    /// Whether reasoning was found.
    pub(super) fn has_reasoned(&self) -> bool {
        self.reasoned
    }

    /// Whether the text before `end` shows anything to a person.
    pub(super) fn shows_text_before(&mut self, end: usize, input: &[u8]) -> bool {
        self.shows_text =
            self.shows_text || self.solid.end(Span::new(self.unseen, end), input) > self.unseen;
        self.shows_text
    }

    /// Whether text is shown as it comes: it is not reasoning, and no frame can take from it.
    #[inline]
    pub(super) fn shows_all(&self) -> bool {
        self.shows_text && self.reasoning.is_none()
    }

    /// The offset up to which the text is sure, without white space that may still belong to a
    /// frame.
    #[inline]
    pub(super) fn without_blank(&mut self, sure: usize, input: &[u8]) -> usize {
        if self.shows_all() {
            return sure;
        }
        self.without_new_blank(sure, input)
    }

    fn without_new_blank(&mut self, sure: usize, input: &[u8]) -> usize {
        if let Some(start) = self.reasoning {
            let end = self.solid.end(Span::new(start, sure), input);
            return self.without_frames_end(Span::new(start, end), input).end;
        }
        let shows = sure <= self.unseen || self.shows_text_before(sure, input);
        if shows { sure } else { self.unseen }
    }

    /// Records framing tokens and the white space that belongs to them.
    pub(super) fn add_frame(&mut self, frame: Span, input: &[u8]) {
        let blank = self.reasoning.is_none() && !self.shows_text_before(frame.start, input);
        let start = if blank { self.unseen.min(frame.start) } else { frame.start };
        let reasoning = self.reasoning.take();
        if let Some(from) = reasoning {
            self.end_reasoning(from, frame.start, input);
            self.reasoning = Some(frame.end);
        } else {
            self.tell_text(start);
        }
        self.skip(Span::new(start, frame.end));
    }

    /// Records what the end of the text cuts off: a frame apart from the framing in front of it.
    pub(super) fn add_cut_off(&mut self, start: usize, input: &[u8]) {
        let touches = self.findings.frames.last().is_some_and(|last| last.end == start);
        self.add_frame(Span::new(start, input.len()), input);
        if touches && let Some(last) = self.findings.frames.last_mut() {
            last.end = start;
            self.findings.frames.push(Span::new(start, input.len()));
        }
    }

    /// Records framing tokens inside reasoning, which goes on behind them.
    pub(super) fn add_inner_frames(&mut self, frames: &[Span]) {
        if self.reasoning.is_some() {
            self.findings.frames.extend_from_slice(frames);
        }
    }

    /// Whether no part of the message that was recorded ends behind `start`.
    pub(super) fn is_last(&self, start: usize) -> bool {
        let call = self.findings.calls.last().map(|call| call.span);
        let hidden = [self.findings.frames.last(), self.findings.reasoning.last()];
        hidden.into_iter().flatten().copied().chain(call).all(|part| part.end <= start)
    }

    /// The reasoning without the framing tokens and the white space at its end.
    fn without_frames_end(&self, reasoning: Span, input: &[u8]) -> Span {
        let mut span = without_blank_end(input, reasoning);
        // Framing behind calls that are held back is known before the reasoning ends.
        let frames = &self.findings.frames;
        let inside = frames.partition_point(|frame| frame.start < reasoning.end);
        for frame in frames.iter().take(inside).rev() {
            // A token may end with white space, which is not in the span.
            if frame.start < span.start || frame.end < span.end {
                break;
            }
            span = without_blank_end(input, Span::new(span.start, frame.start));
        }
        span
    }

    /// Reports the reasoning up to the last framing token that ends before `end`.
    pub(super) fn tell_around_frames(&mut self, end: usize) {
        let Some(told) = self.told else { return };
        let first = self.findings.frames.partition_point(|frame| frame.start < told);
        for at in first..self.findings.frames.len() {
            let frame = self.findings.frames.get(at).copied();
            let Some(frame) = frame.filter(|frame| frame.end <= end) else { break };
            let text = self.text_up_to(frame.start);
            self.events.extend(text);
            self.told = Some(frame.end);
        }
    }

    /// Takes what follows for reasoning.
    pub(super) fn open_reasoning(&mut self, start: usize) {
        self.reasoning = Some(start);
        self.reasoned = true;
    }

    /// Records the reasoning that ends at `end`.
    pub(super) fn close_reasoning(&mut self, end: usize, input: &[u8]) {
        if let Some(start) = self.reasoning.take() {
            self.end_reasoning(start, end, input);
        }
    }

    fn end_reasoning(&mut self, start: usize, end: usize, input: &[u8]) {
        let span = self.without_frames_end(Span::new(start, end), input);
        // What stands behind the reasoning becomes one frame.
        while self.findings.frames.last().is_some_and(|frame| frame.start >= span.end) {
            self.findings.frames.pop();
        }
        self.reasoning = Some(start);
        self.tell_text(span.end);
        self.reasoning = None;
        if !span.is_empty() {
            self.findings.reasoning.push(span);
        }
        if self.unseen == span.start {
            self.unseen = span.end;
        }
        self.skip(Span::new(span.end, end));
    }

    /// Records a part of the text that is not told.
    fn skip(&mut self, frame: Span) {
        if frame.is_empty() {
            return;
        }
        match self.findings.frames.last_mut() {
            Some(last) if last.end == frame.start => last.end = frame.end,
            _ => self.findings.frames.push(frame),
        }
        if self.unseen >= frame.start {
            self.unseen = self.unseen.max(frame.end);
        }
        if let Some(told) = &mut self.told {
            *told = (*told).max(frame.end);
        }
    }

    /// Takes everything up to `end` for reasoning, and the calls in it for refused.
    pub(super) fn take_for_reasoning(&mut self, end: usize, rules: &ReasoningRules, input: &[u8]) {
        let whole = Span::new(self.unseen, end);
        let start = end - without_name(whole.of(input), rules).len();
        let span = without_blank_end(input, Span::new(start, end));
        let told_before = self.told;
        self.reasoned = true;
        self.findings.frames.retain(|frame| frame.end <= whole.start);
        self.skip(Span::new(whole.start, span.start));
        if !span.is_empty() {
            self.findings.reasoning.push(span);
        }
        (self.unseen, self.shows_text) = (span.end, false);
        if let Some(told) = told_before {
            if told > whole.start {
                self.events.retain(|event| !matches!(event, Event::CallEnd { .. }));
                self.events.push(Event::ReasoningEnd(span));
                let retracted = self.calls.take_ended().into_iter();
                self.events.extend(retracted.map(|number| Event::CallRetracted { number }));
            } else if !span.is_empty() {
                self.events.push(Event::Reasoning(span));
            }
            self.told = Some(told.max(end));
        }
        self.refuse_calls_before(input);
        self.skip(Span::new(span.end, end));
    }

    /// Makes a rejection of each call so far; the rejections stay in text order.
    fn refuse_calls_before(&mut self, input: &[u8]) {
        let calls = std::mem::take(&mut self.findings.calls);
        if calls.is_empty() {
            return;
        }
        let lines = std::mem::take(&mut self.lines);
        for call in calls {
            let message = "the call stands in reasoning";
            let code = RejectionCode::InReasoning;
            self.refuse(Refusal::new(call.format, code, call.span, message), input);
        }
        self.lines = lines;
        let mut order: Vec<usize> = (0..self.findings.rejections.len()).collect();
        let rejections = &self.findings.rejections;
        order.sort_by_key(|index| rejections.get(*index).map(|found| found.span.start));
        let mut place = vec![0; order.len()];
        for (to, from) in order.iter().enumerate() {
            if let Some(slot) = place.get_mut(*from) {
                *slot = to;
            }
        }
        for event in &mut self.events {
            if let Event::Rejection(index) = event {
                *index = place.get(*index).copied().unwrap_or(*index);
            }
        }
        self.findings.rejections.sort_by_key(|found| found.span.start);
    }
}

/// The reasoning without the white space in front of it and the name of its channel.
fn without_name<'t>(text: &'t [u8], rules: &ReasoningRules) -> &'t [u8] {
    let text = text.trim_ascii_start();
    let mut names = rules.markers.iter().flat_map(|markers| &markers.names);
    let rest = names.find_map(|name| text.strip_prefix(name.lead()));
    rest.map_or(text, <[u8]>::trim_ascii_start)
}
