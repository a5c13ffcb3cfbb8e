//! Strikes parts out of a text, in any of its views.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::view::DerivedText;

/// The text that replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// The most searches of one text.
const ROUNDS: usize = 8;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text.
    pub text: Cow<'t, str>,
    /// How many secrets were struck out.
    pub count: usize,
}

/// Strikes out the parts that `find` reports in the views of a text, until it reports none.
///
/// A mark may form a new secret with the text beside it. A text that holds new secrets after every
/// search is struck out as a whole.
pub(super) fn strike(text: &str, find: impl Fn(&[u8]) -> Vec<Range<usize>>) -> Redacted<'_> {
    let mut redacted = Redacted { text: Cow::Borrowed(text), count: 0 };
    for _ in 0..ROUNDS {
        let parts = parts(&redacted.text, &find);
        if parts.is_empty() {
            return redacted;
        }
        let (text, count) = without(&redacted.text, &parts);
        redacted = Redacted { text: Cow::Owned(text), count: redacted.count + count };
    }
    Redacted { text: Cow::Borrowed(REDACTED), count: redacted.count }
}

/// The parts that are found in the views of a text, in the order of their starts.
fn parts(text: &str, find: impl Fn(&[u8]) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    for view in DerivedText::all(text) {
        parts.extend(find(&view.text).into_iter().map(|part| view.span(part)));
    }
    if parts.is_empty() {
        return parts;
    }
    let marks: Vec<usize> = memmem::find_iter(text.as_bytes(), REDACTED).collect();
    let mut parts: Vec<_> =
        parts.into_iter().filter_map(|part| beside_marks(part, &marks)).collect();
    parts.sort_by_key(|part| (part.start, part.end));
    parts
}

/// Extends a part to cover each mark that it touches; `None` if the part lies inside one mark.
fn beside_marks(part: Range<usize>, marks: &[usize]) -> Option<Range<usize>> {
    let end = |mark: usize| mark + REDACTED.len();
    let first = marks.partition_point(|mark| end(*mark) <= part.start);
    let behind = marks.partition_point(|mark| *mark < part.end);
    let (Some(first), Some(last)) = (marks.get(first), marks.get(..behind).and_then(<[_]>::last))
    else {
        return Some(part);
    };
    if *first <= part.start && part.end <= end(*first) {
        return None;
    }
    if first > last {
        return Some(part);
    }
    Some(part.start.min(*first)..part.end.max(end(*last)))
}

/// A text with a mark in place of each part, and the number of marks; overlapping parts share a
/// mark.
fn without(text: &str, parts: &[Range<usize>]) -> (String, usize) {
    let (mut made, mut done, mut count) = (String::with_capacity(text.len()), 0, 0);
    for part in parts {
        if count == 0 || part.start >= done {
            made.push_str(text.get(done..part.start).unwrap_or_default());
            made.push_str(REDACTED);
            count += 1;
        }
        done = done.max(part.end);
    }
    made.push_str(text.get(done..).unwrap_or_default());
    (made, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strikes words out.
    fn struck(text: &str, words: &[&str]) -> String {
        let find = |view: &[u8]| {
            let found = words.iter().flat_map(|word| {
                memmem::find_iter(view, *word).map(|at| at..at + word.len()).collect::<Vec<_>>()
            });
            found.collect()
        };
        strike(text, find).text.into_owned()
    }

    #[test]
    fn a_mark_is_no_secret() {
        assert_eq!(struck("redacted", &["redacted"]), REDACTED);
        assert_eq!(struck("[redacted][redacted]", &["redacted"]), "[redacted][redacted]");
        assert_eq!(struck("[redacted][redacted]", &["d]["]), REDACTED);
    }

    #[test]
    fn what_a_mark_makes_a_secret_goes_too() {
        assert_eq!(struck("ab-cd", &["-", "b[redacted]c"]), "a[redacted]d");
        assert_eq!(struck("aa-b", &["-", "a["]), "[redacted]b");
    }

    #[test]
    fn a_text_that_has_no_end_of_secrets_goes_whole() {
        assert_eq!(struck(&format!("b{}-", "a".repeat(9)), &["-", "a["]), REDACTED);
    }
}
