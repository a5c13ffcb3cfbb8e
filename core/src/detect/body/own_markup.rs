//! The markup of a tagged format, wherever it stands: in a value, or behind a call that is damaged.

use crate::call::Span;
use crate::detect::body::opening::{Looked, Opening, Sought};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, EndRule, Marked, NamePlace, Parameter};
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::detect::rule::schema::Schema;
use crate::literal::compare;
use crate::progress::{NeedMore, Progress};

/// The most white space between two tags that are looked at together, in bytes.
pub(super) const MOST_SPACE: usize = 1024;

/// The markup of one tagged format.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnMarkup<'f> {
    pub(super) marked: &'f Marked,
    pub(super) parameter: &'f Parameter,
    /// The schema of the call's tool, where it decides what a tag is.
    pub(super) schema: Option<&'f Schema>,
}

/// A tag of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    OpensWrapper,
    ClosesWrapper,
    OpensCall,
    ClosesCall,
    /// The whole opening of a parameter, with its key.
    OpensParameter(Span),
    ClosesParameter,
    /// A closing tag whose name is that of no open parameter.
    ClosesOther,
    /// A tag that is only a part of a marker.
    Piece,
}

/// A tag in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StandingTag {
    pub(super) tag: Tag,
    pub(super) span: Span,
}

/// What may follow when a parameter is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    Parameter,
    /// A tag that opens a parameter only if nothing else is open: the schema knows none like it.
    UnknownParameter,
    /// The call's own end marker or that of its wrapper.
    End,
    /// The next call.
    Call,
}

/// The parameters of a format that has none.
static NO_PARAMETERS: Parameter = Parameter {
    open: Vec::new(),
    key: NamePlace::Inline,
    type_attribute: None,
    key_end: Vec::new(),
    close: Vec::new(),
    trim_lines: false,
    nested: false,
    pieces: Vec::new(),
};

impl<'f> OwnMarkup<'f> {
    /// The markup of a format whose calls have markers of their own that are told from its text.
    pub(super) fn of(marked: &'f Marked) -> Option<Self> {
        match &marked.body {
            Body::Tagged(parameter) => Some(Self::new(marked, parameter)),
            Body::Named if marked.call.is_fenced() => Some(Self::new(marked, &NO_PARAMETERS)),
            _ => None,
        }
    }

    pub(super) fn new(marked: &'f Marked, parameter: &'f Parameter) -> Self {
        Self { marked, parameter, schema: None }
    }
}

impl OwnMarkup<'_> {
    /// What continues the structure at the start of `rest`.
    ///
    /// The parameters end at the end marker of the call. If that may be missing, they also end at
    /// the next call and at the end of the wrapper.
    pub(super) fn follows(&self, rest: &[u8], finished: bool) -> Progress<Option<Follows>> {
        if self.has_tool_tags() {
            return self.tag_follows(rest, finished);
        }
        let call = &self.marked.call;
        let lenient = call.end != EndRule::Required;
        let wrapper = self.marked.wrapper.as_ref().filter(|_| lenient);
        let closes = wrapper.map(|wrapper| wrapper.close.as_slice()).unwrap_or_default();
        let opens = if lenient { call.open.as_slice() } else { &[] };
        let found = [
            (Marker::first(&call.close, rest, b"", finished), Follows::End),
            (Marker::first(closes, rest, b"", finished), Follows::End),
            (Marker::first(opens, rest, b"", finished), Follows::Call),
            (self.opens_parameter(rest, finished), Follows::Parameter),
        ];
        let first = found.iter().find(|(found, _)| matches!(found, Ok(Some(_))));
        match first {
            Some((_, follows)) => Ok(Some(*follows)),
            None if found.iter().any(|(found, _)| found.is_err()) => Err(NeedMore),
            None => Ok(None),
        }
    }

    /// What continues the structure behind white space; `None` too at the end of the text.
    pub(super) fn continues(&self, rest: &[u8], finished: bool) -> Progress<Option<Follows>> {
        let space = blank(rest);
        let rest = rest.get(space..).unwrap_or_default();
        match rest.first() {
            _ if space > MOST_SPACE => Ok(None),
            None if finished => Ok(None),
            None => Err(NeedMore),
            Some(_) => self.follows(rest, finished),
        }
    }

    /// The key of the parameter that opens behind white space.
    pub(super) fn next_key(
        &self,
        input: &[u8],
        from: usize,
        finished: bool,
    ) -> Progress<Option<Span>> {
        let from = from + blank(input.get(from..).unwrap_or_default());
        let rest = input.get(from..).unwrap_or_default();
        let Some(length) = self.opens_parameter(rest, finished)? else { return Ok(None) };
        Ok(match self.parameter(input, from + length, finished)? {
            Looked::Read(opening) => Some(opening.name),
            Looked::No(_) => None,
        })
    }

    /// Whether a call that opens in front of `rest` goes on as a call does, or a wrapper with a
    /// call. Otherwise the marker is only mentioned.
    pub(super) fn goes_on(&self, tag: Tag, rest: &[u8], finished: bool) -> Progress<bool> {
        let behind_space = rest.get(blank(rest)..).unwrap_or_default();
        let rest = match tag {
            Tag::OpensWrapper => {
                let opens = &self.marked.call.open;
                match Marker::first(opens, behind_space, b"", finished)? {
                    Some(length) => behind_space.get(length..).unwrap_or_default(),
                    None => return Ok(false),
                }
            }
            _ => rest,
        };
        let shape = &self.marked.call;
        let sought = Sought { place: &shape.name.place, kind: None, end: &shape.name_end };
        let end = match shape.name.place {
            NamePlace::Inline if shape.name_end.is_empty() => {
                let space = blank(rest);
                let name = rest.iter().skip(space).take(MAX_NAME);
                space + name.take_while(|byte| is_name_byte(**byte)).count()
            }
            NamePlace::Tag => 0,
            _ => match sought.look(rest, 0, finished)? {
                Looked::Read(opening) => opening.end,
                Looked::No(_) => return Ok(false),
            },
        };
        let rest = rest.get(end..).unwrap_or_default();
        Ok(self.continues(rest, finished)?.is_some())
    }

    /// Whether the end tag of a value stands at the start of `rest`, and the call goes on.
    pub(super) fn ends_value(&self, rest: &[u8], finished: bool) -> Progress<bool> {
        let Some(length) = Marker::first(&self.parameter.close, rest, b"", finished)? else {
            return Ok(false);
        };
        Ok(self.continues(rest.get(length..).unwrap_or_default(), finished)?.is_some())
    }

    /// Whether a call may end with a marker in front of `rest`, though a value in it was not
    /// closed: no tag of the call is left over behind it.
    pub(super) fn may_end_call(&self, rest: &[u8], finished: bool) -> Progress<bool> {
        let space = blank(rest);
        let text = rest.get(space..).unwrap_or_default();
        if text.is_empty() {
            return if finished { Ok(true) } else { Err(NeedMore) };
        }
        if self.has_tool_tags()
            && let Some(may_end) = self.may_end_call_before_tag(text, finished)?
        {
            return Ok(may_end);
        }
        let [opens_wrapper, closes_wrapper, opens, closes, ..] = self.groups();
        let is_left = Marker::first(&self.parameter.close, text, b"", finished)?.is_some()
            || Marker::first(closes, text, b"", finished)?.is_some()
            || self.opens_parameter(text, finished)?.is_some();
        if is_left {
            return Ok(false);
        }
        for markers in [opens_wrapper, closes_wrapper, opens] {
            if Marker::first(markers, text, b"", finished)?.is_some() {
                return Ok(true);
            }
        }
        Ok(rest.get(..space).is_some_and(|blank| blank.contains(&b'\n')))
    }

    pub(super) fn piece(&self, rest: &[u8], finished: bool) -> Progress<Option<(Tag, usize)>> {
        let mut cut = false;
        for piece in &self.parameter.pieces {
            match compare(piece, rest) {
                Ok(Some(length)) => return Ok(Some((Tag::Piece, length))),
                Ok(None) => {}
                Err(NeedMore) => cut = !finished,
            }
        }
        if cut { Err(NeedMore) } else { Ok(None) }
    }

    /// Whether the text ends within a marker that could continue the structure.
    pub(super) fn is_cut(&self, rest: &[u8], finished: bool) -> bool {
        finished && self.continues(rest, false) == Err(NeedMore)
    }

    /// The length of the marker that opens a parameter.
    pub(super) fn opens_parameter(&self, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        let opened = Marker::first(&self.parameter.open, rest, b"", finished)?;
        let Some(length) = opened else { return Ok(None) };
        match rest.get(length) {
            Some(b'/') => Ok(None),
            None if !finished => Err(NeedMore),
            _ => Ok(Some(length)),
        }
    }

    /// Reads the opening of a parameter whose marker ends at `pos`.
    pub(super) fn parameter(&self, input: &[u8], pos: usize, finished: bool) -> Progress<Looked> {
        let sought = Sought {
            place: &self.parameter.key,
            kind: self.parameter.type_attribute.as_deref(),
            end: &self.parameter.key_end,
        };
        // It is not clear what the value of a parameter without an end tag is.
        Ok(match sought.look(input, pos, finished)? {
            Looked::Read(Opening { closes: true, end, .. }) => Looked::No(end),
            looked => looked,
        })
    }

    /// The first tag at `from` or behind it; `name` is that of the innermost open parameter. When
    /// more text is needed, `from` is moved to where the search goes on.
    pub(super) fn find(
        &self,
        input: &[u8],
        from: &mut usize,
        name: &[u8],
        finished: bool,
    ) -> Progress<Option<StandingTag>> {
        loop {
            let rest = input.get(*from..).unwrap_or_default();
            let Some(at) = self.next_beginning(rest) else {
                *from = input.len();
                return if finished { Ok(None) } else { Err(NeedMore) };
            };
            *from += at;
            match self.at(input, *from, name, finished)? {
                Some((tag, length)) => {
                    let span = Span::new(*from, *from + length);
                    return Ok(Some(StandingTag { tag, span }));
                }
                None => *from += 1,
            }
        }
    }

    /// Where a tag may begin, by its first byte. A marker that begins with white space, of which
    /// every text is full, is not looked for.
    fn next_beginning(&self, text: &[u8]) -> Option<usize> {
        let first = |marker: &Marker| marker.lead().first().copied();
        let mut all = self.groups().into_iter().flatten().filter_map(first);
        let mut other =
            |known: &[u8]| all.find(|byte| !known.contains(byte) && !byte.is_ascii_whitespace());
        let a = other(&[])?;
        let Some(b) = other(&[a]) else { return memchr::memchr(a, text) };
        let Some(c) = other(&[a, b]) else { return memchr::memchr2(a, b, text) };
        match other(&[a, b, c]) {
            None => memchr::memchr3(a, b, c, text),
            Some(_) => (!text.is_empty()).then_some(0),
        }
    }

    pub(super) fn groups(&self) -> [&[Marker]; 6] {
        let wrapper = self.marked.wrapper.as_ref();
        [
            wrapper.map(|wrapper| wrapper.open.as_slice()).unwrap_or_default(),
            wrapper.map(|wrapper| wrapper.close.as_slice()).unwrap_or_default(),
            &self.marked.call.open,
            &self.marked.call.close,
            &self.parameter.close,
            &self.parameter.open,
        ]
    }

    /// The tag that stands at `at`, and its length.
    fn at(
        &self,
        input: &[u8],
        at: usize,
        name: &[u8],
        finished: bool,
    ) -> Progress<Option<(Tag, usize)>> {
        const TAGS: [Tag; 5] = [
            Tag::OpensWrapper,
            Tag::ClosesWrapper,
            Tag::OpensCall,
            Tag::ClosesCall,
            Tag::ClosesParameter,
        ];
        if self.has_tool_tags() {
            return self.tag_at(input, at, name, finished);
        }
        let rest = input.get(at..).unwrap_or_default();
        let mut cut = false;
        for (markers, tag) in self.groups().into_iter().zip(TAGS) {
            match Marker::first(markers, rest, name, finished) {
                Ok(Some(length)) => return Ok(Some((tag, length))),
                Ok(None) => {}
                Err(NeedMore) => cut = true,
            }
        }
        // An element of a list has a type and no name.
        let is_typed = self.parameter.has_typed_elements();
        match self.opens_parameter(rest, finished) {
            Ok(Some(length)) => match self.parameter(input, at + length, finished) {
                Ok(Looked::Read(Opening { name, kind, end, closes: false, .. }))
                    if !name.is_empty() || (is_typed && kind.is_some()) =>
                {
                    return Ok(Some((Tag::OpensParameter(name), end - at)));
                }
                Ok(_) => {}
                Err(NeedMore) => cut = true,
            },
            Ok(None) => {}
            Err(NeedMore) => cut = true,
        }
        let other = self
            .parameter
            .close
            .iter()
            .find(|close| close.echoes() && rest.starts_with(close.lead()));
        match other {
            _ if cut && !finished => Err(NeedMore),
            Some(close) => Ok(Some((Tag::ClosesOther, close.lead().len()))),
            None => self.piece(rest, finished),
        }
    }
}

/// The length of the white space at the start of the text, counted to just above the limit.
pub(super) fn blank(text: &[u8]) -> usize {
    text.iter().take(MOST_SPACE + 1).take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Whether one of the tags stands at the start of `rest`; a tag that is a whole marker is none.
pub(super) fn begins_with<'t>(
    tags: impl Iterator<Item = &'t [u8]>,
    markers: &[Marker],
    rest: &[u8],
    finished: bool,
) -> Progress<bool> {
    let mut cut = false;
    for tag in tags.filter(|tag| markers.iter().all(|marker| marker.lead() != *tag)) {
        match compare(tag, rest) {
            Ok(Some(_)) => return Ok(true),
            Ok(None) => {}
            Err(NeedMore) => cut = !finished,
        }
    }
    if cut { Err(NeedMore) } else { Ok(false) }
}
