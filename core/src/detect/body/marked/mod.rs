//! Calls between markers, alone or several in a wrapper.

mod body;

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem;

use crate::call::{RejectionCode, Span};
use crate::detect::body::call::CallReader;
use crate::detect::body::json::JsonReader;
use crate::detect::body::literal::LiteralReader;
use crate::detect::body::outcome::{Context, ReadSoFar};
use crate::detect::body::own_markup::OwnMarkup;
use crate::detect::candidate::{Found, Refusal};
use crate::detect::format::Data;
use crate::detect::format::marker::Marker;
use crate::detect::format::near_token::NearTokens;
use crate::detect::format::shape::{Body, EndRule, LiteralDialect, Marked, Syntax};
use crate::detect::rule::accept::CallRules;
use crate::json::outcome::Tolerance;
use crate::progress::{NeedMore, Progress};

/// The most bytes of words between the marker that opens a wrapper and its first call.
const MOST_WORDS: usize = 512;

/// The part of the markup that is being read.
#[derive(Clone, Debug)]
enum MarkedStage {
    /// Before a call or the end of the wrapper.
    Between,
    Json(Box<JsonReader>),
    /// JSON in Python's notation.
    Literal(Box<LiteralReader>),
    Call(Box<CallReader>),
    /// Behind the place where a call is damaged; its end is searched for from the offset.
    Damaged(usize, Option<Box<Refusal>>),
}

/// How the calls from one opening marker on end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarkedOutcome {
    /// All calls are read. The markup reaches to `end`; `missing` says that its end marker is
    /// missing.
    Closed { end: usize, missing: bool },
    /// The text after the last call is not a call of this format.
    Prose,
    /// Words stand between the marker that opens a wrapper and its first call: the marker, which
    /// ends at this offset, is framing.
    Words(usize),
    /// Refused; the search goes on at `resume`. No call can start at one of `brackets`.
    Refused { refusal: Refusal, resume: usize, brackets: Vec<usize> },
}

/// Reads the calls from one opening marker on.
#[derive(Clone, Debug)]
pub(crate) struct MarkedReader {
    format: Arc<Data>,
    tolerance: Tolerance,
    start: usize,
    /// The byte after the opening marker that was read last.
    opened: usize,
    pos: usize,
    wrapped: bool,
    stage: MarkedStage,
    /// The byte after the last call that was read; `None` when none was read.
    read: Option<usize>,
    /// Whether a comma or semicolon was read since then.
    divided: bool,
}

impl MarkedReader {
    /// Starts at the marker of `length` bytes at `start`, which opens a wrapper or a call.
    pub(crate) fn new(
        format: &Arc<Data>,
        start: usize,
        length: usize,
        wrapped: bool,
        tolerance: Tolerance,
    ) -> Self {
        let pos = start + length;
        let stage = if wrapped {
            MarkedStage::Between
        } else {
            MarkedStage::Call(Box::new(CallReader::new(format, start, pos, tolerance)))
        };
        let format = Arc::clone(format);
        Self {
            format,
            tolerance,
            start,
            opened: pos,
            pos,
            wrapped,
            stage,
            read: None,
            divided: false,
        }
    }

    /// The first byte.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Whether it began with a wrapper.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.wrapped
    }

    /// The data of the format.
    pub(crate) fn format(&self) -> &Arc<Data> {
        &self.format
    }

    /// Where the header of a message stands that is a call, from its first marker to its last.
    pub(crate) fn header(&self) -> Option<Span> {
        let MarkedStage::Call(reader) = &self.stage else { return None };
        Some(Span::new(self.start, reader.header_end()?))
    }

    /// The part of the arguments that is read so far, once the name of the call is known.
    pub(crate) fn read_so_far(&self) -> Option<ReadSoFar<'_>> {
        match &self.stage {
            MarkedStage::Json(reader) => reader.read_so_far(),
            MarkedStage::Call(reader) => reader.read_so_far(),
            MarkedStage::Between | MarkedStage::Literal(_) | MarkedStage::Damaged(..) => None,
        }
    }

    /// Writes the arguments read so far as JSON.
    pub(crate) fn write(&mut self, input: &[u8], rules: &CallRules) {
        if let (MarkedStage::Call(reader), Syntax::Marked(marked)) =
            (&mut self.stage, &self.format.syntax)
        {
            reader.write(marked, input, rules);
        }
    }

    /// The name of the call being read, once it is known.
    pub(crate) fn sure_name<'t>(&self, input: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        match &self.stage {
            MarkedStage::Json(reader) => reader.sure_name(input),
            MarkedStage::Call(reader) => Some(reader.bare_name(input)),
            MarkedStage::Between | MarkedStage::Literal(_) | MarkedStage::Damaged(..) => None,
        }
    }

    /// The id of the call being read, if the text has written it.
    pub(crate) fn id_so_far(&self, input: &[u8]) -> Option<Vec<u8>> {
        match &self.stage {
            MarkedStage::Json(reader) => reader.id_so_far(input),
            MarkedStage::Call(reader) => reader.id_so_far(input).map(<[u8]>::to_vec),
            MarkedStage::Between | MarkedStage::Literal(_) | MarkedStage::Damaged(..) => None,
        }
    }

    /// Reads on and appends the complete calls. Each call of a wrapper has its own span.
    pub(crate) fn step(
        &mut self,
        marked: &Marked,
        input: &[u8],
        found: &mut Vec<Found>,
        context: &mut Context<'_>,
    ) -> Progress<MarkedOutcome> {
        loop {
            let ending = match &mut self.stage {
                MarkedStage::Between => self.between(marked, input, context.finished)?,
                MarkedStage::Json(_) => self.json(input, found, context.finished)?,
                MarkedStage::Literal(_) => self.literal(marked, input, found, context.finished)?,
                MarkedStage::Call(_) => self.call(marked, input, found, context)?,
                MarkedStage::Damaged(..) => self.damaged(marked, input, context.finished)?,
            };
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
    }

    /// Looks for the next call or the end of the wrapper. `None` means that the next stage is
    /// reached.
    fn between(
        &mut self,
        marked: &Marked,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<MarkedOutcome>> {
        let Some(wrapper) = &marked.wrapper else { return Ok(Some(MarkedOutcome::Prose)) };
        while input.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
            self.pos += 1;
        }
        let rest = input.get(self.pos..).unwrap_or_default();
        if let Some(length) = Marker::first(&wrapper.close, rest, b"", finished)? {
            let closed = MarkedOutcome::Closed { end: self.pos + length, missing: false };
            let empty = self.read.is_none();
            return Ok(Some(if empty { MarkedOutcome::Prose } else { closed }));
        }
        let open = Self::opens(marked, rest, finished);
        match (open, rest.first()) {
            (Ok(Some(length)), _) => {
                self.enter(marked, length);
                return Ok(None);
            }
            (Ok(None), Some(b',' | b';')) if self.read.is_some() && !self.divided => {
                self.pos += 1;
                self.divided = true;
                return Ok(None);
            }
            (_, None) | (Err(NeedMore), _) if !finished => return Err(NeedMore),
            _ => {}
        }
        // What opened the wrapper may be written in another way, and then so is what closes it.
        if self.read.is_some() && !marked.plain {
            for close in &wrapper.close {
                if let Some(length) = NearTokens::end_tag(close, rest, finished)? {
                    return Ok(Some(MarkedOutcome::Closed {
                        end: self.pos + length,
                        missing: true,
                    }));
                }
            }
        }
        if let Some(own) = OwnMarkup::of(marked)
            && own.lacks_opening(input, self.pos, finished)?
        {
            self.stage = MarkedStage::Damaged(self.pos, None);
            return Ok(None);
        }
        if self.words_stand_before_a_call(marked, input, finished)? {
            return Ok(Some(MarkedOutcome::Words(self.opened)));
        }
        Ok(Some(self.left(marked, input, finished)))
    }

    /// Whether the wrapper begins a line with a few words, and a call opens behind them.
    fn words_stand_before_a_call(
        &self,
        marked: &Marked,
        input: &[u8],
        finished: bool,
    ) -> Progress<bool> {
        let words = input.get(self.opened..).unwrap_or_default();
        let before = input.get(..self.start).unwrap_or_default().last();
        let is_word = words.first().is_some_and(u8::is_ascii_alphabetic);
        if self.read.is_some() || !is_word || before.is_some_and(|byte| *byte != b'\n') {
            return Ok(false);
        }
        let words = words.get(..MOST_WORDS).unwrap_or(words);
        let paragraph = memmem::find(words, b"\n\n");
        let part = words.get(..paragraph.unwrap_or(words.len())).unwrap_or(words);
        if Marker::find(&marked.call.open, part).is_some() {
            return Ok(true);
        }
        let is_cut = !finished && paragraph.is_none() && words.len() < MOST_WORDS;
        if is_cut { Err(NeedMore) } else { Ok(false) }
    }

    /// Refuses a damaged call, and goes on behind its end.
    fn damaged(
        &mut self,
        marked: &Marked,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<MarkedOutcome>> {
        let MarkedStage::Damaged(searched, refusal) = &mut self.stage else { return Ok(None) };
        let Some(own) = OwnMarkup::of(marked) else { return Ok(Some(MarkedOutcome::Prose)) };
        let end = own.damage_end(input, searched, self.pos, finished)?;
        if let Some(refusal) = refusal.take() {
            let resume = end.max(self.opened);
            let refused = MarkedOutcome::Refused { refusal: *refusal, resume, brackets: vec![] };
            return Ok(Some(refused));
        }
        let start = if self.read.is_some() { self.pos } else { self.start };
        let message = "the call is damaged: the marker that opens it is missing";
        let code = RejectionCode::Malformed;
        let refusal = Refusal::new(self.format.slug, code, Span::new(start, end), message);
        Ok(Some(self.refused(refusal, Vec::new())))
    }

    /// Whether a call begins here.
    fn opens(marked: &Marked, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        let when = |yes: bool| if yes { Ok(Some(0)) } else { Ok(None) };
        match (&marked.body, rest.first()) {
            (_, None) => Ok(None),
            (Body::Json(_), Some(byte)) => when(matches!(byte, b'{' | b'[')),
            (_, Some(byte)) if marked.call.open.is_empty() => {
                when(byte.is_ascii_alphabetic() || *byte == b'_')
            }
            _ => Marker::first(&marked.call.open, rest, b"", finished),
        }
    }

    fn enter(&mut self, marked: &Marked, length: usize) {
        let slug = self.format.slug;
        self.divided = false;
        self.stage = match &marked.body {
            Body::Json(keys) if keys.python => MarkedStage::Literal(Box::new(
                LiteralReader::value(&LiteralDialect::Python, self.pos, self.tolerance),
            )),
            Body::Json(keys) => {
                let end = marked.wrapper.as_ref().and_then(|wrapper| wrapper.close.first());
                let end = end.map(Marker::lead).unwrap_or_default();
                MarkedStage::Json(Box::new(JsonReader::marked(
                    slug,
                    keys,
                    self.pos,
                    self.tolerance,
                    end,
                )))
            }
            _ => {
                self.opened = self.pos + length;
                MarkedStage::Call(Box::new(CallReader::new(
                    &self.format,
                    self.pos,
                    self.opened,
                    self.tolerance,
                )))
            }
        };
    }

    /// The ending of a wrapper that does not continue as its format requires.
    fn left(&self, marked: &Marked, input: &[u8], finished: bool) -> MarkedOutcome {
        let rest = input.get(self.pos..).unwrap_or_default();
        let Some(end) = self.read else {
            let begins =
                |markers: &[Marker]| Marker::first(markers, rest, b"", false) == Err(NeedMore);
            let closes = marked.wrapper.as_ref().map(|wrapper| wrapper.close.as_slice());
            let cut =
                rest.is_empty() || begins(&marked.call.open) || begins(closes.unwrap_or_default());
            if finished && cut && !marked.plain {
                let span = Span::new(self.start, input.len());
                let refusal = Refusal::incomplete(self.format.slug, span);
                return self.refused(refusal, Vec::new());
            }
            return self.empty(marked, input);
        };
        let wrapper = marked.wrapper.as_ref();
        let cut = finished
            && (rest.is_empty()
                || wrapper.is_some_and(|wrapper| {
                    Marker::first(&wrapper.close, rest, b"", false) == Err(NeedMore)
                }));
        let end = if cut && !rest.is_empty() { input.len() } else { end };
        match wrapper.map(|wrapper| wrapper.end) {
            Some(EndRule::Required) if marked.plain || !cut => MarkedOutcome::Prose,
            Some(EndRule::Required | EndRule::Lenient) => {
                MarkedOutcome::Closed { end, missing: true }
            }
            Some(EndRule::Optional) | None => MarkedOutcome::Closed { end, missing: false },
        }
    }

    /// The ending of a wrapper behind which no call stands: what opens it may be a word of a text,
    /// unless it is a token.
    fn empty(&self, marked: &Marked, input: &[u8]) -> MarkedOutcome {
        let opening = input.get(self.start..self.opened).unwrap_or_default();
        let is_strict = marked.wrapper.as_ref().is_some_and(|it| it.end == EndRule::Lenient);
        if marked.plain || !is_strict || !opening.starts_with(b"<|") {
            return MarkedOutcome::Prose;
        }
        let span = Span::new(self.start, self.opened);
        let message = "no call stands behind the marker that opens calls";
        let code = RejectionCode::Malformed;
        self.refused(Refusal::new(self.format.slug, code, span, message), Vec::new())
    }

    fn refused(&self, refusal: Refusal, brackets: Vec<usize>) -> MarkedOutcome {
        // Text that was read to its end is not searched again.
        let mut resume = self.read.map_or(self.opened, |end| self.opened.max(end));
        if refusal.code == RejectionCode::Malformed {
            resume = resume.max(refusal.span.end);
        }
        MarkedOutcome::Refused { refusal, resume, brackets }
    }

    fn reached(&mut self, end: usize) {
        self.pos = end;
        self.read = Some(end);
        self.stage = MarkedStage::Between;
    }
}
