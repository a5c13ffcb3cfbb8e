//! Reads case files of recorded model output and prints, as JSON lines, what is found in each.
//!
//! Usage: `conformance FORMATS.json FILE...`, where the first file maps the formats' names in the
//! cases to Toolwire's. Each file holds `{"cases": [{"id", "format", "input" | "chunks", "tools"}]}`.
#![allow(clippy::print_stdout, reason = "it is what the program is for")]

use std::error::Error;
use std::fs;

use serde_json::{Value, json};
use toolwire::{Detection, Detector, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let names: Value =
        serde_json::from_str(&fs::read_to_string(arguments.next().ok_or("no formats file")?)?)?;
    for file in arguments {
        let content: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
        for case in content["cases"].as_array().ok_or("no cases")? {
            println!("{}", outcome(case, &names)?);
        }
    }
    Ok(())
}

fn outcome(case: &Value, names: &Value) -> Result<Value, Box<dyn Error>> {
    let name = case["format"].as_str().unwrap_or_default();
    let mut options = Options::default();
    options.set("formats", names.get(name).unwrap_or(&json!("auto")))?;
    if case["tools"].is_array() {
        options.set("tools", &case["tools"])?;
    }
    let detector = Detector::new(options)?;
    let chunks = case["chunks"].as_array().cloned().unwrap_or_else(|| vec![case["input"].clone()]);
    let chunks: Vec<_> = chunks.iter().map(|chunk| chunk.as_str().unwrap_or_default().as_bytes()).collect();
    let whole = chunks.concat();
    let found = detector.detect(&whole);
    let mut outcome = plain(&found);
    outcome["id"] = case["id"].clone();
    outcome["split"] = splits_agree(&detector, &chunks, &whole, &found)?.into();
    Ok(outcome)
}

fn plain(found: &Detection<'_>) -> Value {
    let calls: Vec<_> = found
        .calls
        .iter()
        .map(|call| json!({"name": call.name, "arguments": found.arguments(call), "format": call.format}))
        .collect();
    let codes: Vec<_> = found.rejections.iter().map(|rejection| rejection.code.as_str()).collect();
    json!({"calls": calls, "text": String::from_utf8_lossy(&found.text()), "rejections": codes})
}

/// Whether the recorded chunks and every other way to cut the text that is tried give the same.
fn splits_agree(
    detector: &Detector,
    chunks: &[&[u8]],
    whole: &[u8],
    found: &Detection<'_>,
) -> Result<bool, Box<dyn Error>> {
    let mut ways = vec![chunks.to_vec()];
    ways.extend([1, 2, 3, 5, 7, 16].map(|size| whole.chunks(size).collect()));
    for at in 0..whole.len() {
        ways.push(vec![whole.get(..at).unwrap_or_default(), whole.get(at..).unwrap_or_default()]);
    }
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
