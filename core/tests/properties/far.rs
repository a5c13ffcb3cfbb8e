//! What stands far in front of a call: a whole text is passed up to there, and a stream is not.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use toolwire::detect::{Fences, Format};
use toolwire::json::Repair;
use toolwire::{Detector, Options};

use crate::laws::check_cuts;

/// Long texts without a call, and what may enclose or mention one.
const PIECES: &[&str] = &[
    "Words of a person, with `code` and \"quotes\", and no end of them, and a <b>tag</b>;\n",
    "A list follows:\n- one {x}\n- two [y](z)\n- three: 5\n",
    "fn main() {\n    let a = [1, 2];\n    run(&a, { \"key\": 1 });\n}\n",
    "{\"a\": [1, -2.5, true,\n  {\"b\": null}, \"text\"\n], \"c\":\n  \"`\",\n",
    "\"d\": {\"e\": \"```\"}}\n",
    "\"d\": \"~~~ <tool:a>{}</tool>\"}\n",
    "{\"name\": \"f\",\n",
    "\"arguments\": {}}",
    "</tool_call>",
    "<tool:a>{}</tool>",
    "<tool_call>{\"name\":\"b\",\"arguments\":{\"c\":1}}</tool_call>",
    "{'name': 'h', 'arguments': {'i': 1}}",
    "{name: \"j\", // words\n  arguments : {k: `",
    "{'l': 'it\\'s <tool:a>{}</tool>',\n",
    "[\n  {'name': \"m\",\n  \"parameters\"/**/: {\"n\": 'o\np'}}\n]",
    "{ \"q\": [1, 2,], r: 's', \"t\": {}, \n",
    "arguments:",
    "[f(a=1)]",
    "<think>",
    "</think>",
    "```\n",
    "```rust\n",
    "````\n",
    "words ```\n",
    "> ```\n> x\n",
    "- ~~~\n",
    "~~~\n",
    "`",
    "``",
    "\n",
    "  ",
    "}",
    "}\n",
    "]",
    "\"",
    "<!-- ",
    "-->",
    "<div class=\"mpai-tool-call\" data-tool-name=n data-tool-parameters='{}'></div>",
    "<|im_e",
    "a call follows:\n\n|~call~|{\"name\":\"g\",\"arguments\":{}}|~end~|",
    "a call follows:",
];
/// The pieces that are long.
const LONG: usize = 4;

static DETECTORS: LazyLock<Vec<Detector>> = LazyLock::new(detectors);

fn detectors() -> Vec<Detector> {
    // The marker is found by a byte of a later line than its first one.
    let lines = json!({
        "slug": "lines",
        "body": "json",
        "wrapper": {"open": "a call follows:\n\n|~call~|", "close": "|~end~|"},
    });
    let lines = Format::define(&lines).unwrap();
    // Beside the signs of the table, some that are not in it.
    let with_own = Format::all().iter().chain([&lines]).cloned().collect();
    let formats =
        [Format::seeds(), Vec::new(), vec![Format::named("json").unwrap()], vec![lines], with_own];
    let mut detectors = Vec::new();
    for formats in formats {
        for fences in [Fences::Json, Fences::None, Fences::All] {
            for repair in [Repair::Off, Repair::Safe] {
                let formats = formats.clone();
                let options = Options { formats, fences, repair, ..Options::default() };
                detectors.push(Detector::new(options).unwrap());
            }
        }
    }
    detectors
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_passed_in_a_whole_text_is_read_in_a_stream(
        parts in vec((0..PIECES.len(), 1..9_usize), 1..24),
        cut in 1..40_usize,
    ) {
        let piece = |&(index, times): &(usize, usize)| {
            PIECES[index].repeat(if index < LONG { times } else { times % 2 + 1 })
        };
        let text: String = parts.iter().map(piece).collect();
        let cuts = (1..text.len()).step_by(cut * 16 + 1);
        for detector in &*DETECTORS {
            check_cuts(detector, text.as_bytes(), [cuts.clone().collect()]);
        }
    }
}
