//! The name of a call, and what stands beside it in the marker that opens the call.

use super::{CallReader, CallStage};
use crate::call::{RejectionCode, Span};
use crate::detect::body::literal::LiteralReader;
use crate::detect::body::opening::{Looked, Opening, Sought};
use crate::detect::body::outcome::CallOutcome;
use crate::detect::body::own_markup::{Follows, OwnMarkup};
use crate::detect::body::tagged::ParametersReader;
use crate::detect::candidate::Refusal;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, Marked, NamePlace};
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::json::arguments::ArgumentsReader;
use crate::json::outcome::{BadArguments, ReadArguments};
use crate::progress::{NeedMore, Progress};

impl CallReader {
    /// Reads the name. `None` means that the next stage is reached.
    pub(super) fn read_name(
        &mut self,
        marked: &Marked,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<CallOutcome>> {
        match &marked.call.name.place {
            NamePlace::Inline => self.read_inline_name(marked, input, finished),
            NamePlace::Tag => {
                let name = Span::new(self.start + 1, self.pos.saturating_sub(1));
                Ok(self.name_ends(marked, input, name, self.pos))
            }
            place => {
                let sought = Sought { place, kind: None, end: &marked.call.name_end };
                let looked = sought.look(input, self.pos, finished)?;
                if let Some(end) = self.lacks_name_end(marked, input, looked, finished)? {
                    let span = Span::new(self.start, end);
                    let message = "the call is damaged: the marker behind its name is missing";
                    let code = RejectionCode::Malformed;
                    let refusal = Refusal::new(self.format.slug, code, span, message);
                    return Ok(Some(CallOutcome::Refused(refusal)));
                }
                match looked {
                    Looked::Read(opening @ Opening { closes: true, .. }) => {
                        self.closes_itself(marked, input, opening, finished)
                    }
                    Looked::Read(opening) => self.name_opens(marked, input, opening, finished),
                    Looked::No(_) => Ok(Some(CallOutcome::Prose)),
                }
            }
        }
    }

    /// Reads the name of a call whose parameters stand behind its opening. With none there,
    /// arguments that are attributes would be lost.
    fn name_opens(
        &mut self,
        marked: &Marked,
        input: &[u8],
        Opening { name, end, has_others, .. }: Opening,
        finished: bool,
    ) -> Progress<Option<CallOutcome>> {
        let follows = match &marked.body {
            Body::Tagged(parameter) if has_others => {
                let own = OwnMarkup::new(marked, parameter);
                own.continues(input.get(end..).unwrap_or_default(), finished)?
            }
            _ => None,
        };
        if let Some(outcome) = self.name_ends(marked, input, name, end) {
            return Ok(Some(outcome));
        }
        let is_empty = matches!(follows, Some(Follows::End | Follows::Call));
        Ok(if is_empty { self.refuse_attributes(end) } else { None })
    }

    /// Refuses a call whose arguments are attributes of its opening, which ends at `end`.
    fn refuse_attributes(&mut self, end: usize) -> Option<CallOutcome> {
        let what = "the call is damaged: attributes stand where parameters should";
        self.refuse_arguments(BadArguments::new(RejectionCode::Malformed, end, what))
    }

    /// Reads a call that is one tag: it has no arguments, unless parameters stand behind it.
    fn closes_itself(
        &mut self,
        marked: &Marked,
        input: &[u8],
        Opening { name, end, has_others, .. }: Opening,
        finished: bool,
    ) -> Progress<Option<CallOutcome>> {
        let Body::Tagged(parameter) = &marked.body else { return Ok(Some(CallOutcome::Prose)) };
        let own = OwnMarkup::new(marked, parameter);
        let goes_on = own.goes_beyond(input, end, finished)?;
        if let Some(outcome) = self.name_ends(marked, input, name, end) {
            return Ok(Some(outcome));
        }
        if has_others {
            return Ok(self.refuse_attributes(end));
        }
        if goes_on {
            let what = "the call is damaged: parameters stand behind its end";
            let bad = BadArguments::new(RejectionCode::Malformed, end, what);
            return Ok(self.refuse_arguments(bad));
        }
        let (span, notes) = (Span::new(end, end), Vec::new());
        let read = ReadArguments { span, notes, made: Some("{}".into()) };
        self.stage = CallStage::End { read, pos: end };
        Ok(self.accept(input, end, None))
    }

    /// The end of a call whose opening has lost its end: the end of the call stands in it, or a
    /// parameter begins where it fails.
    fn lacks_name_end(
        &self,
        marked: &Marked,
        input: &[u8],
        looked: Looked,
        finished: bool,
    ) -> Progress<Option<usize>> {
        let (Looked::Read(Opening { end, .. }) | Looked::No(end)) = looked;
        match (&marked.call.name.place, &marked.body) {
            (NamePlace::After(_), _) => {
                let opening = input.get(self.pos..end).unwrap_or_default();
                let close = Marker::find(&marked.call.close, opening);
                Ok(close.map(|(at, length)| self.pos + at + length))
            }
            (NamePlace::Attribute(_), Body::Tagged(parameter))
                if end > self.pos && looked == Looked::No(end) =>
            {
                let own = OwnMarkup::new(marked, parameter);
                Ok(own.lacks_opening(input, end, finished)?.then_some(self.pos))
            }
            _ => Ok(None),
        }
    }

    fn read_inline_name(
        &mut self,
        marked: &Marked,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<CallOutcome>> {
        let CallStage::Name { first, last } = &mut self.stage else { return Ok(None) };
        let shape = &marked.call;
        let longest = MAX_NAME + shape.name.prefix.len() + 20 * usize::from(shape.name.numbered);
        let end = loop {
            let rest = input.get(self.pos..).unwrap_or_default();
            let &byte = rest.first().ok_or(NeedMore)?;
            // A text that ends inside the marker ends inside the call.
            if let Some(length) = Marker::first(&shape.name_end, rest, b"", false)? {
                let word =
                    shape.name_end.iter().find_map(|marker| match marker.at(rest, b"", finished) {
                        Ok(Some(_)) => marker.word(rest),
                        _ => None,
                    });
                self.id = word.map(|(start, end)| Span::new(self.pos + start, self.pos + end));
                break self.pos + length;
            }
            if byte.is_ascii_whitespace() {
                self.pos += 1;
                continue;
            }
            let whole = first.is_some_and(|first| self.pos - first >= longest || *last != self.pos);
            if whole || !is_name_byte(byte) {
                if first.is_some() && (shape.name_end.is_empty() || shape.name_end_optional) {
                    break self.pos;
                }
                if marked.is_vague() {
                    return Ok(Some(CallOutcome::Prose));
                }
                let span = Span::new(self.start, self.pos);
                let message = "a tool's name has 1 to 128 characters of A-Z a-z 0-9 _ . : / -";
                let refusal = Refusal::new(self.format.slug, RejectionCode::BadName, span, message);
                return Ok(Some(CallOutcome::Refused(refusal)));
            }
            *first = first.or(Some(self.pos));
            self.pos += 1;
            *last = self.pos;
        };
        let name = first.map_or(Span::new(self.pos, self.pos), |first| Span::new(first, *last));
        Ok(self.name_ends(marked, input, name, end))
    }

    fn name_ends(
        &mut self,
        marked: &Marked,
        input: &[u8],
        name: Span,
        end: usize,
    ) -> Option<CallOutcome> {
        let shape = &marked.call.name;
        let written = name.of(input);
        let bare = written.strip_prefix(shape.prefix.as_bytes()).unwrap_or(written);
        self.name = Span::new(name.end - bare.len(), name.end);
        if shape.numbered
            && let Some(at) = memchr::memrchr(b':', bare)
            && bare.get(at + 1..).is_some_and(|number| number.iter().all(u8::is_ascii_digit))
        {
            self.id = Some(name);
            self.name.end = self.name.start + at;
        }
        self.pos = end;
        if self.id.is_none() {
            self.id = self.id_in_opening(marked, input);
        }
        if self.name.of(input).trim_ascii().is_empty() {
            if marked.is_vague() {
                return Some(CallOutcome::Prose);
            }
            let span = Span::new(self.start, self.pos);
            let (code, message) = (RejectionCode::MissingName, "the name is empty");
            let refusal = Refusal::new(self.format.slug, code, span, message);
            return Some(CallOutcome::Refused(refusal));
        }
        self.stage = match &marked.body {
            Body::Named => {
                CallStage::Arguments(Box::new(ArgumentsReader::new(end, self.tolerance)))
            }
            Body::Tagged(_) => {
                CallStage::Parameters(Box::new(ParametersReader::new(end, self.tolerance)))
            }
            Body::Literal(dialect) => {
                let reader = LiteralReader::of_call(dialect, end, self.tolerance, marked);
                CallStage::Literal(Box::new(reader))
            }
            Body::Json(_) => return Some(CallOutcome::Prose),
        };
        None
    }

    /// The id that stands in the marker which opens the call.
    fn id_in_opening(&self, marked: &Marked, input: &[u8]) -> Option<Span> {
        let opening = input.get(self.start..)?;
        let holding = marked.call.open.iter().filter(|marker| marker.holds_id());
        let mut standing =
            holding.filter(|marker| matches!(marker.at(opening, b"", true), Ok(Some(_))));
        let (start, end) = standing.find_map(|marker| marker.id(opening))?;
        Some(Span::new(self.start + start, self.start + end))
    }
}
