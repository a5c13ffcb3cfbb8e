//! Whole messages by every profile: the laws hold, and no cut of the text changes what is found.
//!
//! The first four bytes choose the profile, the options and two cuts; the rest is the text. It is
//! also read as a chat template and as a prompt.
#![no_main]

#[path = "../../core/tests/properties/laws.rs"]
#[allow(dead_code, reason = "the property tests use all of it")]
mod laws;

use libfuzzer_sys::fuzz_target;
use toolwire::detect::{Profile, Reasoning};
use toolwire::{Detector, Options};

fuzz_target!(|data: &[u8]| {
    let [profile, switches, first, second, text @ ..] = data else { return };
    let all = Profile::all();
    let profile = &all[(usize::from(*profile) + 256 * usize::from(switches & 1)) % all.len()];
    let begun = profile.clone().begun_by(text);
    if let Ok(template) = std::str::from_utf8(text) {
        let _ = Profile::from_template(template);
    }
    let reasoning =
        [Reasoning::Separate, Reasoning::Keep, Reasoning::Calls][usize::from(switches >> 1) % 3];
    for profile in [profile.clone(), begun] {
        let options = Options { profile: Some(profile), reasoning, ..Options::default() };
        let detector = Detector::new(options).expect("the options are good");
        laws::check_two_cuts(&detector, text, [*first, *second]);
    }
});
