//! Prints what is found in each case of a list, as JSON lines, for `make conformance`.
//!
//! Usage: `conformance CASES.json`, a list of `{"id", "formats", "tools", "chunks"}`. Beside the
//! calls, the text and the codes of the refusals each line tells whether every way to cut the text
//! gives the same.
#![allow(clippy::print_stdout, reason = "it is what the program is for")]

use std::error::Error;
use std::fs;

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::{Detection, Detector, Options};

#[derive(Deserialize)]
struct Case {
    id: String,
    formats: Value,
    tools: Value,
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
    options.set("formats", &case.formats)?;
    options.set("tools", &case.tools)?;
    let detector = Detector::new(options)?;
    let chunks: Vec<_> = case.chunks.iter().map(String::as_bytes).collect();
    let whole = chunks.concat();
    let found = detector.detect(&whole);
    let (calls, text, rejections) = plain(&found);
    Ok(json!({
        "id": case.id,
        "calls": calls,
        "text": text,
        "rejections": rejections,
        "splits": splits_agree(&detector, &chunks, &found)?,
        "joined": spans_join(&found),
    }))
}

fn plain(found: &Detection<'_>) -> (Vec<Value>, String, Vec<&'static str>) {
    let call = |call| found.arguments(call);
    let calls =
        found.calls.iter().map(|one| json!({"name": one.name, "arguments": call(one)})).collect();
    let codes = found.rejections.iter().map(|rejection| rejection.code.slug()).collect();
    (calls, String::from_utf8_lossy(&found.text()).into_owned(), codes)
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
