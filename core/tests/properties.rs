//! What holds for every text: the laws of detection.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "these are tests")]

use proptest::collection::vec;
use proptest::prelude::*;
use toolwire::{Detection, Detector, Event, Fences, Findings, Options, Repair, Segment, Span};

/// Pieces of which hostile and ordinary texts are made.
const PIECES: &[&str] = &[
    "<tool:a>",
    "<tool:",
    "</tool>",
    "</tool:a>",
    "{\"k\":1}",
    "{}",
    "[]",
    "{\"name\":\"f\",",
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
];

fn options(fences: Fences, repair: Repair) -> Options {
    Options {
        fences,
        repair,
        reasoning: fences == Fences::All,
        max_calls: 5,
        max_depth: 6,
        max_arguments: 64,
        max_input: 4096,
        ..Options::default()
    }
}

fn detectors() -> Vec<Detector> {
    [Fences::Json, Fences::All, Fences::None]
        .into_iter()
        .flat_map(|fences| {
            [Repair::Off, Repair::Safe].map(|repair| Detector::new(options(fences, repair)).unwrap())
        })
        .collect()
}

/// Findings without the ids that were made up.
fn comparable(findings: &Findings) -> Findings {
    let mut findings = findings.clone();
    for call in &mut findings.calls {
        if !call.id_given {
            call.id.clear();
        }
    }
    findings
}

fn check_laws(detection: &Detection<'_>) {
    let mut end = 0;
    for segment in detection.segments() {
        let (Segment::Text(span) | Segment::Call(_, span)) = segment;
        assert_eq!(span.start, end);
        assert!(span.end > span.start);
        end = span.end;
    }
    assert_eq!(end, detection.input.len());
    for (index, call) in detection.calls.iter().enumerate() {
        assert_eq!(call.index, index);
        let raw = call.arguments_raw(detection.input);
        let arguments = serde_json::from_slice::<serde_json::Value>(raw)
            .unwrap_or_else(|error| panic!("{error}: {call:?} in {}", detection.input.escape_ascii()));
        assert!(arguments.is_object() || arguments.as_array().is_some_and(Vec::is_empty));
    }
    for rejection in &detection.rejections {
        assert!(rejection.span.end <= detection.input.len());
        assert!(rejection.excerpt.chars().count() <= 120);
    }
    let starts: Vec<_> = detection.rejections.iter().map(|rejection| rejection.span.start).collect();
    assert!(starts.is_sorted(), "{starts:?}");
}

fn streamed(detector: &Detector, text: &[u8], cuts: &[usize]) -> Findings {
    let mut stream = detector.stream();
    let mut told = Vec::new();
    let mut start = 0;
    let mut take = |events: Vec<Event>, findings: &Findings| {
        for event in events {
            match event {
                Event::Text(span) => told.push(span),
                Event::Call(index) => told.push(findings.calls[index].span),
                _ => {}
            }
        }
    };
    for &cut in cuts {
        let events = stream.feed(&text[start..cut]).unwrap();
        take(events, stream.findings());
        start = cut;
    }
    let events = stream.feed(&text[start..]).unwrap();
    take(events, stream.findings());
    let events = stream.finish().unwrap();
    take(events, stream.findings());
    let joined = told.iter().fold(0, |end, span: &Span| {
        assert_eq!(span.start, end, "an event was repeated or lost");
        span.end
    });
    assert_eq!(joined, text.len());
    comparable(stream.findings())
}

fn check_splits(text: &[u8]) {
    for detector in detectors() {
        let whole = detector.detect(text);
        check_laws(&whole);
        let expected = comparable(&whole);
        for cut in 0..=text.len() {
            assert_eq!(streamed(&detector, text, &[cut]), expected, "cut at {cut}: {}", text.escape_ascii());
        }
        let every: Vec<_> = (1..text.len()).collect();
        assert_eq!(streamed(&detector, text, &every), expected, "byte by byte: {}", text.escape_ascii());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_in_any_order_split_anywhere(indexes in vec(0..PIECES.len(), 1..24)) {
        let text: String = indexes.iter().map(|&index| PIECES[index]).collect();
        check_splits(text.as_bytes());
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
            let whole = detector.detect(text.as_bytes());
            check_laws(&whole);
            prop_assert_eq!(streamed(&detector, text.as_bytes(), &cuts), comparable(&whole));
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..400)) {
        for detector in detectors() {
            check_laws(&detector.detect(&bytes));
        }
    }
}
