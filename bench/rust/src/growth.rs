//! How time grows with the text: the exponent of a power that is fitted to several sizes.

use std::path::Path;

use toolwire::{Detector, Options};

use crate::figure;
use crate::measure::{Way, median, samples};
use crate::row::text;

const KIB: usize = 1024;
/// The sizes of texts as a model writes them, up to the most that is searched.
const LARGE: &[usize] = &[64 * KIB, 256 * KIB, 1024 * KIB, 4096 * KIB, 16384 * KIB];
/// The sizes of hostile texts.
const SMALL: &[usize] = &[16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB];

/// Texts that make a detector which searches for ends look at everything again and again.
const HOSTILE: [(&str, &str); 14] = [
    ("```json {", "```json {"),
    ("fences, one a line", "```json\n{\n"),
    ("spaces behind an open fence", " "),
    ("<tool:x>{\"a\":", "<tool:x>{\"a\":"),
    ("<tool:x> without JSON", "<tool:x>"),
    ("[[[[", "["),
    ("{\"a\":{\"a\":", "{\"a\":"),
    ("{\"name\":\"x\",\"arguments\":{", "{\"name\":\"x\",\"arguments\":{"),
    ("open strings", "{\"name\":\""),
    (
        "elements never closed",
        "<div class='mpai-tool-call' data-tool-name='x' data-tool-parameters='{}'>",
    ),
    ("<div class=\" never closed", "<div class=\""),
    ("<!-- never closed", "<!--"),
    ("<script> never closed", "<script>"),
    ("<think> never closed", "<think><tool:x>{}"),
];

/// Prints the rows.
pub fn run(directory: &Path) {
    // Calls and refusals beyond the limits would cost nothing, and hide how time grows.
    let options =
        Options { max_calls: usize::MAX, max_rejections: usize::MAX, ..Options::default() };
    let detector = Detector::new(options).expect("the options are good");
    for (name, file) in [
        ("prose", "prose-64k"),
        ("prose with code and HTML", "code-64k"),
        ("tag calls", "prose-64k-8"),
    ] {
        let unit = text(directory, file);
        row(&detector, name, LARGE, b"", &unit);
    }
    for (name, unit) in HOSTILE {
        let start: &[u8] = if unit == " " { b"```json\n" } else { b"" };
        row(&detector, name, SMALL, start, unit.as_bytes());
    }
}

fn row(detector: &Detector, name: &str, sizes: &[usize], start: &[u8], unit: &[u8]) {
    let text =
        |size: &usize| start.iter().chain(unit.iter().cycle()).copied().take(*size).collect();
    let texts: Vec<Vec<u8>> = sizes.iter().map(text).collect();
    let mut ways: Vec<_> =
        texts.iter().map(|text| Way::new("ours", || detector.detect(text).calls.len())).collect();
    let taken = samples(&mut ways);
    let points: Vec<_> =
        sizes.iter().zip(taken).map(|(&size, (_, taken))| (size as f64, median(taken))).collect();
    let rate = points.last().map_or(0.0, |(size, taken)| size / taken * 1000.0);
    figure(
        "Rust growth",
        name,
        "exponent",
        exponent(&points),
        &format!("{rate:.0} MB/s at the largest"),
    );
}

/// The slope of the straight line through the logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs = points.iter().map(|(size, taken)| (size.ln(), taken.ln()));
    let (mean_x, mean_y) =
        logs.clone().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (over, under) = logs.fold((0.0, 0.0), |(over, under), (x, y)| {
        (over + (x - mean_x) * (y - mean_y), under + (x - mean_x).powi(2))
    });
    over / under
}
