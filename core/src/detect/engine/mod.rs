//! The push parser: it walks the text once and decides what stands at each place where a call may
//! start.
//!
//! Between two pieces of text, its state is a position and what is being read there. Each step gets
//! the whole text so far, so positions are never renumbered. The parser goes back only to just
//! after the start of a candidate that failed.

mod apart;
mod broken_call;
mod byte_search;
mod call_list;
mod closing_bracket;
mod code;
mod config;
mod element;
mod first_bytes;
mod foreign;
mod frames;
mod html_state;
mod json_search;
mod last_solid;
mod lead;
mod lines;
mod lone_end;
mod marked;
mod marked_calls;
mod marker_index;
mod marker_pairs;
mod marker_signs;
mod message;
mod noted_signs;
mod quiet;
mod reasoning;
mod recorder;
mod recorder_message;
mod resolve;
mod search;
mod search_state;
mod searched_thought;
mod shared;
mod sign;
mod signs;
mod sought_marker;
mod start;
mod starts;
mod stray;
mod text_state;
mod thought;
mod told_calls;
mod unclosed;
mod unmarked;
mod unmarked_json;
mod whole;
mod window_choice;
mod window_search;
mod window_tables;

pub(crate) use config::Config;
pub(crate) use lines::LineCounter;
pub(crate) use recorder::excerpt;
pub(crate) use shared::config;

use std::sync::Arc;

use marked_calls::MarkedCalls;

use crate::call::{RejectionCode, Span};
use crate::detect::block::closing::{FenceText, TailReader};
use crate::detect::block::code_span::CodeSpanReader;
use crate::detect::block::fence::FenceReader;
use crate::detect::block::markup::element::ElementReader;
use crate::detect::block::markup::tag::TagReader;
use crate::detect::body::json::JsonReader;
use crate::detect::candidate::{Candidate, Found, Verdict};
use crate::detect::event::Event;
use crate::detect::findings::Findings;
use crate::detect::rule::id::NewIds;
use crate::progress::{NeedMore, Progress};
use html_state::HtmlState;
use reasoning::{FramingMarker, ReasoningReader};
use recorder::Recorder;
use search_state::SearchState;
use text_state::{CodeState, CutOff, MarkingState, OpenFence, Probed};

/// The most steps for each byte of a text, far above what any text takes.
const MOST_STEPS: usize = 16;

/// What is being read at the engine's position.
#[derive(Debug)]
enum Mode {
    Search,
    Marked(Box<MarkedCalls>),
    Json(Box<JsonReader>),
    /// JSON that is too large to be a call.
    Oversized(Box<JsonReader>),
    Fence(Box<FenceReader>),
    Backticks(Box<CodeSpanReader>),
    /// The content of a code block in which calls do not count.
    FenceText(FenceText),
    /// The line after calls that so far fill a code block.
    FenceEnd {
        calls: Vec<Found>,
        end: usize,
        resume: usize,
        tail: TailReader,
        opened: OpenFence,
    },
    /// An object that is no call has ended here; the end marker of a call may follow.
    BehindObject(Span),
    /// A call in a wrapper of another format has ended here; the end of the wrapper may follow.
    BehindForeign,
    /// The text begins, perhaps with a call that has no other marker; or such a call has ended.
    First,
    Frame(FramingMarker),
    /// Reasoning, and the calls in it where the text arrives in pieces.
    Reasoning(Box<ReasoningReader>, Option<Box<ThoughtCalls>>),
    StartTag(usize, TagReader),
    Element(Box<ElementReader>, Candidate),
    /// The turn of somebody else, which the model made up, has begun here.
    AfterEnd(usize),
    /// The rest is text.
    Done,
}

/// A step changed what is being read or where; the next step can follow.
struct Moved;

/// The calls of the reasoning so far.
#[derive(Debug)]
pub(super) struct ThoughtCalls {
    /// Searches the reasoning alone.
    engine: Box<Engine>,
    /// How many of its calls were looked at.
    seen: usize,
    /// The calls behind which no word stands so far: the start of the first, and the end of what
    /// is known not to be words.
    tail: Option<Span>,
}

/// The parser's state.
#[derive(Debug)]
pub(super) struct Engine {
    config: Arc<Config>,
    recorder: Recorder,
    mode: Mode,
    /// Where the search is.
    pos: usize,
    searching: SearchState,
    code: CodeState,
    html: HtmlState,
    /// The end of the last call: no markup begins before it.
    floor: usize,
    marking: MarkingState,
    ids: NewIds,
    /// Whether the calls being read stand at the end of reasoning that nothing closed.
    in_open_reasoning: bool,
    /// Whether a limit of the whole text was reached.
    limited: bool,
    /// What was found in a search that hands out nothing.
    probe: Option<Probed>,
}

impl Engine {
    pub(super) fn new(config: Arc<Config>) -> Self {
        let mode = match config.message.begun {
            // The prompt has opened the reasoning; a model may open it again.
            Some(style) => Mode::Frame(FramingMarker { start: 0, pos: 0, opens: Some(style) }),
            None if config.markers.may_open_first() || config.message.has_first() => Mode::First,
            None => Mode::Search,
        };
        Self {
            recorder: Recorder::new(config.limits.max_rejections, !config.may_take_for_thoughts()),
            searching: SearchState::new(&config),
            config,
            mode,
            pos: 0,
            code: CodeState::default(),
            html: HtmlState::default(),
            floor: 0,
            marking: MarkingState::default(),
            ids: NewIds::default(),
            in_open_reasoning: false,
            limited: false,
            probe: None,
        }
    }

    /// Makes an engine that only notes where calls stand.
    fn probe(config: Arc<Config>) -> Self {
        let mut probe =
            Self { mode: Mode::Search, probe: Some(Probed::default()), ..Self::new(config) };
        probe.searching.pass_code();
        probe
    }

    pub(super) fn findings(&self) -> &Findings {
        &self.recorder.findings
    }

    /// Hands out what was found. The engine is not moved for it: it is larger than most calls.
    pub(super) fn take_findings(&mut self) -> Findings {
        std::mem::take(&mut self.recorder.findings)
    }

    /// Searches a complete text.
    pub(super) fn run_whole(&mut self, config: &Config, input: &[u8]) {
        self.searching.text_is_whole();
        self.advance(config, input, true);
    }

    /// Searches on in the text so far and appends the events that are certain by now.
    pub(super) fn run(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
        events: &mut Vec<Event>,
    ) {
        self.recorder.listen();
        if !finished
            && input.len() <= config.limits.max_input
            && self.marking.foreign.is_none()
            && self.is_all_prose(config, input)
        {
            let sure = if self.shows_prose(config, input) { input.len() } else { self.sure(input) };
            if let Some(text) = self.recorder.text_up_to(sure) {
                events.push(text);
            }
            return;
        }
        self.recorder.swap_events(events);
        self.advance(config, input, finished);
        self.settle_foreign(input);
        let sure = if finished { self.shown_end(input) } else { self.sure(input) };
        self.recorder.tell_text(sure);
        self.tell_begun(input);
        self.recorder.swap_events(events);
    }

    /// Steps until more text is needed.
    ///
    /// The caller lends the engine's own `config`: a clone of the `Arc` here would cost as much as
    /// a short piece of text.
    fn advance(&mut self, config: &Config, input: &[u8], finished: bool) {
        let too_long = input.len() > config.limits.max_input;
        let searched = input.get(..config.limits.max_input).unwrap_or(input);
        let finished = finished || too_long;
        self.steps(config, searched, finished);
        if finished {
            self.refuse_foreign(input);
        }
        if finished && !too_long {
            self.tell_unmarked(config, input);
            self.hide_cut_off(config, input);
            self.end_in_thought(input);
        }
        if too_long && !self.limited {
            let span = Span::new(searched.len(), searched.len());
            let message = "the text exceeds max_input; the rest was not searched";
            self.limit_reached(input, span, RejectionCode::TooLarge, message);
        }
    }

    /// Steps while there is something to read.
    ///
    /// Each step passes a part of the text, or tries one of a few ways to read it. A fault that
    /// makes the same steps again and again is refused, since no text may stop a program.
    #[inline]
    fn steps(&mut self, config: &Config, input: &[u8], finished: bool) {
        let mut left = MOST_STEPS.saturating_mul(input.len().saturating_add(MOST_STEPS));
        while self.step(config, input, finished).is_ok() {
            left = left.saturating_sub(1);
            if left == 0 {
                debug_assert!(false, "the search makes no progress at {}", self.pos);
                let span = Span::new(self.pos.min(input.len()), input.len());
                let message = "the text could not be searched further from here";
                self.limit_reached(input, span, RejectionCode::Malformed, message);
            }
        }
    }

    /// Whether prose is shown up to its end, as most is.
    #[inline]
    fn shows_prose(&self, config: &Config, input: &[u8]) -> bool {
        self.code.fence.is_none()
            && self.recorder.shows_all()
            && !input.last().is_some_and(|last| config.markers.may_begin_before(*last))
    }

    /// The offset up to which the text is certainly no part of a later call.
    fn sure(&mut self, input: &[u8]) -> usize {
        let sure = self.undecided_block(input);
        self.recorder.without_blank(sure, input)
    }

    /// As `undecided`; a call that may fill a code block takes the whole block.
    fn undecided_block(&mut self, input: &[u8]) -> usize {
        let undecided = self.undecided(input);
        let Some(fence) = &mut self.code.fence else { return undecided };
        fence.skip_blank(input);
        if fence.content >= undecided { fence.start.min(undecided) } else { undecided }
    }

    /// The offset from which the text is not decided yet.
    fn undecided(&self, input: &[u8]) -> usize {
        let undecided = self.undecided_here(input);
        let foreign = self.marking.foreign.as_ref();
        foreign.map_or(undecided, |opening| undecided.min(opening.first.start))
    }

    /// The same, as far as what is being read tells.
    fn undecided_here(&self, input: &[u8]) -> usize {
        match &self.mode {
            Mode::Search => {
                let told = input.get(..self.pos).unwrap_or(input);
                self.pos
                    .saturating_sub(self.config.markers.held_back(told))
                    .max(self.marker_floor())
            }
            Mode::Marked(calls) => calls.start(),
            Mode::Json(reader) => reader.start(),
            Mode::Fence(reader) => reader.start(),
            Mode::Backticks(reader) => reader.start(),
            Mode::FenceEnd { opened, .. } => opened.start,
            Mode::BehindObject(object) => object.end,
            Mode::BehindForeign => self.floor,
            Mode::StartTag(start, _) | Mode::AfterEnd(start) => *start,
            Mode::Element(reader, _) => reader.start(),
            Mode::First => self.pos,
            Mode::Frame(frame) => frame.start,
            Mode::Reasoning(reader, _) if self.config.profile.is_some() => {
                let cut = self.config.markers.cut_token(input, false);
                reader.sure().min((input.len() - cut).max(reader.start))
            }
            Mode::Reasoning(reader, _) => reader.sure(),
            Mode::FenceText(text) => text.sure(self.known_code(input)),
            Mode::Oversized(_) | Mode::Done => input.len(),
        }
    }

    fn step(&mut self, config: &Config, input: &[u8], finished: bool) -> Progress<Moved> {
        self.settle_foreign(input);
        match &mut self.mode {
            Mode::Done => Err(NeedMore),
            Mode::Search => self.search(config, input, finished),
            Mode::First => self.first(config, input, finished),
            Mode::AfterEnd(_) => self.after_end(input, finished),
            Mode::BehindForeign => self.behind_foreign(input, finished),
            Mode::BehindObject(object) => {
                let object = *object;
                self.behind_object(config, object, input, finished)
            }
            Mode::Marked(_) => self.marked_calls(config, input, finished),
            Mode::Json(reader) => {
                let start = reader.start();
                let verdict = reader.step(input, finished)?;
                if matches!(verdict, Verdict::Prose { resume } | Verdict::Refused { resume, .. } if resume == start + 1)
                {
                    let SearchState { ruled_out, kept_repairs, .. } = &mut self.searching;
                    reader.hand_failure_to(ruled_out, kept_repairs);
                }
                self.resolve_json(config, verdict, start, input)
            }
            Mode::Oversized(reader) => {
                let end = reader.skip(input, finished)?;
                Ok(self.search_from(end))
            }
            Mode::Fence(_) => self.fence(config, input, finished),
            Mode::Backticks(_) => self.backticks(config, input, finished),
            Mode::FenceText(_) => self.fence_text(config, input, finished),
            Mode::FenceEnd { .. } => self.fence_end(config, input, finished),
            Mode::Frame(_) => self.frame(config, input, finished),
            Mode::Reasoning(..) => self.reasoning(config, input, finished),
            Mode::StartTag(start, reader) => {
                let start = *start;
                let end = reader.step(input);
                self.start_tag(config, start, end, input, finished)
            }
            Mode::Element(..) => self.element(config, input, finished),
        }
    }

    /// The offset before which no marker begins.
    fn marker_floor(&self) -> usize {
        self.floor.max(self.code.end)
    }

    fn search_from(&mut self, pos: usize) -> Moved {
        self.mode = Mode::Search;
        self.pos = pos;
        Moved
    }

    fn enter(&mut self, mode: Mode) -> Moved {
        self.mode = mode;
        Moved
    }

    fn rest_is_text(&mut self, finished: bool) -> NeedMore {
        if finished {
            self.mode = Mode::Done;
        }
        NeedMore
    }
}
