//! Logs of agents: 100,000 lines of a Droid session.

use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use toolwire::transcript::{Op, Patch, Reader, ReaderOptions, Transcript};

use crate::measure::Way;
use crate::row::text;
use crate::{figure, memory, timed};

const FILE: &str = "transcript-100k";
const PIECE: usize = 1 << 16;

/// Prints the rows.
pub fn run(directory: &Path) {
    let log = text(directory, FILE);
    check(&log);
    let values = || {
        let lines = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice::<Value>(line).expect("each line is JSON")).count()
    };
    let raw = || {
        let lines = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_slice::<&RawValue>(line).expect("each line is JSON"))
            .count()
    };
    let row = |name: &str, ours: &dyn Fn() -> usize| {
        let ways = vec![Way::new("ours", ours), Way::new("theirs", values), Way::new("limit", raw)];
        let note = "theirs: serde_json::Value of each line; limit: &RawValue of each line";
        timed("Rust transcript", name, log.len(), note, ways);
    };
    row("100,000 lines, streamed", &|| streamed(&log, |_| 0));
    row("100,000 lines, whole", &|| {
        Transcript::read(&log, b"", ReaderOptions::default()).entries.len()
    });
    row("100,000 lines, patches as JSON", &|| {
        let mut out = Vec::new();
        streamed(&log, |patch| {
            out.clear();
            patch.write_json(&mut out);
            out.len()
        })
    });
    let peak = memory::apart(directory, FILE, "log");
    figure("Rust memory", "a log of 67 MB, streamed by 64 KB", "MiB", peak, "read from the file");
}

/// Reads a log piece by piece, and adds up what is made of its patches.
fn streamed(log: &[u8], mut each: impl FnMut(&Patch) -> usize) -> usize {
    let (mut reader, mut patches) = (Reader::new(ReaderOptions::default()), Vec::new());
    let mut sum = 0;
    for piece in log.chunks(PIECE) {
        reader.feed(piece, &mut patches);
        sum += patches.drain(..).map(|patch| each(&patch)).sum::<usize>();
    }
    reader.finish(&mut patches);
    sum + patches.len()
}

/// Reads the file itself piece by piece.
pub fn from_file(directory: &Path, file: &str) -> usize {
    use std::io::Read;
    let mut log =
        std::fs::File::open(directory.join(format!("{file}.txt"))).expect("the log is there");
    let (mut reader, mut patches) = (Reader::new(ReaderOptions::default()), Vec::new());
    let (mut piece, mut count) = (vec![0; PIECE], 0);
    loop {
        let length = log.read(&mut piece).expect("the log can be read");
        if length == 0 {
            return count;
        }
        reader.feed(&piece[..length], &mut patches);
        count += patches.drain(..).count();
    }
}

/// Each line is an event, and each call finds its result.
fn check(log: &[u8]) {
    let found = Transcript::read(log, b"", ReaderOptions::default());
    let replaced = found.patches().filter(|patch| patch.op == Op::Replace).count();
    assert_eq!(found.patches().count(), log.iter().filter(|byte| **byte == b'\n').count());
    assert_eq!((replaced, found.pending().count()), (found.calls().count(), 0));
}
