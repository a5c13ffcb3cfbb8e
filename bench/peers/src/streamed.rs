//! A megabyte in the Hermes form, as a stream of small chunks.

use std::path::Path;

use crate::call::{ours, same};
use crate::detector;
use crate::measure::{Way, samples};
use crate::row::{sampled, text};
use crate::stream::{self, Calls, Delta};

const GROUP: &str = "Rust Hermes stream";

/// The names in `bench/corpus.py`.
const TOOLS: [&str; 3] = ["wp_api", "wpcli", "plugin_logs"];

/// Prints the rows.
pub fn run(directory: &Path) {
    let text = String::from_utf8(text(directory, "hermes-1m-100")).expect("it is UTF-8");
    // What a peer's stream is made of has to live as long as the process.
    let text: &'static str = text.leak();
    for chunk in [4, 16] {
        rows(text, chunk);
    }
}

/// The chunks of a text: so many bytes, or a few more up to the end of a character.
pub fn chunks(text: &'static str, chunk: usize) -> impl Iterator<Item = &'static str> + Send {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (first, others) = rest.split_at(rest.ceil_char_boundary(chunk));
        rest = others;
        (!first.is_empty()).then_some(first)
    })
}

fn rows(text: &'static str, chunk: usize) {
    let detector = detector("hermes");
    let tools = stream::tools(&TOOLS);
    let calls = ours(&detector.detect(text.as_bytes()));
    let mut streamed = [Calls::default(), Calls::default(), Calls::default()];
    stream::ours(&detector, chunks(text, chunk), |delta| streamed[0].add(delta));
    stream::tool_parser(&tools, chunks(text, chunk), |delta| streamed[1].add(delta));
    stream::dynamo(chunks(text, chunk), |delta| streamed[2].add(delta));
    for (what, streamed) in ["ours", "tool-parser", "dynamo-parsers"].iter().zip(&streamed) {
        same(&format!("{what}, streamed by {chunk} bytes"), &calls, &streamed.calls());
    }
    let read = |run: &dyn Fn(&mut dyn FnMut(Delta<'_>))| {
        let mut length = 0;
        run(&mut |delta| length += delta.len());
        length
    };
    let taken = samples(&mut [
        Way::new("ours", || read(&|on| stream::ours(&detector, chunks(text, chunk), on))),
        Way::new("tool-parser", || {
            read(&|on| stream::tool_parser(&tools, chunks(text, chunk), on))
        }),
        Way::new("dynamo-parsers", || read(&|on| stream::dynamo(chunks(text, chunk), on))),
        Way::new("whole", || detector.detect(text.as_bytes()).calls.len()),
    ]);
    let [(_, ours), peers @ .., (_, whole)] = &taken[..] else {
        unreachable!("there are four ways")
    };
    for (peer, theirs) in peers {
        let name = format!("1 MB, 100 calls, by {chunk} bytes, against {peer}");
        let sides = [("ours", ours.as_slice()), ("theirs", theirs), ("limit", whole)];
        sampled(GROUP, &name, text.len(), "limit: the whole text", &sides);
    }
}
