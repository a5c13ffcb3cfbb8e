//! One piece of work, done a given number of times, for counting its instructions.
//!
//! `instructions DIRECTORY NAME TIMES`; without arguments it lists the names. `read html-64k` and
//! `read html-64k, all formats` are works too, for each text of the folder: it is searched and the
//! arguments of its calls are read. Works without `all formats` look for three formats, but for
//! those of one format. `a grammar of 10 tools, BACKEND` is a work too, which is not listed and has
//! no record yet; the environment's `CONSTRAINED` names the model.
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
use toolwire::detect::{ConstrainOptions, Profile, Tools, constrain};
use toolwire::packet::{FindOptions, find};
use toolwire::reply::{ReplyOptions, extract_json};
use toolwire::result::results_summary;
use toolwire::tree::Constants;
use toolwire::{Detector, Options, ToolResult};

const NAMES: [&str; 14] = [
    "reference: search",
    "reference: parse",
    "detect 8 tag calls",
    "detect 8 mixed calls",
    "detect 8 Hermes calls",
    "stream by 16 bytes",
    "stream by 16 bytes, all formats",
    "make a detector",
    "make a detector, all formats",
    "search a reply for calls of known tools",
    "stream Hermes by 16 bytes",
    "extract a reply's JSON",
    "find in 1000 packets",
    "sum up 100 results",
];

/// The model for which grammars are made: its calls have a tag for each argument.
const CONSTRAINED: &str = "qwen3-coder";

/// The texts of the works `read …`.
const TEXTS: [&str; 17] = [
    "prose-64k",
    "html-64k",
    "code-64k",
    "blocks-64k",
    "json-64k",
    "routes-64k",
    "prose-2k-1",
    "prose-64k-8",
    "html-64k-8",
    "code-64k-8",
    "prose-64k-64",
    "reply-2k-0",
    "reply-2k-8",
    "reply-64k-0",
    "reply-64k-8",
    "reply-64k-64",
    "message-64k-8",
];
const GRAMMAR: &str = "a grammar of 10 tools, ";
const ALL_FORMATS: &str = ", all formats";
/// The formats of the works that name none.
const THREE: [&str; 3] = ["tag", "json", "html"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, name, times] = arguments.as_slice() else {
        for name in NAMES {
            println!("{name}");
        }
        for text in TEXTS {
            println!("read {text}\nread {text}{ALL_FORMATS}");
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
    let detector = detector_of(&json!(THREE));
    let detect = |file: &str| {
        let text = read(file);
        repeat(times, || detector.detect(black_box(&text)).into_findings());
    };
    match name {
        "reference: search" => {
            let text = read("code-64k.txt");
            repeat(times, || memchr::memchr3_iter(b'<', b'{', b'`', black_box(&text)).count());
        }
        "reference: parse" => {
            let text = read("object-64k.txt");
            repeat(times, || serde_json::from_slice::<Value>(black_box(&text)).is_ok());
        }
        "detect 8 tag calls" => detect("prose-64k-8.txt"),
        "detect 8 mixed calls" => detect("mixed-64k-8.txt"),
        "detect 8 Hermes calls" => {
            let (text, hermes) = (read("hermes-64k-8.txt"), detector_of(&json!("hermes")));
            repeat(times, || hermes.detect(black_box(&text)).into_findings());
        }
        "extract a reply's JSON" => {
            let text = read("object-prose-64k.txt");
            repeat(times, || extract_json(black_box(&text), &ReplyOptions::default()).is_some());
        }
        "stream by 16 bytes" => stream(&detector, &read("prose-64k-8.txt"), times),
        "stream by 16 bytes, all formats" => {
            stream(&Detector::default(), &read("prose-64k-8.txt"), times);
        }
        "stream Hermes by 16 bytes" => {
            stream(&detector_of(&json!("hermes")), &read("hermes-64k-8.txt"), times);
        }
        "search a reply for calls of known tools" => {
            let mut options = Options::default();
            options.set("tools", &ten_tools()).expect("tools");
            let detector = Detector::new(options).expect("the options are good");
            let text = read("reply-64k-0.txt");
            repeat(times, || detector.detect(black_box(&text)).into_findings());
        }
        "make a detector" => repeat(times, || detector_of(&json!(THREE))),
        "make a detector, all formats" => {
            repeat(times, || Detector::new(Options::default()).is_ok());
        }
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
        other if other.starts_with(GRAMMAR) => {
            let backend = other.strip_prefix(GRAMMAR).unwrap_or_default();
            let tools = Tools::from_json(&ten_tools()).expect("tools");
            let model = std::env::var("CONSTRAINED");
            let profile =
                Profile::named(model.as_deref().unwrap_or(CONSTRAINED)).expect("a profile");
            let mut options = ConstrainOptions::default();
            options.set("backend", &backend.into()).expect("a backend");
            repeat(times, || constrain(black_box(&tools), &profile, &options).is_ok());
        }
        other => {
            let text = other.strip_prefix("read ").expect("a work of the list");
            let (text, detector) = match text.strip_suffix(ALL_FORMATS) {
                Some(text) => (text, Detector::default()),
                None => (text, detector),
            };
            let text = read(&format!("{text}.txt"));
            repeat(times, || arguments_of(&detector, black_box(&text)));
        }
    }
}

fn detector_of(formats: &Value) -> Detector {
    let mut options = Options::default();
    options.set("formats", formats).expect("the option is known");
    Detector::new(options).expect("the options are good")
}

/// Reads the arguments of every call; gives their number.
fn arguments_of(detector: &Detector, text: &[u8]) -> usize {
    let detection = detector.detect(text);
    detection.calls.iter().map(|call| detection.arguments(call).len()).sum()
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

/// Ten tools with five to ten arguments each, of the types that real ones have.
fn ten_tools() -> Value {
    let kinds = [
        ("query", json!({"type": "string", "description": "What is looked for."})),
        ("limit", json!({"type": "integer", "minimum": 1, "maximum": 100})),
        ("unit", json!({"type": "string", "enum": ["day", "week", "month"]})),
        ("exact", json!({"type": "boolean", "description": "Whether all words must be found."})),
        ("tags", json!({"type": "array", "items": {"type": "string"}, "maxItems": 5})),
        ("price", json!({"type": "number"})),
        (
            "where",
            json!({
                "type": "object",
                "properties": {"field": {"type": "string"}, "count": {"type": "integer"}},
                "required": ["field"],
            }),
        ),
        ("date", json!({"type": "string", "format": "date"})),
        ("note", json!({"type": ["string", "null"], "maxLength": 200})),
        ("page", json!({"type": "integer", "minimum": 1})),
    ];
    let tool = |number: usize| {
        let own = kinds.iter().cycle().skip(number).take(5 + number % 6);
        let properties: serde_json::Map<_, _> =
            own.map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
        let required = properties.keys().next();
        json!({
            "name": format!("tool_{number}"),
            "description": "Does something that a model may want.",
            "parameters": {"type": "object", "properties": properties, "required": [required]},
        })
    };
    (0..10).map(tool).collect()
}
