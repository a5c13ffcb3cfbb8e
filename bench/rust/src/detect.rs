//! Detection of whole texts and of streams, against the fastest thing that could be done instead.

use std::path::Path;

use memchr::memchr;
use serde_json::{Value, json};
use toolwire::{Detector, Options};

use crate::measure::{Way, samples};
use crate::row::{asked, sampled, text, timed_texts};
use crate::timed;

const GROUP: &str = "Rust detect";
const ALL_FORMATS: &str = "Rust detect, all formats";
const LIMIT: &str = "limit: memchr of a byte that is not there, serde_json on the arguments alone";

/// Prints the rows.
pub fn run(directory: &Path) {
    let (every, three) = (Detector::default(), three_formats());
    for (name, text) in timed_texts(directory, "timed") {
        rows(&name, &three, &every, &text);
    }
    for (name, text) in timed_texts(directory, "rates") {
        let ways = vec![
            Way::new("ours", || three.detect(&text).calls.len()),
            Way::new("limit", || memchr(0, &text)),
        ];
        timed("Rust GB/s", &name, text.len(), LIMIT, ways);
    }
    second("every form", &[]);
    second("three formats", &[("formats", json!(["tag", "json", "html"]))]);
    second("a model and tools", &[("model", json!("qwen3")), ("tools", json!(["a", "b", "c"]))]);
    let reply = text(directory, "prose-64k-8");
    for chunk in [4, 16, 1024] {
        streamed(GROUP, &three, chunk, &reply);
        streamed(ALL_FORMATS, &every, chunk, &reply);
    }
}

/// A detector of the formats that a search with a few patterns can find too.
pub fn three_formats() -> Detector {
    let mut options = Options::default();
    options.set("formats", &json!(["tag", "json", "html"])).expect("the option is known");
    Detector::new(options).expect("the options are good")
}

/// A detector of options that a detector has already; the limit is a copy of the options.
fn second(name: &str, settings: &[(&str, Value)]) {
    let mut options = Options::default();
    for (name, value) in settings {
        options.set(name, value).expect("the option is good");
    }
    let kept = Detector::new(options.clone()).expect("the options are good");
    timed(
        GROUP,
        &format!("another detector of the same options: {name}"),
        0,
        "limit: a copy of the options",
        vec![
            Way::new("ours", || Detector::new(options.clone()).expect("good").profile().is_some()),
            Way::new("limit", || options.clone().profile.is_some()),
        ],
    );
    drop(kept);
}

/// Names, and arguments as values.
fn read(detector: &Detector, text: &[u8]) -> Vec<(String, Value)> {
    let detection = detector.detect(text);
    let calls = detection.calls.iter();
    calls.map(|call| (call.name.clone(), Value::Object(detection.arguments(call)))).collect()
}

/// Two rows, measured together: three formats, and all. The limit is a search for a byte that is
/// not there, and serde_json's parse of the calls' arguments, whose places are known.
fn rows(name: &str, three: &Detector, every: &Detector, text: &[u8]) {
    if !asked(GROUP, name) && !asked(ALL_FORMATS, name) {
        return;
    }
    let calls = read(three, text);
    assert_eq!(calls, read(every, text), "{name}: the calls of all formats differ");
    let detection = three.detect(text);
    let raw: Vec<&[u8]> = detection.calls.iter().map(|call| call.arguments_raw(text)).collect();
    for ((_, value), raw) in calls.iter().zip(&raw) {
        let parsed: Value = serde_json::from_slice(raw).expect("arguments are JSON");
        assert_eq!(*value, parsed, "{name}");
    }
    let lengths = |detector: &Detector| {
        let detection = detector.detect(text);
        detection.calls.iter().map(|call| detection.arguments(call).len()).sum::<usize>()
    };
    let taken = samples(&mut [
        Way::new("ours", || lengths(three)),
        Way::new("all", || lengths(every)),
        Way::new("limit", || {
            let parsed = raw.iter().map(|raw| serde_json::from_slice::<Value>(raw));
            let objects = parsed.filter(|parsed| parsed.as_ref().is_ok_and(Value::is_object));
            (memchr(0, text), objects.count())
        }),
    ]);
    let [(_, ours), (_, all), (_, limit)] = &taken[..] else {
        unreachable!("there are three ways")
    };
    sampled(GROUP, name, text.len(), LIMIT, &[("ours", ours), ("limit", limit)]);
    let sides: [(&str, &[f64]); 2] = [("ours", all), ("limit", ours)];
    sampled(ALL_FORMATS, name, text.len(), "limit: three formats", &sides);
}

/// The limit is the whole text at once.
fn streamed(group: &str, detector: &Detector, chunk: usize, text: &[u8]) {
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
        group,
        &format!("8 calls in prose, 64 KB, streamed by {chunk} bytes"),
        text.len(),
        "limit: the whole text",
        vec![Way::new("ours", run), Way::new("limit", || detector.detect(text).calls.len())],
    );
}
