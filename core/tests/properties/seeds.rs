//! Laws for texts made of pieces of the three seed formats.

use proptest::collection::vec;
use proptest::prelude::*;
use toolwire::detect::{Fences, Format, Limits, Reasoning};
use toolwire::json::Repair;
use toolwire::{Detector, Options};

use crate::laws::{check_cuts, check_laws, check_splits};

/// Pieces of hostile and ordinary texts.
const PIECES: &[&str] = &[
    "<tool:a>",
    "<tool:",
    "</tool>",
    "</tool:a>",
    "{\"k\":1}",
    "{}",
    "[]",
    "{\"name\":\"f\",",
    "{\"a\": x \"{\"} \":1,",
    "{\"a\":\"<tool:a>{}</tool>\"}",
    "\"\\u0061rguments\":{}}",
    "\"arguments\":{}}",
    "\"arguments\":{\"x\":[1,2,{\"y\":\"z\"}]}}",
    "[{\"name\":\"f\",\"args\":{}},",
    "{\"tool\":\"g\",\"input\":{}}",
    "]",
    "```json\n",
    "```\n",
    "```",
    "\n",
    "~~~",
    "~~~\n",
    "  ",
    "{",
    "}",
    "\"",
    "\\",
    "\\\"",
    "<div class=mpai-tool-call",
    " data-tool-name=\"n\"",
    " data-tool-parameters='{\"a\":1}'",
    ">",
    "</div>",
    "<div>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<p title=\"",
    "<think>",
    "</think>",
    "<thinking>",
    " </thinking>\n",
    "``` ",
    "``",
    "<img class=\"mpai-tool-call\" data-tool-name=i data-tool-parameters={}>",
    "é",
    "\u{FEFF}",
    "\0",
    "\r\n",
    "prose ",
    "<",
    "[",
    "`",
    "<tool:b> {\"s\":\"</tool>\"} </tool>",
    "{\"type\":\"function\",\"function\":{\"name\":\"w\",\"arguments\":\"{\\\"q\\\":1}\"},\"id\":\"1\"}",
    "\"\\ud83d\\ude00\"",
    "{'a':",
    "'x'",
    ",}",
    "// c\n",
    "/*",
    "*/",
    "True",
    "{name: 'f', args: {",
    "{\"a\":[1,2",
    "<div title='`' class='x mpai&#45;tool-call' data-tool-name=n data-tool-parameters='{}'>",
    "<p class=mpai-tool&#x2D;call>",
    "mpai-tool-call",
    "&#45;",
    "{\"a\":\"`\"}",
    "{\"a\":\"<tool:a>{}</tool>\"}",
    "[{\"a\":1},",
    "\"\\u0061rguments\":{}}",
    "```php\n",
    "`<tool:a>{}</tool>`",
    "`<div class=mpai-tool-call>`",
];

fn options(fences: Fences, repair: Repair) -> Options {
    Options {
        formats: Format::seeds(),
        fences,
        repair,
        reasoning: match fences {
            Fences::Json => Reasoning::Separate,
            Fences::All => Reasoning::Calls,
            Fences::None => Reasoning::Keep,
        },
        limits: Limits {
            max_calls: 5,
            max_depth: 6,
            max_arguments: 64,
            max_input: 4096,
            ..Limits::default()
        },
        ..Options::default()
    }
}

fn detectors() -> Vec<Detector> {
    [Fences::Json, Fences::All, Fences::None]
        .into_iter()
        .flat_map(|fences| {
            [Repair::Off, Repair::Safe]
                .map(|repair| Detector::new(options(fences, repair)).unwrap())
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_in_any_order_split_anywhere(indexes in vec(0..PIECES.len(), 1..24)) {
        let text: String = indexes.iter().map(|&index| PIECES[index]).collect();
        check_splits(&detectors(), text.as_bytes());
    }

    #[test]
    fn pieces_split_in_many_ways(
        indexes in vec(0..PIECES.len(), 10..200),
        mut cuts in vec(0usize..4000, 0..40),
    ) {
        let text: String = indexes.iter().map(|&index| PIECES[index]).collect();
        cuts.retain(|&cut| cut <= text.len());
        cuts.sort_unstable();
        for detector in detectors() {
            check_cuts(&detector, text.as_bytes(), [cuts.clone()]);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..400)) {
        for detector in detectors() {
            check_laws(&detector.detect(&bytes));
        }
    }
}

#[test]
fn what_json_hides_depends_on_whether_it_is_json() {
    let texts = [
        // The brackets of text that is no JSON are those of an object within it.
        ("{\"a\": x \"{\"} \":1,\"name\":\"f\",\"arguments\":{}}", 1),
        ("{\"a\":\"<tool:f>{}</tool>\"} ", 0),
        ("{\"a\":\"<tool:f>{}</tool>\" x} ", 1),
        ("{\"a\":\"`\"} {\"name\":\"f\",\"\\u0061rguments\":{}}", 1),
    ];
    for (text, calls) in texts {
        assert_eq!(Detector::default().detect(text.as_bytes()).calls.len(), calls, "{text}");
    }
}
