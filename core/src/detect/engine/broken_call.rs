//! Calls inside of a call that was refused.
//!
//! Arguments hold other calls as data: the content of a file, the calls of a batch. Where the call
//! around them cannot be read, they must not run in its place.

use memchr::memrchr;

use crate::call::{RejectionCode, Span};
use crate::detect::candidate::{Candidate, Refusal};
use crate::detect::engine::Engine;
use crate::detect::engine::text_state::BrokenCall;
use crate::detect::engine::unmarked::named;
use crate::detect::engine::unmarked_json::is_argument;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Marked, Syntax};

/// The codes of calls whose arguments are broken.
const OF_ARGUMENTS: [RejectionCode; 5] = [
    RejectionCode::BadJson,
    RejectionCode::Incomplete,
    RejectionCode::Malformed,
    RejectionCode::NotAnObject,
    RejectionCode::TooDeep,
];
/// How far in front of a call its line is looked at, in bytes.
const LONGEST_LINE: usize = 1024;

impl Engine {
    /// Notes a call that was refused and whose inside is searched.
    pub(super) fn note_refused(&mut self, refusal: &Refusal, input: &[u8]) {
        self.refuse_foreign(input);
        let Refusal { span, code, format, .. } = refusal;
        if !OF_ARGUMENTS.contains(code) {
            return;
        }
        if self.stands_in_refused(span.start, input) {
            return;
        }
        let format = format.and_then(|slug| self.place_of(slug));
        let to_end = *code == RejectionCode::Incomplete;
        self.marking.broken_call = Some(BrokenCall::new(*span, format, to_end));
    }

    /// The index of a format that is looked for.
    fn place_of(&self, slug: &str) -> Option<usize> {
        self.config.formats.iter().position(|format| format.slug == slug)
    }

    /// The refusal of a call that stands inside of one that was refused.
    pub(super) fn inside_refused(&mut self, call: &Candidate, input: &[u8]) -> Option<Refusal> {
        let start = call.span.start;
        let message = if self.stands_in_refused(start, input) {
            "the call stands inside of a call that was refused"
        } else if is_argument(input, start) || self.stands_in_unmarked(start, input) {
            "the call stands inside of the arguments of another one"
        } else {
            return None;
        };
        // What is refused anyway says why, wherever it stands.
        let is_call = self.config.rules.check(call).is_ok();
        is_call.then(|| Refusal::new(call.format, RejectionCode::Malformed, call.span, message))
    }

    /// Whether bare JSON stands in the arguments of a known tool whose call begins the line.
    fn stands_in_unmarked(&self, place: usize, input: &[u8]) -> bool {
        let Some(tools) = &self.config.rules.tools else { return false };
        if !matches!(input.get(place), Some(b'{' | b'[')) {
            return false;
        }
        let near = place.saturating_sub(LONGEST_LINE);
        let before = input.get(near..place).unwrap_or_default();
        let start = near + memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = input.get(start..).unwrap_or_default().trim_ascii_start();
        let knows = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| tools.contains(name));
        if start == place || named(line, knows).is_none() {
            return false;
        }
        let mut outer = BrokenCall::new(Span::new(start, start), None, false);
        !outer.pass(place, None, input) && (outer.braces > 0 || outer.parens > 0)
    }

    /// Whether a place stands inside of the last call that was refused.
    fn stands_in_refused(&mut self, place: usize, input: &[u8]) -> bool {
        let Some(refused) = &mut self.marking.broken_call else { return false };
        if place <= refused.start {
            return false;
        }
        let format = refused.format.and_then(|index| self.config.formats.get(index));
        let marked = format.and_then(|format| match &format.syntax {
            Syntax::Marked(marked) => Some(&**marked),
            _ => None,
        });
        // Where a call stands right at the fault, the model has begun anew.
        let is_over = refused.pass(place, marked, input) || place == refused.fault;
        let stands = !is_over && (refused.to_end || refused.braces > 0 || refused.parens > 0);
        if is_over {
            self.marking.broken_call = None;
        }
        stands
    }
}

impl BrokenCall {
    fn new(Span { start, end: fault }: Span, format: Option<usize>, to_end: bool) -> Self {
        let (braces, parens, nested, opened) = (0, 0, 0, false);
        Self { start, pos: start, braces, parens, nested, opened, format, fault, to_end }
    }

    /// Passes the text up to a place; returns whether the call ends before.
    ///
    /// In a broken call, nobody knows which quotes are of the JSON. Its braces tell where it ends,
    /// or its end marker.
    fn pass(&mut self, place: usize, marked: Option<&Marked>, input: &[u8]) -> bool {
        let text = input.get(self.pos..place).unwrap_or_default();
        let (before, pos) = (self.pos, self.pos.max(place));
        self.pos = pos;
        if self.to_end {
            return false;
        }
        let closed = marked.is_some_and(|marked| self.closes(marked, text));
        closed || text.iter().zip(before..).any(|(byte, at)| self.ends_at(*byte, at))
    }

    /// Counts a brace or parenthesis; returns whether it closes all that were open, or whether a
    /// line ends in which none has opened.
    fn ends_at(&mut self, byte: u8, at: usize) -> bool {
        match byte {
            b'\n' => return !self.opened && at >= self.fault,
            b'{' => self.braces += 1,
            b'}' => self.braces = self.braces.saturating_sub(1),
            b'(' if self.braces == 0 => self.parens += 1,
            b')' if self.braces == 0 => self.parens = self.parens.saturating_sub(1),
            _ => return false,
        }
        let any = self.braces > 0 || self.parens > 0;
        self.opened |= any;
        self.opened && !any
    }

    /// Whether an end marker of the call stands in a text, and not one of a call inside of it.
    fn closes(&mut self, marked: &Marked, text: &[u8]) -> bool {
        let Marked { wrapper, call, .. } = marked;
        let (open, close) = match wrapper {
            Some(wrapper) => (&wrapper.open, &wrapper.close),
            None => (&call.open, &call.close),
        };
        let mut rest = text;
        while let Some((at, length)) = Marker::find(close, rest) {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, b""));
            self.nested += count(open, before);
            // The first marker opens the call itself.
            if self.nested <= 1 {
                return true;
            }
            self.nested -= 1;
            rest = behind.get(length..).unwrap_or_default();
        }
        self.nested += count(open, rest);
        false
    }
}

/// The number of markers in a text.
fn count(markers: &[Marker], mut text: &[u8]) -> usize {
    let mut found = 0;
    while let Some((at, length)) = Marker::find(markers, text) {
        found += 1;
        text = text.get(at + length.max(1)..).unwrap_or_default();
    }
    found
}
