//! Keys made of words from untrusted sources.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The longest escaped word that stands in a key; a longer one becomes a hash.
const LONGEST: usize = 64;

/// Joins words to a key of printable ASCII. Different words give different keys. A word takes at
/// most 64 bytes, or 65 as a hash.
pub(crate) fn key(words: &[&str]) -> String {
    let mut key = String::with_capacity(words.iter().map(|word| word.len() + 1).sum());
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            key.push('/');
        }
        push(&mut key, word);
    }
    key
}

/// Returns the common prefix of all keys that begin with these words and have more. No other key
/// begins with it.
pub(crate) fn prefix(words: &[&str]) -> String {
    let mut prefix = key(words);
    prefix.push('/');
    prefix
}

/// Appends an escaped word. A long word becomes its hash after `~`, a byte that is always escaped
/// in a word.
fn push(key: &mut String, word: &str) {
    let start = key.len();
    for byte in word.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':') {
            key.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(key, "%{byte:02X}");
        }
        if key.len() - start > LONGEST {
            key.truncate(start);
            key.push('~');
            for byte in Sha256::digest(word) {
                let _ = write!(key, "{byte:02x}");
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{key, prefix};

    #[test]
    fn a_word_cannot_reach_into_the_next() {
        assert_eq!(key(&["a", "b/c", "é %"]), "a/b%2Fc/%C3%A9%20%25");
        assert_ne!(key(&["a/b"]), key(&["a", "b"]));
        assert!(!key(&["a", "bc", "d"]).starts_with(&prefix(&["a", "b"])));
    }

    #[test]
    fn a_long_word_is_hashed() {
        let long = "x".repeat(1_000_000);
        assert_eq!(key(&[&long]).len(), 65);
        assert_ne!(key(&[&long]), key(&[long.get(1..).unwrap_or("")]));
        assert_ne!(key(&[&long]), key(&[&key(&[&long])]), "a word cannot be another's hash");
        assert_eq!(key(&[&"x".repeat(64)]), "x".repeat(64));
    }

    proptest! {
        #[test]
        fn different_words_have_different_keys(
            left in proptest::collection::vec(".{0,80}", 1..4),
            right in proptest::collection::vec(".{0,80}", 1..4),
        ) {
            let words = |words: &[String]| key(&words.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(left == right, words(&left) == words(&right));
            prop_assert!(words(&left).bytes().all(|byte| byte.is_ascii_graphic()));
        }
    }
}
