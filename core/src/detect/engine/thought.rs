//! The calls in reasoning that is still open.
//!
//! A call that the model thinks about does not run. But where nothing closes the reasoning and
//! nothing stands behind the call, the model waits for its result: such calls at the end of the
//! text count. So calls in open reasoning are held back until a marker or a word follows.

use std::sync::Arc;

use crate::call::{Rejection, RejectionCode, Span};
use crate::detect::candidate::Refusal;
use crate::detect::engine::config::Config;
use crate::detect::engine::frames::pass_frames;
use crate::detect::engine::search::may_hold_part_of_call;
use crate::detect::engine::{Engine, Mode, Probed, ThoughtCalls};
use crate::detect::findings::Findings;
use crate::json::reason::Reason;

/// The codes of what cannot be read as a call.
const UNREAD: [RejectionCode; 2] = [RejectionCode::Malformed, RejectionCode::OtherFormat];

impl ThoughtCalls {
    /// Searches reasoning that begins at `start`.
    pub(super) fn new(config: &Arc<Config>, start: usize) -> Self {
        let mut engine = Engine::new(Arc::clone(config));
        engine.probe = Some(Probed::default());
        engine.search_from(start);
        engine.floor = start;
        Self { engine: Box::new(engine), seen: 0, tail: None }
    }

    /// Searches on in `input`, which ends where the reasoning so far does, and returns the offset
    /// from which it may be part of a call that counts.
    pub(super) fn held_from(&mut self, config: &Config, input: &[u8], finished: bool) -> usize {
        if finished || !self.engine.is_all_prose(config, input) {
            self.engine.advance(config, input, finished);
        }
        let undecided = if finished {
            input.len()
        } else {
            self.engine.undecided_block(input).min(input.len())
        };
        let known = input.get(..undecided).unwrap_or(input);
        let all = self.engine.probe.as_ref().map(|probe| probe.calls.as_slice());
        let found = all.and_then(|calls| calls.get(self.seen..)).unwrap_or_default();
        for (format, call) in found {
            self.seen += 1;
            let goes_on = self.tail.filter(|tail| {
                let mut end = tail.end;
                let between = known.get(..call.start).unwrap_or(known);
                pass_frames(&config.message.frames, &mut end, between, true).is_ok()
                    && end >= call.start
            });
            let start = goes_on.map_or(call.start, |tail| tail.start);
            // A fence round plain JSON makes it an example.
            let fenced = config.json.as_ref().is_some_and(|json| json.reads(format))
                && matches!(call.of(input).trim_ascii_start(), [b'`' | b'~', ..]);
            self.tail = (!fenced).then_some(Span::new(start, call.end));
        }
        let Some(mut tail) = self.tail else { return undecided };
        if pass_frames(&config.message.frames, &mut tail.end, known, finished).is_ok()
            && tail.end < known.len()
        {
            self.tail = None;
            return undecided;
        }
        self.tail = Some(tail);
        tail.start.min(undecided)
    }

    /// Where the calls begin that stand at the end of the whole text, or else what was refused.
    pub(super) fn at_end(mut self, config: &Config, input: &[u8]) -> Result<usize, Vec<Refusal>> {
        self.held_from(config, input, true);
        let refusals = || self.engine.probe.map(|probe| probe.refusals).unwrap_or_default();
        self.tail.map(|tail| tail.start).ok_or_else(refusals)
    }
}

impl Engine {
    /// Follows the calls in the reasoning that is open up to `sure`.
    pub(super) fn follow_thought(&mut self, config: &Config, sure: usize, input: &[u8]) {
        let Mode::Reasoning(reader, calls) = &mut self.mode else { return };
        let start = reader.start;
        let known = input.get(..sure).unwrap_or(input);
        let calls = calls.get_or_insert_with(|| Box::new(ThoughtCalls::new(&self.config, start)));
        reader.held_from = calls.held_from(config, known, false);
    }

    /// The refusal of what cannot be read as a call in reasoning that nothing closes, where nothing
    /// else was found: a call there would count.
    pub(super) fn unread_in_thought(&self, start: usize, input: &[u8]) -> Option<Refusal> {
        let Findings { calls, rejections, .. } = &self.recorder.findings;
        let is_first = calls.is_empty() && rejections.is_empty() && self.probe.is_none();
        if !is_first || self.in_open_reasoning || self.limited {
            return None;
        }
        let mut engine = Self::new(Arc::clone(&self.config));
        engine.search_from(start);
        (engine.floor, engine.recorder.unseen) = (start, start);
        // Reasoning in it is not searched so again.
        engine.in_open_reasoning = true;
        engine.advance(&self.config, input, true);
        let mut told = engine.recorder.findings.rejections.into_iter();
        let rejection = told.find(|told| UNREAD.contains(&told.code))?;
        let Rejection { format, code, message, span, .. } = rejection;
        Some(Refusal { format, code, reason: Reason::Made(message), span, claimed: None })
    }

    /// Where the calls begin that end the text and that open reasoning does not keep from running,
    /// or else what was refused in the reasoning.
    pub(super) fn calls_at_end(
        &mut self,
        config: &Config,
        input: &[u8],
    ) -> Result<usize, Vec<Refusal>> {
        let Mode::Reasoning(reader, calls) = &mut self.mode else { return Err(Vec::new()) };
        // What max_input cuts off may go on with words.
        if input.len() >= config.limits.max_input {
            return Err(Vec::new());
        }
        let start = reader.start;
        // The calls that are refused here are told too.
        let rest = input.get(start..).unwrap_or_default();
        let may_hold = may_hold_part_of_call(config, rest);
        if calls.is_none() && !may_hold {
            return Err(Vec::new());
        }
        let calls =
            calls.take().unwrap_or_else(|| Box::new(ThoughtCalls::new(&self.config, start)));
        calls.at_end(config, input)
    }
}
