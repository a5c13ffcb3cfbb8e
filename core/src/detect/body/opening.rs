//! The opening of a call or a parameter: a marker, a name, and the end of the opening.
//!
//! An opening is short, so it is read again from its start when more text arrives.

use memchr::memmem;

use crate::call::Span;
use crate::detect::format::marker::{Marker, may_be_function};
use crate::detect::format::shape::NamePlace;
use crate::progress::{NeedMore, Progress};

/// The longest opening after its marker, in bytes.
const LONGEST: usize = 512;

/// The attributes that name a call, and are no arguments of it.
const NAMES_OF_CALL: [&[u8]; 3] = [b"id", b"index", b"call_id"];
/// The attributes that tell the type of a parameter, whatever the format.
const TYPES: [&[u8]; 2] = [b"type", b"string"];

/// An opening that was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// The name or key as it is written; empty when there is none.
    pub(crate) name: Span,
    /// The value of the attribute that gives the type.
    pub(crate) kind: Option<Span>,
    /// The byte after the opening.
    pub(crate) end: usize,
    /// Whether it also closes what it opens: `<invoke name="f"/>`.
    pub(crate) closes: bool,
    /// Whether it has attributes that may be arguments of a call.
    pub(crate) has_others: bool,
    /// Whether it has attributes that may hold the value of a parameter.
    pub(crate) has_value: bool,
}

impl Opening {
    /// One that has a name and nothing else.
    fn of(name: Span, end: usize) -> Self {
        Self { name, kind: None, end, closes: false, has_others: false, has_value: false }
    }
}

/// What no name of a parameter holds, unless the tool's schema has such a name.
const NOT_OF_KEYS: &[u8] = b" \t\"'`=,<>";

/// A key without the quotes around it, which some models write.
pub(crate) fn without_quotes(key: Span, input: &[u8]) -> Span {
    match key.of(input) {
        [first @ (b'"' | b'\''), inner @ .., last] if first == last && !inner.is_empty() => {
            Span::new(key.start + 1, key.end - 1)
        }
        _ => key,
    }
}

/// Whether a key holds more than a name: what a damaged tag has run together with it.
pub(crate) fn is_more_than_key(key: &[u8]) -> bool {
    key.iter().any(|byte| NOT_OF_KEYS.contains(byte))
}

/// The result of reading an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    Read(Opening),
    /// Not an opening; it fails at this byte.
    No(usize),
}

/// Where an opening ends and where its name stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought<'f> {
    pub(crate) place: &'f NamePlace,
    pub(crate) kind: Option<&'f str>,
    pub(crate) end: &'f [Marker],
}

impl Sought<'_> {
    /// Reads the opening after its marker, which ends at `pos`.
    pub(crate) fn look(self, input: &[u8], pos: usize, finished: bool) -> Progress<Looked> {
        let whole = input.get(pos..).unwrap_or_default();
        let rest = whole.get(..LONGEST).unwrap_or(whole);
        // The reader does not wait for more text past the longest opening.
        let looked = match self.place {
            NamePlace::Inline | NamePlace::Tag => self.inline(rest),
            NamePlace::Attribute(name) => self.attributes(rest, name, finished),
            NamePlace::After(text) => self.after_text(rest, text),
        };
        match looked {
            Err(NeedMore) if rest.len() == LONGEST => Ok(Looked::No(pos + rest.len())),
            Err(NeedMore) => Err(NeedMore),
            Ok(Looked::No(at)) => Ok(Looked::No(pos + at)),
            Ok(Looked::Read(opening)) => {
                let shift = |span: Span| Span::new(span.start + pos, span.end + pos);
                let (name, kind) = (shift(opening.name), opening.kind.map(shift));
                Ok(Looked::Read(Opening { name, kind, end: opening.end + pos, ..opening }))
            }
        }
    }

    fn inline(self, rest: &[u8]) -> Progress<Looked> {
        if rest.first() == Some(&b'/') {
            return Ok(Looked::No(0));
        }
        let stop = memchr::memchr2(b'<', b'\n', rest);
        // A marker may begin with a byte that otherwise ends the search.
        let near = stop.map_or(rest.len(), |at| at + 1);
        if let Some((at, length)) = self.end.iter().find_map(|end| in_front(end, rest, near)) {
            let name = trimmed(rest, 0, at);
            return Ok(Looked::Read(Opening::of(name, at + length)));
        }
        let at = stop.ok_or(NeedMore)?;
        // A text that ends inside the marker ends inside the call.
        Marker::first(self.end, rest.get(at..).unwrap_or_default(), b"", false)?;
        Ok(Looked::No(at))
    }

    fn after_text(self, rest: &[u8], text: &str) -> Progress<Looked> {
        let line = memchr::memchr(b'\n', rest);
        let header = rest.get(..line.unwrap_or(rest.len())).unwrap_or(rest);
        let Some((at, length)) = Marker::find(self.end, header) else {
            return line.map(Looked::No).ok_or(NeedMore);
        };
        let (header, end) = (rest.get(..at).unwrap_or_default(), at + length);
        let Some(at) = memmem::find(header, text.as_bytes()) else {
            return Ok(Looked::No(end));
        };
        let start = at + text.len();
        let name = header.get(start..).unwrap_or_default();
        let length =
            name.iter().take_while(|byte| !byte.is_ascii_whitespace() && **byte != b'<').count();
        if !may_be_function(name.get(..length).unwrap_or_default()) {
            return Ok(Looked::No(end));
        }
        let name = Span::new(start, start + length);
        Ok(Looked::Read(Opening::of(name, end)))
    }

    fn attributes(self, rest: &[u8], wanted: &str, finished: bool) -> Progress<Looked> {
        let mut pos = 0;
        let (mut name, mut kind) = (Span::new(0, 0), None);
        let (mut has_others, mut has_value) = (false, false);
        loop {
            let space = rest.get(pos..).unwrap_or_default();
            let skipped = space.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            pos += skipped;
            let here = rest.get(pos..).unwrap_or_default();
            match Marker::first(self.end, here, b"", finished)? {
                Some(length) => {
                    let end = pos + length;
                    return Ok(Looked::Read(Opening {
                        kind,
                        has_others,
                        has_value,
                        ..Opening::of(name, end)
                    }));
                }
                None if here.is_empty() => return Err(NeedMore),
                None if here.first() == Some(&b'/') => {
                    let behind = here.get(1..).unwrap_or_default();
                    let length = Marker::first(self.end, behind, b"", finished)?;
                    return Ok(length.map_or(Looked::No(pos), |length| {
                        let end = pos + 1 + length;
                        Looked::Read(Opening {
                            name,
                            kind,
                            end,
                            closes: true,
                            has_others,
                            has_value,
                        })
                    }));
                }
                None if skipped == 0 => return Ok(Looked::No(pos)),
                None => {}
            }
            let Some(Attribute { key, value, length }) = attribute(here)? else {
                return Ok(Looked::No(pos));
            };
            let value = Span::new(value.start + pos, value.end + pos);
            if key == wanted.as_bytes() {
                name = value;
            } else if self.kind.is_some_and(|word| word.as_bytes() == key) {
                kind = Some(value);
            } else {
                let is_other = !NAMES_OF_CALL.contains(&key);
                has_others |= is_other;
                has_value |= is_other && !TYPES.contains(&key);
            }
            pos += length;
        }
    }
}

/// Where the marker stands, if it begins within the first `near` bytes.
fn in_front(marker: &Marker, text: &[u8], near: usize) -> Option<(usize, usize)> {
    let at = memmem::find(text, marker.lead()).filter(|at| *at < near)?;
    match marker.at(text.get(at..).unwrap_or_default(), b"", false) {
        Ok(Some(length)) => Some((at, length)),
        Ok(None) | Err(NeedMore) => None,
    }
}

/// An attribute of an opening.
struct Attribute<'t> {
    key: &'t [u8],
    value: Span,
    length: usize,
}

/// The attribute at the start of `rest`, if one stands there.
fn attribute(rest: &[u8]) -> Progress<Option<Attribute<'_>>> {
    let of_key =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.');
    let length = rest.iter().take_while(of_key).count();
    let key = rest.get(..length).unwrap_or_default();
    let &next = rest.get(length).ok_or(NeedMore)?;
    if key.is_empty() || next != b'=' {
        return Ok(None);
    }
    let &quote = rest.get(length + 1).ok_or(NeedMore)?;
    if !matches!(quote, b'"' | b'\'') {
        return Ok(None);
    }
    let start = length + 2;
    let end =
        start + memchr::memchr(quote, rest.get(start..).unwrap_or_default()).ok_or(NeedMore)?;
    Ok(Some(Attribute { key, value: Span::new(start, end), length: end + 1 }))
}

fn trimmed(text: &[u8], start: usize, end: usize) -> Span {
    let text = text.get(start..end).unwrap_or_default();
    let before = text.len() - text.trim_ascii_start().len();
    Span::new(start + before, start + before + text.trim_ascii().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(place: &NamePlace, end: &str, text: &str) -> Progress<Looked> {
        let end = [Marker::parse(end).unwrap()];
        Sought { place, kind: Some("type"), end: &end }.look(text.as_bytes(), 0, false)
    }

    #[test]
    fn a_name_stands_in_an_attribute() {
        let place = NamePlace::Attribute("name".into());
        let Ok(Looked::Read(read)) = look(&place, ">", r#" x="1" name='F' type="n">"#) else {
            panic!()
        };
        assert_eq!(
            (read.name, read.kind, read.end),
            (Span::new(13, 14), Some(Span::new(22, 23)), 25)
        );
        assert_eq!(look(&place, ">", " name=\"F"), Err(NeedMore));
        assert_eq!(look(&place, ">", "r name=\"F\">"), Ok(Looked::No(0)));
        assert_eq!(look(&place, ">", " name=F>"), Ok(Looked::No(1)));
    }

    #[test]
    fn a_name_stands_behind_a_word() {
        let place = NamePlace::After("to=".into());
        let Ok(Looked::Read(read)) = look(&place, "<|m|>", "c to=f.g <|x|>json<|m|>") else {
            panic!()
        };
        assert_eq!((read.name, read.end), (Span::new(5, 8), 23));
        assert_eq!(look(&place, "<|m|>", "final<|m|>"), Ok(Looked::No(10)));
        assert_eq!(look(&place, "<|m|>", &"x".repeat(600)), Ok(Looked::No(512)));
    }
}
