//! Calls between markers: finds their format, and holds or hands out the calls as they are read.

use crate::call::{CallId, RejectionCode, Span};
use crate::detect::body::marked::MarkedOutcome;
use crate::detect::body::outcome::{Context, ReadSoFar};
use crate::detect::candidate::{Found, Refusal};
use crate::detect::engine::config::Config;
use crate::detect::engine::marked_calls::{MarkedCalls, held_end};
use crate::detect::engine::reasoning::FramingMarker;
use crate::detect::engine::resolve::note_missing_end;
use crate::detect::engine::sought_marker::{Mark, Place, StandingMark};
use crate::detect::engine::unclosed::Unclosed;
use crate::detect::engine::{CutOff, Engine, Mode, Moved};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Marked, Syntax};
use crate::detect::profile::MessageShape;
use crate::detect::rule::accept::Denied;
use crate::detect::rule::id::written_id;
use crate::progress::{NeedMore, Progress};

/// The longest marker that closes a wrapper, in bytes.
const LONGEST_CLOSE: usize = 256;

/// The marker that opens reasoning where the message begins, if one stands there.
fn reasoning_first(
    message: &MessageShape,
    input: &[u8],
    finished: bool,
) -> Progress<Option<FramingMarker>> {
    for (style, reasoning) in message.reasoning.iter().enumerate() {
        if let Some(pos) = Marker::first(&reasoning.open_first, input, b"", finished)? {
            return Ok(Some(FramingMarker { start: 0, pos, opens: Some(style) }));
        }
    }
    Ok(None)
}

impl Engine {
    /// Starts to read the calls that begin at a marker at the search's position, if one stands
    /// there.
    ///
    /// What it needs is not part of the search's loop, which would prepare it for each text.
    #[inline(never)]
    pub(super) fn markers(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<Moved>> {
        self.settle_foreign(input);
        let open = self.still_open(config, input);
        let (pos, floor, over) = (self.pos, self.marker_floor(), self.floor);
        let here = config.markers.at(&Place { input, pos, floor, over, open, finished });
        if here.cut {
            return Err(NeedMore);
        }
        let passed = self.marking.passed == Some(self.pos);
        // In a message to a person, only the marker of the next message begins a call.
        let is_text = passed || self.marking.in_answer && here.mark.is_none();
        let first = here
            .opened
            .filter(|first| !is_text && here.mark.is_none_or(|mark| mark.lets_open(first.length)));
        let Some(first) = first else {
            return match (here.mark, here.closing) {
                (None, Some(closing)) if !passed => self.lone_end(closing, input, finished),
                (mark, _) => Ok(mark.and_then(|mark| self.pass_marker(config, mark, input))),
            };
        };
        // Whether a bracket in prose is looked at closely depends on how much of it is known.
        // An end tag behind the tag of a tool that opened no call is told.
        let is_word = |marked: &Marked| marked.plain || marked.call.is_tool_tag();
        let syntax = config.formats.get(first.index).map(|format| &format.syntax);
        if !matches!(syntax, Some(Syntax::Marked(marked)) if is_word(marked)) {
            self.marking.unclosed = self.marking.unclosed.opened(first.wraps);
        }
        if let Some(moved) = self.whole_call(first, config, input, finished) {
            return moved.map(Some);
        }
        let calls = MarkedCalls::new(first, here.also_opened, config);
        Ok(calls.map(|calls| self.enter(Mode::Marked(Box::new(calls)))))
    }

    /// Acts on a marker of the message, and notes what follows it.
    fn pass_marker(
        &mut self,
        config: &Config,
        standing: StandingMark,
        input: &[u8],
    ) -> Option<Moved> {
        let moved = self.message_marker(config, standing, input)?;
        self.marking.in_answer = standing.mark == Mark::OpensAnswer;
        self.marking.refused = None;
        Some(moved)
    }

    /// Starts to read a call whose marker opens it only where the text begins, or right behind
    /// such a call.
    pub(super) fn first(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        if self.pos == 0
            && let Some(length) = Marker::first(&config.message.begins, input, b"", finished)?
        {
            let frame = FramingMarker { start: 0, pos: length, opens: None };
            return Ok(self.enter(Mode::Frame(frame)));
        }
        if self.pos == 0
            && let Some(frame) = reasoning_first(&config.message, input, finished)?
        {
            return Ok(self.enter(Mode::Frame(frame)));
        }
        let mut opened = config.markers.first(input, self.pos, finished)?.into_iter();
        let calls =
            opened.next().and_then(|first| MarkedCalls::new(first, opened.collect(), config));
        let Some(calls) = calls else { return Ok(self.search_from(self.pos)) };
        Ok(self.enter(Mode::Marked(Box::new(calls))))
    }

    /// The index of the format whose wrapper is open at the search's position.
    fn still_open(&mut self, config: &Config, input: &[u8]) -> Option<usize> {
        let (index, from) = self.marking.open_wrapper?;
        let Some(Syntax::Marked(marked)) = config.formats.get(index).map(|format| &format.syntax)
        else {
            return None;
        };
        let passed = input.get(from..self.pos).unwrap_or_default();
        let close =
            marked.wrapper.as_ref().map(|wrapper| wrapper.close.as_slice()).unwrap_or_default();
        if Marker::find(close, passed).is_some() {
            self.marking.open_wrapper = None;
            return None;
        }
        // A marker may begin in the passed text and end after it.
        let from = from.max(self.pos.saturating_sub(LONGEST_CLOSE));
        self.marking.open_wrapper = Some((index, from));
        Some(index)
    }

    pub(super) fn marked_calls(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Mode::Marked(calls) = &mut self.mode else { return Ok(Moved) };
        let format = config.formats.get(calls.index).map(|format| &format.syntax);
        let Some(Syntax::Marked(marked)) = format else {
            return Ok(self.search_from(self.pos + 1));
        };
        let mut found = Vec::new();
        let mut context = Context { rules: &config.rules, finished };
        let ending = calls.reader.step(marked, input, &mut found, &mut context);
        if ending == Err(NeedMore) && found.is_empty() {
            return Err(NeedMore);
        }
        // The mode is taken out, because it may end here.
        let mode = std::mem::replace(&mut self.mode, Mode::Search);
        let Mode::Marked(mut calls) = mode else { return Ok(Moved) };
        for found in found {
            self.hold(&mut calls, found, config, input)?;
        }
        match ending {
            Ok(MarkedOutcome::Closed { end, missing }) => self.close(*calls, end, missing, input),
            Ok(MarkedOutcome::Prose) => self.give_up(*calls, None, config, input),
            Ok(MarkedOutcome::Words(end)) => {
                self.marking.open_wrapper = Some((calls.index, end));
                let start = calls.reader.start();
                Ok(self.enter(Mode::Frame(FramingMarker { start, pos: end, opens: None })))
            }
            Ok(MarkedOutcome::Refused { refusal, resume, brackets }) => {
                self.give_up(*calls, Some((refusal, resume, brackets)), config, input)
            }
            Err(NeedMore) => {
                self.mode = Mode::Marked(calls);
                Err(NeedMore)
            }
        }
    }

    /// Takes a call that was read. After too many calls, no step follows.
    fn hold(
        &mut self,
        calls: &mut MarkedCalls,
        found: Found,
        config: &Config,
        input: &[u8],
    ) -> Progress<()> {
        let number = calls.number.take();
        let checked = match found {
            Found::Refused(refusal) => Err(Some(refusal)),
            Found::Call(candidate) => match config.rules.check(&candidate) {
                Ok(()) => Ok(candidate),
                Err(Denied::Refused(refusal)) => Err(Some(refusal)),
                Err(Denied::Prose) => Err(None),
            },
        };
        match checked {
            Ok(mut candidate) => {
                let end = candidate.span.end;
                candidate.span = Span::new(calls.share, end);
                candidate.number = number;
                if !calls.held.is_empty() && calls.hands_out_early() && self.code.fence.is_none() {
                    calls.resolved = true;
                    self.emit(std::mem::take(&mut calls.held), input)?;
                }
                calls.share = end;
                calls.held.push(Found::Call(candidate));
            }
            Err(refusal) => {
                self.recorder.end_refused(number);
                calls.held.extend(refusal.map(Found::Refused));
            }
        }
        Ok(())
    }

    /// Ends the markup at `end`; the last call owns the rest of the markup.
    fn close(
        &mut self,
        mut calls: MarkedCalls,
        end: usize,
        missing: bool,
        input: &[u8],
    ) -> Progress<Moved> {
        self.closed(calls.index, calls.reader.is_wrapped(), end);
        let last = calls.held.iter_mut().rev().find_map(|found| match found {
            Found::Call(candidate) => Some(candidate),
            Found::Refused(_) => None,
        });
        if let Some(last) = last {
            last.span.end = end;
        }
        if missing {
            note_missing_end(&mut calls.held, end);
        }
        let only_first = matches!(&calls.reader.format().syntax, Syntax::Marked(marked) if marked.call.only_first);
        let moved = self.accept(calls.held, end, end, input)?;
        Ok(if only_first && matches!(self.mode, Mode::Search) {
            self.enter(Mode::First)
        } else {
            moved
        })
    }

    /// Notes that the calls from a marker on are read. A call without a wrapper of its own leaves
    /// the wrapper open in which it stands.
    pub(super) fn closed(&mut self, index: usize, wrapped: bool, end: usize) {
        let inside = self.marking.open_wrapper.filter(|open| open.0 == index && !wrapped);
        self.marking.open_wrapper = inside.map(|_| (index, end));
        self.marking.unclosed = Unclosed::behind_call(inside.is_some());
        self.marking.in_answer = false;
    }

    /// Gives up a format that does not fit the text that follows.
    fn give_up(
        &mut self,
        mut calls: MarkedCalls,
        refusal: Option<(Refusal, usize, Vec<usize>)>,
        config: &Config,
        input: &[u8],
    ) -> Progress<Moved> {
        let number = calls.number.take();
        self.recorder.end_refused(number);
        let furthest = calls.refusal.as_ref().map_or(0, |(refusal, ..)| refusal.span.end);
        if let Some(refusal) = refusal
            && (calls.refusal.is_none() || refusal.0.span.end > furthest)
        {
            calls.refusal = Some(refusal);
        }
        if !calls.resolved && calls.held.is_empty() && !calls.others.is_empty() {
            let opened = calls.others.remove(0);
            if let Some(next) = MarkedCalls::new(opened, std::mem::take(&mut calls.others), config)
            {
                let next = MarkedCalls { refusal: calls.refusal, ..next };
                return Ok(self.enter(Mode::Marked(Box::new(next))));
            }
        }
        let plain = !calls.hands_out_early();
        // A marker may begin before the byte by which it was found. It must not be found again.
        self.marking.passed = Some(self.pos);
        let Some((refusal, resume, brackets)) = calls.refusal else {
            let start = calls.reader.start();
            if plain || calls.held.is_empty() {
                if calls.held.is_empty() {
                    self.opened_no_call(&calls, input);
                }
                // Something else may start here.
                return Ok(self.search_from(self.pos.max(start)));
            }
            return self.accept(calls.held, calls.share, calls.share, input);
        };
        self.searching.ruled_out.mark(&brackets);
        if refusal.code == RejectionCode::Incomplete {
            self.note_cut_off(CutOff { start: calls.share, reported: number.is_some() });
        }
        // A call that is refused here is not searched again, as little as one that counts.
        let passed = if plain { 0 } else { held_end(&calls.held) };
        if !plain {
            self.emit(calls.held, input)?;
        }
        self.note_refused(&refusal, input);
        self.marking.open_wrapper = Some((calls.index, resume));
        self.marking.unclosed = Unclosed::behind_refusal();
        let is_cut = refusal.code == RejectionCode::Incomplete;
        let header = calls.reader.header().filter(|_| refusal.code != RejectionCode::Malformed);
        self.refuse(refusal, input);
        // What a message says stays to be read, without its header.
        if let Some(header) = header {
            if is_cut && config.profile.is_some() {
                return Ok(self.search_from(header.end));
            }
            self.marking.refused = Some(calls.reader.format().slug);
            let frame = FramingMarker { start: header.start, pos: header.end, opens: None };
            return Ok(self.enter(Mode::Frame(frame)));
        }
        Ok(self.search_from(resume.max(self.floor).max(passed)))
    }

    /// Reports that a call begins, and the new part of its arguments.
    pub(super) fn tell_begun(&mut self, input: &[u8]) {
        let Mode::Marked(calls) = &mut self.mode else { return };
        if !calls.hands_out_early()
            || self.recorder.findings.calls.len() >= self.config.limits.max_calls
        {
            return;
        }
        if !self.recorder.listens() || self.config.rules.refuses_all() {
            return;
        }
        calls.reader.write(input, &self.config.rules);
        let Some(mut read) = calls.reader.read_so_far() else { return };
        if self.config.rules.coerce {
            // Arguments that may still change are reported at the end.
            read = ReadSoFar::Made(&[]);
        }
        if calls.number.is_none() {
            let name =
                calls.reader.sure_name(input).and_then(|name| self.config.rules.called(&name));
            let id = calls.reader.id_so_far(input).and_then(|id| written_id(&id));
            calls.number = name.and_then(|name| {
                let id = id.map_or_else(|| self.ids.next_id(), CallId::from);
                self.recorder.tell_start(&name, &id)
            });
        }
        if let Some(number) = calls.number {
            self.recorder.tell_arguments(number, read, input);
        }
    }
}
