//! Laws of locating markups: places are verbatim and do not overlap, and no free place is left
//! unused.

use proptest::collection::vec;
use proptest::prelude::*;
use toolwire::Detector;
use toolwire::detect::locate;

const PIECES: &[&str] =
    &["<tool:a>{}</tool>", "<tool:a>{}", "</tool>", "```\n", "a", "aa", "{}", " ", "[]", "\u{e9}"];

proptest! {
    #[test]
    fn places_hold_their_markup_and_do_not_overlap(
        text in vec(prop::sample::select(PIECES), 0..30),
        markups in vec(prop::sample::select(PIECES), 0..12),
    ) {
        let text = text.concat();
        let calls = Detector::default().detect(text.as_bytes()).calls.clone();
        let found = locate(text.as_bytes(), &calls, &markups);
        prop_assert_eq!(found.len(), markups.len());
        let mut taken = vec![false; text.len()];
        for (place, markup) in found.iter().zip(&markups) {
            let Some(place) = place else { continue };
            prop_assert_eq!(place.of(text.as_bytes()), markup.as_bytes());
            for byte in &mut taken[place.start..place.end] {
                prop_assert!(!std::mem::replace(byte, true), "{} is taken twice", place.start);
            }
        }
        for (place, markup) in found.iter().zip(&markups) {
            let free = |(start, _): (usize, &str)| taken[start..start + markup.len()].iter().all(|byte| !byte);
            prop_assert!(place.is_some() || !text.match_indices(markup).any(free), "{markup} could stand free");
        }
    }

    #[test]
    fn every_call_stands_where_it_was_detected(text in vec(prop::sample::select(PIECES), 0..30)) {
        let text = text.concat();
        let calls = Detector::default().detect(text.as_bytes()).calls.clone();
        let markups: Vec<_> = calls.iter().map(|call| call.original(text.as_bytes())).collect();
        let spans: Vec<_> = calls.iter().map(|call| Some(call.span)).collect();
        prop_assert_eq!(locate(text.as_bytes(), &calls, &markups), spans);
    }
}
