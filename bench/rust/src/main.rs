//! The benchmarks of the core, and the limits that it is held against.
//!
//! `toolwire-bench DIRECTORY` reads the texts that `bench/corpus.py` writes and prints a JSON
//! object for each row; `bench/run.py` makes the table of them.

mod approvals;
mod detect;
mod growth;
mod measure;
mod memory;
mod row;
mod transcript;

use std::path::Path;

use measure::{Way, samples};
use row::{asked, print, sampled};
use serde_json::json;

fn main() {
    let directory = std::env::args().nth(1).expect("the folder of the texts");
    let directory = Path::new(&directory);
    if let (Some(file), Some(how)) = (std::env::args().nth(2), std::env::args().nth(3)) {
        return memory::one(directory, &file, &how);
    }
    detect::run(directory);
    growth::run();
    memory::run(directory);
    approvals::run(directory);
    transcript::run(directory);
}

/// Times the ways of a row and prints it.
fn timed(group: &str, name: &str, bytes: usize, note: &str, mut ways: Vec<Way<'_>>) {
    if !asked(group, name) {
        return;
    }
    let taken = samples(&mut ways);
    let sides: Vec<_> = taken.iter().map(|(side, taken)| (*side, taken.as_slice())).collect();
    sampled(group, name, bytes, note, &sides);
}

/// Prints a row that has one figure.
fn figure(group: &str, name: &str, unit: &str, ours: f64, note: &str) {
    print(
        json!({"group": group, "name": name, "unit": unit, "samples": {"ours": [ours]}, "note": note}),
    );
}
