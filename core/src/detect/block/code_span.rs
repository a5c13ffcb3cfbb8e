//! Code within a line: text between two runs of as many backticks.
//!
//! CommonMark lets code reach over several lines. Here it ends with its line, so that a backtick
//! that nothing closes hides no call.

use memchr::memchr2;

use crate::call::Span;
use crate::progress::{NeedMore, Progress};

/// The run of backticks from which on a run is plain text.
const LONGEST_RUN: usize = 64;

/// The runs of backticks in the rest of a line, as far as they were looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct BacktickRuns {
    /// The end of the line; before it every run is known.
    line_end: usize,
    /// For each length, the start of the last run of this length; `None` when there is no run.
    last: Option<Box<[usize; LONGEST_RUN]>>,
}

impl BacktickRuns {
    /// Whether it is known that no run of this length follows in the line.
    fn lack(&self, length: usize, pos: usize) -> bool {
        let last = self.last.as_ref().and_then(|last| last.get(length));
        pos < self.line_end && last.is_none_or(|last| *last < pos)
    }
}

/// What a run of backticks turned out to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Backticks {
    /// It opens a code block, though words stand in front of it on its line.
    Fence,
    /// It opens code that ends in the same line.
    Code { content: Span, end: usize },
    /// Plain text.
    Text { resume: usize },
}

#[derive(Clone, Copy, Debug)]
enum SpanStage {
    Run,
    /// The rest of the line decides whether the run opens a code block.
    Info,
    Content,
}

/// Reads what a run of backticks opens.
#[derive(Clone, Debug)]
pub(crate) struct CodeSpanReader {
    start: usize,
    length: usize,
    pos: usize,
    stage: SpanStage,
    /// Whether the run may open a code block.
    may_fence: bool,
    runs: BacktickRuns,
}

impl CodeSpanReader {
    /// Starts at the first backtick of a run that stands behind words.
    pub(crate) fn behind_words(start: usize) -> Self {
        Self { may_fence: true, ..Self::inline(start) }
    }

    /// Starts at the first backtick of a run that opens no code block.
    pub(crate) fn inline(start: usize) -> Self {
        let runs = BacktickRuns::default();
        Self { start, length: 0, pos: start, stage: SpanStage::Run, may_fence: false, runs }
    }

    /// The first backtick.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Reads on. `known` are the runs that were seen in the line.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        finished: bool,
        known: &mut BacktickRuns,
    ) -> Progress<Backticks> {
        loop {
            let read = match self.stage {
                SpanStage::Run => self.run(input, finished, known)?,
                SpanStage::Info => self.info(input, finished)?,
                SpanStage::Content => self.content(input, finished)?,
            };
            match read {
                None => {}
                Some(Backticks::Text { resume }) => {
                    if matches!(self.stage, SpanStage::Content) {
                        self.runs.line_end = self.pos;
                        *known = std::mem::take(&mut self.runs);
                    }
                    return Ok(Backticks::Text { resume });
                }
                Some(other) => return Ok(other),
            }
        }
    }

    fn run(
        &mut self,
        input: &[u8],
        finished: bool,
        known: &BacktickRuns,
    ) -> Progress<Option<Backticks>> {
        self.pos = self.start + run_length(input, self.start, finished)?;
        self.length = self.pos - self.start;
        self.stage = match self.length {
            LONGEST_RUN.. => return Ok(Some(Backticks::Text { resume: self.pos })),
            3.. if self.may_fence => SpanStage::Info,
            length if known.lack(length, self.pos) => {
                return Ok(Some(Backticks::Text { resume: self.pos }));
            }
            _ => SpanStage::Content,
        };
        Ok(None)
    }

    /// Reads the rest of the line: a fence has at most the name of a language.
    fn info(&mut self, input: &[u8], finished: bool) -> Progress<Option<Backticks>> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let is_word = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'.' | b'-')
        };
        let word = rest.iter().take_while(|byte| is_word(byte)).count();
        let behind = rest.get(word..).unwrap_or_default();
        let blank = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        match behind.get(blank) {
            None if !finished => return Err(NeedMore),
            Some(b'\n') => return Ok(Some(Backticks::Fence)),
            _ => {}
        }
        self.stage = SpanStage::Content;
        Ok(None)
    }

    fn content(&mut self, input: &[u8], finished: bool) -> Progress<Option<Backticks>> {
        let start = self.start + self.length;
        loop {
            let rest = input.get(self.pos..).unwrap_or_default();
            let text = Ok(Some(Backticks::Text { resume: start }));
            match memchr2(b'`', b'\n', rest) {
                None => {
                    self.pos = input.len();
                    return if finished { text } else { Err(NeedMore) };
                }
                Some(at) if rest.get(at) == Some(&b'\n') => {
                    self.pos += at;
                    return text;
                }
                Some(at) => {
                    self.pos += at;
                    let length = run_length(input, self.pos, finished)?;
                    if length == self.length {
                        let content = Span::new(start, self.pos);
                        let end = self.pos + length;
                        return Ok(Some(Backticks::Code { content, end }));
                    }
                    let last = self.runs.last.get_or_insert_with(|| Box::new([0; LONGEST_RUN]));
                    if let Some(last) = last.get_mut(length) {
                        *last = self.pos;
                    }
                    self.pos += length;
                }
            }
        }
    }
}

/// The length of the run of backticks at `start`.
fn run_length(input: &[u8], start: usize, finished: bool) -> Progress<usize> {
    let rest = input.get(start..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| **byte == b'`').count();
    if length == rest.len() && !finished { Err(NeedMore) } else { Ok(length) }
}
