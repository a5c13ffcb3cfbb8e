//! Acts on what a body scanner found: hands out calls, records refusals, moves the search on.

use crate::call::{Diagnostic, DiagnosticCode, RejectionCode, Span, ToolCall};
use crate::detect::block::closing::TailReader;
use crate::detect::block::fence::divide;
use crate::detect::body::outcome::missing_end;
use crate::detect::candidate::{Candidate, Found, Refusal, Verdict};
use crate::detect::engine::config::Config;
use crate::detect::engine::unclosed::Unclosed;
use crate::detect::engine::{Engine, Mode, Moved};
use crate::detect::rule::accept::Denied;
use crate::progress::{NeedMore, Progress};

impl Engine {
    pub(super) fn resolve(&mut self, verdict: Verdict, input: &[u8]) -> Progress<Moved> {
        match verdict {
            Verdict::Prose { resume } => Ok(self.search_from(resume)),
            Verdict::Refused { refusal, resume } => {
                if resume < refusal.span.end {
                    self.note_refused(&refusal, input);
                }
                self.refuse(refusal, input);
                Ok(self.search_from(resume))
            }
            Verdict::Oversized { refusal } => {
                if let Some(refusal) = refusal {
                    self.refuse(refusal, input);
                }
                if let Mode::Json(reader) = std::mem::replace(&mut self.mode, Mode::Search) {
                    self.mode = Mode::Oversized(reader);
                }
                Ok(Moved)
            }
            Verdict::Calls { calls, end } => {
                let resume = first_start(&calls).map_or(end, |start| start + 1);
                self.accept(calls, end, resume, input)
            }
        }
    }

    /// Acts on a verdict on bare JSON. The elements of an array without a good call are searched.
    pub(super) fn resolve_json(
        &mut self,
        config: &Config,
        verdict: Verdict,
        start: usize,
        input: &[u8],
    ) -> Progress<Moved> {
        let Verdict::Calls { mut calls, end } = verdict else {
            return self.resolve_no_call(config, verdict, start, input);
        };
        if config.json.as_ref().is_some_and(|json| !json.counts) {
            self.lost_opening(calls, input);
            return Ok(self.search_from(end));
        }
        if input.get(start) == Some(&b'{') {
            return self.accept(calls, end, end, input);
        }
        if !self.share(&mut calls, Span::new(start, end)) {
            return Ok(self.search_from(start + 1));
        }
        self.accept(calls, end, end, input)
    }

    /// Acts on bare JSON that is no call; the end marker of a call may stand behind it.
    fn resolve_no_call(
        &mut self,
        config: &Config,
        verdict: Verdict,
        start: usize,
        input: &[u8],
    ) -> Progress<Moved> {
        let end = match verdict {
            Verdict::Prose { resume } | Verdict::Refused { resume, .. } => resume,
            Verdict::Calls { end, .. } => end,
            Verdict::Oversized { .. } => start,
        };
        let moved = self.resolve(verdict, input)?;
        let ends = end > start + 1 && self.pos == end && input.get(start) == Some(&b'{');
        if ends && config.json.as_ref().is_some_and(|json| json.may_end_call(end, input)) {
            return Ok(self.enter(Mode::BehindObject(Span::new(start, end))));
        }
        Ok(moved)
    }

    /// Refuses calls of known tools that are written as their format requires, without the marker
    /// that opens them.
    fn lost_opening(&mut self, calls: Vec<Found>, input: &[u8]) {
        for found in calls {
            match found {
                Found::Call(call) if self.config.rules.check(&call).is_ok() => {
                    let (code, what) =
                        (RejectionCode::Malformed, "the marker that opens the call is missing");
                    self.refuse(Refusal::new(call.format, code, call.span, what), input);
                }
                Found::Call(_) => {}
                Found::Refused(refusal) => self.refuse(refusal, input),
            }
        }
    }

    /// Divides a wrapper among its good calls; false when there is none.
    pub(super) fn share(&self, calls: &mut Vec<Found>, wrapper: Span) -> bool {
        let rules = &self.config.rules;
        let vetted = calls.drain(..).filter_map(|found| match found {
            Found::Call(candidate) => match rules.check(&candidate) {
                Ok(()) => Some(Found::Call(candidate)),
                Err(Denied::Refused(refusal)) => Some(Found::Refused(refusal)),
                Err(Denied::Prose) => None,
            },
            refused @ Found::Refused(_) => Some(refused),
        });
        *calls = vetted.collect();
        divide(calls, wrapper);
        calls.iter().any(|found| matches!(found, Found::Call(_)))
    }

    /// Hands out calls, or waits to see whether they fill the code block that is being searched.
    ///
    /// When none of them is good, the search goes on at `resume`.
    pub(super) fn accept(
        &mut self,
        calls: Vec<Found>,
        end: usize,
        resume: usize,
        input: &[u8],
    ) -> Progress<Moved> {
        if let Some(opened) = &mut self.code.fence {
            opened.skip_blank(input);
            if first_start(&calls) == Some(opened.content) {
                let (opened, tail) = (*opened, TailReader::new(opened.marker, end));
                return Ok(self.enter(Mode::FenceEnd { calls, end, resume, tail, opened }));
            }
        }
        self.hand_out(calls, end, resume, input)
    }

    pub(super) fn hand_out(
        &mut self,
        calls: Vec<Found>,
        end: usize,
        resume: usize,
        input: &[u8],
    ) -> Progress<Moved> {
        let any = self.emit(calls, input)?;
        Ok(if any { self.search_behind(end) } else { self.search_from(resume) })
    }

    /// Goes on behind a call, or behind the wrapper of another format in which it stands.
    pub(super) fn search_behind(&mut self, call: usize) -> Moved {
        // A call that was refused stands in no wrapper, whatever stands in front of it.
        if self.marking.foreign_wrapper.as_ref().is_some_and(|wrapper| wrapper.end == call) {
            return self.enter(Mode::BehindForeign);
        }
        self.search_from(call)
    }

    /// Records calls and refusals, and returns whether there was a good call.
    ///
    /// Behind the most calls that are wanted, the rest of the text is recorded as text, and the
    /// search ends.
    pub(super) fn emit(&mut self, calls: Vec<Found>, input: &[u8]) -> Progress<bool> {
        let mut any = false;
        // Where the search goes back into a call, it meets what stands inside once more.
        let mut searched = 0;
        let mut calls = calls.into_iter();
        while let Some(found) = calls.next() {
            let index = self.recorder.findings.calls.len();
            let mut candidate = match found {
                Found::Call(candidate) => candidate,
                Found::Refused(refusal) => {
                    if refusal.span.start >= searched {
                        self.note_refused(&refusal, input);
                        self.refuse(refusal, input);
                    }
                    continue;
                }
            };
            let (number, span) = (candidate.number, candidate.span);
            if index >= self.config.limits.max_calls {
                let message = "the text holds more than max_calls calls; the rest was not searched";
                self.recorder.end_refused(number);
                for found in calls {
                    if let Found::Call(candidate) = found {
                        self.recorder.end_refused(candidate.number);
                    }
                }
                self.limit_reached(input, span, RejectionCode::TooManyCalls, message);
                return Err(NeedMore);
            }
            if self.probe.is_some()
                && let Some(refusal) = self.inside_refused(&candidate, input)
            {
                searched = span.end;
                self.refuse(refusal, input);
                continue;
            }
            if let Some(probe) = &mut self.probe {
                match self.config.rules.check(&candidate) {
                    Ok(()) => {
                        any = true;
                        self.floor = span.end;
                        probe.calls.push((candidate.format, span));
                    }
                    Err(denied) => {
                        searched = span.end;
                        self.deny(denied, input);
                    }
                }
                continue;
            }
            if self.add_call(&mut candidate, input) {
                any = true;
            } else {
                searched = span.end;
            }
        }
        Ok(any)
    }

    /// Hands out a call if the rules accept it; false when they do not.
    pub(super) fn add_call(&mut self, candidate: &mut Candidate, input: &[u8]) -> bool {
        let number = candidate.number;
        if let Some(refusal) = self.inside_refused(candidate, input) {
            self.recorder.end_refused(number);
            self.marking.unclosed = Unclosed::behind_refusal();
            self.refuse(refusal, input);
            return false;
        }
        if self.marking.foreign.is_some() && self.config.rules.check(candidate).is_ok() {
            candidate.span = self.with_foreign(candidate.span, input);
        }
        if self.code.read_otherwise {
            candidate.diagnostics.push(fence_differs(candidate.span.start));
        }
        if self.in_open_reasoning {
            candidate.diagnostics.push(in_open_reasoning(candidate.span.start));
        }
        let (rules, calls) = (&self.config.rules, &mut self.recorder.findings.calls);
        match rules.accept(candidate, input, &mut self.ids, calls) {
            Ok(()) if rules.refuses_all() => {
                let call = calls.pop();
                self.enter_foreign(candidate.span, input);
                if let Some(call) = call {
                    self.floor = call.span.end;
                    self.refuse_offered_none(&call, input);
                }
                true
            }
            Ok(()) => {
                self.enter_foreign(candidate.span, input);
                self.floor = candidate.span.end;
                self.recorder.tell_call(candidate.span, number, input);
                true
            }
            Err(denied) => {
                self.recorder.end_refused(number);
                self.deny(denied, input);
                false
            }
        }
    }

    /// Refuses a call of a request without tools. Its markup is for nobody, and is not shown.
    fn refuse_offered_none(&mut self, call: &ToolCall, input: &[u8]) {
        let (code, message) = (RejectionCode::NoTools, "no tools were offered, so no call counts");
        self.recorder.add_frame(call.span, input);
        self.refuse(Refusal::new(call.format, code, call.span, message), input);
    }

    pub(super) fn deny(&mut self, denied: Denied, input: &[u8]) {
        if let Denied::Refused(refusal) = denied {
            self.refuse(refusal, input);
        }
    }

    pub(super) fn refuse(&mut self, mut refusal: Refusal, input: &[u8]) {
        if let Some(probe) = &mut self.probe {
            // No more than that is ever reported.
            if probe.refusals.len() < self.config.limits.max_rejections {
                probe.refusals.push(refusal);
            }
            return;
        }
        self.refuse_foreign(input);
        // A call's share of its wrapper may begin before a part of the wrapper that was refused.
        let refused = self.recorder.findings.rejections.last().map_or(0, |last| last.span.start);
        let Span { start, end } = refusal.span;
        refusal.span = Span::new(start.max(refused).min(end), end);
        if self.recorder.keeps_rejections() {
            refusal = self.config.rules.naming_nearest(refusal);
        }
        let claimed = refusal.claimed.as_ref();
        if claimed.is_none_or(|name| self.config.rules.knows(name)) {
            self.recorder.refuse(refusal, input);
        }
    }

    /// Refuses the rest of the text.
    pub(super) fn limit_reached(
        &mut self,
        input: &[u8],
        span: Span,
        code: RejectionCode,
        message: &'static str,
    ) {
        self.mode = Mode::Done;
        self.limited = true;
        let reason = message.into();
        self.refuse(Refusal { format: None, code, reason, span, claimed: None }, input);
    }
}

fn first_start(calls: &[Found]) -> Option<usize> {
    calls.iter().find_map(|found| match found {
        Found::Call(candidate) => Some(candidate.span.start),
        Found::Refused(_) => None,
    })
}

pub(super) fn note_missing_end(calls: &mut [Found], end: usize) {
    let last = calls.iter_mut().rev().find_map(|found| match found {
        Found::Call(candidate) => Some(candidate),
        Found::Refused(_) => None,
    });
    if let Some(last) = last {
        last.diagnostics.push(missing_end(end));
    }
}

fn in_open_reasoning(offset: usize) -> Diagnostic {
    let message = "the reasoning in front of the call was never closed".to_owned();
    Diagnostic { code: DiagnosticCode::InOpenReasoning, message, offset }
}

fn fence_differs(offset: usize) -> Diagnostic {
    let message = "CommonMark reads a code fence before the call in another way".to_owned();
    Diagnostic { code: DiagnosticCode::FenceDiffers, message, offset }
}
