//! Cuts texts into lines, and gives equal lines equal numbers.

use std::hash::Hash;

use ahash::{HashMap, HashMapExt};

/// The lines of a text, each with its end; the last one may have none.
///
/// A line ends where Python's `str.splitlines` ends one: at `\n`, `\r`, `\r\n`, `\v`, `\f`, the
/// separators U+001C to U+001E, U+0085, U+2028 and U+2029.
pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (line, behind) = rest.split_at_checked(first_line(rest)).unwrap_or((rest, &[]));
        lines.push(line);
        rest = behind;
    }
    lines
}

/// Whether a line has an end.
pub(super) fn is_ended(line: &[u8]) -> bool {
    matches!(line, [.., b'\n'..=b'\r' | 0x1C..=0x1E] | [.., 0xC2, 0x85] | [.., 0xE2, 0x80, 0xA8 | 0xA9])
}

/// The bytes of the first line, its end included.
fn first_line(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(found) = rest.iter().position(|&byte| may_end(byte)) else { break };
        let width = end_width(rest.get(found..).unwrap_or_default());
        at += found + width.max(1);
        if width > 0 {
            return at;
        }
    }
    text.len()
}

/// Whether an end of a line may begin with this byte.
#[inline]
fn may_end(byte: u8) -> bool {
    matches!(byte, b'\n'..=b'\r' | 0x1C..=0x1E | 0xC2 | 0xE2)
}

/// The bytes of the end of a line at the start of `text`; 0 if there is none.
fn end_width(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
        [b'\n'..=b'\r' | 0x1C..=0x1E, ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// Two sequences as numbers, from 0 without a gap: equal items have equal numbers.
pub(super) struct Numbered {
    /// The old side.
    pub(super) old: Vec<u32>,
    /// The new side.
    pub(super) new: Vec<u32>,
}

impl Numbered {
    /// Numbers items in the order of their first appearance.
    pub(super) fn of<T: Hash + Eq>(old: &[T], new: &[T]) -> Self {
        let mut numbers = HashMap::with_capacity(old.len());
        let mut number = |item| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(item).or_insert(next)
        };
        Self {
            old: old.iter().map(&mut number).collect(),
            new: new.iter().map(&mut number).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_end_as_python_ends_them() {
        let text = "a\nb\r\nc\rd\u{b}e\u{c}f\u{1c}g\u{1d}h\u{1e}i\u{85}j\u{2028}k\u{2029}\n\r\rl";
        let found: Vec<_> =
            lines(text.as_bytes()).into_iter().map(|line| str::from_utf8(line).unwrap()).collect();
        let expected = [
            "a\n",
            "b\r\n",
            "c\r",
            "d\u{b}",
            "e\u{c}",
            "f\u{1c}",
            "g\u{1d}",
            "h\u{1e}",
            "i\u{85}",
            "j\u{2028}",
            "k\u{2029}",
            "\n",
            "\r",
            "\r",
            "l",
        ];
        assert_eq!(found, expected);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn what_only_looks_like_an_end_is_none() {
        for text in ["\u{1f}\t ", "é\u{a0}", "–…\u{2027}\u{202a}"] {
            assert_eq!(lines(text.as_bytes()), [text.as_bytes()]);
            assert!(!is_ended(text.as_bytes()), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn lines_join_to_the_text(text in "[a\u{85}\u{2028}\r\n\u{b}é]{0,30}", bytes: Vec<u8>) {
            for text in [text.as_bytes(), &bytes] {
                let lines = lines(text);
                prop_assert_eq!(lines.concat(), text);
                for (place, line) in lines.iter().enumerate() {
                    prop_assert_eq!(first_line(line), line.len());
                    prop_assert!(is_ended(line) || place + 1 == lines.len());
                }
            }
        }
    }
}
