//! Detection of whole texts and of streams, against the fastest thing that could be done instead.

use std::path::Path;

use memchr::memchr3_iter;
use serde_json::{Value, json};
use toolwire::{Detector, Options};

use crate::measure::Way;
use crate::row::text;
use crate::timed;

const GROUP: &str = "Rust detect";

/// Prints the rows.
pub fn run(directory: &Path) {
    for (name, file) in [
        ("prose, 64 KB", "prose-64k"),
        ("prose, 1 MB", "prose-1m"),
        ("prose with code and HTML, 1 MB", "code-1m"),
        ("JSON fences, 64 KB", "blocks-64k"),
    ] {
        without_calls(name, &Detector::default(), &text(directory, file));
    }
    let mut options = Options::default();
    options.set("formats", &json!("auto")).expect("the option is known");
    let every = Detector::new(options).expect("the options are good");
    for (name, file) in [
        ("prose, 1 MB, all formats", "prose-1m"),
        ("prose with code and HTML, 1 MB, all formats", "code-1m"),
    ] {
        without_calls(name, &every, &text(directory, file));
    }
    for (name, file) in [
        ("2 KB, 1 call", "prose-2k-1"),
        ("64 KB, 8 calls", "prose-64k-8"),
        ("1 MB, 100 calls", "prose-1m-100"),
    ] {
        with_calls(name, &text(directory, file));
    }
    let reply = text(directory, "prose-64k-8");
    for chunk in [4, 16, 1024] {
        streamed(chunk, &reply);
    }
}

/// The limit is a search for the bytes that a call can start with.
fn without_calls(name: &str, detector: &Detector, text: &[u8]) {
    assert!(detector.detect(text).calls.is_empty(), "{name}");
    timed(
        GROUP,
        name,
        text.len(),
        "limit: memchr3 of < { `",
        vec![
            Way::new("ours", || detector.detect(text).calls.len()),
            Way::new("limit", || memchr3_iter(b'<', b'{', b'`', text).count()),
        ],
    );
}

/// The limit is serde_json's parse of the calls' arguments, whose places are known.
fn with_calls(name: &str, text: &[u8]) {
    let detector = Detector::default();
    let detection = detector.detect(text);
    let raw: Vec<&[u8]> = detection.calls.iter().map(|call| call.arguments_raw(text)).collect();
    for (call, raw) in detection.calls.iter().zip(&raw) {
        let parsed: Value = serde_json::from_slice(raw).expect("arguments are JSON");
        assert_eq!(Value::Object(detection.arguments(call)), parsed, "{name}");
    }
    let read = || {
        let detection = detector.detect(text);
        detection.calls.iter().map(|call| detection.arguments(call).len()).sum::<usize>()
    };
    let parse = || {
        let parsed = raw.iter().map(|raw| serde_json::from_slice::<Value>(raw));
        parsed.filter(|parsed| parsed.as_ref().is_ok_and(Value::is_object)).count()
    };
    let note = "limit: serde_json on the arguments alone";
    timed(
        GROUP,
        &format!("{name}, arguments read"),
        text.len(),
        note,
        vec![Way::new("ours", read), Way::new("limit", parse)],
    );
    timed(
        GROUP,
        &format!("{name}, found only"),
        text.len(),
        "",
        vec![Way::new("ours", || detector.detect(text).calls.len())],
    );
}

/// The limit is the whole text at once.
fn streamed(chunk: usize, text: &[u8]) {
    let detector = Detector::new(Options::default()).expect("the defaults are good");
    let run = || {
        let mut stream = detector.stream();
        let (mut events, mut told) = (0, Vec::new());
        for chunk in text.chunks(chunk) {
            stream.feed_into(chunk, &mut told).expect("not finished");
            events += told.len();
            told.clear();
        }
        events += stream.finish().expect("not finished").len();
        (events, stream.findings().calls.len())
    };
    assert_eq!(run().1, detector.detect(text).calls.len());
    timed(
        GROUP,
        &format!("64 KB, 8 calls, streamed by {chunk} bytes"),
        text.len(),
        "limit: the whole text",
        vec![Way::new("ours", run), Way::new("limit", || detector.detect(text).calls.len())],
    );
}
