//! How much two sequences have in common.

use super::lines::Numbered;
use super::runs::{longest_runs, matched};
use super::script::Script;

/// The share of items that are alike, twice over both lengths, rounded to three decimals.
///
/// Of two empty sequences it is 1. Rounding is that of Python's `round`: by the double's exact value, half to
/// even.
pub(super) fn ratio(alike: usize, old: usize, new: usize) -> f64 {
    if old + new == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of what is in memory are far below 2^53")]
    let share = 2.0 * alike as f64 / (old + new) as f64;
    format!("{share:.3}").parse().unwrap_or(share)
}

/// How similar two JSON texts in ASCII are, by characters.
///
/// Short ones are compared as Python's `difflib` does, longer ones word by word, each counted by its length.
pub(super) fn of_json(old: &[u8], new: &[u8]) -> f64 {
    if old == new {
        return 1.0;
    }
    if let Some(runs) = longest_runs(old, new) {
        return ratio(matched(&runs), old.len(), new.len());
    }
    let (old_words, new_words) = (words(old), words(new));
    let Numbered { old: old_numbers, new: new_numbers } = Numbered::of(&old_words, &new_words);
    let script = Script::of(&old_numbers, &new_numbers);
    let equal = script.steps.iter().filter(|step| step.tag() == similar::DiffTag::Equal);
    let alike = equal.flat_map(|step| old_words.get(step.old_range()).unwrap_or_default());
    ratio(alike.map(|word| word.len()).sum(), old.len(), new.len())
}

/// The longest run of characters that is one word; each character of a longer one is a word.
const LONGEST_WORD: usize = 32;

/// Cuts a text into words: runs of letters and digits, and what stands between them.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::with_capacity(text.len() / 4);
    for run in text.chunk_by(|one, next| one.is_ascii_alphanumeric() == next.is_ascii_alphanumeric()) {
        if run.len() <= LONGEST_WORD {
            words.push(run);
        } else {
            words.extend(run.chunks(1));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ratios_are_rounded_as_python_does() {
        for (alike, old, new, rounded) in [
            (0, 0, 0, 1.0),
            (0, 1, 0, 0.0),
            (1, 1, 2, 0.667),
            (1, 16, 16, 0.062),
            (3, 16, 16, 0.188),
            (1999, 2000, 2000, 1.0),
        ] {
            assert_eq!(ratio(alike, old, new).to_string(), f64::to_string(&rounded), "{alike} {old} {new}");
        }
    }

    #[test]
    fn words_are_kept_and_long_ones_are_not() {
        assert_eq!(words(b"{\"a1\": -2}"), [&b"{\""[..], b"a1", b"\": -", b"2", b"}"]);
        assert_eq!(words(&[b'x'; 33]).len(), 33);
        assert_eq!(words(&[b'x'; 32]).len(), 1);
    }

    #[test]
    fn a_long_value_that_changed_a_little_is_similar() {
        let old = "\\u4e2d\\u6587".repeat(4000);
        let new = old.replacen("\\u6587", "\\u6588", 40);
        let similarity = of_json(old.as_bytes(), new.as_bytes());
        assert!((0.98..1.0).contains(&similarity), "{similarity}");
        assert_eq!(of_json("ab ".repeat(200).as_bytes(), "- ".repeat(200).as_bytes()).to_string(), "0.4");
    }

    proptest! {
        #[test]
        fn similarity_is_a_share(old in "[ab \"]{0,300}", new in "[ab \"]{0,300}") {
            let similarity = of_json(old.as_bytes(), new.as_bytes());
            prop_assert!((0.0..=1.0).contains(&similarity));
            prop_assert!(old != new || similarity >= 1.0);
        }
    }
}
