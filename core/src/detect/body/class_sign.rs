//! Whether an element that is marked as a call may stand in a text at all.
//!
//! The class that marks the element stands in its tag as it is, or with a character reference such
//! as `&#45;` for one of its characters. So a text without either needs no look at its tags.

use memchr::memchr_iter;
use memchr::memmem::Finder;

/// The references that HTML names for characters of a class.
const NAMED: [(&[u8], &[u8]); 3] = [(b"lowbar", b"_"), (b"UnderBar", b"_"), (b"fjlig", b"fj")];

/// The signs of a class in a text.
#[derive(Clone, Debug)]
pub(crate) struct ClassSign {
    class: Finder<'static>,
    /// The offset in the class of the byte that is searched for.
    offset: usize,
}

impl ClassSign {
    /// The signs of a class, which is searched for by the byte at `offset`; `None` for a class that
    /// may be written in too many ways.
    pub(crate) fn new(class: &str, offset: usize) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_plain = !class.is_empty() && class.bytes().all(plain);
        is_plain.then(|| Self { class: Finder::new(class).into_owned(), offset })
    }

    /// The byte by which the class is found, between the bytes before and after it.
    pub(crate) fn bytes(&self) -> [Option<u8>; 3] {
        let class = self.class.needle();
        let places = [self.offset.checked_sub(1), Some(self.offset), Some(self.offset + 1)];
        places.map(|place| place.and_then(|place| class.get(place)).copied())
    }

    /// The byte with which a character reference begins, and the bytes that may follow it.
    pub(crate) fn references(&self) -> (u8, impl Iterator<Item = u8>) {
        let named = self.named().filter_map(|name| name.first().copied());
        (b'&', named.chain([b'#']))
    }

    /// Whether a sign stands around the byte at `pos`.
    pub(crate) fn stands(&self, input: &[u8], pos: usize) -> bool {
        let rest = |start: usize| input.get(start..).unwrap_or_default();
        let class = pos.checked_sub(self.offset);
        class.is_some_and(|start| rest(start).starts_with(self.class.needle()))
            || (input.get(pos) == Some(&b'&') && self.is_spelled(rest(pos + 1)))
    }

    /// Whether a sign stands in a text.
    pub(crate) fn stands_in(&self, text: &[u8]) -> bool {
        let spelled = |at: usize| self.is_spelled(text.get(at + 1..).unwrap_or_default());
        self.class.find(text).is_some() || memchr_iter(b'&', text).any(spelled)
    }

    /// Whether a reference, from behind its `&` on, is to a character of the class.
    fn is_spelled(&self, reference: &[u8]) -> bool {
        let Some(number) = reference.strip_prefix(b"#") else {
            return self.named().any(|name| reference.starts_with(name));
        };
        let (digits, radix) = match number {
            [b'x' | b'X', digits @ ..] => (digits, 16),
            digits => (digits, 10),
        };
        let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(radix));
        let value =
            digits.fold(0_u32, |value, digit| value.saturating_mul(radix).saturating_add(digit));
        u8::try_from(value).is_ok_and(|byte| self.class.needle().contains(&byte))
    }

    /// The names of references to characters of the class.
    fn named(&self) -> impl Iterator<Item = &'static [u8]> {
        let class = self.class.needle();
        let meant = NAMED
            .iter()
            .filter(move |(_, text)| class.windows(text.len()).any(|part| part == *text));
        meant.map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_seen_however_it_is_written() {
        let sign = ClassSign::new("a-b_fj", 1).unwrap();
        let signs = ["a-b_fj", "&#45;", "&#0045", "&#x2d;", "&#X2D", "&lowbar;", "&fjlig;"];
        for written in signs {
            let text = format!("<p class='{written}'>");
            assert!(sign.stands_in(text.as_bytes()), "{text}");
            let at = text.find(['&', '-']).unwrap();
            assert!(sign.stands(text.as_bytes(), at), "{text}");
        }
        for other in ["a-b", "a_b", "&#39;", "&#x;", "&#4294967341;", "&amp;", "&", "&#", "-b_fj"] {
            assert!(!sign.stands_in(other.as_bytes()), "{other}");
            assert!(!sign.stands(other.as_bytes(), 0), "{other}");
        }
        assert!(ClassSign::new("é", 0).is_none());
    }
}
