//! Calls whose tag is the name of the tool, and whose parameters are elements:
//! `<read_file><path>a.txt</path></read_file>`.
//!
//! A value may be any text, HTML and code among it. So in a value, only these tags count: those of
//! its own parameter, and those of known tools. Between parameters, each tag opens one.

use crate::call::Span;
use crate::detect::body::own_markup::{Follows, MOST_SPACE, OwnMarkup, Tag, blank};
use crate::detect::format::marker::Marker;
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::literal::compare;
use crate::progress::{NeedMore, Progress};

/// A tag that holds nothing but a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NamedTag<'t> {
    name: &'t [u8],
    closes: bool,
    length: usize,
}

impl<'t> NamedTag<'t> {
    /// The tag at the start of `rest`.
    fn read(rest: &'t [u8], finished: bool) -> Progress<Option<Self>> {
        if rest.first().is_some_and(|byte| *byte != b'<') {
            return Ok(None);
        }
        let closes = rest.get(1) == Some(&b'/');
        let inside = rest.get(1 + usize::from(closes)..).unwrap_or_default();
        let length = inside.iter().take(MAX_NAME).take_while(|byte| is_name_byte(**byte)).count();
        let (name, behind) = inside.split_at_checked(length).unwrap_or((inside, b""));
        let begins = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let is_name = name.first().is_some_and(begins) && !name.ends_with(b"/");
        match behind.first() {
            None if !finished => Err(NeedMore),
            Some(b'>') if is_name => {
                Ok(Some(Self { name, closes, length: length + 2 + usize::from(closes) }))
            }
            _ => Ok(None),
        }
    }
}

impl OwnMarkup<'_> {
    /// Whether the tag of a call is the name of its tool.
    pub(super) fn has_tool_tags(&self) -> bool {
        self.marked.call.is_tool_tag()
    }

    /// Whether the tag closes the call.
    fn closes_call(&self, tag: NamedTag<'_>) -> bool {
        let closes = self.marked.call.close.first().map(Marker::lead);
        let name = closes.and_then(|close| close.strip_prefix(b"</")?.strip_suffix(b">"));
        tag.closes && name == Some(tag.name)
    }

    /// As `follows`.
    pub(super) fn tag_follows(&self, rest: &[u8], finished: bool) -> Progress<Option<Follows>> {
        let Some(tag) = NamedTag::read(rest, finished)? else { return Ok(None) };
        if tag.closes {
            return Ok(self.closes_call(tag).then_some(Follows::End));
        }
        let name = String::from_utf8_lossy(tag.name);
        let known = self.schema.and_then(|schema| schema.names(&name));
        Ok(Some(match known {
            Some(true) => Follows::Parameter,
            _ if self.marked.call.knows(tag.name) => Follows::Call,
            None => Follows::Parameter,
            Some(false) => Follows::UnknownParameter,
        }))
    }

    /// Whether a call may end in front of `text`, though a value in it was not closed; `None` where
    /// a line break decides.
    pub(super) fn may_end_call_before_tag(
        &self,
        text: &[u8],
        finished: bool,
    ) -> Progress<Option<bool>> {
        Ok(self.tag_follows(text, finished)?.map(|follows| follows == Follows::Call))
    }

    /// The tag at `at` that counts in a value of the parameter `key`, and its length.
    pub(super) fn tag_at(
        &self,
        input: &[u8],
        at: usize,
        key: &[u8],
        finished: bool,
    ) -> Progress<Option<(Tag, usize)>> {
        let rest = input.get(at..).unwrap_or_default();
        let Some(tag) = NamedTag::read(rest, finished)? else { return Ok(None) };
        let is_tool = || self.marked.call.knows(tag.name);
        let found = match (tag.closes, tag.name == key) {
            (true, true) => Tag::ClosesParameter,
            (false, true) => Tag::OpensParameter(Span::new(at + 1, at + 1 + key.len())),
            (true, false) if self.closes_call(tag) => Tag::ClosesCall,
            (true, false) if is_tool() => Tag::ClosesOther,
            (false, false) if is_tool() => Tag::OpensCall,
            _ => return Ok(None),
        };
        Ok(Some((found, tag.length)))
    }
}

/// Whether a tag stands a second time behind it: one of the two is one too many.
pub(super) fn is_repeated(tag: Span, input: &[u8], finished: bool) -> Progress<bool> {
    let after = input.get(tag.end..).unwrap_or_default();
    let space = blank(after);
    if space > MOST_SPACE {
        return Ok(false);
    }
    match compare(tag.of(input), after.get(space..).unwrap_or_default()) {
        Ok(found) => Ok(found.is_some()),
        Err(NeedMore) if finished => Ok(false),
        Err(NeedMore) => Err(NeedMore),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_holds_nothing_but_a_name() {
        let read = |text: &'static str| {
            let tag = NamedTag::read(text.as_bytes(), true).unwrap()?;
            Some((str::from_utf8(tag.name).unwrap(), tag.closes, tag.length))
        };
        assert_eq!(read("<a_b>c"), Some(("a_b", false, 5)));
        assert_eq!(read("</a.b>"), Some(("a.b", true, 6)));
        for text in ["", "<", "<a", "<a b>", "<a/>", "</>", "< a>", "<!a>", "<a\n>", "a>"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(NamedTag::read(b"</ab", false), Err(NeedMore));
        assert_eq!(NamedTag::read(b"<a ", false), Ok(None));
    }
}
