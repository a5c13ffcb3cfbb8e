//! Fenced code blocks.
//!
//! A fence opens at the start of a line with three or more backticks or tildes. Any indentation is
//! allowed, since lists indent their blocks. The block closes at a line that begins with at least
//! as many of the same characters, or with the quote or the list item that holds it. In three ways
//! models differ from CommonMark: a fence of backticks may stand behind words, after the marker
//! that closes a block the line may go on, and a block in a list item need not be indented.

use std::sync::Arc;

use memchr::{memchr, memchr2};

use crate::call::Span;
use crate::detect::block::closing::{ClosingLine, FenceLine, FenceMarker, Tail, TailReader};
use crate::detect::body::json::JsonReader;
use crate::detect::body::whole::WholeReader;
use crate::detect::candidate::{Found, Refusal, Verdict};
use crate::detect::format::keys::Keys;
use crate::detect::format::marker::Marker;
use crate::json::argument_tape::ArgumentTape;
use crate::json::outcome::{Repair, Tolerance};
use crate::progress::{NeedMore, Progress};

/// The language of blocks that may be calls.
const JSON: &[u8] = b"json";

/// What an opening fence turned out to be.
#[derive(Clone, Debug)]
pub(crate) enum FencedBlock {
    /// A code block whose whole content is a call or an array of calls.
    Calls {
        calls: Vec<Found>,
        end: usize,
        /// The text ends before the block does.
        cut: bool,
        /// Text follows in the line that closes the block.
        text_follows: bool,
    },
    /// A code block with other content, which starts at `content`.
    Code {
        marker: FenceMarker,
        content: usize,
        /// The byte after the closing marker, and whether text follows in its line, if it is known.
        end: Option<(usize, bool)>,
        refusal: Option<Refusal>,
    },
    /// Not a fence.
    Text { resume: usize },
}

#[derive(Clone, Debug)]
enum FenceStage {
    Run,
    Language,
    Blank(usize),
    Json(Box<JsonReader>),
    End(Vec<Found>, TailReader),
    Info(usize),
}

/// Reads an opening fence and, where it may be a call, its content.
#[derive(Clone, Debug)]
pub(crate) struct FenceReader {
    json: Option<(&'static str, Arc<Keys>)>,
    tolerance: Tolerance,
    start: usize,
    marker: FenceMarker,
    stage: FenceStage,
    refusal: Option<Refusal>,
}

impl FenceReader {
    /// Starts at the first byte of the marker; `json` is the format that may fill the block.
    pub(crate) fn new(
        byte: u8,
        start: usize,
        json: Option<(&'static str, Arc<Keys>)>,
        tolerance: Tolerance,
    ) -> Self {
        let marker = FenceMarker { byte, length: 0 };
        Self { json, tolerance, start, marker, stage: FenceStage::Run, refusal: None }
    }

    /// The marker and the content of a block whose opening line is complete and whose content is no
    /// JSON, so that it needs no reader.
    pub(crate) fn in_other_language(
        byte: u8,
        start: usize,
        input: &[u8],
        finds_json: bool,
    ) -> Option<(FenceMarker, usize)> {
        let run = input.get(start..)?;
        let length = run.iter().take_while(|other| **other == byte).count();
        let rest = run.get(length..)?;
        let (word, behind) = rest.split_at_checked(JSON.len())?;
        let content = if word.eq_ignore_ascii_case(JSON) { behind } else { rest };
        let first = content.iter().find(|byte| !byte.is_ascii_whitespace())?;
        let at = memchr2(b'\n', byte, rest)?;
        let is_fence = length >= FenceMarker::SHORTEST && rest.get(at) == Some(&b'\n');
        let is_other = is_fence && !(finds_json && matches!(first, b'{' | b'['));
        is_other.then_some((FenceMarker { byte, length }, start + length + at))
    }

    /// The first byte of the marker.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Reads on; `frames` are the tokens of the message, and `tape` notes what is read in one go.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        finished: bool,
        frames: &[Marker],
        tape: &mut ArgumentTape,
    ) -> Progress<FencedBlock> {
        loop {
            let block = match &mut self.stage {
                FenceStage::Run => self.run(input, finished),
                FenceStage::Language => self.language(input, finished),
                FenceStage::Blank(_) => self.blank(input, frames, tape),
                FenceStage::Json(_) => self.read_json(input, finished),
                FenceStage::End(..) => self.read_end(input, finished, frames),
                FenceStage::Info(_) => self.info(input, finished),
            };
            match block {
                Ok(None) => {}
                Ok(Some(block)) => return Ok(block),
                Err(NeedMore) if finished => self.stage = FenceStage::Info(self.after_marker()),
                Err(NeedMore) => return Err(NeedMore),
            }
        }
    }

    fn after_marker(&self) -> usize {
        self.start + self.marker.length
    }

    fn run(&mut self, input: &[u8], finished: bool) -> Progress<Option<FencedBlock>> {
        while input.get(self.after_marker()) == Some(&self.marker.byte) {
            self.marker.length += 1;
        }
        let end = self.after_marker();
        if end == input.len() && !finished {
            return Err(NeedMore);
        }
        if self.marker.length < FenceMarker::SHORTEST {
            return Ok(Some(FencedBlock::Text { resume: end }));
        }
        self.stage = if self.json.is_some() { FenceStage::Language } else { FenceStage::Info(end) };
        Ok(None)
    }

    fn language(&mut self, input: &[u8], finished: bool) -> Progress<Option<FencedBlock>> {
        let start = self.after_marker();
        let rest = input.get(start..).unwrap_or_default();
        let word = rest.get(..JSON.len().min(rest.len())).unwrap_or_default();
        if word.len() < JSON.len()
            && !finished
            && JSON.get(..word.len()).is_some_and(|start| word.eq_ignore_ascii_case(start))
        {
            return Err(NeedMore);
        }
        let length = if word.eq_ignore_ascii_case(JSON) { JSON.len() } else { 0 };
        self.stage = FenceStage::Blank(start + length);
        Ok(None)
    }

    fn blank(
        &mut self,
        input: &[u8],
        frames: &[Marker],
        tape: &mut ArgumentTape,
    ) -> Progress<Option<FencedBlock>> {
        let opening = self.after_marker();
        let FenceStage::Blank(pos) = &mut self.stage else { return Ok(None) };
        while input.get(*pos).is_some_and(u8::is_ascii_whitespace) {
            *pos += 1;
        }
        self.stage = match (input.get(*pos), &self.json) {
            (None, _) => return Err(NeedMore),
            (Some(b'{' | b'['), Some((slug, keys))) => {
                let line = memchr(b'\n', Span::new(opening, *pos).of(input));
                // A later backtick on the opening line would mean that this is no fence, so the
                // line must end first.
                if self.tolerance.repair == Repair::Off
                    && let Some(line) = line
                    && let Some(end) = without_arguments(input, *pos, (self.marker, frames), keys)
                {
                    return Ok(Some(FencedBlock::Code {
                        marker: self.marker,
                        content: opening + line,
                        end: Some(end),
                        refusal: None,
                    }));
                }
                let tolerance = self.tolerance;
                let mut whole = WholeReader { input, finished: false, tolerance, tape, reached: 0 };
                match whole.json(slug, keys, *pos) {
                    Some(mut call) => {
                        call.prose_if_unknown = true;
                        let tail = TailReader::new(self.marker, call.span.end);
                        FenceStage::End(vec![Found::Call(call)], tail)
                    }
                    None => {
                        FenceStage::Json(Box::new(JsonReader::new(slug, keys, *pos, tolerance)))
                    }
                }
            }
            _ => FenceStage::Info(self.after_marker()),
        };
        Ok(None)
    }

    fn read_json(&mut self, input: &[u8], finished: bool) -> Progress<Option<FencedBlock>> {
        let FenceStage::Json(reader) = &mut self.stage else { return Ok(None) };
        match reader.step(input, finished)? {
            Verdict::Calls { calls, end } => {
                self.stage = FenceStage::End(calls, TailReader::new(self.marker, end));
                return Ok(None);
            }
            Verdict::Refused { refusal, .. } => self.refusal = Some(refusal),
            Verdict::Oversized { refusal } => self.refusal = refusal,
            Verdict::Prose { .. } => {}
        }
        self.stage = FenceStage::Info(self.after_marker());
        Ok(None)
    }

    fn read_end(
        &mut self,
        input: &[u8],
        finished: bool,
        frames: &[Marker],
    ) -> Progress<Option<FencedBlock>> {
        let FenceStage::End(calls, tail) = &mut self.stage else { return Ok(None) };
        Ok(match tail.step(input, finished, frames)? {
            Tail::Closed { end, cut, text_follows } => {
                Some(FencedBlock::Calls { calls: std::mem::take(calls), end, cut, text_follows })
            }
            Tail::Other => {
                self.stage = FenceStage::Info(self.after_marker());
                None
            }
        })
    }

    /// Reads the rest of the opening line. After a marker of backticks, another backtick in this
    /// line means that there is no fence.
    fn info(&mut self, input: &[u8], finished: bool) -> Progress<Option<FencedBlock>> {
        let FenceStage::Info(pos) = &mut self.stage else { return Ok(None) };
        let rest = input.get(*pos..).unwrap_or_default();
        let stop =
            if self.marker.byte == b'`' { memchr2(b'\n', b'`', rest) } else { memchr(b'\n', rest) };
        let Some(at) = stop else {
            *pos = input.len();
            return if finished { Ok(Some(self.code(input.len()))) } else { Err(NeedMore) };
        };
        if rest.get(at) == Some(&b'`') {
            return Ok(Some(FencedBlock::Text { resume: self.after_marker() }));
        }
        let content = *pos + at;
        Ok(Some(self.code(content)))
    }

    fn code(&mut self, content: usize) -> FencedBlock {
        FencedBlock::Code { marker: self.marker, content, end: None, refusal: self.refusal.take() }
    }
}

/// Whether only blanks stand between a line break and `pos`, as [`FenceText`] wants it.
///
/// [`FenceText`]: crate::detect::block::closing::FenceText
fn begins_line(input: &[u8], pos: usize) -> bool {
    let before = input.get(..pos).unwrap_or_default();
    before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'\n')
}

/// The byte after the marker that closes a block, and whether text follows in its line, if that
/// line is there.
fn closing_line(
    input: &[u8],
    content: usize,
    (marker, frames): (FenceMarker, &[Marker]),
) -> Option<(usize, bool)> {
    let places = marker.finder().find_iter(input.get(content..)?).map(|at| content + at);
    let mut at_starts = places.filter(|place| begins_line(input, *place));
    at_starts.find_map(|place| match ClosingLine::new(marker, place).step(input, false, frames) {
        Ok(FenceLine::Closing(end, text_follows)) => Some((end, text_follows)),
        Ok(FenceLine::Other(_)) | Err(NeedMore) => None,
    })
}

/// The end of a complete block that holds no key of arguments, so that no call can fill it.
///
/// This check takes a tenth of the time of reading the block as JSON. JSON cannot reach past a line
/// that closes the block, because no JSON string holds a line break.
fn without_arguments(
    input: &[u8],
    content: usize,
    closing: (FenceMarker, &[Marker]),
    keys: &Keys,
) -> Option<(usize, bool)> {
    let (end, text_follows) = closing_line(input, content, closing)?;
    let block = input.get(content..end)?;
    keys.find_arguments(block).is_none().then_some((end, text_follows))
}

/// Divides a wrapper, such as a code block, among its calls.
///
/// Each span starts where the call before it ends. The first span starts with the wrapper, and the
/// last span ends with it.
pub(crate) fn divide(calls: &mut [Found], wrapper: Span) {
    let mut start = wrapper.start;
    let mut candidates: Vec<_> = calls
        .iter_mut()
        .filter_map(|found| match found {
            Found::Call(candidate) => Some(&mut candidate.span),
            Found::Refused(_) => None,
        })
        .collect();
    let last = candidates.len().saturating_sub(1);
    for (index, span) in candidates.iter_mut().enumerate() {
        let end = if index == last { wrapper.end } else { span.end };
        **span = Span::new(start, end);
        start = end;
    }
}
