//! Markers: the text that opens, divides or closes a call.
//!
//! A marker is text with placeholders in braces. `{space}` is white space or nothing. `{suffix}` is
//! `:` and a word, or nothing. `{word}` is a name that does not count, and `{id}` the call's id.
//! `{name}` is the name of the call or key that the marker closes. `{capital}` is nothing, where a
//! capital letter follows. `{numbers}` is numbers with spaces, commas,
//! colons and square brackets between them, or nothing. `{header}` is what the header of a message
//! says besides: a recipient that is no function, and a constraint. Behind `{end}`, nothing but
//! white space stands in the text. The text after `{ahead}` must follow the marker, but does not
//! belong to it.

use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::literal::compare;
use crate::progress::{NeedMore, Progress};

/// The most bytes that `{space}`, `{suffix}` or `{numbers}` may be.
const MOST_SPACE: usize = 64;
/// The most bytes that `{header}` may be.
const MOST_HEADER: usize = 256;

/// Words of which markers of calls are made, in small letters.
const CALL_WORDS: [&str; 7] = ["tool", "call", "function", "action", "invoke", "args", "python"];

/// The token that a header may hold, in front of the type of what follows.
const CONSTRAINT: &[u8] = b"<|constrain|>";
/// What stands in front of a recipient in a header.
const RECIPIENT: &[u8] = b"to=";
/// The recipients that are no function.
const PARTIES: [&[u8]; 5] = [b"user", b"self", b"assistant", b"system", b"developer"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum MarkerPart {
    Text(Box<[u8]>),
    Space,
    Suffix,
    Word,
    Id,
    Name,
    Capital,
    Numbers,
    Header,
    End,
}

/// A marker, ready to be compared with text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    written: Box<str>,
    /// The first byte of its text.
    first: u8,
    parts: Vec<MarkerPart>,
    /// The number of bytes after `{ahead}`, which do not belong to the marker.
    ahead: usize,
}

impl Marker {
    /// Reads a marker as a definition writes it; the error says what is wrong with it.
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let (belongs, ahead) = written.split_once("{ahead}").unwrap_or((written, ""));
        let joined = [belongs, ahead].concat();
        let mut rest = joined.as_str();
        while !rest.is_empty() {
            let hole = HOLES.iter().find_map(|(word, part)| Some((rest.strip_prefix(word)?, part)));
            if let Some((after, part)) = hole {
                parts.push(part.clone());
                rest = after;
                continue;
            }
            let next =
                HOLES.iter().filter_map(|(word, _)| rest.find(word)).min().unwrap_or(rest.len());
            let (text, after) = rest.split_at_checked(next).unwrap_or((rest, ""));
            parts.push(MarkerPart::Text(text.as_bytes().into()));
            rest = after;
        }
        let first = match parts.first() {
            Some(MarkerPart::Text(text)) => text.first().copied(),
            _ => None,
        };
        let Some(first) = first else {
            return Err(format!("the marker \"{}\" must begin with text", written.escape_debug()));
        };
        Ok(Self { written: written.into(), first, parts, ahead: ahead.len() })
    }

    /// The marker as the definition writes it.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// The text with which the marker begins.
    pub(crate) fn lead(&self) -> &[u8] {
        match self.parts.first() {
            Some(MarkerPart::Text(text)) => text,
            _ => &[],
        }
    }

    /// The texts in the marker.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().filter_map(|part| match part {
            MarkerPart::Text(text) => Some(&**text),
            _ => None,
        })
    }

    /// The tags in the marker, such as `</key>` and `<value>` of `</key>{space}<value>`.
    pub(crate) fn tags(&self) -> Vec<&[u8]> {
        let mut tags = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let MarkerPart::Text(text) = part else { continue };
            let goes_on = self.parts.get(index + 1) == Some(&MarkerPart::Suffix);
            for start in memchr::memchr_iter(b'<', text) {
                let tag = text.get(start..).unwrap_or_default();
                match memchr::memchr(b'>', tag) {
                    Some(end) => tags.extend(tag.get(..=end)),
                    None if goes_on => tags.push(tag),
                    None => {}
                }
            }
        }
        tags
    }

    /// Whether a marker that ends something says that it ends a call or a part of it, and not a
    /// message.
    pub(crate) fn names_calls(&self) -> bool {
        let written = self.written().to_ascii_lowercase();
        CALL_WORDS.iter().any(|word| written.contains(word))
    }

    /// Whether the marker is nothing but text.
    pub(crate) fn is_text(&self) -> bool {
        self.parts.len() == 1 && self.ahead == 0
    }

    /// Whether the marker depends on the name of the call or key that it closes.
    pub(crate) fn echoes(&self) -> bool {
        self.parts.contains(&MarkerPart::Name)
    }

    /// The length of the marker, if it stands at the start of `rest`.
    ///
    /// `name` is what `{name}` stands for, and `finished` says that no more text will come.
    #[inline]
    pub(crate) fn at(&self, rest: &[u8], name: &[u8], finished: bool) -> Progress<Option<usize>> {
        // Many markers are looked for at one place, and few of them begin with the byte there.
        if rest.first().is_some_and(|byte| *byte != self.first) {
            return Ok(None);
        }
        // Most markers are text, and stand whole.
        if let [MarkerPart::Text(text)] = self.parts.as_slice()
            && self.ahead == 0
            && rest.starts_with(text)
        {
            return Ok(Some(text.len()));
        }
        self.read(rest, name, finished)
    }

    /// As `at`, for a text that begins with the marker's first byte, or is empty.
    fn read(&self, rest: &[u8], name: &[u8], finished: bool) -> Progress<Option<usize>> {
        let cut = if finished { Ok(None) } else { Err(NeedMore) };
        let mut pos = 0;
        for part in &self.parts {
            let here = rest.get(pos..).unwrap_or_default();
            let count = |most: usize, belongs: fn(u8) -> bool| {
                here.iter().take(most).take_while(|byte| belongs(**byte)).count()
            };
            let (length, open) = match part {
                MarkerPart::Text(text) => match compare(text, here) {
                    Ok(Some(length)) => (length, false),
                    Err(NeedMore) => return cut,
                    Ok(None) => return Ok(None),
                },
                MarkerPart::Name => match compare(name, here) {
                    Ok(Some(length)) => (length, false),
                    Err(NeedMore) => return cut,
                    Ok(None) => return Ok(None),
                },
                MarkerPart::Space => (count(MOST_SPACE, |byte| byte.is_ascii_whitespace()), true),
                MarkerPart::Word | MarkerPart::Id => (count(MAX_NAME, is_name_byte), true),
                MarkerPart::Capital if here.first().is_none_or(u8::is_ascii_uppercase) => (0, true),
                MarkerPart::Suffix => (suffix(here), true),
                MarkerPart::Numbers => (count(MOST_SPACE, is_of_numbers), true),
                MarkerPart::Header => match header(here, finished)? {
                    Some(length) => (length, true),
                    None => return Ok(None),
                },
                MarkerPart::End if ends_text(here, finished)? => (0, false),
                MarkerPart::End | MarkerPart::Capital => return Ok(None),
            };
            pos += length;
            if open && pos == rest.len() && !finished {
                return Err(NeedMore);
            }
        }
        Ok(Some(pos.saturating_sub(self.ahead)))
    }

    /// Whether the id of a call stands in the marker.
    pub(crate) fn holds_id(&self) -> bool {
        self.parts.contains(&MarkerPart::Id)
    }

    /// Where the id of `{id}` stands, if the marker stands at the start of `rest`.
    pub(crate) fn id(&self, rest: &[u8]) -> Option<(usize, usize)> {
        self.first_hole(rest, |part| *part == MarkerPart::Id)
    }

    /// Where the first word of `{word}` or `{id}` stands, if the marker stands at the start of
    /// `rest`.
    pub(crate) fn word(&self, rest: &[u8]) -> Option<(usize, usize)> {
        self.first_hole(rest, |part| matches!(part, MarkerPart::Word | MarkerPart::Id))
    }

    fn first_hole(
        &self,
        rest: &[u8],
        is_sought: impl Fn(&MarkerPart) -> bool,
    ) -> Option<(usize, usize)> {
        let mut start = 0;
        for part in &self.parts {
            let here = rest.get(start..).unwrap_or_default();
            start += match part {
                MarkerPart::Text(text) => text.len(),
                MarkerPart::Space => {
                    here.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
                }
                MarkerPart::Suffix => suffix(here),
                MarkerPart::Numbers => here.iter().take_while(|byte| is_of_numbers(**byte)).count(),
                MarkerPart::Header => header(here, true).ok().flatten()?,
                MarkerPart::End | MarkerPart::Capital => 0,
                MarkerPart::Name => return None,
                MarkerPart::Word | MarkerPart::Id => {
                    let length = word(here);
                    if is_sought(part) {
                        return (length > 0).then_some((start, start + length));
                    }
                    length
                }
            };
        }
        None
    }

    /// The length of the first marker that stands, or may still stand, at the start of `rest`.
    pub(crate) fn first(
        markers: &[Self],
        rest: &[u8],
        name: &[u8],
        finished: bool,
    ) -> Progress<Option<usize>> {
        for marker in markers {
            if let Some(length) = marker.at(rest, name, finished)? {
                return Ok(Some(length));
            }
        }
        Ok(None)
    }
}

impl Marker {
    /// Where the first of the markers stands in `text`, and its length.
    pub(crate) fn find(markers: &[Self], text: &[u8]) -> Option<(usize, usize)> {
        let places = markers.iter().filter_map(|marker| {
            memchr::memmem::find_iter(text, marker.lead()).find_map(|at| {
                match marker.at(text.get(at..).unwrap_or_default(), b"", false) {
                    Ok(Some(length)) => Some((at, length)),
                    Err(NeedMore) | Ok(None) => None,
                }
            })
        });
        places.min_by_key(|(at, _)| *at)
    }
}

fn word(rest: &[u8]) -> usize {
    rest.iter().take(MAX_NAME).take_while(|byte| is_name_byte(**byte)).count()
}

const HOLES: [(&str, MarkerPart); 9] = [
    ("{space}", MarkerPart::Space),
    ("{suffix}", MarkerPart::Suffix),
    ("{word}", MarkerPart::Word),
    ("{id}", MarkerPart::Id),
    ("{capital}", MarkerPart::Capital),
    ("{name}", MarkerPart::Name),
    ("{numbers}", MarkerPart::Numbers),
    ("{header}", MarkerPart::Header),
    ("{end}", MarkerPart::End),
];

fn is_of_numbers(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b' ' | b',' | b':' | b'[' | b']')
}

/// Whether nothing but white space stands in the rest of a text.
fn ends_text(rest: &[u8], finished: bool) -> Progress<bool> {
    let near = rest.get(..MOST_SPACE).unwrap_or(rest);
    if !near.iter().all(u8::is_ascii_whitespace) {
        return Ok(false);
    }
    if !finished && rest.len() <= MOST_SPACE { Err(NeedMore) } else { Ok(near.len() == rest.len()) }
}

/// The length of a message's header, up to its next token; `None` where it names a function.
fn header(rest: &[u8], finished: bool) -> Progress<Option<usize>> {
    let rest = rest.get(..MOST_HEADER).unwrap_or(rest);
    let mut length = 0;
    loop {
        let here = rest.get(length..).unwrap_or_default();
        length += here.iter().take_while(|byte| !matches!(byte, b'<' | b'\n')).count();
        match compare(CONSTRAINT, rest.get(length..).unwrap_or_default()) {
            Ok(Some(token)) => length += token,
            Err(NeedMore) if !finished && rest.len() < MOST_HEADER => return Err(NeedMore),
            Ok(None) | Err(NeedMore) => break,
        }
    }
    let header = rest.get(..length).unwrap_or_default();
    let Some(at) = memchr::memmem::find(header, RECIPIENT) else { return Ok(Some(length)) };
    let recipient = header.get(at + RECIPIENT.len()..).unwrap_or_default();
    let end = recipient.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'<');
    let recipient = recipient.get(..end.unwrap_or(recipient.len())).unwrap_or_default();
    Ok((!may_be_function(recipient)).then_some(length))
}

/// Whether a recipient is not one that takes part in the talk.
pub(crate) fn may_be_function(recipient: &[u8]) -> bool {
    !PARTIES.contains(&recipient)
}

fn suffix(rest: &[u8]) -> usize {
    if rest.first() != Some(&b':') {
        return 0;
    }
    let word = rest.iter().skip(1).take(MOST_SPACE);
    1 + word.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_found_cut_or_missing() {
        let marker = Marker::parse("<a{suffix}>{space}<b>").unwrap();
        assert_eq!(marker.at(b"<a:x1> \n<b>!", b"", false), Ok(Some(11)));
        assert_eq!(marker.at(b"<a><b>", b"", false), Ok(Some(6)));
        for cut in [&b"<a"[..], b"<a:x", b"<a:x> ", b"<a><"] {
            assert_eq!(marker.at(cut, b"", false), Err(NeedMore));
            assert_eq!(marker.at(cut, b"", true), Ok(None));
        }
        assert_eq!(marker.at(b"<b>", b"", false), Ok(None));
        assert_eq!(Marker::parse("</{name}>").unwrap().at(b"</k>", b"k", false), Ok(Some(4)));
    }

    #[test]
    fn a_header_names_no_function() {
        let marker = Marker::parse("<|c|>a{header}<|m|>").unwrap();
        for text in ["<|c|>a<|m|>", "<|c|>a to=user <|m|>", "<|c|>a to=self<|constrain|>json<|m|>"]
        {
            assert_eq!(marker.at(text.as_bytes(), b"", false), Ok(Some(text.len())), "{text}");
            for end in 1..text.len() {
                assert_eq!(marker.at(&text.as_bytes()[..end], b"", false), Err(NeedMore));
            }
        }
        for text in ["<|c|>a to=f<|m|>", "<|c|>a to=users<|m|>", "<|c|>a\n<|m|>", "<|c|>a<|x|>"] {
            assert_eq!(marker.at(text.as_bytes(), b"", false), Ok(None), "{text}");
        }
    }

    #[test]
    fn a_marker_may_count_only_at_the_end() {
        let marker = Marker::parse("</s>{end}").unwrap();
        for text in ["</s>", "</s> \n"] {
            assert_eq!(marker.at(text.as_bytes(), b"", true), Ok(Some(4)));
            assert_eq!(marker.at(text.as_bytes(), b"", false), Err(NeedMore));
        }
        assert_eq!(marker.at(b"</s> x", b"", true), Ok(None));
        assert_eq!(marker.at(b"</s> x", b"", false), Ok(None));
        let spaces = |count| format!("</s>{}", " ".repeat(count));
        let at = |count, finished| marker.at(spaces(count).as_bytes(), b"", finished);
        assert_eq!(at(MOST_SPACE, true), Ok(Some(4)));
        assert_eq!(at(MOST_SPACE, false), Err(NeedMore));
        assert_eq!((at(MOST_SPACE + 1, true), at(MOST_SPACE + 1, false)), (Ok(None), Ok(None)));
    }

    #[test]
    fn a_marker_begins_with_text() {
        assert!(Marker::parse("").is_err());
        assert!(Marker::parse("{space}<a>").is_err());
    }
}
