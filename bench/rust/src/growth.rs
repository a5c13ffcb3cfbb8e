//! How time grows with the text: the exponent of a power that is fitted to several sizes.

use serde_json::json;
use toolwire::detect::Limits;
use toolwire::{Detector, Options};

use crate::figure;
use crate::measure::{Way, low, samples};
use crate::row::asked;
use hostile::HOSTILE;

#[path = "../../../core/tests/growth/hostile.rs"]
mod hostile;

const KIB: usize = 1024;
/// The sizes of hostile texts. A run of the largest fits into a slice of the processor's time.
const SIZES: [usize; 4] = [4 * KIB, 16 * KIB, 64 * KIB, 128 * KIB];

/// Prints the rows, for three formats and for all.
pub fn run() {
    let three = json!(["tag", "json", "html"]);
    for (group, formats) in [("Rust growth", three), ("Rust growth, all formats", json!("auto"))] {
        // Calls and refusals beyond the limits would cost nothing, and hide how time grows.
        let limits =
            Limits { max_calls: usize::MAX, max_rejections: usize::MAX, ..Limits::default() };
        let mut options = Options { limits, ..Options::default() };
        options.set("formats", &formats).expect("the option is known");
        let detector = Detector::new(options).expect("the options are good");
        for (name, unit) in HOSTILE {
            let start: &[u8] = if unit == " " { b"```json\n" } else { b"" };
            if asked(group, name) {
                row(&detector, group, name, start, unit.as_bytes());
            }
        }
    }
}

fn row(detector: &Detector, group: &str, name: &str, start: &[u8], unit: &[u8]) {
    let text =
        |size: &usize| start.iter().chain(unit.iter().cycle()).copied().take(*size).collect();
    let texts: Vec<Vec<u8>> = SIZES.iter().map(text).collect();
    let mut ways: Vec<_> =
        texts.iter().map(|text| Way::new("ours", || detector.detect(text).calls.len())).collect();
    let taken = samples(&mut ways);
    let points: Vec<_> =
        SIZES.iter().zip(taken).map(|(&size, (_, taken))| (size as f64, low(taken))).collect();
    let rate = points.last().map_or(0.0, |(size, taken)| size / taken * 1000.0);
    figure(group, name, "exponent", exponent(&points), &format!("{rate:.0} MB/s at the largest"));
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
