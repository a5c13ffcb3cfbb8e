//! Rows, as `bench/run.py` reads them: a JSON object in a line.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Reads one of the texts.
pub fn text(directory: &Path, name: &str) -> Vec<u8> {
    let path = directory.join(format!("{name}.txt"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Prints a row of samples in nanoseconds.
pub fn sampled(group: &str, name: &str, bytes: usize, note: &str, sides: &[(&str, &[f64])]) {
    let samples: Map<_, _> =
        sides.iter().map(|(side, taken)| ((*side).to_owned(), json!(taken))).collect();
    print(json!({
        "group": group, "name": name, "unit": "ns", "bytes": bytes, "samples": samples, "note": note
    }));
}

/// Prints a row as it is.
pub fn print(row: Value) {
    println!("{row}");
}
