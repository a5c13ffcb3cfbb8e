//! The core against the Rust crates that read the Hermes form too: `dynamo-parsers` and
//! `tool-parser`.
//!
//! `toolwire-bench-peers DIRECTORY` reads the texts that `bench/corpus.py` writes and prints a JSON
//! object for each row, as `toolwire-bench` does.

mod argument;
mod call;
#[path = "../../rust/src/measure.rs"]
mod measure;
mod parse;
#[path = "../../rust/src/row.rs"]
#[allow(dead_code, reason = "the texts of the other rows are not read here")]
mod row;
mod stream;
mod streamed;
mod whole;

use std::path::Path;

use serde_json::json;
use toolwire::{Detector, Options};

fn main() {
    let directory = std::env::args().nth(1).expect("the folder of the texts");
    let directory = Path::new(&directory);
    whole::run(directory);
    streamed::run(directory);
    argument::run();
}

/// A detector of these formats.
fn detector(formats: &str) -> Detector {
    let mut options = Options::default();
    options.set("formats", &json!(formats)).expect("the format is known");
    Detector::new(options).expect("the options are good")
}
