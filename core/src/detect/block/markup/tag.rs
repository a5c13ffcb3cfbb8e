//! The end of one start or end tag.

use memchr::memchr;

use crate::progress::{NeedMore, Progress};

/// The tokenizer's states within a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Name,
    BeforeAttribute,
    Attribute,
    AfterAttribute,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
    AfterQuoted,
    SelfClosing,
}

/// Reads a tag to its `>`.
#[derive(Clone, Debug)]
pub(crate) struct TagReader {
    state: State,
    pos: usize,
    name_start: usize,
    name_end: usize,
}

impl TagReader {
    /// Starts at the first letter of the tag's name.
    pub(crate) fn new(name_start: usize) -> Self {
        Self { state: State::Name, pos: name_start, name_start, name_end: name_start }
    }

    /// The byte after the tag's `>`.
    pub(crate) fn step(&mut self, input: &[u8]) -> Progress<usize> {
        loop {
            let &byte = input.get(self.pos).ok_or(NeedMore)?;
            match self.state {
                State::DoubleQuoted | State::SingleQuoted => {
                    let quote = if self.state == State::DoubleQuoted { b'"' } else { b'\'' };
                    let rest = input.get(self.pos..).unwrap_or_default();
                    let Some(length) = memchr(quote, rest) else {
                        self.pos = input.len();
                        return Err(NeedMore);
                    };
                    self.pos += length + 1;
                    self.state = State::AfterQuoted;
                    continue;
                }
                _ => {}
            }
            if self.state == State::Name && (is_space(byte) || matches!(byte, b'/' | b'>')) {
                self.name_end = self.pos;
            }
            match self.after(byte) {
                Next::End => return Ok(self.pos + 1),
                Next::Take(state) => {
                    self.pos += 1;
                    self.state = state;
                }
                Next::Again(state) => self.state = state,
            }
        }
    }

    fn after(&self, byte: u8) -> Next {
        use State as S;
        match (self.state, byte) {
            (S::BeforeAttribute | S::Attribute, b'>' | b'/') => Next::Again(S::AfterAttribute),
            (_, b'>') => Next::End,
            (S::Name | S::AfterAttribute | S::AfterQuoted, b'/') => Next::Take(S::SelfClosing),
            (S::Name | S::Unquoted | S::AfterQuoted, _) if is_space(byte) => {
                Next::Take(S::BeforeAttribute)
            }
            (S::Attribute, _) if is_space(byte) => Next::Again(S::AfterAttribute),
            (S::BeforeAttribute | S::AfterAttribute | S::BeforeValue, _) if is_space(byte) => {
                Next::Take(self.state)
            }
            (S::Attribute | S::AfterAttribute, b'=') => Next::Take(S::BeforeValue),
            (S::BeforeAttribute | S::AfterAttribute, _) => Next::Take(S::Attribute),
            (S::BeforeValue, b'"') => Next::Take(S::DoubleQuoted),
            (S::BeforeValue, b'\'') => Next::Take(S::SingleQuoted),
            (S::BeforeValue, _) => Next::Again(S::Unquoted),
            (S::AfterQuoted | S::SelfClosing, _) => Next::Again(S::BeforeAttribute),
            _ => Next::Take(self.state),
        }
    }

    /// The tag's name as written.
    pub(crate) fn name<'i>(&self, input: &'i [u8]) -> &'i [u8] {
        input.get(self.name_start..self.name_end).unwrap_or_default()
    }

    /// The bytes that would complete a tag that is cut off here.
    pub(crate) fn closer(&self) -> &'static [u8] {
        match self.state {
            State::DoubleQuoted => b"\">",
            State::SingleQuoted => b"'>",
            _ => b">",
        }
    }
}

enum Next {
    /// The byte ends the tag.
    End,
    /// Go on after the byte.
    Take(State),
    /// Look at the byte again in another state.
    Again(State),
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
