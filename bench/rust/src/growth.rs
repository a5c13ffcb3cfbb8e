//! How time grows with the text: the exponent of a power that is fitted to four sizes.

use std::path::Path;

use toolwire::{Detector, Options};

use crate::measure::{Way, median, samples};
use crate::{figure, text};

/// The size of the smallest text; the others are 4, 16 and 64 times as large.
const BASE: usize = 16 * 1024;

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
    ("elements never closed", "<div class='mpai-tool-call' data-tool-name='x' data-tool-parameters='{}'>"),
    ("<div class=\" never closed", "<div class=\""),
    ("<!-- never closed", "<!--"),
    ("<script> never closed", "<script>"),
    ("<think> never closed", "<think><tool:x>{}"),
];

/// Prints the rows.
pub fn run(directory: &Path) {
    // Calls and refusals beyond the limits would cost nothing, and hide how time grows.
    let options = Options { max_calls: usize::MAX, max_rejections: usize::MAX, ..Options::default() };
    let detector = Detector::new(options).expect("the options are good");
    for (name, file) in
        [("prose", "prose-64k"), ("prose with code and HTML", "code-html-64k"), ("tag calls", "tag-64k-8")]
    {
        let unit = text(directory, file);
        row(&detector, name, b"", &unit);
    }
    for (name, unit) in HOSTILE {
        let start: &[u8] = if unit == " " { b"```json\n" } else { b"" };
        row(&detector, name, start, unit.as_bytes());
    }
}

fn row(detector: &Detector, name: &str, start: &[u8], unit: &[u8]) {
    let sizes = [BASE, 4 * BASE, 16 * BASE, 64 * BASE];
    let texts =
        sizes.map(|size| start.iter().chain(unit.iter().cycle()).copied().take(size).collect::<Vec<u8>>());
    let mut ways: Vec<_> =
        texts.iter().map(|text| Way::new("ours", || detector.detect(text).calls.len())).collect();
    let taken = samples(&mut ways);
    let points: Vec<_> =
        sizes.iter().zip(taken).map(|(&size, (_, taken))| (size as f64, median(taken))).collect();
    let rate = points.last().map_or(0.0, |(size, taken)| size / taken * 1000.0);
    figure("Rust growth", name, "exponent", exponent(&points), &format!("{rate:.0} MB/s at 1 MB"));
}

/// The slope of the straight line through the logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs = points.iter().map(|(size, taken)| (size.ln(), taken.ln()));
    let (mean_x, mean_y) = logs.clone().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (over, under) = logs.fold((0.0, 0.0), |(over, under), (x, y)| {
        (over + (x - mean_x) * (y - mean_y), under + (x - mean_x).powi(2))
    });
    over / under
}
