//! Markers of a format that is not looked for, around calls that are read.
//!
//! Such a marker alone says that something is not read. A call that is read right behind it stands
//! in that wrapper: it counts, and is not refused as well, so no host runs what it reports as lost.

use crate::call::Span;
use crate::detect::engine::apart::{begins_line, stands_between_blanks};
use crate::detect::engine::marked_calls::MarkedCalls;
use crate::detect::engine::marker_index::TOKEN_BEGINNINGS;
use crate::detect::engine::sought_marker::{Mark, StandingMark, TELLING};
use crate::detect::engine::text_state::{ForeignOpening, ForeignWrapper};
use crate::detect::engine::{Engine, Mode, Moved};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Marked, NamePlace, Syntax};
use crate::detect::format::{Data, Format};
use crate::progress::{NeedMore, Progress};

/// The most white space between a marker and a call, in bytes.
const MOST_SPACE: usize = 256;
/// The most markers that open one wrapper.
const MOST_OPENINGS: usize = 4;

impl Engine {
    /// Notes a marker that is refused unless a call that is read stands right behind it.
    pub(super) fn foreign_opening(
        &mut self,
        format: &'static str,
        standing: StandingMark,
        input: &[u8],
    ) {
        let Span { start, end } = standing.span();
        if let Some(open) = &mut self.marking.foreign
            && open.formats.len() < MOST_OPENINGS
            && is_short_space(input, open.end, start)
        {
            open.formats.push(format);
            open.end = end;
            return;
        }
        self.refuse_foreign(input);
        self.marking.foreign = Some(ForeignOpening { formats: vec![format], first: standing, end });
    }

    /// Notes a marker of a format that is looked for, where no call of it stands behind the marker.
    ///
    /// A token, or a tag on a line of its own, is no word of the text, unless the token stands
    /// between blanks in its line. Another tag is none either if it begins its line, and its end
    /// marker ends a line.
    pub(super) fn opened_no_call(&mut self, calls: &MarkedCalls, input: &[u8]) {
        let opening = calls.opening;
        let Syntax::Marked(marked) = &calls.reader.format().syntax else { return };
        let is_word = marked.plain || marked.call.only_first || marked.call.is_tool_tag();
        let is_message = matches!(marked.call.name.place, NamePlace::After(_));
        let written = opening.of(input);
        let tells = written.len() >= TELLING && matches!(written.first(), Some(b'<' | b'['));
        let behind = input.get(opening.end..).unwrap_or_default();
        if is_word || is_message || !tells || !self.is_in_text() {
            return;
        }
        let begins_line = begins_line(input, self.floor, opening.start);
        let mut behind = behind.iter().skip_while(|byte| matches!(byte, b' ' | b'\t'));
        let is_alone = begins_line && matches!(behind.next(), None | Some(b'\n' | b'\r'));
        let is_token = TOKEN_BEGINNINGS.iter().any(|token| written.starts_with(token));
        let is_mentioned = !begins_line && stands_between_blanks(opening, input);
        if is_alone || is_token && !is_mentioned {
            let length = opening.end - opening.start;
            let standing = StandingMark { mark: Mark::Stray, start: opening.start, length };
            self.foreign_opening(calls.reader.format().slug, standing, input);
        } else if begins_line {
            self.marking.unclosed.opening = Some(opening);
        }
    }

    /// Drops a marker that is closed at once: such a wrapper is empty, and nothing is lost.
    pub(super) fn pass_empty(&mut self, closing: Span, input: &[u8]) {
        self.marking.foreign.take_if(|open| {
            open.first.mark == Mark::Stray && is_short_space(input, open.end, closing.start)
        });
    }

    /// Whether the search reads the text of a message, and not code or reasoning.
    fn is_in_text(&self) -> bool {
        self.probe.is_none() && self.code.fence.is_none() && !self.recorder.in_reasoning()
    }

    /// Refuses the marker behind which no call stands.
    pub(super) fn refuse_foreign(&mut self, input: &[u8]) {
        let Some(ForeignOpening { formats, first, .. }) = self.marking.foreign.take() else {
            return;
        };
        self.note_broken(first.span(), formats.first().copied(), false, input);
        match first.mark {
            Mark::OpensOther(format) => self.other_format(format, first, input),
            _ => self.stray(first, input),
        }
    }

    /// Refuses the marker if something else than a call stands behind it.
    pub(super) fn settle_foreign(&mut self, input: &[u8]) {
        let Some(open) = &self.marking.foreign else { return };
        // Of what these modes read, a call may come that begins where the search is.
        let may_be_call = match &self.mode {
            Mode::Search | Mode::Marked(_) | Mode::Json(_) | Mode::StartTag(..) => true,
            mode => matches!(mode, Mode::Element(..)),
        };
        if !may_be_call || !is_short_space(input, open.end, self.pos.min(input.len())) {
            self.refuse_foreign(input);
        }
    }

    /// The call with the markers in front of it that open a wrapper which is not looked for.
    pub(super) fn with_foreign(&self, call: Span, input: &[u8]) -> Span {
        let open = self.marking.foreign.as_ref();
        let open = open.filter(|open| is_short_space(input, open.end, call.start));
        Span::new(open.map_or(call.start, |open| open.first.start), call.end)
    }

    /// Notes the wrapper in which a call stands that counts, if it is not looked for.
    pub(super) fn enter_foreign(&mut self, call: Span, input: &[u8]) {
        if let Some(ForeignOpening { formats, first, end }) = self.marking.foreign.take() {
            if first.start == call.start {
                self.marking.foreign_wrapper = Some(ForeignWrapper { formats, end: call.end });
                return;
            }
            self.marking.foreign = Some(ForeignOpening { formats, first, end });
            self.refuse_foreign(input);
        }
        if let Some(wrapper) = &mut self.marking.foreign_wrapper {
            if is_short_space(input, wrapper.end, call.start) {
                wrapper.end = call.end;
            } else {
                self.marking.foreign_wrapper = None;
            }
        }
    }

    /// Reads the end marker of a wrapper behind its calls, which is nothing to show.
    pub(super) fn behind_foreign(&mut self, input: &[u8], finished: bool) -> Progress<Moved> {
        let Some(ForeignWrapper { formats, end }) = &self.marking.foreign_wrapper else {
            return Ok(self.search_from(self.floor));
        };
        let end = *end;
        let rest = input.get(end..).unwrap_or_default();
        let space = rest.iter().take(MOST_SPACE).take_while(|byte| byte.is_ascii_whitespace());
        let space = space.count();
        if space == rest.len() && space < MOST_SPACE && !finished {
            return Err(NeedMore);
        }
        let rest = rest.get(space..).unwrap_or_default();
        let mut length = None;
        for format in formats {
            let known = self.config.formats.iter().find(|known| known.slug == *format);
            let found = match known {
                Some(known) => closing(known, rest, finished)?,
                None => closing_of(format, rest, finished)?,
            };
            length = length.or(found);
        }
        let Some(length) = length else { return Ok(self.search_from(end)) };
        let behind = end + space + length;
        self.floor = behind;
        self.recorder.add_frame(Span::new(end, behind), input);
        if let Some(wrapper) = &mut self.marking.foreign_wrapper {
            wrapper.end = behind;
        }
        Ok(self.enter(Mode::BehindForeign))
    }
}

/// Whether nothing but a little white space stands between two places.
fn is_short_space(input: &[u8], start: usize, end: usize) -> bool {
    let between = input.get(start..end).unwrap_or_default();
    between.len() <= MOST_SPACE && between.iter().all(u8::is_ascii_whitespace)
}

/// The length of a marker with which a text begins, and which closes calls of a format.
fn closing(format: &Data, text: &[u8], finished: bool) -> Progress<Option<usize>> {
    let Syntax::Marked(marked) = &format.syntax else { return Ok(None) };
    let Marked { wrapper, call, .. } = &**marked;
    let wrapper = wrapper.as_ref().map(|wrapper| wrapper.close.as_slice()).unwrap_or_default();
    for markers in [wrapper, &call.close] {
        if let Some(length) = Marker::first(markers, text, b"", finished)? {
            return Ok(Some(length));
        }
    }
    Ok(None)
}

/// The same of a format that is not looked for.
fn closing_of(format: &str, text: &[u8], finished: bool) -> Progress<Option<usize>> {
    let Ok(format) = Format::named(format) else { return Ok(None) };
    closing(&format.data, text, finished)
}
