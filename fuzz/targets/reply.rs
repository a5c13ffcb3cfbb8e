//! A reply's JSON: what is found is JSON, and stands in the reply unless it was repaired.
//!
//! The first byte chooses the options; the rest is the reply.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolwire::json::Repair;
use toolwire::reply::{ReplyOptions, extract_json};

fuzz_target!(|data: &[u8]| {
    let [switches, reply @ ..] = data else { return };
    let options = ReplyOptions {
        keys: if switches & 1 != 0 {
            vec!["summary".to_owned(), "a".to_owned()]
        } else {
            Vec::new()
        },
        repair: if switches & 2 != 0 { Repair::Safe } else { Repair::Off },
        max_depth: if switches & 4 != 0 { 3 } else { 100 },
    };
    let Some(found) = extract_json(reply, &options) else { return };
    let value: Value = serde_json::from_str(&found.json).expect("what is found is JSON");
    assert!(found.span.end <= reply.len());
    if found.repairs.is_empty() {
        assert_eq!(found.json.as_bytes(), found.span.of(reply));
    }
    // What was found is found again, alone.
    let again = extract_json(found.json.as_bytes(), &options).expect("it is there");
    assert_eq!(serde_json::from_str::<Value>(&again.json).ok(), Some(value));
});
