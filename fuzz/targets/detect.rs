//! Detection over every format and option: the laws hold, and no cut of the text changes what is
//! found.
//!
//! The first four bytes choose the formats, the options and two cuts; the rest is the text.
#![no_main]

#[path = "../../core/tests/properties/laws.rs"]
#[allow(dead_code, reason = "the property tests use all of it")]
mod laws;

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use toolwire::detect::{Fences, Format, Limits, Reasoning};
use toolwire::json::Repair;
use toolwire::{Detector, Options};

fn options(formats: u8, switches: u8) -> Options {
    let mut options = Options::default();
    let all = Format::all();
    options.formats = match usize::from(formats) {
        0 => Format::seeds(),
        1 => Format::automatic(),
        number => vec![all[number % all.len()].clone()],
    };
    let tools = json!([
        {"name": "f", "parameters": {"properties": {"n": {"type": "integer"}, "o": {"type": "object"}}}},
        "a", "b", "get_weather",
    ]);
    if switches & 1 != 0 {
        options.set("tools", &tools).expect("the tools are good");
    }
    options.fences = [Fences::Json, Fences::All, Fences::None][usize::from(switches >> 1 & 3) % 3];
    options.repair = if switches & 8 != 0 { Repair::Safe } else { Repair::Off };
    options.schemas.coerce = switches & 16 != 0;
    options.reasoning = if switches & 32 != 0 { Reasoning::Calls } else { Reasoning::Separate };
    if switches & 64 != 0 {
        // Limits that are soon reached.
        options.limits = Limits {
            max_depth: 4,
            max_arguments: 64,
            max_calls: 2,
            max_input: 1024,
            ..Limits::default()
        };
    }
    options
}

fuzz_target!(|data: &[u8]| {
    let [formats, switches, first, second, text @ ..] = data else { return };
    let detector = Detector::new(options(*formats, *switches)).expect("the options are good");
    laws::check_two_cuts(&detector, text, [*first, *second]);
});
