//! The end of one start or end tag.

use memchr::memchr;

use crate::progress::{NeedMore, Progress};

/// The tokenizer's states within a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagState {
    TagName,
    BeforeAttributeName,
    AttributeName,
    AfterAttributeName,
    BeforeAttributeValue,
    AttributeValueDoubleQuoted,
    AttributeValueSingleQuoted,
    AttributeValueUnquoted,
    AfterAttributeValueQuoted,
    SelfClosingStartTag,
}

/// Reads a tag to its `>`.
#[derive(Clone, Debug)]
pub(crate) struct TagReader {
    state: TagState,
    pos: usize,
    name_start: usize,
    name_end: usize,
}

impl TagReader {
    /// Starts at the first letter of the tag's name.
    pub(crate) fn new(name_start: usize) -> Self {
        Self { state: TagState::TagName, pos: name_start, name_start, name_end: name_start }
    }

    /// The byte after the tag's `>`.
    pub(crate) fn step(&mut self, input: &[u8]) -> Progress<usize> {
        loop {
            let &byte = input.get(self.pos).ok_or(NeedMore)?;
            match self.state {
                TagState::AttributeValueDoubleQuoted | TagState::AttributeValueSingleQuoted => {
                    let quote = if self.state == TagState::AttributeValueDoubleQuoted {
                        b'"'
                    } else {
                        b'\''
                    };
                    let rest = input.get(self.pos..).unwrap_or_default();
                    let Some(length) = memchr(quote, rest) else {
                        self.pos = input.len();
                        return Err(NeedMore);
                    };
                    self.pos += length + 1;
                    self.state = TagState::AfterAttributeValueQuoted;
                    continue;
                }
                _ => {}
            }
            if self.state == TagState::TagName && (is_space(byte) || matches!(byte, b'/' | b'>')) {
                self.name_end = self.pos;
            }
            match self.transition(byte) {
                Transition::Emit => return Ok(self.pos + 1),
                Transition::SwitchTo(state) => {
                    self.pos += 1;
                    self.state = state;
                }
                Transition::ReconsumeIn(state) => self.state = state,
            }
        }
    }

    fn transition(&self, byte: u8) -> Transition {
        match (self.state, byte) {
            (TagState::BeforeAttributeName | TagState::AttributeName, b'>' | b'/') => {
                Transition::ReconsumeIn(TagState::AfterAttributeName)
            }
            (_, b'>') => Transition::Emit,
            (
                TagState::TagName
                | TagState::AfterAttributeName
                | TagState::AfterAttributeValueQuoted,
                b'/',
            ) => Transition::SwitchTo(TagState::SelfClosingStartTag),
            (
                TagState::TagName
                | TagState::AttributeValueUnquoted
                | TagState::AfterAttributeValueQuoted,
                _,
            ) if is_space(byte) => Transition::SwitchTo(TagState::BeforeAttributeName),
            (TagState::AttributeName, _) if is_space(byte) => {
                Transition::ReconsumeIn(TagState::AfterAttributeName)
            }
            (
                TagState::BeforeAttributeName
                | TagState::AfterAttributeName
                | TagState::BeforeAttributeValue,
                _,
            ) if is_space(byte) => Transition::SwitchTo(self.state),
            (TagState::AttributeName | TagState::AfterAttributeName, b'=') => {
                Transition::SwitchTo(TagState::BeforeAttributeValue)
            }
            (TagState::BeforeAttributeName | TagState::AfterAttributeName, _) => {
                Transition::SwitchTo(TagState::AttributeName)
            }
            (TagState::BeforeAttributeValue, b'"') => {
                Transition::SwitchTo(TagState::AttributeValueDoubleQuoted)
            }
            (TagState::BeforeAttributeValue, b'\'') => {
                Transition::SwitchTo(TagState::AttributeValueSingleQuoted)
            }
            (TagState::BeforeAttributeValue, _) => {
                Transition::ReconsumeIn(TagState::AttributeValueUnquoted)
            }
            (TagState::AfterAttributeValueQuoted | TagState::SelfClosingStartTag, _) => {
                Transition::ReconsumeIn(TagState::BeforeAttributeName)
            }
            _ => Transition::SwitchTo(self.state),
        }
    }

    /// The tag's name as written.
    pub(crate) fn name<'i>(&self, input: &'i [u8]) -> &'i [u8] {
        input.get(self.name_start..self.name_end).unwrap_or_default()
    }

    /// The bytes that would complete a tag that is cut off here.
    pub(crate) fn closer(&self) -> &'static [u8] {
        match self.state {
            TagState::AttributeValueDoubleQuoted => b"\">",
            TagState::AttributeValueSingleQuoted => b"'>",
            _ => b">",
        }
    }
}

enum Transition {
    /// The byte ends the tag.
    Emit,
    /// Go on after the byte.
    SwitchTo(TagState),
    /// Look at the byte again in another state.
    ReconsumeIn(TagState),
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(tag: &[u8]) -> Progress<usize> {
        let whole = TagReader::new(1).step(tag);
        let mut reader = TagReader::new(1);
        let pieces = (0..=tag.len()).find_map(|end| reader.step(tag.get(..end).unwrap()).ok());
        assert_eq!(pieces, whole.ok());
        whole
    }

    #[test]
    fn a_tag_ends_where_a_browser_ends_it() {
        for (tag, length) in [
            ("<p>x", 3),
            ("<p a='>' b=\">\" c=>x", 18),
            ("<p a=b/>x", 8),
            ("<p/ a>x", 6),
            ("<p =>x", 5),
            ("<p a = \"1\"b='>'>x", 16),
            ("<p a\"b>x", 7),
        ] {
            assert_eq!(end(tag.as_bytes()), Ok(length), "{tag}");
        }
        assert_eq!(end(b"<p a=\">"), Err(NeedMore));
    }
}
