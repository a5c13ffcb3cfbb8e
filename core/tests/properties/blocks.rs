//! Code blocks in quotes and in list items: none reaches past what holds it, whatever it shows.

use proptest::prelude::*;
use toolwire::Detector;

use crate::laws::{check_cuts, check_laws};

const CALL: &str = "<tool:last>{}</tool>";

const LINES: &[&str] = &[
    "```",
    "```json",
    "````",
    "~~~",
    "~~~ sh",
    "see: ```php",
    "text",
    "> quoted",
    "> ```",
    "- item",
    "- ```",
    "1. ~~~",
    "  ```",
    "a `b",
    "{\"a\": 1}",
    "<tool:a>{\"x\": 1}</tool>",
    "{\"name\":\"f\",\"arguments\":{}}",
];

/// What stands in front of the first line and of the others.
const CONTAINERS: &[[&str; 2]] = &[
    ["> ", "> "],
    [">", "> "],
    ["> ", " >"],
    [">> ", "> > "],
    ["> - ", ">   "],
    ["- ", "  "],
    ["12. ", "    "],
    ["* > ", "  > "],
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_block_ends_with_what_holds_it(
        lines in prop::collection::vec(prop::sample::select(LINES), 1..7),
        [first, others] in prop::sample::select(CONTAINERS),
        blank in any::<bool>(),
        size in 1_usize..8,
    ) {
        let deeper = |line: &&str| ["- `", "1. ~", "  `"].iter().any(|at| line.starts_with(at));
        prop_assume!(first.ends_with('>') || first.ends_with("> ") || !lines.iter().any(deeper));
        let mut text = String::new();
        // A block in an item whose first line is not indented is taken for a careless one.
        for (index, line) in lines.iter().chain([&"text"]).enumerate() {
            text += if index == 0 { first } else { others };
            text += line;
            text += "\n";
        }
        text += if blank { "\n" } else { "" };
        let start = text.len();
        text += CALL;
        let detector = Detector::default();
        let found = detector.detect(text.as_bytes());
        check_laws(&found);
        let last = found.calls.last().map(|call| call.span.start);
        prop_assert_eq!(last, Some(start), "{:?}: {:?}", text, found.rejections);
        let pieces = (1..text.len()).step_by(size).collect();
        check_cuts(&detector, text.as_bytes(), [pieces]);
    }
}
