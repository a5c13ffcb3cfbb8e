//! Finds the places of calls in a text by their markup.

use std::collections::{BTreeMap, HashMap, VecDeque};

use memchr::memmem;

use crate::call::{Span, ToolCall};

/// The place of each of these markups in a text; `None` for a markup that stands nowhere, or only
/// where another one stands.
///
/// `calls` are the calls that were detected in the text. A markup that one of these calls has
/// stands where the call does, so a mention of a call in a code block is not taken for the call.
/// Equal markups get the calls in text order. Any other markup stands where it is written first. No
/// two places overlap.
///
/// ```
/// use toolwire::detect::locate;
/// use toolwire::{Detector, Span};
///
/// let text = b"<tool:a>{}</tool> and [b] and <tool:a>{}</tool>";
/// let calls = Detector::default().detect(text).calls.clone();
/// let call = &b"<tool:a>{}</tool>"[..];
/// let found = locate(text, &calls, &[b"[b]", call, call, b"[b]"]);
/// let (b, first, second) = (Span::new(22, 25), Span::new(0, 17), Span::new(30, 47));
/// assert_eq!(found, [Some(b), Some(first), Some(second), None]);
/// ```
#[must_use]
pub fn locate<M: AsRef<[u8]>>(text: &[u8], calls: &[ToolCall], markups: &[M]) -> Vec<Option<Span>> {
    let mut detected: HashMap<&[u8], VecDeque<Span>> = HashMap::new();
    for call in calls {
        detected.entry(call.span.of(text)).or_default().push_back(call.span);
    }
    let mut places: Vec<_> = markups
        .iter()
        .map(|markup| detected.get_mut(markup.as_ref()).and_then(VecDeque::pop_front))
        .collect();
    let mut taken: BTreeMap<usize, usize> =
        places.iter().flatten().map(|span| (span.start, span.end)).collect();
    // The offset at which the search for each markup resumes, so that equal markups take one pass.
    let mut searched: HashMap<&[u8], usize> = HashMap::new();
    for (place, markup) in places.iter_mut().zip(markups) {
        let markup = markup.as_ref();
        if place.is_none() && !markup.is_empty() {
            let start = searched.entry(markup).or_default();
            *place = free_place(text, markup, start, &taken);
            taken.extend(place.map(|span| (span.start, span.end)));
        }
    }
    places
}

/// The next place of a markup from `start` on that overlaps no taken place.
fn free_place(
    text: &[u8],
    markup: &[u8],
    start: &mut usize,
    taken: &BTreeMap<usize, usize>,
) -> Option<Span> {
    let finder = memmem::Finder::new(markup);
    while let Some(found) = text.get(*start..).and_then(|rest| finder.find(rest)) {
        let span = Span::new(*start + found, *start + found + markup.len());
        match taken.range(..span.end).next_back() {
            Some((_, &end)) if end > span.start => *start = end,
            _ => {
                *start = span.end;
                return Some(span);
            }
        }
    }
    *start = text.len();
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::Detector;

    fn found(text: &str, markups: &[&str]) -> Vec<Option<(usize, usize)>> {
        let calls = Detector::default().detect(text.as_bytes()).calls.clone();
        let places = locate(text.as_bytes(), &calls, markups);
        places.into_iter().map(|place| place.map(|span| (span.start, span.end))).collect()
    }

    #[test]
    fn a_call_stands_where_it_was_detected_and_not_where_it_is_mentioned() {
        let call = "<tool:a>{}</tool>";
        let text = format!("```\n{call}\n```\n{call}");
        assert_eq!(found(&text, &[call]), [Some((26, 43))]);
        assert_eq!(found(&text, &[call, call, call]), [Some((26, 43)), Some((4, 21)), None]);
    }

    #[test]
    fn no_two_places_overlap() {
        assert_eq!(
            found("aaaa", &["aa", "aaa", "aa", "aa"]),
            [Some((0, 2)), None, Some((2, 4)), None]
        );
        assert_eq!(found("ab", &["", "b", "ab", "x"]), [None, Some((1, 2)), None, None]);
    }

    #[test]
    fn many_equal_markups_take_one_pass() {
        let text = "x".repeat(200_000);
        let markups = vec!["x"; 200_001];
        let places = found(&text, &markups);
        assert_eq!(places.iter().flatten().count(), 200_000);
    }
}
