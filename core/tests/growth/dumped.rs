//! The work on many texts in one process: callgrind writes a count whenever a text is done.

use std::hint::black_box;
use std::process::Command;

use toolwire::Detector;
use toolwire::detect::Limits;

use crate::generated::{Repeated, repeated};

/// The sizes of texts that are read whole, and as a stream.
const WHOLE: usize = 4 * 1024;
const STREAMED: usize = 4 * 1024;
/// The bytes of a stream's piece.
const PIECE: usize = 16;
/// What the longer text is longer, and how much more work it may be.
const TIMES: usize = 8;
const MOST_PERCENT: u64 = 8 * 115;

/// Set for all units of each format and profile.
const ALL: &str = "TOOLWIRE_GROWTH_ALL";

/// The texts of a name whose work grows faster than they do.
pub fn growing(name: &str, variable: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--dump-after=*end_of_text*"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "generated_texts"])
        .env(variable, name)
        .output()
        .expect("valgrind is needed: .ci/setup installs it");
    assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    let units = repeated(name, is_whole());
    let mut growing = Vec::new();
    for (unit, place) in units.iter().zip(0..) {
        for (how, offset) in [("whole", 2), ("streamed", 4)] {
            let count = |number: usize| {
                let path = folder.path().join(format!("out.{}", 5 * place + number));
                total(&std::fs::read_to_string(path).unwrap())
            };
            let (small, large) = (count(offset), count(offset + 1));
            let percent = large * 100 / small.max(1);
            if percent > MOST_PERCENT {
                growing.push(format!("{name}: {:?} {how}: {percent} %", unit.unit));
            }
        }
    }
    growing
}

/// The instructions that callgrind counted in a dump.
fn total(dump: &str) -> u64 {
    let line = dump.lines().find_map(|line| line.strip_prefix("totals: "));
    line.and_then(|count| count.trim().parse().ok()).expect("callgrind counts instructions")
}

/// Reads each text of a name in two sizes, whole and as a stream. The first count of each text is
/// that of making the detector.
pub fn read_all(name: &str) {
    for Repeated { unit, mut options } in repeated(name, is_whole()) {
        // Calls and refusals beyond the limits would cost nothing, and hide how the work grows.
        options.limits =
            Limits { max_calls: usize::MAX, max_rejections: usize::MAX, ..Limits::default() };
        let detector = Detector::new(options).unwrap();
        end_of_text(0);
        let text = |size| unit.bytes().cycle().take(size).collect::<Vec<u8>>();
        for size in [WHOLE, WHOLE * TIMES] {
            let text = text(size);
            end_of_text(detector.detect(black_box(&text)).calls.len());
        }
        for size in [STREAMED, STREAMED * TIMES] {
            let text = text(size);
            let mut stream = detector.stream();
            for piece in text.chunks(PIECE) {
                stream.feed(black_box(piece)).unwrap();
            }
            stream.finish().unwrap();
            end_of_text(stream.findings().calls.len());
        }
    }
}

fn is_whole() -> bool {
    std::env::var_os(ALL).is_some()
}

#[inline(never)]
fn end_of_text(count: usize) {
    black_box(count);
}
