//! The work on hostile texts grows with the text, and not with its square.
//!
//! What is counted are instructions, by valgrind, because times depend on what else the machine
//! does. The test runs itself under valgrind for each text and each of two sizes.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "these are tests"
)]

use std::hint::black_box;
use std::process::Command;
use std::sync::Mutex;

use serde_json::json;
use toolwire::detect::{Limits, quote};
use toolwire::redact::Redaction;
use toolwire::{Detector, Options};

use hostile::{HOSTILE, MASKED, QUOTED, REPAIRED};

mod dumped;
mod generated;
mod hostile;

const KIB: usize = 1024;
const SMALL: usize = 16 * KIB;
/// What a text is longer than the small one, and how much more work it may be: tables that double,
/// and the last bytes of a text, make it a little more than that.
const TIMES: usize = 8;
const MOST_PERCENT: u64 = 8 * 115;

/// The name of the text and its size, for the process under valgrind.
const TEXT: &str = "TOOLWIRE_GROWTH_TEXT";
const SIZE: &str = "TOOLWIRE_GROWTH_SIZE";

#[test]
fn hostile_texts_take_linear_work() {
    expect_linear("searched", HOSTILE.map(|(name, _)| name).to_vec());
}

#[test]
fn a_quote_takes_linear_work() {
    expect_linear("quoted", QUOTED.to_vec());
}

#[test]
fn masking_takes_linear_work() {
    expect_linear("masked", MASKED.to_vec());
}

/// The fast form of the next test: formats whose damaged calls were once read again and again.
#[test]
fn what_some_formats_write_takes_linear_work() {
    let names =
        ["seed_oss", "minicpm5", "minimax_m3", "cline"].map(|slug| format!("format {slug}"));
    expect_linear_writing(names.to_vec());
}

#[test]
#[ignore = "it takes half an hour: make test-growth"]
fn what_formats_and_profiles_write_takes_linear_work() {
    expect_linear_writing(generated::names());
}

/// Compares the work on the texts of formats and profiles.
fn expect_linear_writing(names: Vec<String>) {
    let (left, grown) = (Mutex::new(names), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(name) = { left.lock().unwrap().pop() } {
                    grown.lock().unwrap().extend(dumped::growing(&name, TEXT));
                }
            });
        }
    });
    let grown = grown.into_inner().unwrap();
    assert!(grown.is_empty(), "8 times the text is more work: {}", grown.join("\n"));
}

#[test]
#[ignore = "another test runs it under valgrind"]
fn generated_texts() {
    let Ok(name) = std::env::var(TEXT) else { return };
    dumped::read_all(&name);
}

#[test]
fn what_is_to_be_repaired_takes_linear_work() {
    expect_linear("repaired", REPAIRED.to_vec());
}

/// The most instructions for each byte of a text that is to be repaired. A build that is not
/// optimized takes some eight times as many.
const MOST_A_BYTE: u64 = if cfg!(debug_assertions) { 7500 } else { 900 };

#[test]
fn what_is_to_be_repaired_takes_little_work_for_each_byte() {
    let mut worst = Vec::new();
    for text in REPAIRED {
        let start = instructions("repaired", text, 0);
        let work = instructions("repaired", text, SMALL).saturating_sub(start);
        let each = work / u64::try_from(SMALL).unwrap();
        println!("{text:30} {each:>4} instructions a byte");
        worst.extend((each > MOST_A_BYTE).then(|| format!("{text}: {each}")));
    }
    assert!(worst.is_empty(), "too many instructions a byte: {}", worst.join("; "));
}

/// Runs an ignored test for each text and each of two sizes, and compares its work.
fn expect_linear(test: &str, names: Vec<&'static str>) {
    let start = instructions(test, "", 0);
    let (left, grown) = (Mutex::new(names), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(name) = { left.lock().unwrap().pop() } {
                    let small = instructions(test, name, SMALL).saturating_sub(start).max(1);
                    let large = instructions(test, name, SMALL * TIMES).saturating_sub(start);
                    let percent = large * 100 / small;
                    println!("{test} {name:45} {small:>12} {large:>12} {percent:>6} %");
                    if percent > MOST_PERCENT {
                        grown.lock().unwrap().push(format!("{name}: {percent} %"));
                    }
                }
            });
        }
    });
    let grown = grown.into_inner().unwrap();
    assert!(grown.is_empty(), "{TIMES} times the text is more work: {}", grown.join("; "));
}

/// The instructions of a process that runs an ignored test with a text.
fn instructions(test: &str, name: &str, size: usize) -> u64 {
    let run = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env(TEXT, name)
        .env(SIZE, size.to_string())
        .output()
        .expect("valgrind is needed: .ci/setup installs it");
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{name}: {told}");
    let (_, count) = told.split_once("refs:").expect("cachegrind counts instructions");
    let count: String = count.lines().next().unwrap().replace(',', "");
    count.trim().parse().unwrap()
}

#[test]
#[ignore = "another test runs it under valgrind"]
fn searched() {
    let (Ok(name), Ok(size)) = (std::env::var(TEXT), std::env::var(SIZE)) else { return };
    let size: usize = size.parse().unwrap();
    let unit = HOSTILE.iter().find(|(other, _)| *other == name).map_or("x", |(_, unit)| unit);
    let start = if unit == " " { "```json\n" } else { "" };
    let text: Vec<u8> = start.bytes().chain(unit.bytes().cycle()).take(size).collect();
    for formats in [json!(["tag", "json", "html"]), json!("auto")] {
        // Calls and refusals beyond the limits would cost nothing, and hide how the work grows.
        let limits =
            Limits { max_calls: usize::MAX, max_rejections: usize::MAX, ..Limits::default() };
        let mut options = Options { limits, ..Options::default() };
        options.set("formats", &formats).unwrap();
        let detector = Detector::new(options).unwrap();
        black_box(detector.detect(black_box(&text)).calls.len());
    }
}

#[test]
#[ignore = "another test runs it under valgrind"]
fn repaired() {
    let (Ok(piece), Ok(size)) = (std::env::var(TEXT), std::env::var(SIZE)) else { return };
    let size: usize = size.parse().unwrap();
    let piece = if piece.is_empty() { "x" } else { &piece };
    let text: Vec<u8> = piece.bytes().cycle().take(size).collect();
    let mut options = Options::default();
    options.set("repair", &json!("safe")).unwrap();
    let detector = Detector::new(options).unwrap();
    black_box(detector.detect(black_box(&text)).calls.len());
}

#[test]
#[ignore = "another test runs it under valgrind"]
fn masked() {
    let (Ok(piece), Ok(size)) = (std::env::var(TEXT), std::env::var(SIZE)) else { return };
    let size: usize = size.parse().unwrap();
    let piece = if piece.is_empty() { "x" } else { &piece };
    let mut text: Vec<u8> = piece.bytes().cycle().take(size).collect();
    // What ends a value of a label, but not as the last word of its line.
    text.extend(b" x y");
    assert!(!Redaction::default().masked_text(black_box(&text)).is_empty());
}

#[test]
#[ignore = "another test runs it under valgrind"]
fn quoted() {
    let (Ok(piece), Ok(size)) = (std::env::var(TEXT), std::env::var(SIZE)) else { return };
    let size: usize = size.parse().unwrap();
    let piece = if piece.is_empty() { "x" } else { &piece };
    let text: Vec<u8> = piece.bytes().cycle().take(size).collect();
    assert!(quote(black_box(&text)).len() >= text.len());
}
