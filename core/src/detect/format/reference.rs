//! Character references in attributes: `&amp;` and `&#38;` stand for `&`.

use std::borrow::Cow;

use memchr::memchr_iter;

/// The longest reference that is looked at, in bytes.
const LONGEST: usize = 12;

/// The references that have a name, as in XML.
const NAMED: [(&[u8], char); 5] =
    [(b"amp", '&'), (b"lt", '<'), (b"gt", '>'), (b"quot", '"'), (b"apos", '\'')];

/// The value of an attribute. What is no reference stays as it is written.
pub(crate) fn decoded(written: &[u8]) -> Cow<'_, [u8]> {
    let (mut made, mut done) = (Vec::new(), 0);
    for at in memchr_iter(b'&', written) {
        let near = written.get(at + 1..).unwrap_or_default();
        let near = near.get(..LONGEST).unwrap_or(near);
        let Some(length) = memchr::memchr(b';', near) else { continue };
        let Some(character) = near.get(..length).and_then(character) else { continue };
        made.extend_from_slice(written.get(done..at).unwrap_or_default());
        made.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        done = at + length + 2;
    }
    if done == 0 {
        return Cow::Borrowed(written);
    }
    made.extend_from_slice(written.get(done..).unwrap_or_default());
    Cow::Owned(made)
}

/// A key as the value of an attribute that is [`decoded`] to it.
pub(crate) fn encoded(key: &str) -> Cow<'_, str> {
    let mut key = Cow::Borrowed(key);
    if decoded(key.as_bytes()) != key.as_bytes() {
        key = Cow::Owned(key.replace('&', "&amp;"));
    }
    if key.contains('"') && key.contains('\'') {
        key = Cow::Owned(key.replace('"', "&quot;"));
    }
    key
}

/// The character that a reference names.
fn character(reference: &[u8]) -> Option<char> {
    let Some(number) = reference.strip_prefix(b"#") else {
        return NAMED.iter().find(|(name, _)| *name == reference).map(|(_, character)| *character);
    };
    let (digits, radix) = match number.strip_prefix(b"x").or_else(|| number.strip_prefix(b"X")) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    char::from_u32(code).filter(|character| *character != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read() {
        for (written, read) in [
            ("a&amp;b", "a&b"),
            ("&lt;&#65;&#x42;&gt;", "<AB>"),
            ("&amp;amp;", "&amp;"),
            (
                "a&b; &nothing; &#; &#x; &#+1; &#xD800; &#0; &amp",
                "a&b; &nothing; &#; &#x; &#+1; &#xD800; &#0; &amp",
            ),
        ] {
            assert_eq!(decoded(written.as_bytes()), read.as_bytes(), "{written}");
        }
    }

    #[test]
    fn a_key_is_read_as_it_was() {
        for key in ["a", "a&b", "a&amp;b", "\"", "\"'", "'&quot;\"", "&&amp;"] {
            let written = encoded(key);
            assert_eq!(decoded(written.as_bytes()), key.as_bytes(), "{written}");
            assert!(!(written.contains('"') && written.contains('\'')), "{written}");
        }
    }
}
