//! The parts of a message that are neither text nor calls: reasoning, and the tokens that frame a
//! turn.
//!
//! Reasoning ends at the first marker that closes it, even where that marker stands in a call that
//! the model only thought about. So no call of the reasoning can reach beyond it.

use std::sync::Arc;

use crate::call::{RejectionCode, Span};
use crate::detect::candidate::Refusal;
use crate::detect::engine::config::Config;
use crate::detect::engine::frames::pass_frames;
use crate::detect::engine::reasoning::{End, FramingMarker, ReasoningReader, SearchedThought};
use crate::detect::engine::search::may_hold_call;
use crate::detect::engine::sought_marker::{Mark, StandingMark};
use crate::detect::engine::{CutOff, Engine, Mode, Moved};
use crate::detect::options::Reasoning as Wanted;
use crate::progress::{NeedMore, Progress};

impl Engine {
    /// What a marker of the message does that stands at the search's position.
    pub(super) fn message_marker(
        &mut self,
        config: &Config,
        standing: StandingMark,
        input: &[u8],
    ) -> Option<Moved> {
        let StandingMark { mark, start, length } = standing;
        if !matches!(mark, Mark::OpensOther(_)) {
            self.refuse_foreign(input);
        }
        let ends_thought = mark == Mark::ClosesReasoning && self.code.thought.is_some();
        // In a code block that is being searched, markers are text.
        if self.probe.is_some() || (self.code.fence.is_some() && !ends_thought) {
            return None;
        }
        if matches!(mark, Mark::ClosesReasoning | Mark::Frames | Mark::OpensAnswer) {
            (self.code.fence, self.code.thought) = (None, None);
        }
        let frame = FramingMarker { start, pos: start + length, opens: None };
        match mark {
            Mark::Stray | Mark::OpensOther(_) | Mark::OpensTurn if self.recorder.in_reasoning() => {
                None
            }
            Mark::Stray => {
                self.stray(standing, input);
                None
            }
            Mark::OpensOther(format) => {
                self.foreign_opening(format, standing, input);
                None
            }
            Mark::OpensTurn => self.made_up_turn(standing, input),
            Mark::Frames | Mark::OpensAnswer if self.recorder.in_reasoning() => {
                self.recorder.close_reasoning(start, input);
                Some(self.enter(Mode::Frame(frame)))
            }
            Mark::Frames | Mark::OpensAnswer => Some(self.enter(Mode::Frame(frame))),
            Mark::OpensReasoning(_) if self.recorder.in_reasoning() => {
                Some(self.enter(Mode::Frame(frame)))
            }
            Mark::OpensReasoning(style) => {
                Some(self.enter(Mode::Frame(FramingMarker { opens: Some(style), ..frame })))
            }
            Mark::ClosesReasoning => {
                if self.recorder.in_reasoning() {
                    self.recorder.close_reasoning(start, input);
                } else if config.reasoning.becomes == Wanted::Keep {
                    return None;
                } else if self.recorder.has_reasoned() {
                    // Behind reasoning that has ended, words about the marker are text.
                    if self.recorder.shows_text_before(start, input) {
                        return None;
                    }
                } else {
                    self.recorder.take_for_reasoning(start, &config.reasoning, input);
                }
                Some(self.enter(Mode::Frame(frame)))
            }
        }
    }

    pub(super) fn frame(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Mode::Frame(frame) = &mut self.mode else { return Ok(Moved) };
        if frame.opens.is_some() || !self.recorder.shows_text_before(frame.start, input) {
            let markers = frame.opens.and_then(|style| config.reasoning.markers.get(style));
            let leading = markers.map(|markers| markers.leading.as_slice()).unwrap_or_default();
            pass_frames(leading, &mut frame.pos, input, finished)?;
            // Openings that are repeated may be written in another way.
            while let Some(markers) = markers
                && let rest = input.get(frame.pos..).unwrap_or_default()
                && let Some(length) = markers.tags.opening(rest, finished)?
            {
                frame.pos += length;
                pass_frames(leading, &mut frame.pos, input, finished)?;
            }
            if frame.pos == input.len() && !finished {
                return Err(NeedMore);
            }
        }
        let FramingMarker { start, pos, opens } = *frame;
        self.floor = self.floor.max(pos);
        let kept = config.reasoning.becomes == Wanted::Keep && opens.is_some();
        if !kept {
            self.recorder.add_frame(Span::new(start, pos), input);
        }
        let Some(style) = opens else { return Ok(self.search_from(pos)) };
        if !kept {
            self.recorder.open_reasoning(pos);
        }
        if config.reasoning.becomes == Wanted::Calls || config.message.calls_in_reasoning {
            self.code.thought = Some(SearchedThought::new(style, pos));
            return Ok(self.search_from(pos));
        }
        Ok(self.enter(Mode::Reasoning(Box::new(ReasoningReader::new(style, pos)), None)))
    }

    pub(super) fn reasoning(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Mode::Reasoning(reader, _) = &mut self.mode else { return Ok(Moved) };
        let styles = (&config.message.reasoning, &config.reasoning.markers);
        let (Some(style), Some(markers)) = (styles.0.get(reader.style), styles.1.get(reader.style))
        else {
            return Err(self.rest_is_text(finished));
        };
        let (mut frames, start) = (Vec::new(), reader.start);
        let end = reader.step(style, markers, input, finished, &mut frames);
        self.recorder.add_inner_frames(&frames);
        let Some(End { at, length }) = end else {
            let searched = reader.searched();
            if finished {
                return self.end_in_reasoning(config, start, input);
            }
            self.follow_thought(config, searched, input);
            return Err(NeedMore);
        };
        self.refuse_calls(config, Span::new(start, at), RejectionCode::InReasoning, input);
        if config.reasoning.becomes == Wanted::Keep {
            return Ok(self.search_from(at + length));
        }
        self.recorder.close_reasoning(at, input);
        if length == 0 {
            return Ok(self.search_from(at));
        }
        Ok(self.enter(Mode::Frame(FramingMarker { start: at, pos: at + length, opens: None })))
    }

    /// Ends the text in reasoning that nothing closes: the calls at its end count.
    fn end_in_reasoning(&mut self, config: &Config, start: usize, input: &[u8]) -> Progress<Moved> {
        match self.calls_at_end(config, input) {
            Ok(calls) => {
                let thought = Span::new(start, calls);
                self.refuse_calls(config, thought, RejectionCode::InReasoning, input);
                self.recorder.close_reasoning(calls, input);
                self.in_open_reasoning = true;
                Ok(self.search_from(calls))
            }
            Err(mut refusals) => {
                let part = Span::new(start, input.len());
                refusals.extend(self.calls_in(config, part, RejectionCode::InReasoning, input));
                if refusals.is_empty() {
                    refusals.extend(self.unread_in_thought(start, input));
                }
                refusals.sort_by_key(|refusal| refusal.span.start);
                for refusal in refusals {
                    self.refuse(refusal, input);
                }
                self.hide_cut_token(config, start, input);
                self.recorder.findings.reasoning_open = true;
                self.recorder.close_reasoning(input.len(), input);
                Err(self.rest_is_text(true))
            }
        }
    }

    /// Takes for a frame what the end of the text has cut off: the markup of a call, or a token.
    pub(super) fn hide_cut_off(&mut self, config: &Config, input: &[u8]) {
        if config.profile.is_none() {
            return;
        }
        if matches!(self.mode, Mode::Search) && self.code.fence.is_none() {
            self.hide_cut_token(config, 0, input);
        }
        let last = self.marking.cut_off.filter(|cut_off| self.recorder.is_last(cut_off.start));
        if let Some(CutOff { start, .. }) = last.filter(|_| !self.recorder.in_reasoning()) {
            self.recorder.add_cut_off(start, input);
        }
    }

    /// Takes for a frame the token behind `floor` that the end of the text has cut off.
    fn hide_cut_token(&mut self, config: &Config, floor: usize, input: &[u8]) {
        let known = config.profile.is_some();
        let length = if known { config.markers.cut_token(input, true) } else { 0 };
        let token = Span::new(input.len() - length, input.len());
        if length == 0 || token.start < floor || !self.recorder.is_last(token.start) {
            return;
        }
        if self.recorder.in_reasoning() {
            self.recorder.add_inner_frames(&[token]);
        } else {
            self.note_cut_off(CutOff { start: token.start, reported: false });
        }
    }

    /// Notes a call inside which the text ends; the first one of several counts.
    pub(super) fn note_cut_off(&mut self, cut_off: CutOff) {
        let known = self.marking.cut_off.filter(|known| self.recorder.is_last(known.start));
        self.marking.cut_off = known.or(Some(cut_off));
    }

    /// The end of what is shown, once the whole text is known.
    ///
    /// What was reported as the arguments of a call is not reported as text too.
    pub(super) fn shown_end(&self, input: &[u8]) -> usize {
        let told = self.recorder.told.unwrap_or_default();
        let reported = self.marking.cut_off.filter(|cut| cut.reported && cut.start >= told);
        reported.map_or(input.len(), |cut| cut.start)
    }

    /// Refuses the calls in a part of the text in which calls do not count.
    pub(super) fn refuse_calls(
        &mut self,
        config: &Config,
        part: Span,
        code: RejectionCode,
        input: &[u8],
    ) {
        self.refuse_foreign(input);
        for refusal in self.calls_in(config, part, code, input) {
            self.recorder.refuse(refusal, input);
        }
    }

    /// A refusal of each call in a part of the text in which calls do not count.
    fn calls_in(
        &mut self,
        config: &Config,
        part: Span,
        code: RejectionCode,
        input: &[u8],
    ) -> Vec<Refusal> {
        let text = part.of(input);
        if self.probe.is_some() {
            return Vec::new();
        }
        if self.lacks_signs(config, part, input) || !may_hold_call(config, text) {
            return Vec::new();
        }
        let mut probe = Self::probe(Arc::clone(&self.config));
        probe.run_whole(config, text);
        let message = match code {
            RejectionCode::InReasoning => "the call stands in reasoning",
            _ => "the call stands in code",
        };
        let found = probe.probe.into_iter().flat_map(|probe| probe.calls);
        let refusals = found.map(|(format, span)| {
            let span = Span::new(part.start + span.start, part.start + span.end);
            Refusal::new(format, code, span, message)
        });
        refusals.collect()
    }
}
