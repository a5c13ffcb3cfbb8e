//! Prints what is found in each case of a list, as JSON lines, for `make conformance`.
//!
//! Usage: `conformance CASES.json`, a list of `{"id", "options", "chunks"}`. A line has the calls,
//! the text, also with its calls left in, the parts of the reasoning and the codes of the refusals.
//! It tells too whether every way to cut the text gives the same.
#![allow(clippy::print_stdout, reason = "it is what the program is for")]

use std::error::Error;
use std::fs;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::call::Segment;
use toolwire::{Detection, Detector, Options};

#[derive(Deserialize)]
struct Case {
    id: String,
    options: Map<String, Value>,
    chunks: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: conformance CASES.json")?;
    #[allow(clippy::disallowed_methods, reason = "the cases are the project's own")]
    let cases: Vec<Case> = serde_json::from_str(&fs::read_to_string(file)?)?;
    for case in cases {
        println!("{}", outcome(&case)?);
    }
    Ok(())
}

fn outcome(case: &Case) -> Result<Value, Box<dyn Error>> {
    let mut options = Options::default();
    for (name, value) in &case.options {
        options.set(name, value)?;
    }
    let detector = Detector::new(options)?;
    let chunks: Vec<_> = case.chunks.iter().map(String::as_bytes).collect();
    let whole = chunks.concat();
    let found = detector.detect(&whole);
    let mut line = plain(&found);
    line.insert("id".to_owned(), case.id.as_str().into());
    line.insert("splits".to_owned(), splits_agree(&detector, &chunks, &found)?.into());
    line.insert("joined".to_owned(), spans_join(&found).into());
    Ok(line.into())
}

fn plain(found: &Detection<'_>) -> Map<String, Value> {
    let call = |call| found.arguments(call);
    let calls = found.calls.iter().map(|one| json!({"name": one.name, "arguments": call(one)}));
    let codes = found.rejections.iter().map(|rejection| rejection.code.slug());
    let with_calls = found.replace(|call| call.span.of(found.input));
    let reasoning = found.segments().into_iter().filter_map(|part| match part {
        Segment::Reasoning(span) => Some(String::from_utf8_lossy(span.of(found.input))),
        _ => None,
    });
    let last_frame = match found.segments().last() {
        Some(Segment::Frame(span)) => String::from_utf8_lossy(span.of(found.input)),
        _ => "".into(),
    };
    let members = [
        ("last_frame", last_frame.into()),
        ("calls", calls.collect()),
        ("text", String::from_utf8_lossy(&found.text()).into()),
        ("with_calls", String::from_utf8_lossy(&with_calls).into()),
        ("reasoning", reasoning.collect()),
        ("rejections", codes.collect()),
    ];
    members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

/// Whether the recorded chunks and every other way to cut the text that is tried give the same.
fn splits_agree(
    detector: &Detector,
    chunks: &[&[u8]],
    found: &Detection<'_>,
) -> Result<bool, Box<dyn Error>> {
    let whole = found.input;
    let mut ways = vec![chunks.to_vec()];
    ways.extend([1, 2, 3, 5, 7, 16].map(|size| whole.chunks(size).collect()));
    ways.extend(
        (0..whole.len())
            .filter_map(|at| whole.split_at_checked(at))
            .map(|(left, right)| vec![left, right]),
    );
    for way in ways {
        let mut stream = detector.stream();
        for chunk in way {
            stream.feed(chunk)?;
        }
        stream.finish()?;
        if plain(&stream.detection()?) != plain(found) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn spans_join(found: &Detection<'_>) -> bool {
    let mut end = 0;
    let joined = found.segments().into_iter().all(|segment| {
        let span = segment.span();
        span.start == std::mem::replace(&mut end, span.end)
    });
    joined && end == found.input.len()
}
