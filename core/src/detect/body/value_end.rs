//! Where the value of a tagged parameter ends.
//!
//! A value never swallows markup of its own form. What such markup in a value is decides where the
//! value ends:
//!
//! - An end tag ends the value where the structure can continue after it.
//! - Tags that are opened and closed again in the value are its text, as in a file that shows
//!   calls. So is an end tag between quotes or spaces, and the opening of a parameter that is also
//!   given.
//! - Where tags are names of tools, an end tag that nothing of the call follows is text too: files
//!   hold such tags, and the last one counts. One that is written twice is not.
//! - A tag in a string of JSON is text where the JSON is whole and an end tag follows it
//!   ([`JsonValue`]).
//! - Anything else means that a tag is missing or one too many: the call is damaged.
//!
//! Each call that is damaged is known to be at the next opening that is not closed in a bounded
//! depth, so many of them take linear work.

use crate::call::Span;
use crate::detect::body::damaged_end::{damaged_end, end_of_name};
use crate::detect::body::json_value::{JsonValue, may_begin_call};
use crate::detect::body::own_markup::{Follows, OwnMarkup, StandingTag, Tag};
use crate::detect::body::tool_tags::is_repeated;
use crate::detect::format::shape::EndRule;
use crate::progress::{NeedMore, Progress};

/// The most tags that are open inside each other in a value as text.
const MOST_NESTED: usize = 12;
/// The most elements of the value that are open inside each other. A text may begin a call in each
/// of them, so no more than [`MOST_NESTED`] of them open calls.
const MOST_ELEMENTS: usize = 128;

/// Tells whether the call has a parameter of a key already.
type IsGiven<'g> = dyn Fn(&[u8]) -> bool + 'g;

/// How a value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueEnd {
    /// At this end tag.
    Tag(Span),
    /// Its end tag is missing; the end of the call stands at this offset.
    CallEnd(usize),
    Damaged(Damage),
    /// At the end tag at this offset, behind JSON, or at one in a string of the JSON.
    Ambiguous(usize),
    /// Not up to the limit.
    Beyond,
}

/// What shows that a call is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// The tag that should not stand where it does.
    pub(super) at: Span,
    pub(super) tag: Tag,
}

/// Finds the end of one value in a text that arrives in pieces.
#[derive(Clone, Debug)]
pub(super) struct ValueSearch {
    start: usize,
    /// Where the search goes on.
    pub(super) pos: usize,
    /// The tags in the value that are not closed yet.
    nested: Vec<StandingTag>,
    /// The first tag that was opened in the value, and the first one that opens a call.
    opened: Option<Damage>,
    call: Option<Damage>,
    /// Whether an end tag was passed that is text.
    quoted: bool,
    /// The offset of the first `<` in the value, once an end tag was found.
    first_bracket: Option<usize>,
    json: JsonValue,
}

impl ValueSearch {
    /// Begins a value; `is_no_text` says whether its parameter is known to be no text.
    pub(super) fn new(start: usize, is_no_text: bool) -> Self {
        Self {
            start,
            pos: start,
            nested: Vec::new(),
            opened: None,
            call: None,
            quoted: false,
            first_bracket: None,
            json: JsonValue::new(start, is_no_text),
        }
    }

    /// The offset up to which the value holds no tag of the format, while none stands in it.
    pub(super) fn plain_end(&self) -> Option<usize> {
        let is_plain =
            self.nested.is_empty() && self.opened.is_none() && self.call.is_none() && !self.quoted;
        is_plain.then_some(self.pos)
    }

    /// The damage that is known so far, where nothing beyond is looked at.
    pub(super) fn damage(&self) -> Option<Damage> {
        self.call.or(self.opened)
    }

    /// Searches on, for an end up to `limit`. `is_given` says whether the call has a parameter of
    /// this key already.
    pub(super) fn step(
        &mut self,
        input: &[u8],
        (limit, finished): (usize, bool),
        own: &OwnMarkup<'_>,
        key: &[u8],
        is_given: &IsGiven<'_>,
    ) -> Progress<ValueEnd> {
        loop {
            let name = match self.nested.last() {
                Some(StandingTag { tag: Tag::OpensParameter(key), .. }) => key.of(input),
                _ => key,
            };
            let Some(standing) = own.find(input, &mut self.pos, name, finished)? else {
                // The text is cut off in the value. A whole call in it is data, as in a file that
                // shows calls, and must not run in place of the call around it.
                return Err(NeedMore);
            };
            if standing.span.start > limit {
                return Ok(ValueEnd::Beyond);
            }
            if self.json.is_no_text
                && let Some(end) = self.json.end_tag(input, (limit, finished), own, key)?
            {
                return Ok(ValueEnd::Tag(end));
            }
            let end = match standing.tag {
                Tag::OpensParameter(_) | Tag::OpensCall | Tag::OpensWrapper => {
                    self.opens(standing, input, finished, own)?
                }
                Tag::ClosesParameter => {
                    self.closes_parameter(standing, input, finished, own, (key, is_given))?
                }
                Tag::ClosesCall | Tag::ClosesWrapper | Tag::ClosesOther | Tag::Piece => {
                    self.closes(standing, input, finished, own, key)?
                }
            };
            if let Some(end) = end {
                return self.beside_json(end, input, (limit, finished), own, key);
            }
            self.pos = standing.span.end;
        }
    }

    /// The end of the value, where this one may stand in JSON.
    fn beside_json(
        &mut self,
        end: ValueEnd,
        input: &[u8],
        reach: (usize, bool),
        own: &OwnMarkup<'_>,
        key: &[u8],
    ) -> Progress<ValueEnd> {
        let at = match end {
            ValueEnd::Tag(tag) => tag.start,
            ValueEnd::CallEnd(at) => at,
            ValueEnd::Damaged(damage) => damage.at.start,
            ValueEnd::Ambiguous(_) | ValueEnd::Beyond => return Ok(end),
        };
        let Some(tag) = self.json.end_tag(input, reach, own, key)?.filter(|tag| tag.start > at)
        else {
            return Ok(end);
        };
        let is_damaged = matches!(end, ValueEnd::Damaged(_));
        if !is_damaged && may_begin_call(Span::new(at, tag.start), input, own, key) {
            return Ok(ValueEnd::Ambiguous(tag.start));
        }
        Ok(ValueEnd::Tag(tag))
    }

    fn opens(
        &mut self,
        standing: StandingTag,
        input: &[u8],
        finished: bool,
        own: &OwnMarkup<'_>,
    ) -> Progress<Option<ValueEnd>> {
        let StandingTag { tag, span } = standing;
        let damage = Damage { at: span, tag };
        if !matches!(tag, Tag::OpensParameter(_)) {
            let after = input.get(span.end..).unwrap_or_default();
            if !own.goes_on(tag, after, finished)? {
                return Ok(None);
            }
            let damage = *self.call.get_or_insert(damage);
            if self.quoted {
                return Ok(Some(ValueEnd::Damaged(damage)));
            }
        }
        if self.is_too_deep(tag, own) {
            return Ok(Some(self.unclosed(standing)));
        }
        self.opened.get_or_insert(damage);
        self.nested.push(standing);
        Ok(None)
    }

    fn is_too_deep(&self, tag: Tag, own: &OwnMarkup<'_>) -> bool {
        let is_element = |tag: Tag| own.parameter.nested && matches!(tag, Tag::OpensParameter(_));
        if is_element(tag) {
            return self.nested.len() >= MOST_ELEMENTS;
        }
        self.nested.iter().filter(|open| !is_element(open.tag)).count() >= MOST_NESTED
    }

    fn closes_parameter(
        &mut self,
        standing: StandingTag,
        input: &[u8],
        finished: bool,
        own: &OwnMarkup<'_>,
        (key, is_given): (&[u8], &IsGiven<'_>),
    ) -> Progress<Option<ValueEnd>> {
        let span = standing.span;
        let after = input.get(span.end..).unwrap_or_default();
        let follows = own.continues(after, finished);
        let Some(innermost) = self.nested.last().copied() else {
            return match follows? {
                Some(Follows::UnknownParameter) if self.holds_tag_before(span.start, input) => {
                    Ok(self.pass_text())
                }
                Some(_) => Ok(Some(ValueEnd::Tag(span))),
                None if own.has_tool_tags() && !is_repeated(span, input, finished)? => {
                    Ok(self.pass_text())
                }
                None => self.stray(standing, input, finished, own, key),
            };
        };
        let Tag::OpensParameter(_) = innermost.tag else {
            return Ok(Some(self.unclosed(standing)));
        };
        let next = match (own.parameter.nested, follows) {
            (false, Ok(Some(Follows::Parameter))) => own.next_key(input, span.end, finished)?,
            // A text that ends here is cut off, whatever the tag is.
            (false, Err(NeedMore)) => return Err(NeedMore),
            _ => None,
        };
        let goes_on = matches!(follows, Ok(Some(Follows::End | Follows::Parameter)));
        if goes_on && !own.parameter.nested && self.are_given(input, next, is_given) {
            return Ok(Some(ValueEnd::Tag(span)));
        }
        let inside = Span::new(innermost.span.end, span.start);
        if !own.parameter.nested && inside.of(input).trim_ascii().is_empty() {
            return Ok(Some(self.unclosed(standing)));
        }
        self.nested.pop();
        Ok(None)
    }

    /// Takes an end tag for text of the value: the last one counts.
    fn pass_text(&mut self) -> Option<ValueEnd> {
        self.quoted = true;
        None
    }

    /// Whether a `<` stands in the value in front of this end tag. It is looked for once.
    fn holds_tag_before(&mut self, end: usize, input: &[u8]) -> bool {
        let start = self.start;
        let first = self.first_bracket.get_or_insert_with(|| {
            let value = input.get(start..end).unwrap_or_default();
            start + memchr::memchr(b'<', value).unwrap_or(value.len())
        });
        *first < end
    }

    fn closes(
        &mut self,
        standing: StandingTag,
        input: &[u8],
        finished: bool,
        own: &OwnMarkup<'_>,
        key: &[u8],
    ) -> Progress<Option<ValueEnd>> {
        match (self.nested.last().map(|open| open.tag), standing.tag) {
            (Some(Tag::OpensCall), Tag::ClosesCall)
            | (Some(Tag::OpensWrapper), Tag::ClosesWrapper) => {
                self.nested.pop();
                Ok(None)
            }
            // The end of another tool's call, which may be in a call that the value shows.
            (open, Tag::ClosesOther) if own.has_tool_tags() => {
                if open == Some(Tag::OpensCall) {
                    self.nested.pop();
                }
                Ok(None)
            }
            // The end of a call may be missing where its wrapper ends.
            (Some(Tag::OpensCall), Tag::ClosesWrapper)
                if own.marked.call.end != EndRule::Required =>
            {
                self.nested.pop();
                if self.nested.last().is_some_and(|open| open.tag == Tag::OpensWrapper) {
                    self.nested.pop();
                }
                Ok(None)
            }
            (Some(_), _) => Ok(Some(self.unclosed(standing))),
            (None, _) => self.stray(standing, input, finished, own, key),
        }
    }

    /// Decides what a closing tag is that closes nothing in the value: text, or damage.
    fn stray(
        &mut self,
        standing: StandingTag,
        input: &[u8],
        finished: bool,
        own: &OwnMarkup<'_>,
        key: &[u8],
    ) -> Progress<Option<ValueEnd>> {
        let StandingTag { tag, span } = standing;
        let after = input.get(span.end..).unwrap_or_default();
        let Some(&next) = after.first() else {
            if tag == Tag::ClosesCall && self.ends_value(span.start, input, own) {
                return if finished {
                    Ok(Some(self.at_call_end(span.start, input, own, key)))
                } else {
                    Err(NeedMore)
                };
            }
            // The end of the text cuts the call off, whatever the tag is, unless all calls end so.
            return if finished && tag == Tag::ClosesCall && own.has_tool_tags() {
                Ok(Some(ValueEnd::Damaged(self.opened.unwrap_or(Damage { at: span, tag }))))
            } else {
                Err(NeedMore)
            };
        };
        if self.is_mentioned(span, next, input, finished, own)? {
            self.quoted = true;
            return Ok(None);
        }
        if tag == Tag::ClosesCall
            && self.ends_value(span.start, input, own)
            && own.may_end_call(after, finished)?
        {
            return Ok(Some(self.at_call_end(span.start, input, own, key)));
        }
        if tag == Tag::ClosesParameter && own.is_cut(after, finished) {
            return Err(NeedMore);
        }
        Ok(Some(ValueEnd::Damaged(self.opened.unwrap_or(Damage { at: span, tag }))))
    }

    /// The end of a value whose own end tag does not stand in front of the end of the call.
    fn at_call_end(&self, at: usize, input: &[u8], own: &OwnMarkup<'_>, key: &[u8]) -> ValueEnd {
        let value = Span::new(self.start, at);
        let damaged = damaged_end(input, value, &own.parameter.close);
        match damaged.or_else(|| end_of_name(input, value, key)) {
            Some(at) => ValueEnd::Damaged(Damage { at, tag: Tag::ClosesParameter }),
            None => ValueEnd::CallEnd(at),
        }
    }

    /// Whether a closing tag stands between quotes or spaces, as one that a text mentions.
    fn is_mentioned(
        &self,
        tag: Span,
        next: u8,
        input: &[u8],
        finished: bool,
        own: &OwnMarkup<'_>,
    ) -> Progress<bool> {
        let before = input.get(self.start..tag.start).unwrap_or_default().last().copied();
        if closes_quote(next) {
            return Ok(before.is_none_or(opens_quote));
        }
        if !before.is_some_and(opens_quote) {
            return Ok(false);
        }
        own.ends_value(input.get(tag.end..).unwrap_or_default(), finished)
    }

    /// Whether the value can only end here if its end tag is missing: white space in front of the
    /// end of a call may belong to the value or not.
    fn ends_value(&self, at: usize, input: &[u8], own: &OwnMarkup<'_>) -> bool {
        let value = Span::new(self.start, at).of(input);
        let lines = own.parameter.trim_lines && value.starts_with(b"\n");
        let text = if lines { value.strip_suffix(b"\n").unwrap_or(value) } else { value };
        let last = text.last();
        !self.quoted
            && self.opened.is_none()
            && own.marked.call.end != EndRule::Required
            && last.is_some_and(|last| !last.is_ascii_whitespace())
    }

    /// Whether all tags that are open in the value are parameters that the call has too.
    fn are_given(&self, input: &[u8], next: Option<Span>, is_given: &IsGiven<'_>) -> bool {
        let next = next.map(|next| next.of(input));
        !self.nested.is_empty()
            && self.nested.iter().all(|open| match open.tag {
                Tag::OpensParameter(key) => is_given(key.of(input)) || next == Some(key.of(input)),
                _ => false,
            })
    }

    /// The damage that a tag shows which does not close the innermost open one: the outermost open
    /// tag is one of the call or of the next one.
    fn unclosed(&self, standing: StandingTag) -> ValueEnd {
        let StandingTag { tag, span } = self.nested.first().copied().unwrap_or(standing);
        ValueEnd::Damaged(Damage { at: span, tag })
    }
}

/// Whether a byte stands in front of a tag that a text mentions.
pub(crate) fn opens_quote(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'(')
}

/// Whether a byte stands behind a tag that a text mentions.
pub(crate) fn closes_quote(byte: u8) -> bool {
    opens_quote(byte) && byte != b'('
        || matches!(byte, b')' | b',' | b'.' | b';' | b':' | b'!' | b'?')
}
