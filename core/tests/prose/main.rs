//! Prose about the formats: sentences that name every marker, in code and outside, call nothing.

#![allow(clippy::indexing_slicing, reason = "these are tests")]

use toolwire::{Detection, Detector};

/// A sentence a line.
const SENTENCES: &str = include_str!("sentences.txt");
/// The most refusals of markers that stand in a sentence as they stand in a call.
const MOST_REFUSALS: usize = 28;

fn check(found: &Detection<'_>, text: &str) -> usize {
    assert!(found.calls.is_empty(), "{text}: {:?}", found.calls);
    assert_eq!(found.text(), text.as_bytes(), "{text}");
    found.rejections.len()
}

#[test]
fn a_sentence_about_the_formats_is_no_call_and_stays_whole() {
    let detector = Detector::default();
    assert!(SENTENCES.lines().count() >= 200);
    let refused = SENTENCES.lines().map(|line| check(&detector.detect(line.as_bytes()), line));
    assert!(refused.sum::<usize>() <= MOST_REFUSALS);
}

#[test]
fn a_page_about_the_formats_is_no_call_and_stays_whole() {
    let detector = Detector::default();
    for between in ["\n", " ", "\n\n"] {
        let page = SENTENCES.lines().collect::<Vec<_>>().join(between);
        assert!(check(&detector.detect(page.as_bytes()), &page) <= MOST_REFUSALS);
    }
}
