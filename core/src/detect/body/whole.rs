//! Calls of the usual shapes that stand complete in the text, read in one go.
//!
//! Each function gives `None` for anything unusual, and then the readers that can stop at any byte
//! decide. What a function gives is what those readers would give.

use crate::call::{Arguments, Span};
use crate::detect::body::members::{MemberRole, role};
use crate::detect::candidate::Candidate;
use crate::detect::format::keys::Keys;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, Marked, NamePlace};
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::json::argument_tape::{ArgumentTape, EntryKind, TapeEntry};
use crate::json::outcome::Tolerance;
use crate::json::scanner::Quoted;
use crate::json::text::decode;
use crate::json::whole::read_whole;

/// A text in which complete calls are read.
pub(crate) struct WholeReader<'r> {
    pub(crate) input: &'r [u8],
    /// No more text will come.
    pub(crate) finished: bool,
    pub(crate) tolerance: Tolerance,
    pub(crate) tape: &'r mut ArgumentTape,
    /// The offset up to which the text was looked at in vain.
    pub(crate) reached: usize,
}

impl WholeReader<'_> {
    /// Reads the call, or the wrapper of one call, whose opening marker is `opening`.
    pub(crate) fn marked(
        &mut self,
        slug: &'static str,
        marked: &Marked,
        opening: Span,
        wraps: bool,
    ) -> Option<Candidate> {
        match &marked.body {
            Body::Named if !wraps => self.named(slug, marked, opening),
            Body::Json(keys) if wraps => self.wrapped(slug, marked, keys, opening),
            _ => None,
        }
    }

    /// Reads a name, an object and an end marker.
    fn named(&mut self, slug: &'static str, marked: &Marked, opening: Span) -> Option<Candidate> {
        let shape = &marked.call;
        let plain = shape.name.place == NamePlace::Inline
            && shape.name.prefix.is_empty()
            && !shape.name.numbered
            && !shape.open.iter().any(Marker::holds_id)
            && shape.name_end.iter().all(ends_name)
            && !shape.close.is_empty();
        if !plain {
            return None;
        }
        let rest = self.input.get(opening.end..)?;
        let most = rest.get(..=MAX_NAME).unwrap_or(rest);
        let length = most.iter().position(|byte| !is_name_byte(*byte))?;
        let (name, after) = rest.split_at_checked(length).filter(|(name, _)| !name.is_empty())?;
        let name_end = Marker::first(&shape.name_end, after, b"", false).ok()??;
        let start = self.skip(opening.end + length + name_end, is_json_space);
        let arguments = self.object(start)?;
        if arguments.len() > self.tolerance.bytes {
            return None;
        }
        let end = self.marker_end(&shape.close, arguments.end, name)?;
        Some(Candidate {
            format: slug,
            name: name.to_vec(),
            is_name_plain: true,
            id: None,
            arguments: Arguments::Verbatim(arguments),
            span: Span::new(opening.start, end),
            diagnostics: Vec::new(),
            prose_if_unknown: marked.plain,
            number: None,
        })
    }

    /// Reads a wrapper whose only content is a call that is JSON.
    fn wrapped(
        &mut self,
        slug: &'static str,
        marked: &Marked,
        keys: &Keys,
        opening: Span,
    ) -> Option<Candidate> {
        let close = &marked.wrapper.as_ref()?.close;
        let start = self.skip(opening.end, |byte| byte.is_ascii_whitespace());
        let mut call = self.json(slug, keys, start)?;
        let end = self.marker_end(close, call.span.end, b"")?;
        call.span = Span::new(opening.start, end);
        Some(call)
    }

    /// Reads an object that is a call.
    pub(crate) fn json(
        &mut self,
        slug: &'static str,
        keys: &Keys,
        start: usize,
    ) -> Option<Candidate> {
        if keys.name_is_key || keys.python {
            return None;
        }
        let span = self.object(start)?;
        let (mut name, mut arguments, mut id) = (None, None, None);
        let (mut name_key, mut arguments_key) = (0, 0);
        for (key, value) in self.members(span) {
            let text = matches!(value.kind(), EntryKind::Plain | EntryKind::Escaped);
            let (place, fits) = match role(key.inner(self.input), keys) {
                MemberRole::Name(index) => {
                    name_key = index;
                    (&mut name, text)
                }
                MemberRole::Arguments(index) => {
                    arguments_key = index;
                    (&mut arguments, value.kind() == EntryKind::Object)
                }
                MemberRole::Id(_) => (&mut id, text || value.kind() == EntryKind::Number),
                MemberRole::Type | MemberRole::Other => continue,
            };
            // A second name or id counts too, in an order that is not decided here.
            if !fits || place.replace(value).is_some() {
                return None;
            }
        }
        let arguments = span_of(arguments?);
        if arguments.len() > self.tolerance.bytes {
            return None;
        }
        Some(Candidate {
            format: keys.format(slug, name_key, arguments_key)?,
            name: self.text(name?),
            is_name_plain: false,
            id: id.map(|id| self.text(id)),
            arguments: Arguments::Verbatim(arguments),
            span,
            diagnostics: Vec::new(),
            prose_if_unknown: false,
            number: None,
        })
    }

    /// The keys and the values of the object that was read last.
    fn members(&self, object: Span) -> impl Iterator<Item = (TapeEntry, TapeEntry)> {
        let entries = &self.tape.entries;
        let first = entries.partition_point(|entry| (entry.start as usize) < object.start);
        let mut rest = entries.get(first + 1..).unwrap_or_default().iter();
        std::iter::from_fn(move || {
            let (key, value) = (*rest.next()?, *rest.next()?);
            if matches!(value.kind(), EntryKind::Object | EntryKind::Array) {
                let inside = rest.as_slice().iter().take_while(|entry| entry.start < value.end);
                let inside = inside.count();
                rest = rest.as_slice().get(inside..).unwrap_or_default().iter();
            }
            Some((key, value))
        })
    }

    /// The content of a text, or the digits of a number.
    fn text(&self, entry: TapeEntry) -> Vec<u8> {
        if entry.kind() == EntryKind::Number {
            return entry.inner(self.input).to_vec();
        }
        let Span { start, end } = span_of(entry);
        let escaped = entry.kind() == EntryKind::Escaped;
        decode(self.input, Quoted { start, end, escaped }).into_owned()
    }

    fn object(&mut self, start: usize) -> Option<Span> {
        if self.input.get(start) != Some(&b'{') {
            return None;
        }
        match read_whole(self.input, start, self.tolerance.depth, self.tape) {
            Ok(end) => Some(Span::new(start, end)),
            Err(reached) => {
                self.reached = reached;
                None
            }
        }
    }

    /// The end of the first marker that stands behind `place` and white space.
    fn marker_end(&self, markers: &[Marker], place: usize, name: &[u8]) -> Option<usize> {
        let place = self.skip(place, |byte| byte.is_ascii_whitespace());
        let rest = self.input.get(place..).unwrap_or_default();
        let length = Marker::first(markers, rest, name, self.finished).ok()??;
        Some(place + length)
    }

    fn skip(&self, place: usize, is_space: fn(u8) -> bool) -> usize {
        let rest = self.input.get(place..).unwrap_or_default();
        place + rest.iter().take_while(|byte| is_space(**byte)).count()
    }
}

/// Whether a marker can only stand behind a whole name, and holds no id.
fn ends_name(marker: &Marker) -> bool {
    let first = marker.lead().first().copied().unwrap_or_default();
    marker.is_text() && !is_name_byte(first) && !first.is_ascii_whitespace()
}

fn is_json_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

fn span_of(entry: TapeEntry) -> Span {
    Span::new(entry.start as usize, entry.end as usize)
}
