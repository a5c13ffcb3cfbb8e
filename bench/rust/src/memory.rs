//! The most memory that detection takes beyond the text, as Linux counts it.

use std::path::Path;
use std::process::Command;

use crate::detect::three_formats;
use crate::figure;
use crate::row::{asked, text};
use crate::transcript;

const SIZE: usize = 16 * 1024 * 1024;

/// Prints the rows. Each is measured in a process of its own, where no memory lies about that was
/// used before.
pub fn run(directory: &Path) {
    for (name, file) in
        [("prose, 16 MB", "prose-1m"), ("replies with calls, 16 MB", "prose-1m-100")]
    {
        for (how, note) in [
            ("whole", "beyond the text itself"),
            ("streamed by 4 KB", "the stream's own copy of the text included"),
        ] {
            let name = format!("{name}, {how}");
            if !asked("Rust memory", &name) {
                continue;
            }
            figure("Rust memory", &name, "MiB", apart(directory, file, how), note);
        }
    }
}

/// Measures one row in a process of its own.
pub fn apart(directory: &Path, file: &str, how: &str) -> f64 {
    let program = std::env::current_exe().expect("the program has a path");
    let child =
        Command::new(program).arg(directory).args([file, how]).output().expect("it runs again");
    String::from_utf8_lossy(&child.stdout).trim().parse().expect("a number")
}

/// Measures one row and prints its figure alone.
pub fn one(directory: &Path, file: &str, how: &str) {
    if how == "log" {
        println!("{}", peak(|| transcript::from_file(directory, file)));
        return;
    }
    let detector = three_formats();
    let unit = text(directory, file);
    let text: Vec<u8> = unit.iter().cycle().copied().take(SIZE).collect();
    let peak = peak(|| {
        if how == "whole" {
            return detector.detect(&text).calls.len();
        }
        let mut stream = detector.stream();
        for chunk in text.chunks(4096) {
            stream.feed(chunk).expect("not finished");
        }
        stream.finish().expect("not finished").len()
    });
    println!("{peak}");
}

/// How far the resident set grows while something runs, in MiB.
fn peak<T>(work: impl FnOnce() -> T) -> f64 {
    // Writing 5 sets the high-water mark to what is resident now.
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux counts the peak");
    let before = status("VmRSS:");
    std::hint::black_box(work());
    (status("VmHWM:") - before).max(0.0) / 1024.0
}

/// A figure of the process, in KiB.
fn status(field: &str) -> f64 {
    let status =
        std::fs::read_to_string("/proc/self/status").expect("Linux tells the memory in use");
    let line =
        status.lines().find_map(|line| line.strip_prefix(field)).expect("the field is there");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
