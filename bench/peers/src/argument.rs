//! One argument that grows, in chunks of 16 bytes: how time grows with it.
//!
//! A peer that takes too long is stopped between two chunks.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwire::Detector;

use crate::call::{Call, same};
use crate::detector;
use crate::measure::{Way, low, samples};
use crate::row::print;
use crate::stream::{self, Calls, Delta};
use crate::streamed::chunks;

const GROUP: &str = "Rust Hermes argument";
const CHUNK: usize = 16;
const KIB: usize = 1024;
/// Each is twice the one before.
const SIZES: [usize; 9] = [
    16 * KIB,
    32 * KIB,
    64 * KIB,
    128 * KIB,
    256 * KIB,
    512 * KIB,
    1024 * KIB,
    2048 * KIB,
    4096 * KIB,
];
/// How long a peer may work on a text.
const PATIENCE: Duration = Duration::from_secs(3);
/// A peer that takes less takes part in every round.
const SHORT: Duration = Duration::from_millis(100);

/// A text whose only call has this many bytes of arguments: one string, with line ends and quotes
/// in it.
struct Text {
    size: usize,
    text: &'static str,
    call: Call,
}

impl Text {
    fn new(size: usize) -> Self {
        let line = "\t$title = \"Post\"; // what the page shows\n";
        // What is around the string, and the four backslashes of a line, count too.
        let mut content = line.repeat((size - 64) / (line.len() + 4));
        let rest = size - json!({"content": content}).to_string().len();
        content.push_str(&"x".repeat(rest));
        let arguments = json!({"content": content});
        let text = format!(
            "<tool_call>\n{{\"name\": \"write\", \"arguments\": {arguments}}}\n</tool_call>"
        );
        Self { size, text: text.leak(), call: ("write".to_owned(), arguments) }
    }

    fn label(&self) -> String {
        if self.size < 1024 * KIB {
            format!("{} KB", self.size / KIB)
        } else {
            format!("{} MB", self.size / (1024 * KIB))
        }
    }
}

/// What a side does with a stream.
type Run<'a> = &'a dyn Fn(&'static str, Instant, &mut dyn FnMut(Delta<'_>));

/// Prints the rows.
pub fn run() {
    let texts = SIZES.map(Text::new);
    let detector = detector("hermes");
    let worst = our_worst(&detector, &texts);
    let tools = stream::tools(&["write"]);
    let tool_parser: Run<'_> =
        &|text, end, on| stream::tool_parser(&tools, until(end, chunks(text, CHUNK)), on);
    let dynamo: Run<'_> = &|text, end, on| stream::dynamo(until(end, chunks(text, CHUNK)), on);
    for (peer, theirs) in [("tool-parser", tool_parser), ("dynamo-parsers", dynamo)] {
        let times = texts.iter().step_by(2).filter_map(|text| row(peer, &detector, theirs, text));
        let times: Vec<f64> = times.collect();
        // Each of these texts is four times the one before.
        let factors = times.windows(2).map(|pair| (pair[1] / pair[0]).sqrt());
        let theirs = factors.max_by(f64::total_cmp);
        print(json!({
            "group": GROUP, "name": format!("twice the argument, at worst, against {peer}"), "unit": "times as long",
            "samples": {"ours": [worst], "theirs": theirs.as_slice()},
        }));
    }
}

/// Chunks, up to a moment.
fn until(
    end: Instant,
    chunks: impl Iterator<Item = &'static str> + Send + 'static,
) -> impl Iterator<Item = &'static str> + Send + 'static {
    chunks.take_while(move |_| Instant::now() < end)
}

fn read(run: impl FnOnce(&mut dyn FnMut(Delta<'_>))) -> usize {
    let mut length = 0;
    run(&mut |delta| length += delta.len());
    length
}

/// How many times as long the stream takes for twice the argument, where that is most.
fn our_worst(detector: &Detector, texts: &[Text]) -> f64 {
    let mut ways: Vec<_> = texts
        .iter()
        .map(|text| {
            let mut calls = Calls::default();
            stream::ours(detector, chunks(text.text, CHUNK), |delta| calls.add(delta));
            same(&text.label(), std::slice::from_ref(&text.call), &calls.calls());
            Way::new("ours", || read(|on| stream::ours(detector, chunks(text.text, CHUNK), on)))
        })
        .collect();
    let taken = samples(&mut ways);
    let factors = taken.windows(2).map(|pair| low(pair[1].1.clone()) / low(pair[0].1.clone()));
    factors.max_by(f64::total_cmp).unwrap_or_default()
}

/// One size against a peer: the peer's time, unless it was stopped.
fn row(peer: &str, detector: &Detector, theirs: Run<'_>, text: &Text) -> Option<f64> {
    let mut calls = Calls::default();
    let start = Instant::now();
    theirs(text.text, start + PATIENCE, &mut |delta| calls.add(delta));
    let once = start.elapsed();
    let stopped = once >= PATIENCE;
    if !stopped {
        same(
            &format!("{peer}, {}", text.label()),
            std::slice::from_ref(&text.call),
            &calls.calls(),
        );
    }
    let mut ways = vec![
        Way::new("ours", || read(|on| stream::ours(detector, chunks(text.text, CHUNK), on))),
        Way::new("limit", || detector.detect(text.text.as_bytes()).calls.len()),
    ];
    if once < SHORT {
        ways.push(Way::new("theirs", || {
            read(|on| theirs(text.text, Instant::now() + PATIENCE, on))
        }));
    }
    let mut sides: BTreeMap<&str, Vec<f64>> = samples(&mut ways).into_iter().collect();
    let taken = sides.entry("theirs").or_insert_with(|| vec![once.as_secs_f64() * 1e9]);
    let taken = low(taken.clone());
    print(json!({
        "group": GROUP, "name": format!("{}, against {peer}", text.label()), "unit": "ns",
        "bytes": text.text.len(), "stopped": stopped, "samples": sides,
        "note": "limit: the whole text"
    }));
    (!stopped).then_some(taken)
}
