//! Rows, as `bench/run.py` reads them: a JSON object in a line.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Reads one of the texts.
pub fn text(directory: &Path, name: &str) -> Vec<u8> {
    let path = directory.join(format!("{name}.txt"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads the texts that are timed, with their names in the table.
pub fn timed_texts(directory: &Path, list: &str) -> Vec<(String, Vec<u8>)> {
    let rows = std::fs::read(directory.join("rows.json")).expect("bench/corpus.py wrote it");
    let rows: Value = serde_json::from_slice(&rows).expect("JSON");
    let files = rows[list].as_object().expect("an object");
    let file = |file: &Value| text(directory, file.as_str().expect("a name"));
    files.iter().map(|(name, value)| (name.clone(), file(value))).collect()
}

/// Whether a row is to be measured: with `run.py --rows`, only those whose names hold a word.
pub fn asked(group: &str, name: &str) -> bool {
    let words = std::env::var("TOOLWIRE_BENCH_ROWS").unwrap_or_default();
    words.split('|').any(|word| format!("{group}: {name}").contains(word))
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
