//! Finds the ends of elements in one pass with a stack.
//!
//! The reader looks once at every tag from the first marked element on. It lists the elements that
//! are still open at the end of the text, so that their ends are not searched for again.

use std::collections::HashMap;

use memchr::memchr;

use crate::call::Span;
use crate::detect::block::markup::tag::TagReader;
use crate::literal::compare;
use crate::progress::{NeedMore, Progress};

/// What a start tag means to the search.
pub(crate) enum TagUse {
    /// An element that is not marked as a call.
    None,
    /// Marked as a call, but refused.
    Refused,
    /// Marked as a call.
    Call,
}

/// A marked element that the reader has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkedElement {
    pub(crate) tag: Span,
    /// The end of the element; `None` when the text ends first.
    pub(crate) end: Option<usize>,
}

#[derive(Clone, Debug)]
enum ElementState {
    Data,
    StartTag(usize, TagReader),
    EndTag(TagReader),
    /// Inside content that holds no tags, such as a comment.
    Content(ContentState),
}

/// Content in which no tags count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ContentState {
    /// Up to `-->` or `--!>`.
    Comment,
    /// Up to `>`.
    BogusComment,
    /// Up to the end tag of this name.
    RawText(Vec<u8>),
}

/// The length of `<!` and `<?` in bytes. The end may follow at once: `<!-->` is a whole comment.
pub(crate) const MARKUP: usize = 2;

impl ContentState {
    /// What the `<!` or `<?` at the start of `rest` opens.
    pub(crate) fn opened_by(rest: &[u8]) -> Progress<Self> {
        let comment = compare(b"<!--", rest)?;
        Ok(if comment.is_some() { Self::Comment } else { Self::BogusComment })
    }

    /// Whether a tag name that begins with this byte may open raw text.
    pub(crate) fn may_begin(byte: u8) -> bool {
        matches!(byte, b's' | b'S' | b't' | b'T')
    }

    /// The raw text that a start tag of this name opens, if any.
    pub(crate) fn opened_by_tag(name: &[u8]) -> Option<Self> {
        let raw: [&[u8]; 4] = [b"script", b"style", b"textarea", b"title"];
        raw.iter().find(|raw| raw.eq_ignore_ascii_case(name)).map(|raw| Self::RawText(raw.to_vec()))
    }

    /// Finds the end of this content in `input`, from `pos` on.
    ///
    /// `Ok` is the offset from which tags count again. `Err` is the offset at which the search
    /// resumes once there is more input.
    pub(crate) fn end(&self, input: &[u8], pos: usize) -> Result<usize, usize> {
        let rest = input.get(pos..).unwrap_or_default();
        match self {
            Self::BogusComment => memchr(b'>', rest).map(|at| pos + at + 1).ok_or(input.len()),
            Self::Comment => comment_end(rest).map(|at| pos + at).map_err(|at| pos + at),
            Self::RawText(name) => {
                raw_text_end(rest, name).map(|at| pos + at).map_err(|at| pos + at)
            }
        }
    }
}

fn comment_end(rest: &[u8]) -> Result<usize, usize> {
    let mut from = 0;
    while let Some(at) = memchr(b'-', rest.get(from..).unwrap_or_default()) {
        let here = rest.get(from + at..).unwrap_or_default();
        for end in [b"-->".as_slice(), b"--!>"] {
            if here.starts_with(end) {
                return Ok(from + at + end.len());
            }
        }
        if b"--!>".starts_with(here) {
            return Err(from + at);
        }
        from += at + 1;
    }
    Err(rest.len())
}

/// The start of the end tag of `name`.
fn raw_text_end(rest: &[u8], name: &[u8]) -> Result<usize, usize> {
    let mut from = 0;
    while let Some(at) = memchr(b'<', rest.get(from..).unwrap_or_default()) {
        let here = rest.get(from + at..).unwrap_or_default();
        let length = name.len() + 2;
        if here.len() <= length {
            return Err(from + at);
        }
        let named = here.get(2..length).is_some_and(|found| found.eq_ignore_ascii_case(name));
        let ended =
            here.get(length).is_some_and(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte));
        if here.starts_with(b"</") && named && ended {
            return Ok(from + at);
        }
        from += at + 1;
    }
    Err(rest.len())
}

/// Whether elements of this name have no end tag.
pub(crate) fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// An open marked element; `inner` counts the open elements of the same name inside it.
#[derive(Clone, Copy, Debug)]
struct OpenElement {
    index: usize,
    inner: usize,
}

/// Reads the tags after the start tag of the outermost marked element.
#[derive(Clone, Debug)]
pub(crate) struct ElementReader {
    pos: usize,
    state: ElementState,
    marked: Vec<MarkedElement>,
    open: HashMap<Vec<u8>, Vec<OpenElement>>,
    open_count: usize,
    max_open: usize,
}

impl ElementReader {
    /// Starts after a marked start tag.
    pub(crate) fn new(tag: Span, name: Vec<u8>, max_open: usize) -> Self {
        let state =
            ContentState::opened_by_tag(&name).map_or(ElementState::Data, ElementState::Content);
        let open = HashMap::from([(name, vec![OpenElement { index: 0, inner: 0 }])]);
        let marked = vec![MarkedElement { tag, end: None }];
        Self { pos: tag.end, state, marked, open, open_count: 1, max_open }
    }

    /// The first byte of the outermost element.
    pub(crate) fn start(&self) -> usize {
        self.marked.first().map_or(self.pos, |outermost| outermost.tag.start)
    }

    /// The start tags of the marked elements inside the outermost one.
    pub(crate) fn inner(&self) -> impl Iterator<Item = Span> {
        self.marked.iter().skip(1).map(|inner| inner.tag)
    }

    /// The byte after the end tag of the outermost element; `mark` says what a start tag means.
    pub(crate) fn step(&mut self, input: &[u8], mark: impl Fn(Span) -> TagUse) -> Progress<usize> {
        while let Some(outermost) = self.marked.first() {
            if let Some(end) = outermost.end {
                return Ok(end);
            }
            match &mut self.state {
                ElementState::Data => self.text(input)?,
                ElementState::Content(hidden) => match hidden.end(input, self.pos) {
                    Ok(end) => {
                        self.pos = end;
                        self.state = ElementState::Data;
                    }
                    Err(pos) => {
                        self.pos = pos;
                        return Err(NeedMore);
                    }
                },
                ElementState::StartTag(start, reader) => {
                    let tag = Span::new(*start, reader.step(input)?);
                    let name = reader.name(input).to_ascii_lowercase();
                    self.start_tag(tag, name, &mark);
                }
                ElementState::EndTag(reader) => {
                    let end = reader.step(input)?;
                    let name = reader.name(input).to_ascii_lowercase();
                    self.end_tag(end, &name);
                }
            }
        }
        Err(NeedMore)
    }

    /// The marked elements that the reader passed, in text order, for a text that ends before the
    /// outermost element does.
    pub(crate) fn into_marked(self) -> Vec<MarkedElement> {
        self.marked
    }

    fn text(&mut self, input: &[u8]) -> Progress<()> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let Some(at) = memchr(b'<', rest) else {
            self.pos = input.len();
            return Err(NeedMore);
        };
        self.pos += at;
        let start = self.pos;
        match (input.get(start + 1).ok_or(NeedMore)?, input.get(start + 2)) {
            (byte, _) if byte.is_ascii_alphabetic() => {
                self.state = ElementState::StartTag(start, TagReader::new(start + 1));
            }
            (b'/', None) => return Err(NeedMore),
            (b'/', Some(byte)) if byte.is_ascii_alphabetic() => {
                self.state = ElementState::EndTag(TagReader::new(start + 2));
            }
            (b'/', Some(b'>')) => self.pos += 3,
            (b'/', Some(_)) | (b'?', _) => self.hide(ContentState::BogusComment, start),
            (b'!', _) => {
                let opened = ContentState::opened_by(input.get(start..).unwrap_or_default());
                let hidden = opened?;
                self.hide(hidden, start);
            }
            _ => self.pos += 1,
        }
        Ok(())
    }

    fn hide(&mut self, hidden: ContentState, start: usize) {
        self.pos = start + MARKUP;
        self.state = ElementState::Content(hidden);
    }

    fn start_tag(&mut self, tag: Span, name: Vec<u8>, mark: &impl Fn(Span) -> TagUse) {
        self.pos = tag.end;
        self.state =
            ContentState::opened_by_tag(&name).map_or(ElementState::Data, ElementState::Content);
        let void = is_void(&name);
        match mark(tag) {
            TagUse::Call if !void && self.open_count < self.max_open => {
                let index = self.marked.len();
                self.marked.push(MarkedElement { tag, end: None });
                self.open.entry(name).or_default().push(OpenElement { index, inner: 0 });
                self.open_count += 1;
                return;
            }
            TagUse::None => {}
            TagUse::Call | TagUse::Refused => {
                self.marked.push(MarkedElement { tag, end: void.then_some(tag.end) });
            }
        }
        if let Some(open) = self.open.get_mut(&name).and_then(|open| open.last_mut())
            && !void
        {
            open.inner += 1;
        }
    }

    fn end_tag(&mut self, end: usize, name: &[u8]) {
        self.pos = end;
        self.state = ElementState::Data;
        let Some(stack) = self.open.get_mut(name) else { return };
        let Some(open) = stack.last_mut() else { return };
        if open.inner > 0 {
            open.inner -= 1;
            return;
        }
        let index = open.index;
        stack.pop();
        self.open_count -= 1;
        if let Some(marked) = self.marked.get_mut(index) {
            marked.end = Some(end);
        }
    }
}
