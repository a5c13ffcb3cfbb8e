//! Repair of a call's arguments: what is JSON stays as it is, and what is made is JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use toolwire::call::{RejectionCode, Status};
use toolwire::detect::Format;
use toolwire::json::Repair;
use toolwire::{Detector, Options};

fuzz_target!(|data: &[u8]| {
    let text = [b"<tool:x>", data, b"</tool>"].concat();
    let detect = |repair| {
        let options = Options { formats: Format::seeds(), repair, ..Options::default() };
        Detector::new(options).expect("the options are good").detect(&text)
    };
    let (detection, strict) = (detect(Repair::Safe), detect(Repair::Off));
    for call in &detection.calls {
        // A `Value` of serde_json takes one key for its own.
        let raw = call.arguments_raw(&text);
        serde_json::from_slice::<&RawValue>(raw).expect("arguments are JSON");
        let array = raw.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
        assert!(array.map_or(raw.starts_with(b"{"), |inside| inside.starts_with(b"]")));
        let noted = call.diagnostics.iter().any(|note| note.code.is_repair());
        assert_eq!(call.status == Status::Repaired, noted);
    }
    if let (Some(call), true) = (strict.calls.first(), strict.rejections.is_empty()) {
        let Some(repaired) = detection.calls.iter().find(|other| other.span == call.span) else {
            // A mark of reasoning that stands inside a repaired call is not one.
            let reason = detection.rejections.iter().find(|other| other.span == call.span);
            assert_eq!(reason.expect("a good call stays one").code, RejectionCode::InReasoning);
            return;
        };
        assert_eq!((&repaired.name, repaired.status), (&call.name, Status::Complete));
        assert_eq!(repaired.arguments_raw(&text), call.arguments_raw(&text));
    }
});
