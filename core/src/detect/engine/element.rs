//! Start tags, and elements that are calls from their start tag to their end tag.

use crate::call::{RejectionCode, Span};
use crate::detect::block::markup::element::{ElementReader, MarkedElement, TagUse, is_void};
use crate::detect::body::outcome::missing_end;
use crate::detect::candidate::{Found, Refusal};
use crate::detect::engine::config::Config;
use crate::detect::engine::{Engine, Mode, Moved};
use crate::progress::{NeedMore, Progress};

impl Engine {
    pub(super) fn start_tag(
        &mut self,
        config: &Config,
        start: usize,
        end: Progress<usize>,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Some(syntax) = &config.element else { return Ok(self.search_from(start + 1)) };
        let Mode::StartTag(_, reader) = &self.mode else { return Ok(Moved) };
        let Ok(end) = end else {
            if !finished {
                return Err(NeedMore);
            }
            let rest = Span::new(start, input.len());
            let closed = [rest.of(input), reader.closer()].concat();
            if let Some(refusal) = syntax.cut_off(&closed, rest) {
                self.refuse(refusal, input);
            }
            // For HTML the rest of the text is inside the tag.
            self.html.hiding.until(usize::MAX);
            return Ok(self.search_from(start + 1));
        };
        let name = reader.name(input);
        self.html.hiding.until(end);
        let tag = Span::new(start, end);
        match syntax.read(input, tag) {
            Some(Found::Call(candidate)) => match config.rules.check(&candidate) {
                Ok(()) if is_void(&name.to_ascii_lowercase()) => {
                    self.accept(vec![Found::Call(candidate)], end, tag.start + 1, input)
                }
                Ok(()) => {
                    let reader =
                        ElementReader::new(tag, name.to_ascii_lowercase(), config.limits.max_calls);
                    Ok(self.enter(Mode::Element(Box::new(reader), candidate)))
                }
                Err(denied) => {
                    self.deny(denied, input);
                    Ok(self.leave_tag(name, tag))
                }
            },
            Some(Found::Refused(refusal)) => {
                self.refuse(refusal, input);
                Ok(self.leave_tag(name, tag))
            }
            None => Ok(self.leave_tag(name, tag)),
        }
    }

    /// Continues inside a start tag that is not a call.
    fn leave_tag(&mut self, name: &[u8], tag: Span) -> Moved {
        self.html.hide_content(name, tag);
        self.search_from(tag.start + 1)
    }

    pub(super) fn element(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let Some(syntax) = &config.element else { return Err(NeedMore) };
        let Mode::Element(reader, candidate) = &mut self.mode else { return Err(NeedMore) };
        let mark = |tag: Span| match syntax.read(input, tag) {
            None => TagUse::None,
            Some(Found::Call(candidate)) if config.rules.check(&candidate).is_ok() => TagUse::Call,
            Some(_) => TagUse::Refused,
        };
        match reader.step(input, mark) {
            Ok(end) => {
                let mut candidate = candidate.clone();
                let start = candidate.span.start;
                candidate.span.end = end;
                let mut found = vec![Found::Call(candidate)];
                found.extend(reader.inner().map(|tag| {
                    let (slug, code) = (syntax.slug, RejectionCode::Malformed);
                    Found::Refused(Refusal::new(slug, code, tag, "a call stands inside a call"))
                }));
                // The content stays hidden even if the call is refused: a second search inside it
                // would take more than linear time.
                self.html.hiding.until(end);
                self.accept(found, end, start + 1, input)
            }
            Err(NeedMore) if !finished => Err(NeedMore),
            Err(NeedMore) => {
                let start = reader.start();
                let Mode::Element(reader, _) = std::mem::replace(&mut self.mode, Mode::Search)
                else {
                    return Ok(Moved);
                };
                self.html.marked = Some(reader.into_marked());
                Ok(self.search_from(start))
            }
        }
    }

    /// Decides on a marked element whose end, if any, is already known.
    pub(super) fn marked_element(
        &mut self,
        config: &Config,
        marked: MarkedElement,
        input: &[u8],
    ) -> Progress<Moved> {
        let found = config.element.as_ref().and_then(|syntax| syntax.read(input, marked.tag));
        let behind = input.get(marked.tag.end..).unwrap_or_default().trim_ascii_start();
        let is_doubled = marked.end.is_none() && behind.starts_with(marked.tag.of(input));
        match found {
            Some(Found::Call(candidate)) if is_doubled => {
                let (code, what) = (RejectionCode::Malformed, "the tag is written twice");
                self.refuse(Refusal::new(candidate.format, code, marked.tag, what), input);
                Ok(self.search_from(marked.tag.start + 1))
            }
            Some(Found::Call(mut candidate)) => {
                let end = marked.end.unwrap_or(marked.tag.end);
                candidate.span.end = end;
                if marked.end.is_none() {
                    candidate.diagnostics.push(missing_end(end));
                }
                match config.rules.check(&candidate) {
                    Ok(()) => {
                        self.accept(vec![Found::Call(candidate)], end, marked.tag.start + 1, input)
                    }
                    Err(denied) => {
                        self.deny(denied, input);
                        Ok(self.search_from(marked.tag.start + 1))
                    }
                }
            }
            Some(Found::Refused(refusal)) => {
                self.refuse(refusal, input);
                Ok(self.search_from(marked.tag.start + 1))
            }
            None => Ok(self.search_from(marked.tag.start + 1)),
        }
    }
}
