//! A text in the form in which secrets are searched for: without invisible characters, and decoded.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;

use super::entity::leading_entity;
use crate::visible::invisible;

/// The most levels of escapes that are decoded: JSON in JSON in a URL.
const LEVELS: usize = 3;

/// The most bytes that one escape stands for: two characters.
const LONGEST: usize = 8;

/// A text derived from a source, with the offset in the source for each byte.
pub(super) struct DerivedText<'t> {
    pub(super) text: Cow<'t, [u8]>,
    /// The offsets of all bytes and of the end; `None` if the text is the source itself.
    places: Option<Vec<usize>>,
}

impl<'t> DerivedText<'t> {
    /// The views of a text: unchanged, decoded once, decoded twice, and so on, each without
    /// invisible characters.
    pub(super) fn all(text: &'t str) -> Vec<Self> {
        let mut views = vec![Self { text: Cow::Borrowed(text.as_bytes()), places: None }.visible()];
        while views.len() <= LEVELS {
            let Some(next) = views.last().and_then(Self::decoded) else { break };
            views.push(next);
        }
        views
    }

    /// The span in the source of a part of the view, which is not empty.
    pub(super) fn span(&self, part: Range<usize>) -> Range<usize> {
        // An escape may stand for several bytes; all of it belongs to the span.
        let last = self.place(part.end.saturating_sub(1));
        let mut ends = (part.end..=self.text.len()).map(|at| self.place(at));
        self.place(part.start)..ends.find(|end| *end > last).unwrap_or(last)
    }

    fn place(&self, at: usize) -> usize {
        self.places.as_ref().map_or(at, |places| places.get(at).copied().unwrap_or_default())
    }

    /// The view without invisible characters.
    fn visible(self) -> Self {
        let hidden: Vec<Range<usize>> = invisible(&self.text).collect();
        if hidden.is_empty() {
            return self;
        }
        let (mut text, mut places, mut done) = (Vec::new(), Vec::new(), 0);
        let end = self.text.len();
        for span in hidden.into_iter().chain(std::iter::once(end..end)) {
            text.extend(self.text.get(done..span.start).unwrap_or_default());
            places.extend((done..span.start).map(|at| self.place(at)));
            done = span.end;
        }
        places.push(self.place(end));
        Self { text: Cow::Owned(text), places: Some(places) }
    }

    /// The view with its escapes decoded; `None` if it has no escape.
    fn decoded(&self) -> Option<Self> {
        memchr3(b'\\', b'%', b'&', &self.text)?;
        let (mut text, mut places) = (Vec::with_capacity(self.text.len()), Vec::new());
        let (mut rest, mut found) = (&*self.text, false);
        while let Some((&byte, tail)) = rest.split_first() {
            let at = self.place(self.text.len() - rest.len());
            let mut buffer = [0; LONGEST];
            buffer[0] = byte;
            let (decoded, behind) = escape(rest, &mut buffer).unwrap_or((1, tail));
            found |= behind.len() != tail.len();
            text.extend(buffer.iter().take(decoded));
            places.extend(std::iter::repeat_n(at, decoded));
            rest = behind;
        }
        places.push(self.place(self.text.len()));
        found.then(|| Self { text: Cow::Owned(text), places: Some(places) }.visible())
    }
}

/// Decodes the escape at the start of a text: the number of decoded bytes, and the text after it.
fn escape<'t>(text: &'t [u8], decoded: &mut [u8; LONGEST]) -> Option<(usize, &'t [u8])> {
    let mut byte = |byte: u8, behind: &'t [u8]| {
        decoded[0] = byte;
        Some((1, behind))
    };
    match text {
        [b'%', rest @ ..] | [b'\\', b'x', rest @ ..] => {
            let (number, behind) = number(rest, 16, 2)?;
            byte(u8::try_from(number).ok()?, behind)
        }
        [b'\\', b'u', rest @ ..] => {
            let (character, behind) = unit(rest)?;
            Some((character.encode_utf8(decoded).len(), behind))
        }
        [b'\\', b'b', rest @ ..] => byte(b'\x08', rest),
        [b'\\', b'f', rest @ ..] => byte(b'\x0C', rest),
        [b'\\', b'r', rest @ ..] => byte(b'\r', rest),
        [b'\\', b'n', rest @ ..] => byte(b'\n', rest),
        [b'\\', b't', rest @ ..] => byte(b'\t', rest),
        [b'\\', escaped, rest @ ..] if escaped.is_ascii_punctuation() => byte(*escaped, rest),
        [b'&', b'#', b'x' | b'X', rest @ ..] => entity(rest, 16, decoded),
        [b'&', b'#', rest @ ..] => entity(rest, 10, decoded),
        [b'&', rest @ ..] => {
            let (characters, behind) = leading_entity(rest)?;
            decoded.get_mut(..characters.len())?.copy_from_slice(characters.as_bytes());
            Some((characters.len(), behind))
        }
        _ => None,
    }
}

/// The character of a JSON escape after its `\u`, or of two escapes that are a surrogate pair.
fn unit(text: &[u8]) -> Option<(char, &[u8])> {
    let (high, behind) = number(text, 16, 4)?;
    if !(0xD800..0xDC00).contains(&high) {
        return Some((char::from_u32(high)?, behind));
    }
    let (low, behind) = number(behind.strip_prefix(b"\\u")?, 16, 4)?;
    let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    Some((char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + low)?, behind))
}

/// A number of exactly this many digits.
fn number(text: &[u8], radix: u32, digits: usize) -> Option<(u32, &[u8])> {
    let (digits, behind) = text.split_at_checked(digits)?;
    let value = |sum: u32, digit: &u8| Some(sum * radix + char::from(*digit).to_digit(radix)?);
    Some((digits.iter().try_fold(0, value)?, behind))
}

/// A numeric entity of HTML after its `&#` or `&#x`; zeros may precede the number.
fn entity<'t>(
    text: &'t [u8],
    radix: u32,
    decoded: &mut [u8; LONGEST],
) -> Option<(usize, &'t [u8])> {
    let digits =
        text.iter().take(8).take_while(|digit| char::from(**digit).is_digit(radix)).count();
    let (value, behind) = number(text, radix, digits)?;
    let character = char::from_u32(value).filter(|_| digits > 0)?;
    Some((character.encode_utf8(decoded).len(), behind.strip_prefix(b";")?))
}
