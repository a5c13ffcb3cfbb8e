//! One piece of work, done a given number of times, for counting its instructions.
//!
//! `instructions DIRECTORY NAME TIMES`; without arguments it lists the names.
//! `bench/check_instructions.py` runs it under valgrind with two numbers of times; the difference
//! leaves the start of the process out. The works named `reference: …` are other people's code, and
//! tell how this machine and compiler differ from those of the record.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "a program for measuring"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "it reads its own files, and measures serde_json too"
)]

use std::hint::black_box;
use std::path::Path;

use serde_json::{Value, json};
use toolwire::packet::{FindOptions, find};
use toolwire::reply::{ReplyOptions, extract_json};
use toolwire::result::results_summary;
use toolwire::tree::Constants;
use toolwire::{Detector, Options, ToolResult};

const NAMES: [&str; 14] = [
    "reference: search",
    "reference: parse",
    "detect prose",
    "detect code and HTML",
    "detect JSON fences",
    "detect 8 tag calls",
    "detect 8 mixed calls",
    "detect and read arguments",
    "detect 8 Hermes calls",
    "stream by 16 bytes",
    "stream Hermes by 16 bytes",
    "extract a reply's JSON",
    "find in 1000 packets",
    "sum up 100 results",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, name, times] = arguments.as_slice() else {
        for name in NAMES {
            println!("{name}");
        }
        return;
    };
    let times: u32 = times.parse().expect("a number of times");
    run(Path::new(directory), name, times);
}

fn repeat<T>(times: u32, mut work: impl FnMut() -> T) {
    for _ in 0..times {
        black_box(work());
    }
}

fn run(directory: &Path, name: &str, times: u32) {
    let read = |file: &str| std::fs::read(directory.join(file)).expect("a text of bench/corpus.py");
    let detector = Detector::default();
    let detect = |file: &str| {
        let text = read(file);
        repeat(times, || detector.detect(black_box(&text)).into_findings());
    };
    match name {
        "reference: search" => {
            let text = read("code-html-64k.txt");
            repeat(times, || memchr::memchr3_iter(b'<', b'{', b'`', black_box(&text)).count());
        }
        "reference: parse" => {
            let text = read("reply-object-64k.txt");
            repeat(times, || serde_json::from_slice::<Value>(black_box(&text)).is_ok());
        }
        "detect prose" => detect("prose-64k.txt"),
        "detect code and HTML" => detect("code-html-64k.txt"),
        "detect JSON fences" => detect("fences-64k.txt"),
        "detect 8 tag calls" => detect("tag-64k-8.txt"),
        "detect 8 mixed calls" => detect("mixed-64k-8.txt"),
        "detect and read arguments" => {
            let text = read("tag-64k-8.txt");
            repeat(times, || {
                let detection = detector.detect(black_box(&text));
                detection.calls.iter().map(|call| detection.arguments(call).len()).sum::<usize>()
            });
        }
        "detect 8 Hermes calls" => {
            let (text, hermes) = (read("hermes-64k-8.txt"), hermes());
            repeat(times, || hermes.detect(black_box(&text)).into_findings());
        }
        "extract a reply's JSON" => {
            let text = read("reply-64k.txt");
            repeat(times, || extract_json(black_box(&text), &ReplyOptions::default()).is_some());
        }
        "stream by 16 bytes" => stream(&detector, &read("tag-64k-8.txt"), times),
        "stream Hermes by 16 bytes" => stream(&hermes(), &read("hermes-64k-8.txt"), times),
        "find in 1000 packets" => {
            let packets: Value = serde_json::from_slice(&read("packets-1000.json")).expect("JSON");
            let packets = packets.as_array().expect("a list");
            repeat(times, || {
                find(black_box(packets).iter(), b"none", FindOptions::default()).is_ok()
            });
        }
        "sum up 100 results" => {
            let results: Vec<ToolResult<Value>> = (0..100).map(result).collect();
            repeat(times, || {
                let mut summary = Vec::new();
                results_summary(black_box(&results), Constants::default(), &mut summary)
                    .map(|()| summary)
                    .ok()
            });
        }
        unknown => panic!("unknown: {unknown}"),
    }
}

fn hermes() -> Detector {
    let mut options = Options::default();
    options.set("formats", &json!("hermes")).expect("the option is known");
    Detector::new(options).expect("the options are good")
}

fn stream(detector: &Detector, text: &[u8], times: u32) {
    repeat(times, || {
        let (mut stream, mut told) = (detector.stream(), Vec::new());
        for chunk in text.chunks(16) {
            stream.feed_into(chunk, &mut told).expect("not finished");
            black_box(&told);
            told.clear();
        }
        stream.finish().expect("not finished")
    });
}

fn result(number: u32) -> ToolResult<Value> {
    if number % 10 == 9 {
        return ToolResult::failure("code_search", json!({}), "the index is being rebuilt");
    }
    let data = json!({
        "similar_issues": vec![number; 3],
        "query": "why does the build fail ".repeat(number as usize % 8),
        "score": f64::from(number) / 7.0,
        "count": number,
        "meta": {"cached": true},
        "note": null,
    });
    ToolResult::success("rag_search", data, f64::from(number) / 100.0)
}
