//! Where calls between markers may start: the markers of all formats, found by one byte of each.

use std::sync::Arc;

use crate::detect::engine::lead::MarkerLead;
use crate::detect::engine::marker_pairs::{Candidates, Pairs};
use crate::detect::engine::marker_signs::MarkerSigns;
use crate::detect::engine::sought_marker::{
    Closes, ClosingMarker, Does, FoundMarker, Here, LOOKED_AT, Mark, Place, SoughtMarker,
    StandingMark, is_telling, searched_byte, telling_part,
};
use crate::detect::engine::starts::{Kinds, StartByte, Starts};
use crate::detect::format::marker::Marker;
use crate::detect::format::near_token::{Near, NearTokens};
use crate::detect::format::shape::{Body, EndRule, Syntax};
use crate::detect::format::{Data, Format};
use crate::detect::profile::{MessageShape, Unowned, other_ways, rare_ways};
use crate::progress::{NeedMore, Progress};

/// What tokens begin with, so that they are told from other text.
pub(super) const TOKEN_BEGINNINGS: [&[u8]; 2] = [b"<|", "<｜".as_bytes()];

/// The markers, by the byte that is searched for and the byte after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkerIndex {
    all: Vec<SoughtMarker>,
    /// The formats, each with its index, that have markers which open a call where the text begins.
    first: Vec<(Arc<Data>, usize)>,
    /// For each byte by which markers are searched for, the markers that may stand there.
    pairs: Vec<(u8, Pairs)>,
    /// For each byte, the `early` markers that begin with a text which ends with it, in front of
    /// the searched byte, and the lengths of these texts.
    early_ends: Vec<Vec<(usize, usize)>>,
    /// Whether a marker of the message shows that what stands before it was reasoning.
    closes_reasoning: bool,
    /// Whether markup that is not read is told, since no formats were named one by one.
    tells_unread: bool,
    /// The tokens that are understood although they are damaged.
    near: NearTokens,
}

impl MarkerIndex {
    /// Adds the markers of a format.
    pub(crate) fn add(&mut self, format: &Arc<Data>, index: usize, starts: &mut Starts) {
        let Syntax::Marked(marked) = &format.syntax else { return };
        if !marked.call.opens_first().is_empty() {
            self.first.push((Arc::clone(format), index));
        }
        let wrapper = marked.wrapper.iter().flat_map(|wrapper| &wrapper.open);
        let wrappers = wrapper.map(|marker| (marker, true, false));
        let calls = marked.call.opens_anywhere();
        let calls = calls.iter().map(|marker| (marker, false, !marked.bare));
        for (marker, wraps, inside) in wrappers.chain(calls) {
            let format = Arc::clone(format);
            self.push(marker, Does::OpensCalls { format, index, wraps, inside }, starts);
        }
    }

    /// Adds the markers that close the calls of a format, if it shows in them that they do.
    pub(crate) fn add_closing(&mut self, format: &Data, starts: &mut Starts) {
        let Syntax::Marked(marked) = &format.syntax else { return };
        let wrapper = marked.wrapper.as_ref().filter(|wrapper| wrapper.end == EndRule::Lenient);
        let wrappers = wrapper.into_iter().flat_map(|wrapper| &wrapper.close);
        let call = Some(&marked.call).filter(|call| call.end == EndRule::Lenient);
        let calls = call.into_iter().flat_map(|call| &call.close);
        let parameter = match &marked.body {
            Body::Tagged(parameter) if marked.is_vague() => Some(parameter),
            _ => None,
        };
        let parameters = parameter.into_iter().flat_map(|parameter| &parameter.close);
        let names = marked.call.name_end.iter().filter(|_| marked.body == Body::Named);
        let all = wrappers
            .map(|marker| (marker, Closes::Wrapper))
            .chain(calls.map(|marker| (marker, Closes::Call)))
            .chain(parameters.map(|marker| (marker, Closes::Parameter)))
            .chain(names.map(|marker| (marker, Closes::Name)));
        for (marker, closes) in all {
            let tells = || marker.names_calls() || marked.call.is_tool_tag();
            if closes != Closes::Parameter && !tells() {
                continue;
            }
            let Some(telling) = telling_part(marker) else { continue };
            let is_last = closes == Closes::Wrapper || marked.wrapper.is_none();
            let does = Does::Closes(ClosingMarker { format: format.slug, closes, is_last });
            self.push(&telling, does, starts);
        }
    }

    /// Takes a wrapper of the format that holds no call for a frame.
    pub(crate) fn add_empty_wrapper(&mut self, format: &Data, starts: &mut Starts) {
        let Syntax::Marked(marked) = &format.syntax else { return };
        let wrappers = marked.wrapper.iter().flat_map(|wrapper| {
            let empty = |open: &Marker, close: &Marker| {
                Marker::parse(&format!("{}{{space}}{}", open.written(), close.written())).ok()
            };
            wrapper.open.iter().flat_map(move |open| {
                wrapper.close.iter().filter_map(move |close| empty(open, close))
            })
        });
        for marker in wrappers {
            self.push(&marker, Does::Marks(Mark::Frames), starts);
        }
    }

    /// Adds the markers of the message.
    pub(crate) fn add_message(&mut self, shape: &MessageShape, starts: &mut Starts) {
        self.closes_reasoning = shape.closing().next().is_some();
        for (marker, mark) in of_reasoning(shape) {
            self.push(marker, Does::Marks(mark), starts);
            self.push_apart(other_ways(marker), mark, starts);
        }
        let answers = shape.answers.iter().map(|marker| (marker, Mark::OpensAnswer));
        let frames = answers.chain(shape.frames.iter().map(|marker| (marker, Mark::Frames)));
        let turns = shape.after_end.iter().map(|marker| (marker, Mark::OpensTurn));
        for (marker, mark) in frames.chain(turns) {
            self.push(marker, Does::Marks(mark), starts);
        }
    }

    /// Adds what begins a result that a model made up behind a call of the format.
    pub(crate) fn add_turns(&mut self, format: &Data, starts: &mut Starts) {
        let Syntax::Marked(marked) = &format.syntax else { return };
        for marker in &marked.call.turns {
            self.push(marker, Does::Marks(Mark::OpensTurn), starts);
        }
    }

    /// What shows that a marker may stand in a text.
    pub(crate) fn signs(&self) -> MarkerSigns<'_> {
        // What is damaged is understood only where markup that is not read is told.
        MarkerSigns { markers: &self.all, near: Some(&self.near).filter(|_| self.tells_unread) }
    }

    /// Whether a marker shows that what stands before it was reasoning.
    pub(crate) fn closes_reasoning(&self) -> bool {
        self.closes_reasoning
    }

    /// Adds the markup that stands in a text only where something was written that is not read:
    /// what opens calls of `others`, and what belongs to no message of the model.
    pub(crate) fn add_unread(&mut self, others: &[Format], unowned: &Unowned, starts: &mut Starts) {
        self.tells_unread = true;
        let opens = others.iter().flat_map(|format| {
            let mark = Mark::OpensOther(format.slug());
            opening(&format.data.syntax).map(move |marker| (marker, mark))
        });
        let strays = unowned.strays.iter().map(|marker| (marker, Mark::Stray));
        let stops = unowned.stops.iter().map(|marker| (marker, Mark::Frames));
        let turns = unowned.turns.iter().map(|marker| (marker, Mark::OpensTurn));
        for (marker, mark) in opens.chain(strays).chain(stops).chain(turns) {
            // What is known by these bytes already says more.
            if !self.all.iter().any(|known| known.marker.lead() == marker.lead()) {
                self.push(marker, Does::Marks(mark), starts);
            }
        }
    }

    /// Adds the rarer ways in which models write the tags of reasoning.
    pub(crate) fn add_rare_ways(&mut self, shape: &MessageShape, starts: &mut Starts) {
        for (marker, mark) in of_reasoning(shape) {
            self.push_apart(rare_ways(marker), mark, starts);
        }
    }

    /// Adds tags that models write for a tag of reasoning.
    fn push_apart(&mut self, ways: Vec<Marker>, mark: Mark, starts: &mut Starts) {
        for way in ways {
            // Several styles have the same tags.
            if !self.all.iter().any(|known| known.marker == way) {
                self.push(&way, Does::MarksApart(mark), starts);
            }
        }
    }

    fn push(&mut self, marker: &Marker, does: Does, starts: &mut Starts) {
        let offset = searched_byte(marker.lead(), |byte| starts.contains(byte));
        let Some(&byte) = marker.lead().get(offset) else { return };
        let beside = |at: Option<usize>| at.and_then(|at| marker.lead().get(at)).copied();
        let before = beside(offset.checked_sub(1));
        let (after, behind) = (beside(Some(offset + 1)), beside(Some(offset + 2)));
        starts.add_inside(StartByte { byte, before, after, behind }, Kinds::MARKER);
        let calls = match &does {
            Does::OpensCalls { format, wraps, .. } => Some((&format.syntax, *wraps)),
            Does::Marks(_) | Does::MarksApart(_) | Does::Closes(_) => None,
        };
        let lead = MarkerLead::new(marker, offset, calls);
        self.all.push(SoughtMarker { marker: marker.clone(), offset, does, lead });
    }

    /// Sorts the markers by length: of two markers at the same place, the longer one counts.
    pub(crate) fn arrange(&mut self, starts: &mut Starts) {
        self.all.sort_by_key(|start| std::cmp::Reverse(start.marker.lead().len()));
        let bytes = self.all.iter().filter_map(|sought| sought.marker.lead().get(sought.offset));
        let mut bytes: Vec<u8> = bytes.copied().collect();
        bytes.sort_unstable();
        bytes.dedup();
        self.pairs = bytes.into_iter().map(|byte| (byte, Pairs::of(byte, &self.all))).collect();
        if self.tells_unread {
            let all = self.all.iter().enumerate().filter(|(_, sought)| !sought.is_tool_tag());
            self.near = NearTokens::new(all.map(|(at, sought)| (at, &sought.marker)));
            for found in self.signs().near_beginnings() {
                starts.add_inside(found, Kinds::MARKER);
            }
        }
        self.early_ends = vec![Vec::new(); 256];
        for (at, sought) in self.all.iter().enumerate() {
            for (before, byte) in sought.marker.lead().iter().take(sought.offset).enumerate() {
                if let Some(ends) = self.early_ends.get_mut(usize::from(*byte)) {
                    ends.push((at, before + 1));
                }
            }
        }
    }

    /// The markers that may hold the byte at `pos`.
    #[inline]
    fn candidates(&self, input: &[u8], pos: usize) -> Option<&Candidates> {
        let byte = input.get(pos)?;
        let pairs =
            self.pairs.iter().find_map(|(known, pairs)| (known == byte).then_some(pairs))?;
        match input.get(pos + 1) {
            Some(next) => pairs.behind.get(usize::from(*next)),
            None => Some(&pairs.all),
        }
    }

    /// Whether a marker may stand around the byte at `pos`, as far as a quick look tells.
    #[inline]
    pub(crate) fn may_stand(&self, input: &[u8], pos: usize) -> bool {
        let candidates = self.candidates(input, pos);
        candidates.is_some_and(|some| some.leads.iter().any(|lead| lead.may_stand(input, pos)))
            || self.near.may_begin(input, pos)
    }

    /// The markers that hold the byte at a place.
    pub(crate) fn at(&self, place: &Place<'_>) -> Here {
        let mut here = Here::default();
        let markers = self.candidates(place.input, place.pos);
        for at in markers.map(|some| some.markers.as_slice()).unwrap_or_default() {
            if let Some(sought) = self.all.get(*at) {
                sought.try_at(place, &mut here);
            }
        }
        // A stray says less than the token that it may be the beginning of.
        let is_stray = here.mark.is_none_or(|standing| standing.mark == Mark::Stray);
        let is_known = here.opened.is_some() || !is_stray || here.closing.is_some() || here.cut;
        if !is_known && place.pos >= place.floor {
            self.near_token(place, &mut here);
        }
        here
    }

    /// Notes the markers that a damaged token is.
    fn near_token(&self, place: &Place<'_>, here: &mut Here) {
        let start = place.pos;
        match self.near.at(place.input, start, place.finished) {
            Err(NeedMore) => here.cut = true,
            Ok(Near::None) => {}
            Ok(Near::Ambiguous(length)) => {
                here.mark = Some(StandingMark { mark: Mark::Stray, start, length });
            }
            Ok(Near::Markers(markers)) => {
                here.mark = None;
                for (at, length) in markers {
                    if let Some(sought) = self.all.get(at)
                        && sought.counts(place)
                    {
                        sought.note(start, length, here);
                    }
                }
            }
        }
    }

    /// Whether markup that is not read is told.
    pub(crate) fn tells_unread(&self) -> bool {
        self.tells_unread
    }

    /// Whether a marker may open a call only where the text begins.
    pub(crate) fn may_open_first(&self) -> bool {
        !self.first.is_empty()
    }

    /// The markers that open a call where the text begins, or at `start`, right behind a call that
    /// such a marker has opened.
    pub(crate) fn first(
        &self,
        input: &[u8],
        start: usize,
        finished: bool,
    ) -> Progress<Vec<FoundMarker>> {
        let mut found = Vec::new();
        let rest = input.get(start..).unwrap_or_default();
        for (format, index) in &self.first {
            let Syntax::Marked(marked) = &format.syntax else { continue };
            if start > 0 && !marked.call.only_first {
                continue;
            }
            if let Some(length) = Marker::first(marked.call.opens_first(), rest, b"", finished)? {
                found.push(FoundMarker { index: *index, start, length, wraps: false });
            }
        }
        Ok(found)
    }

    /// Whether a marker may begin with text up to this byte, before the byte it is found by.
    #[inline]
    pub(crate) fn may_begin_before(&self, byte: u8) -> bool {
        self.early_ends.get(usize::from(byte)).is_some_and(|ends| !ends.is_empty())
    }

    /// The length of the end of `text` that only the beginning of a token can be.
    ///
    /// A token begins with `<|`, which is too rare in other text to be anything else when a letter
    /// of the token follows.
    /// As long as more text may come, the end counts too that may become such a beginning.
    pub(crate) fn cut_token(&self, text: &[u8], finished: bool) -> usize {
        let near = text.get(text.len().saturating_sub(LOOKED_AT)..).unwrap_or(text);
        let Some(at) = memchr::memrchr(b'<', near) else { return 0 };
        let end = near.get(at..).unwrap_or_default();
        let begins = |start: &SoughtMarker| {
            let waits =
                matches!(start.does, Does::OpensCalls { inside: true, .. } | Does::Closes(_));
            !waits && start.marker.at(end, b"", false) == Err(NeedMore)
        };
        let is_token = TOKEN_BEGINNINGS.iter().any(|token| {
            let begins = end.starts_with(token) && (end.len() > token.len() || !finished);
            begins || (!finished && token.starts_with(end))
        });
        if is_token && self.all.iter().any(begins) { end.len() } else { 0 }
    }

    /// The length of the end of `text` that may be the beginning of a marker.
    pub(crate) fn held_back(&self, text: &[u8]) -> usize {
        let Some(last) = text.last() else { return 0 };
        let ends = self.early_ends.get(usize::from(*last)).into_iter().flatten();
        let begun = ends.filter_map(|(at, length)| {
            let part = self.all.get(*at)?.marker.lead().get(..*length)?;
            text.ends_with(part).then_some(*length)
        });
        begun.max().unwrap_or_default()
    }
}

/// The markers that open and close reasoning, and what they do.
fn of_reasoning(shape: &MessageShape) -> impl Iterator<Item = (&Marker, Mark)> {
    let opens = shape.reasoning.iter().enumerate().flat_map(|(index, style)| {
        style.open.iter().map(move |marker| (marker, Mark::OpensReasoning(index)))
    });
    opens.chain(shape.closing().map(|marker| (marker, Mark::ClosesReasoning)))
}

/// The markers that open calls of a format, those that identify themselves.
fn opening(syntax: &Syntax) -> impl Iterator<Item = &Marker> {
    let marked = if let Syntax::Marked(marked) = syntax { Some(marked) } else { None };
    let markers = marked.into_iter().flat_map(|marked| {
        let calls = if marked.bare || marked.wrapper.is_none() {
            marked.call.opens_anywhere()
        } else {
            &[]
        };
        marked.wrapper.iter().flat_map(|wrapper| &wrapper.open).chain(calls)
    });
    markers.filter(|marker| is_telling(marker))
}
