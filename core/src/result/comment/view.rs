//! A text as secrets are looked for in it: without what nobody sees, and with its escapes decoded.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;

use crate::visible::invisible;

/// Escapes in escapes are decoded so often: JSON in JSON in a URL.
const LEVELS: usize = 3;

/// Names that HTML has for ASCII punctuation.
const NAMES: &[(&[u8], u8)] = &[
    (b"excl;", b'!'),
    (b"quot;", b'"'),
    (b"num;", b'#'),
    (b"dollar;", b'$'),
    (b"percnt;", b'%'),
    (b"amp;", b'&'),
    (b"apos;", b'\''),
    (b"lpar;", b'('),
    (b"rpar;", b')'),
    (b"ast;", b'*'),
    (b"midast;", b'*'),
    (b"plus;", b'+'),
    (b"comma;", b','),
    (b"period;", b'.'),
    (b"sol;", b'/'),
    (b"colon;", b':'),
    (b"semi;", b';'),
    (b"lt;", b'<'),
    (b"equals;", b'='),
    (b"gt;", b'>'),
    (b"quest;", b'?'),
    (b"commat;", b'@'),
    (b"lsqb;", b'['),
    (b"lbrack;", b'['),
    (b"bsol;", b'\\'),
    (b"rsqb;", b']'),
    (b"rbrack;", b']'),
    (b"Hat;", b'^'),
    (b"lowbar;", b'_'),
    (b"UnderBar;", b'_'),
    (b"grave;", b'`'),
    (b"lcub;", b'{'),
    (b"lbrace;", b'{'),
    (b"vert;", b'|'),
    (b"verbar;", b'|'),
    (b"rcub;", b'}'),
    (b"rbrace;", b'}'),
];

/// A text made of another, and for each of its bytes the place in the source that it comes from.
pub(super) struct View<'t> {
    pub(super) text: Cow<'t, [u8]>,
    /// The places of all bytes and of the end; none where the text is the source.
    places: Option<Vec<usize>>,
}

impl<'t> View<'t> {
    /// The views of a text: without invisible characters, then decoded once, twice, and so on.
    pub(super) fn all(text: &'t str) -> Vec<Self> {
        let mut views = vec![Self::plain(text)];
        while views.len() <= LEVELS {
            let Some(next) = views.last().and_then(Self::decoded) else { break };
            views.push(next);
        }
        views
    }

    /// Where a part of the view stands in the source.
    pub(super) fn span(&self, part: Range<usize>) -> Range<usize> {
        self.place(part.start)..self.place(part.end)
    }

    fn place(&self, at: usize) -> usize {
        self.places.as_ref().map_or(at, |places| places.get(at).copied().unwrap_or_default())
    }

    fn plain(text: &'t str) -> Self {
        let (mut kept, mut places) = (Vec::new(), Vec::new());
        let mut done = 0;
        for span in invisible(text) {
            kept.extend(text.as_bytes().get(done..span.start).unwrap_or_default());
            places.extend(done..span.start);
            done = span.end;
        }
        if done == 0 {
            return Self { text: Cow::Borrowed(text.as_bytes()), places: None };
        }
        kept.extend(text.as_bytes().get(done..).unwrap_or_default());
        places.extend(done..=text.len());
        Self { text: Cow::Owned(kept), places: Some(places) }
    }

    /// The view with its escapes decoded; none if it has none.
    fn decoded(&self) -> Option<Self> {
        memchr3(b'\\', b'%', b'&', &self.text)?;
        let (mut text, mut places) = (Vec::with_capacity(self.text.len()), Vec::new());
        let (mut rest, mut found) = (&*self.text, false);
        while let Some((&byte, tail)) = rest.split_first() {
            let at = self.place(self.text.len() - rest.len());
            let mut buffer = [byte, 0, 0, 0];
            let (decoded, behind) = escape(rest, &mut buffer).unwrap_or((1, tail));
            found |= behind.len() != tail.len();
            text.extend(buffer.iter().take(decoded));
            places.extend(std::iter::repeat_n(at, decoded));
            rest = behind;
        }
        places.push(self.place(self.text.len()));
        found.then_some(Self { text: Cow::Owned(text), places: Some(places) })
    }
}

/// Decodes the escape that a text begins with: how many bytes it stands for, and what is behind it.
fn escape<'t>(text: &'t [u8], decoded: &mut [u8; 4]) -> Option<(usize, &'t [u8])> {
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
            let (number, behind) = number(rest, 16, 4)?;
            Some((char::from_u32(number)?.encode_utf8(decoded).len(), behind))
        }
        [b'\\', b'n', rest @ ..] => byte(b'\n', rest),
        [b'\\', b't', rest @ ..] => byte(b'\t', rest),
        [b'\\', escaped, rest @ ..] if escaped.is_ascii_punctuation() => byte(*escaped, rest),
        [b'&', b'#', b'x' | b'X', rest @ ..] => entity(rest, 16, decoded),
        [b'&', b'#', rest @ ..] => entity(rest, 10, decoded),
        [b'&', rest @ ..] => {
            let (name, named) = NAMES.iter().find(|(name, _)| rest.starts_with(name))?;
            byte(*named, rest.get(name.len()..)?)
        }
        _ => None,
    }
}

/// A number of exactly so many digits.
fn number(text: &[u8], radix: u32, digits: usize) -> Option<(u32, &[u8])> {
    let (digits, behind) = text.split_at_checked(digits)?;
    let value = |sum: u32, digit: &u8| Some(sum * radix + char::from(*digit).to_digit(radix)?);
    Some((digits.iter().try_fold(0, value)?, behind))
}

/// A numeric entity of HTML behind its `&#` or `&#x`; zeros may stand before the number.
fn entity<'t>(text: &'t [u8], radix: u32, decoded: &mut [u8; 4]) -> Option<(usize, &'t [u8])> {
    let digits = text.iter().take(8).take_while(|digit| char::from(**digit).is_digit(radix)).count();
    let (value, behind) = number(text, radix, digits)?;
    let character = char::from_u32(value).filter(|_| digits > 0)?;
    Some((character.encode_utf8(decoded).len(), behind.strip_prefix(b";")?))
}
