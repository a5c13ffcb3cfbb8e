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
    /// The names of references to characters of the class.
    named: Vec<&'static [u8]>,
}

impl ClassSign {
    /// The signs of a class; `None` for a class that may be written in too many ways.
    pub(crate) fn new(class: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_plain = !class.is_empty() && class.bytes().all(plain);
        let stands = |text: &[u8]| class.as_bytes().windows(text.len()).any(|part| part == text);
        let named = || NAMED.iter().filter(|(_, text)| stands(text)).map(|(name, _)| *name);
        is_plain.then(|| Self { class: Finder::new(class).into_owned(), named: named().collect() })
    }

    /// Whether a sign stands in a text.
    pub(crate) fn stands_in(&self, text: &[u8]) -> bool {
        let spelled = |at: usize| self.is_spelled(text.get(at + 1..).unwrap_or_default());
        self.class.find(text).is_some() || memchr_iter(b'&', text).any(spelled)
    }

    /// The texts of which a text with the class holds one: the class, and what a reference to a
    /// character of it begins with.
    pub(crate) fn texts(&self) -> (&[u8], impl Iterator<Item = Vec<u8>>) {
        let class = self.class.needle();
        let named = self.named.iter().map(|name| [b"&", *name].concat());
        let numbers = class.iter().map(|byte| format!("&#{byte}").into_bytes());
        // A number may have zeros in front, or be written in base 16.
        let others = [b"&#0", b"&#x", b"&#X"].map(|number| number.to_vec());
        (class, named.chain(numbers).chain(others))
    }

    /// Whether a reference, from behind its `&` on, is to a character of the class.
    #[inline]
    pub(crate) fn is_spelled(&self, reference: &[u8]) -> bool {
        match reference.strip_prefix(b"#") {
            Some(number) => self.is_number_of_character(number),
            None => self.named.iter().any(|name| reference.starts_with(name)),
        }
    }

    /// Most references are names, and are told from these without a call.
    #[inline(never)]
    fn is_number_of_character(&self, number: &[u8]) -> bool {
        // Most numbers are those of quotes and dashes, which no class has.
        if let [b'1'..=b'9', rest @ ..] = number
            && rest.first_chunk::<3>().is_some_and(|rest| rest.iter().all(u8::is_ascii_digit))
        {
            return false;
        }
        let (digits, radix) = match number {
            [b'x' | b'X', digits @ ..] => (digits, 16),
            digits => (digits, 10),
        };
        let mut value = 0;
        for digit in digits.iter().map_while(|byte| char::from(*byte).to_digit(radix)) {
            value = value * radix + digit;
            if value > u32::from(u8::MAX) {
                return false;
            }
        }
        u8::try_from(value).is_ok_and(|byte| self.class.needle().contains(&byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_seen_however_it_is_written() {
        let sign = ClassSign::new("a-b_fj").unwrap();
        let signs = ["a-b_fj", "&#45;", "&#0045", "&#x2d;", "&#X2D", "&lowbar;", "&fjlig;"];
        for written in signs {
            let text = format!("<p class='{written}'>");
            assert!(sign.stands_in(text.as_bytes()), "{text}");
        }
        for other in [
            "a-b",
            "a_b",
            "&#39;",
            "&#x;",
            "&#4294967341;",
            "&#0451",
            "&#1045;",
            "&amp;",
            "&",
            "&#",
            "-b_fj",
        ] {
            assert!(!sign.stands_in(other.as_bytes()), "{other}");
        }
        assert!(ClassSign::new("é").is_none());
    }
}
