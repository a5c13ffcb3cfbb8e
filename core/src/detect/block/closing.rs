//! Where a fenced code block ends.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2_iter, memrchr};

use crate::detect::block::enclosure::{Enclosure, LinePlace};
use crate::detect::format::marker::Marker;
use crate::progress::{NeedMore, Progress};

/// A fence's marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FenceMarker {
    pub(crate) byte: u8,
    pub(crate) length: usize,
}

impl FenceMarker {
    /// The length of the shortest marker.
    pub(crate) const SHORTEST: usize = 3;

    /// What the markers begin with.
    pub(crate) const BEGINNINGS: [[u8; Self::SHORTEST]; 2] = [*BACKTICKS, *TILDES];

    /// The search for the next marker of this kind.
    pub(crate) fn finder(self) -> &'static Finder<'static> {
        if self.byte == b'~' { &TILDES_FINDER } else { &BACKTICKS_FINDER }
    }

    /// The first place in a text at which a marker of this kind may begin.
    pub(crate) fn find(self, text: &[u8]) -> Option<usize> {
        // Most text of a block has no such byte in front of the marker.
        let from = memchr(self.byte, text)?;
        let rest = text.get(from..)?;
        if Self::begins(rest) {
            return Some(from);
        }
        self.finder().find(rest).map(|at| from + at)
    }

    /// The first place in a text at which a marker of any kind may begin.
    pub(crate) fn first_in(text: &[u8]) -> Option<usize> {
        let begins = |at: &usize| text.get(*at..).is_some_and(Self::begins);
        // Most text has neither byte, or few of them in front of a marker, and is passed faster by
        // one look for both.
        let mut places = memchr2_iter(b'`', b'~', text);
        let near = places.by_ref().take(FEW).find(begins);
        if near.is_some() {
            return near;
        }
        let from = places.next()?;
        let text = text.get(from..)?;
        let ticks = BACKTICKS_FINDER.find(text);
        let before = ticks.and_then(|at| text.get(..at)).unwrap_or(text);
        TILDES_FINDER.find(before).or(ticks).map(|at| from + at)
    }

    /// Whether a marker may begin where this text does.
    pub(crate) fn begins(text: &[u8]) -> bool {
        text.first_chunk().is_some_and(|first| Self::BEGINNINGS.contains(first))
    }
}

/// The number of single backticks and tildes that are looked at before a search for whole markers
/// takes less time.
const FEW: usize = 8;
const BACKTICKS: &[u8; FenceMarker::SHORTEST] = b"```";
const TILDES: &[u8; FenceMarker::SHORTEST] = b"~~~";
static BACKTICKS_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(BACKTICKS));
static TILDES_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(TILDES));

/// Whether only white space stands between the start of the line and `pos`.
pub(crate) fn at_line_start(input: &[u8], pos: usize) -> bool {
    let before = input.get(..pos).unwrap_or_default();
    let before = before.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(before);
    let blank = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    blank.is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Checks byte by byte whether a line closes a fence.
#[derive(Clone, Debug)]
pub(crate) struct ClosingLine {
    marker: FenceMarker,
    pos: usize,
    run: usize,
    run_end: Option<usize>,
    /// Where a token of the message may begin at the end of the text.
    held: Option<usize>,
}

/// What a line turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceLine {
    /// The offset of the byte after the marker, and whether text follows in the line.
    Closing(usize, bool),
    /// The offset from which to look for the next line.
    Other(usize),
}

impl ClosingLine {
    pub(crate) fn new(marker: FenceMarker, pos: usize) -> Self {
        Self { marker, pos, run: 0, run_end: None, held: None }
    }

    /// Reads on; `frames` are the tokens of the message, which may follow the marker at once.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        finished: bool,
        frames: &[Marker],
    ) -> Progress<FenceLine> {
        while let Some(&byte) = input.get(self.pos) {
            match (byte, self.run_end) {
                (b' ' | b'\t', _) if self.run == 0 => {}
                (_, None) if byte == self.marker.byte => self.run += 1,
                (b'\n' | b'\r', _) if self.run >= self.marker.length => {
                    return Ok(FenceLine::Closing(self.run_end.unwrap_or(self.pos), false));
                }
                (b' ' | b'\t', _) if self.run >= self.marker.length => {
                    self.run_end = self.run_end.or(Some(self.pos));
                }
                // In CommonMark no text follows the marker. Models write it, and go on there.
                (_, Some(end)) => return Ok(FenceLine::Closing(end, true)),
                _ if self.run >= self.marker.length => {
                    let rest = input.get(self.pos..).unwrap_or_default();
                    self.held = Some(self.pos);
                    let frame = Marker::first(frames, rest, b"", finished)?;
                    return Ok(match frame {
                        Some(_) => FenceLine::Closing(self.pos, false),
                        None => FenceLine::Other(self.pos),
                    });
                }
                _ => return Ok(FenceLine::Other(self.pos)),
            }
            self.pos += 1;
        }
        match finished {
            true if self.run >= self.marker.length => {
                Ok(FenceLine::Closing(self.run_end.unwrap_or(self.pos), false))
            }
            true => Ok(FenceLine::Other(self.pos)),
            false => Err(NeedMore),
        }
    }
}

/// What follows the calls in a code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// The block or the text ends here, so the calls are its whole content. `end` is the byte after
    /// the marker, or after the part of the marker that is there.
    Closed { end: usize, cut: bool, text_follows: bool },
    /// Something else.
    Other,
}

/// Reads white space and a closing line after calls.
#[derive(Clone, Debug)]
pub(crate) struct TailReader {
    marker: FenceMarker,
    calls_end: usize,
    pos: usize,
    line: Option<ClosingLine>,
}

impl TailReader {
    pub(crate) fn new(marker: FenceMarker, calls_end: usize) -> Self {
        Self { marker, calls_end, pos: calls_end, line: None }
    }

    pub(crate) fn step(
        &mut self,
        input: &[u8],
        finished: bool,
        frames: &[Marker],
    ) -> Progress<Tail> {
        if self.line.is_none() {
            while input.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
                self.pos += 1;
            }
            match input.get(self.pos) {
                None if finished => return Ok(Self::cut_off(self.calls_end)),
                None => return Err(NeedMore),
                Some(_) => {}
            }
        }
        let line = self.line.get_or_insert_with(|| ClosingLine::new(self.marker, self.pos));
        Ok(match line.step(input, finished, frames)? {
            FenceLine::Closing(end, text_follows) => Tail::Closed { end, cut: false, text_follows },
            FenceLine::Other(end) if end == input.len() && line.run > 0 => Self::cut_off(end),
            FenceLine::Other(_) => Tail::Other,
        })
    }

    /// The text ends before the block does.
    fn cut_off(end: usize) -> Tail {
        Tail::Closed { end, cut: true, text_follows: false }
    }
}

/// Reads the text inside a fence, up to its closing line or the end of what holds it.
#[derive(Clone, Debug)]
pub(crate) struct FenceText {
    start: usize,
    marker: FenceMarker,
    enclosure: Enclosure,
    line: Option<ClosingLine>,
    /// The start of a line of which it is not known yet whether the enclosure holds it.
    unplaced: Option<usize>,
    /// Whether a line that is not blank was indented as far as the list item.
    indented: bool,
    /// Whether `CommonMark` ends the block with its first line.
    differs: bool,
    pos: usize,
}

impl FenceText {
    /// Starts within the opening line or after its end.
    pub(crate) fn new(marker: FenceMarker, enclosure: Enclosure, pos: usize) -> Self {
        let (indented, differs) = (false, false);
        Self { start: pos, marker, enclosure, line: None, unplaced: None, indented, differs, pos }
    }

    /// Where it starts.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// The offset up to which `input` is certainly text of the block.
    pub(crate) fn sure(&self, input: &[u8]) -> usize {
        let marker_end = self.line.as_ref().and_then(|line| line.run_end.or(line.held));
        self.unplaced.or(marker_end).unwrap_or(input.len())
    }

    /// The byte after the block, and whether `CommonMark` ends the block elsewhere.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        finished: bool,
        frames: &[Marker],
    ) -> Progress<(usize, bool)> {
        loop {
            if let Some(line) = &mut self.line {
                match line.step(input, finished, frames)? {
                    FenceLine::Closing(end, text_follows) => {
                        return Ok((end, text_follows || self.differs));
                    }
                    FenceLine::Other(pos) => {
                        self.pos = pos;
                        self.line = None;
                    }
                }
            }
            if let Some(start) = self.unplaced {
                if !self.holds(input, start, finished)? {
                    return Ok((start, self.differs));
                }
                self.unplaced = None;
            } else if self.enclosure.is_none() {
                self.next_line(input)?;
            } else {
                let rest = input.get(self.pos..).unwrap_or_default();
                let Some(at) = memchr(b'\n', rest) else {
                    self.pos = input.len();
                    return Err(NeedMore);
                };
                self.pos += at + 1;
                self.unplaced = Some(self.pos);
            }
        }
    }

    /// Goes to a line that may close the block, if one is there.
    fn next_line(&mut self, input: &[u8]) -> Progress<()> {
        let rest = input.get(self.pos..).unwrap_or_default();
        // Lines without a whole marker are passed together, but for the last one.
        let passed = self.marker.find(rest).unwrap_or(rest.len());
        let before = rest.get(..passed).unwrap_or_default();
        match memrchr(b'\n', before) {
            Some(at) => {
                self.pos += at + 1;
                self.line = Some(ClosingLine::new(self.marker, self.pos));
            }
            None if passed == rest.len() => {
                self.pos = input.len();
                return Err(NeedMore);
            }
            None => self.pos += passed + FenceMarker::SHORTEST,
        }
        Ok(())
    }

    /// Whether the enclosure holds the line at `start`; then its content is read next.
    fn holds(&mut self, input: &[u8], start: usize, finished: bool) -> Progress<bool> {
        let content = match self.enclosure.place(input, start, finished)? {
            LinePlace::Inside(content) => {
                self.indented = true;
                content
            }
            LinePlace::Blank(content) => content,
            // In `CommonMark` the block is empty then. Models write their code like this.
            LinePlace::Unindented(content) if !self.indented => {
                self.enclosure = self.enclosure.without_item();
                self.differs = true;
                content
            }
            LinePlace::Unindented(_) | LinePlace::Outside => return Ok(false),
        };
        self.line = Some(ClosingLine::new(self.marker, content));
        self.pos = content;
        Ok(true)
    }
}
