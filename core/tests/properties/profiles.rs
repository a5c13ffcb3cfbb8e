//! Messages of every profile are read the same, wherever they are cut.

use proptest::collection::vec;
use proptest::prelude::*;
use toolwire::detect::{Profile, Reasoning};
use toolwire::{Detector, Options};

use crate::laws::{check_cuts, check_splits};
use crate::messages::pieces;

/// Detectors for what the profile writes, with and without reasoning that the prompt has begun.
fn detectors(profile: &Profile) -> Vec<Detector> {
    let begun = profile.clone().begun_by(b"<think>\n");
    let with = |profile: &Profile, reasoning| {
        let options = Options { profile: Some(profile.clone()), reasoning, ..Options::default() };
        Detector::new(options).unwrap()
    };
    vec![
        with(profile, Reasoning::Separate),
        with(profile, Reasoning::Keep),
        with(profile, Reasoning::Calls),
        with(&begun, Reasoning::Separate),
    ]
}

/// Some of the profile's pieces in a row.
fn text(profile: &Profile, indexes: &[usize]) -> String {
    let pieces = pieces(profile);
    indexes.iter().map(|index| pieces[index % pieces.len()].as_str()).collect()
}

#[test]
fn an_empty_thought_of_which_a_part_is_left_splits_anywhere() {
    for profile in Profile::all() {
        let markers = profile.reasoning_markers().flat_map(|(open, close)| {
            open.into_iter()
                .zip(close.into_iter().cycle())
                .map(|(open, close)| format!("{open}{close}Hi").replace("{suffix}", ":x"))
        });
        for text in markers {
            for (start, _) in text.char_indices() {
                let left = &text.as_bytes()[start..];
                for detector in detectors(profile) {
                    check_cuts(&detector, left, [vec![left.len() / 2], (1..left.len()).collect()]);
                }
            }
        }
    }
}

#[test]
fn a_token_at_the_end_counts_the_same_whatever_space_follows() {
    for profile in Profile::all() {
        let own = profile.stop();
        for token in own.into_iter().chain(["</s>", "<eos>", "[EOS]", "<end_of_turn>"]) {
            // White space is looked through up to some length, such as 64 bytes.
            for text in [63, 64, 65].map(|count| format!("Hi{token}{}x", " ".repeat(count))) {
                for text in [&text[..text.len() - 1], &text] {
                    let splits = [vec![text.len() / 2], (1..text.len()).collect()];
                    for detector in detectors(profile) {
                        check_cuts(&detector, text.as_bytes(), splits.clone());
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_message_splits_anywhere(profile in any::<usize>(), indexes in vec(any::<usize>(), 1..7)) {
        let all = Profile::all();
        let profile = &all[profile % all.len()];
        check_splits(&detectors(profile), text(profile, &indexes).as_bytes());
    }

    #[test]
    fn a_message_splits_in_many_ways(
        profile in any::<usize>(),
        indexes in vec(any::<usize>(), 7..40),
        mut cuts in vec(0usize..1500, 0..40),
    ) {
        let all = Profile::all();
        let profile = &all[profile % all.len()];
        let text = text(profile, &indexes);
        cuts.retain(|&cut| cut <= text.len());
        cuts.sort_unstable();
        for detector in detectors(profile) {
            check_cuts(&detector, text.as_bytes(), [cuts.clone()]);
        }
    }
}
