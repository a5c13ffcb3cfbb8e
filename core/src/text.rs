//! Walks texts by code point, including bytes that are not UTF-8.
//!
//! A host's text is usually UTF-8. A text of Python may hold a lone surrogate: it arrives as the
//! three bytes that UTF-8 would give it, and counts as one code point. A text of PHP may hold any
//! bytes: each byte that is not part of a code point counts as one.

/// The longest prefix of `text` with at most `limit` code points.
pub(crate) fn prefix(text: &[u8], limit: usize) -> &[u8] {
    // A code point has at least one byte, so a text of at most `limit` bytes needs no walk.
    if text.len() <= limit {
        return text;
    }
    let head = text.get(..limit).unwrap_or(text);
    if head.is_ascii() {
        return head;
    }
    let mut end = 0;
    for _ in 0..limit {
        end += first(text.get(end..).unwrap_or_default()).len();
    }
    text.get(..end).unwrap_or(text)
}

/// The bytes of the first code point; empty at the end.
pub(crate) fn first(text: &[u8]) -> &[u8] {
    let width = match text.first() {
        None => 0,
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        Some(_) => 1,
    };
    match text.get(..width) {
        Some(point) if point.iter().skip(1).all(|byte| byte & 0xC0 == 0x80) => point,
        _ => text.get(..1).unwrap_or_default(),
    }
}

/// The number of the lone surrogate that these bytes encode, if they encode one.
pub(crate) fn surrogate(point: &[u8]) -> Option<u16> {
    match point {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF] => {
            Some(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F))
        }
        _ => None,
    }
}

/// Whether Python counts a character as white space.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// A text without the white space around it.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_prefix_counts_code_points() {
        assert_eq!(prefix(b"abc", 3), b"abc");
        assert_eq!(prefix(b"abcd", 3), b"abc");
        assert_eq!(prefix("äöüß".as_bytes(), 3), "äöü".as_bytes());
        assert_eq!(prefix("a😀b😀".as_bytes(), 3), "a😀b".as_bytes());
        assert_eq!(prefix("😀".as_bytes(), 3), "😀".as_bytes());
    }

    #[test]
    fn odd_bytes_count_one_each() {
        assert_eq!(prefix(b"\xFF\xFE\x80\x80", 3), b"\xFF\xFE\x80");
        assert_eq!(prefix(b"\xED\xA0\x80ab", 2), b"\xED\xA0\x80a");
        assert_eq!(prefix(b"\xF0\x9Fabc", 3), b"\xF0\x9Fa");
    }

    #[test]
    fn surrogates_are_told_from_code_points() {
        assert_eq!(surrogate(b"\xED\xA0\x80"), Some(0xD800));
        assert_eq!(surrogate(b"\xED\xBF\xBF"), Some(0xDFFF));
        assert_eq!(surrogate("\u{D7FF}".as_bytes()), None);
    }

    proptest! {
        #[test]
        fn a_prefix_of_utf8_is_that_of_its_characters(text in "\\PC{0,40}", limit in 0_usize..30) {
            let expected: String = text.chars().take(limit).collect();
            prop_assert_eq!(prefix(text.as_bytes(), limit), expected.as_bytes());
        }

        #[test]
        fn any_bytes_fall_into_code_points(bytes: Vec<u8>) {
            let (mut rest, mut count) = (&bytes[..], 0);
            while !rest.is_empty() {
                let point = first(rest);
                prop_assert!(!point.is_empty());
                rest = &rest[point.len()..];
                count += 1;
            }
            prop_assert_eq!(prefix(&bytes, count), &bytes[..]);
        }
    }
}
