//! Calls inside of a call that was refused.
//!
//! Arguments hold other calls as data: the content of a file, the calls of a batch. Where the call
//! around them cannot be read, they must not run in its place.

use memchr::{memchr_iter, memmem, memrchr};

use crate::call::{RejectionCode, Span};
use crate::detect::candidate::{Candidate, Refusal};
use crate::detect::engine::Engine;
use crate::detect::engine::apart::begins_line;
use crate::detect::engine::text_state::BrokenCall;
use crate::detect::engine::unmarked::{element, named};
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
/// How far in front of bare JSON a call is looked for in which it may stand, in bytes.
const FURTHEST_CALL: usize = 1024;

/// Whether a call of a known tool begins a text and is open at the end of its part `begun`.
fn open_call(begun: &[u8], text: &[u8], knows: impl Fn(&[u8]) -> bool + Copy) -> bool {
    let text = text.trim_ascii_start();
    if named(text, knows).is_some() {
        return is_open(begun);
    }
    let Some(name) = element(text, knows) else { return false };
    memmem::find(begun, &[b"</", name, b">"].concat()).is_none()
}

/// Whether braces or parentheses are open at the end of a text.
fn is_open(text: &[u8]) -> bool {
    let mut outer = BrokenCall::default();
    !outer.pass(text.len(), None, text) && outer.is_open()
}

/// Where the first object with a key begins.
fn object_start(line: &[u8]) -> Option<usize> {
    let begins = |at: &usize| {
        let inside = line.get(at + 1..).unwrap_or_default().trim_ascii_start();
        inside.first() == Some(&b'"')
    };
    memchr_iter(b'{', line).find(begins)
}

impl Engine {
    /// Notes a call that was refused and whose inside is searched.
    pub(super) fn note_refused(&mut self, refusal: &Refusal, input: &[u8]) {
        self.refuse_foreign(input);
        if OF_ARGUMENTS.contains(&refusal.code) {
            let to_end = refusal.code == RejectionCode::Incomplete;
            self.note_broken(refusal.span, refusal.format, to_end, input);
        }
    }

    /// The same of the part of a text that could be read of a call.
    pub(super) fn note_broken(
        &mut self,
        read: Span,
        format: Option<&'static str>,
        to_end: bool,
        input: &[u8],
    ) {
        if self.stands_in_refused(read.start, input) {
            return;
        }
        let Span { start, end: fault } = read;
        let format = format.and_then(|slug| self.place_of(slug));
        let pos = start;
        let broken = BrokenCall { start, pos, format, fault, to_end, ..BrokenCall::default() };
        self.marking.broken_call = Some(Box::new(broken));
    }

    /// Notes a tag that begins a line and opens a result, where no call stands in front of it. What
    /// a model quotes or makes up of results must not run.
    pub(super) fn note_result(&mut self, tag: Span, input: &[u8]) {
        let Some((bracket, name)) = tag.of(input).split_first() else { return };
        if !begins_line(input, self.floor, tag.start) || self.stands_in_refused(tag.start, input) {
            return;
        }
        let close = Some([&[*bracket, b'/'], name].concat().into());
        let Span { start, end: pos } = tag;
        let result = BrokenCall { start, pos, close, ..BrokenCall::default() };
        self.marking.broken_call = Some(Box::new(result));
    }

    /// The index of a format that is looked for.
    fn place_of(&self, slug: &str) -> Option<usize> {
        self.config.formats.iter().position(|format| format.slug == slug)
    }

    /// The refusal of a call that stands inside of one that was refused.
    pub(super) fn inside_refused(&mut self, call: &Candidate, input: &[u8]) -> Option<Refusal> {
        let start = call.span.start;
        // What is refused anyway says why, wherever it stands, and ends nothing.
        if self.marking.broken_call.is_some() && self.config.rules.check(call).is_err() {
            return None;
        }
        let message = if self.stands_in_refused(start, input) {
            let broken = self.marking.broken_call.as_ref();
            match broken.and_then(|broken| broken.close.as_ref()) {
                Some(_) => "the call stands in a result, which no model writes",
                None => "the call stands inside of a call that was refused",
            }
        } else if is_argument(input, start) || self.stands_in_unmarked(start, input) {
            "the call stands inside of the arguments of another one"
        } else {
            return None;
        };
        let is_call = self.config.rules.check(call).is_ok();
        is_call.then(|| Refusal::new(call.format, RejectionCode::Malformed, call.span, message))
    }

    /// Whether bare JSON stands in a call of a known tool that no format reads and that began a
    /// line near by, or in another object of its line.
    fn stands_in_unmarked(&self, place: usize, input: &[u8]) -> bool {
        let Some(tools) = &self.config.rules.tools else { return false };
        // A marker such as `[TOOL_CALLS]` is no JSON.
        let is_json = match input.get(place) {
            Some(b'{') => true,
            Some(b'[') => !input.get(place + 1).is_some_and(u8::is_ascii_uppercase),
            _ => false,
        };
        if !is_json {
            return false;
        }
        // What stands in front of a call that counts is over.
        let near = place.saturating_sub(FURTHEST_CALL).max(self.floor.min(place));
        let before = input.get(near..place).unwrap_or_default();
        let knows = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| tools.contains(name));
        let mut start = near;
        for line in before.split_inclusive(|byte| *byte == b'\n') {
            let begun = Span::new(start, place).of(input);
            if open_call(begun, input.get(start..).unwrap_or_default(), knows) {
                return true;
            }
            start += line.len();
        }
        let line = memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = before.get(line..).unwrap_or_default();
        object_start(line).is_some_and(|at| is_open(line.get(at..).unwrap_or_default()))
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
        let stands = !is_over && (refused.to_end || refused.is_open());
        if is_over {
            self.marking.broken_call = None;
        }
        stands
    }
}

impl BrokenCall {
    /// Whether a brace or a parenthesis is open.
    fn is_open(&self) -> bool {
        self.braces > 0 || self.parens > 0 || self.close.is_some()
    }

    /// Passes the text up to a place; returns whether the call ends before.
    ///
    /// In a broken call, nobody knows which quotes are of the JSON. Its braces tell where it ends,
    /// or its end marker.
    fn pass(&mut self, place: usize, marked: Option<&Marked>, input: &[u8]) -> bool {
        let text = input.get(self.pos..place).unwrap_or_default();
        let (before, pos) = (self.pos, self.pos.max(place));
        self.pos = pos;
        if let Some(close) = &self.close {
            return memmem::find(text, close).is_some();
        }
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
        self.opened |= self.is_open();
        self.opened && !self.is_open()
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
