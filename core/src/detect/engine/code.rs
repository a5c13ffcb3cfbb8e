//! Code in a text: fenced blocks, and code within a line.

use std::sync::Arc;

use crate::call::{RejectionCode, Span};
use crate::detect::block::closing::{FenceText, Tail, at_line_start};
use crate::detect::block::code_span::{Backticks, CodeSpanReader};
use crate::detect::block::enclosure::Enclosure;
use crate::detect::block::fence::{FenceReader, FencedBlock};
use crate::detect::engine::config::Config;
use crate::detect::engine::resolve::note_missing_end;
use crate::detect::engine::search::{is_start, may_hold_arguments};
use crate::detect::engine::starts::{Kinds, Start};
use crate::detect::engine::{Engine, Mode, Moved, OpenFence};
use crate::detect::format::marker::Marker;
use crate::detect::options::Fences;
use crate::json::outcome::Repair;
use crate::progress::{NeedMore, Progress};

impl Engine {
    /// What starts at a backtick or tilde.
    pub(super) fn fence_marker(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Option<Moved> {
        let byte = input.get(self.pos).copied().unwrap_or_default();
        let is_single = byte == b'`' && input.get(self.pos + 1) != Some(&b'`');
        if is_single
            && config.fences != Fences::All
            && let Some(end) = self.plain_span(config, input)
        {
            self.pos = end - 1;
            return None;
        }
        let start = self.pos;
        let (input, finished) = self.code_text(config, start, input, finished);
        let begins_line = at_line_start(input, self.pos)
            || (config.fences != Fences::All && Enclosure::begins_at(input, self.pos));
        if !begins_line {
            if byte != b'`' || config.fences == Fences::All {
                return None;
            }
            let reader = CodeSpanReader::behind_words(self.pos);
            return Some(self.code_span(reader, config, input, finished));
        }
        let finds_json = config.finds_json_in_blocks();
        if config.fences != Fences::All
            && let Some((marker, content)) =
                FenceReader::in_other_language(byte, start, input, finds_json)
        {
            let text = FenceText::new(marker, Enclosure::of_block(input, start), content);
            return Some(self.read_fence_text(text, config, input, finished));
        }
        Some(self.enter_fence(config, byte, start, input))
    }

    /// The end of code between single backticks that holds nothing with which a call may start.
    fn plain_span(&mut self, config: &Config, input: &[u8]) -> Option<usize> {
        let content = self.pos + 1;
        let mut ahead = self.searching.ahead;
        let (mut pos, mut begun) = (content, Kinds::NONE);
        let end = loop {
            let start = config.starts.find(input, pos, self.searching.wanted, &mut ahead);
            let Start { at, kinds } = start;
            match input.get(at)? {
                b'`' => break at,
                _ if is_start(config, input, at, kinds.of(Kinds::MARKER)) => return None,
                _ => begun = begun.and(kinds),
            }
            pos = at + 1;
        };
        let text = input.get(content..end).filter(|text| !text.is_empty())?;
        let closed = input.get(end + 1).is_some_and(|next| *next != b'`');
        let is_plain = closed
            && memchr::memchr(b'\n', text).is_none()
            && !(begun.has(Kinds::JSON) && may_hold_arguments(config, text))
            && !(begun.has(Kinds::TAG) && config.may_hold_element(text));
        self.searching.ahead = if is_plain { ahead } else { self.searching.ahead };
        is_plain.then_some(end + 1)
    }

    fn enter_fence(&mut self, config: &Config, byte: u8, start: usize, input: &[u8]) -> Moved {
        // What a quote holds is shown.
        let is_shown = config.fences != Fences::All && Enclosure::is_quoted(input, start);
        let json = config
            .json
            .as_ref()
            .filter(|json| json.counts && !is_shown)
            .filter(|_| config.fences != Fences::None && self.code.fence.is_none())
            .map(|json| (json.slug, Arc::clone(&json.keys)));
        let reader = FenceReader::new(byte, start, json, config.tolerance);
        self.enter(Mode::Fence(Box::new(reader)))
    }

    /// Reads the opening of a block.
    pub(super) fn fence(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Mode::Fence(reader) = &self.mode else { return Ok(Moved) };
        let start = reader.start();
        let (input, finished) = self.code_text(config, start, input, finished);
        let Mode::Fence(reader) = &mut self.mode else { return Ok(Moved) };
        let tape = &mut self.recorder.findings.tape;
        let block = reader.step(input, finished, &config.message.frames, tape)?;
        self.resolve_block(block, start, input)
    }

    pub(super) fn backticks(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Mode::Backticks(reader) = &self.mode else { return Ok(Moved) };
        let start = reader.start();
        let (input, finished) = self.code_text(config, start, input, finished);
        let Mode::Backticks(reader) = &mut self.mode else { return Ok(Moved) };
        let read = reader.step(input, finished, &mut self.code.backtick_runs)?;
        Ok(self.resolve_backticks(read, start, config, input))
    }

    /// Reads a run of backticks. The reader is kept only if it needs more text.
    fn code_span(
        &mut self,
        mut reader: CodeSpanReader,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Moved {
        match reader.step(input, finished, &mut self.code.backtick_runs) {
            Ok(read) => self.resolve_backticks(read, reader.start(), config, input),
            Err(NeedMore) => self.enter(Mode::Backticks(Box::new(reader))),
        }
    }

    fn resolve_backticks(
        &mut self,
        read: Backticks,
        start: usize,
        config: &Config,
        input: &[u8],
    ) -> Moved {
        match read {
            Backticks::Fence => {
                self.code.read_otherwise = true;
                self.enter_fence(config, b'`', start, input)
            }
            Backticks::Code { content, end } => {
                self.refuse_calls(config, content, RejectionCode::InCode, input);
                self.search_behind_code(end)
            }
            Backticks::Text { resume } => self.search_from(resume),
        }
    }

    pub(super) fn fence_text(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Mode::FenceText(text) = &self.mode else { return Ok(Moved) };
        let start = text.start();
        let (input, finished) = self.code_text(config, start, input, finished);
        let Mode::FenceText(text) = &mut self.mode else { return Ok(Moved) };
        let read = text.step(input, finished, &config.message.frames);
        self.resolve_fence_text(read, start, config, input, finished)
    }

    /// Reads the text of a block. The reader is kept only if it needs more text.
    fn read_fence_text(
        &mut self,
        mut text: FenceText,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Moved {
        let read = text.step(input, finished, &config.message.frames);
        if read.is_err() && !finished {
            return self.enter(Mode::FenceText(text));
        }
        let resolved = self.resolve_fence_text(read, text.start(), config, input, finished);
        resolved.unwrap_or(Moved)
    }

    fn resolve_fence_text(
        &mut self,
        read: Progress<(usize, bool)>,
        start: usize,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Ok((end, differs)) = read else {
            if finished {
                self.refuse_code(config, Span::new(start, input.len()), input);
            }
            if self.ends_thought_at(input.len()) {
                return Ok(self.search_behind_code(input.len()));
            }
            return Err(self.rest_is_text(finished));
        };
        self.code.read_otherwise |= differs;
        self.refuse_code(config, Span::new(start, end), input);
        Ok(self.search_behind_code(end))
    }

    pub(super) fn search_behind_code(&mut self, end: usize) -> Moved {
        self.code.end = end;
        self.search_from(end)
    }

    /// Refuses the calls in a block of code. JSON without a key of arguments is not searched, since
    /// a block that is read at once is passed by that sign alone.
    fn refuse_code(&mut self, config: &Config, block: Span, input: &[u8]) {
        let json = block.of(input).trim_ascii_start();
        let is_json = matches!(json.first(), Some(b'{' | b'['));
        let passed = config.json.as_ref().is_some_and(|known| {
            let is_read_at_once = known.counts && known.tolerance.repair == Repair::Off;
            is_json && is_read_at_once && !known.holds_arguments(json)
        });
        if !passed {
            self.refuse_calls(config, block, RejectionCode::InCode, input);
        }
    }

    pub(super) fn resolve_block(
        &mut self,
        block: FencedBlock,
        start: usize,
        input: &[u8],
    ) -> Progress<Moved> {
        match block {
            FencedBlock::Text { resume } => {
                if input.get(start) != Some(&b'`') || self.config.fences == Fences::All {
                    return Ok(self.search_from(resume));
                }
                Ok(self.enter(Mode::Backticks(Box::new(CodeSpanReader::inline(start)))))
            }
            FencedBlock::Code { end: Some((end, text_follows)), .. }
                if self.config.fences != Fences::All
                    && Enclosure::of_block(input, start).is_none() =>
            {
                self.code.read_otherwise |= text_follows;
                Ok(self.search_behind_code(end))
            }
            FencedBlock::Code { marker, content, refusal, .. } => {
                // With `all` the content is searched again.
                if let Some(refusal) = refusal.filter(|_| self.config.fences != Fences::All) {
                    self.refuse(refusal, input);
                }
                Ok(self.enter_code(OpenFence { start, content, marker }, input))
            }
            FencedBlock::Calls { mut calls, end, cut, text_follows } => {
                if self.share(&mut calls, Span::new(start, end)) && cut {
                    note_missing_end(&mut calls, end);
                }
                self.code.read_otherwise |= text_follows;
                self.hand_out(calls, end, end, input)
            }
        }
    }

    /// Continues in a code block that is not a call.
    pub(super) fn enter_code(&mut self, opened: OpenFence, input: &[u8]) -> Moved {
        if self.config.fences != Fences::All {
            let enclosure = Enclosure::of_block(input, opened.start);
            let text = FenceText::new(opened.marker, enclosure, opened.content);
            return self.enter(Mode::FenceText(text));
        }
        // The line may close the block that is being searched.
        if let Some(fence) = self.code.fence
            && fence.marker.byte == opened.marker.byte
            && opened.marker.length >= fence.marker.length
        {
            let end = opened.start + opened.marker.length;
            let rest = Span::new(end, opened.content).of(input);
            if rest.iter().all(u8::is_ascii_whitespace) {
                self.code.fence = None;
            } else if matches!(rest.first(), Some(b' ' | b'\t')) {
                (self.code.fence, self.code.read_otherwise) = (None, true);
                return self.search_from(end);
            } else if let Ok(Some(_)) = Marker::first(&self.config.message.frames, rest, b"", true)
            {
                self.code.fence = None;
                return self.search_from(end);
            }
        } else if self.code.fence.is_none() {
            self.code.fence = Some(opened);
        }
        self.search_from(opened.content)
    }

    pub(super) fn fence_end(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Mode::FenceEnd { opened, .. } = &self.mode else { return Ok(Moved) };
        let start = opened.start;
        let (input, finished) = self.code_text(config, start, input, finished);
        let Mode::FenceEnd { calls, end, resume, tail, opened } = &mut self.mode else {
            return Ok(Moved);
        };
        let (end, resume, opened) = (*end, *resume, *opened);
        let tail = tail.step(input, finished, &config.message.frames)?;
        let mut calls = std::mem::take(calls);
        if let Tail::Closed { end, cut, text_follows } = tail
            && self.share(&mut calls, Span::new(opened.start, end))
        {
            if cut {
                note_missing_end(&mut calls, end);
            }
            self.code.fence = None;
            self.code.read_otherwise |= text_follows;
            return self.hand_out(calls, end, end, input);
        }
        // The block holds more than these calls.
        self.code.fence = Some(OpenFence { content: 0, ..opened });
        self.hand_out(calls, end, resume, input)
    }
}
