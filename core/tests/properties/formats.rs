//! Laws for texts that mix pieces of every format.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use toolwire::detect::{Fences, Format, Limits, Tools};
use toolwire::json::Repair;
use toolwire::{Detector, Options};

use crate::hostile;
use crate::laws::{check_cuts, check_laws, check_splits};

/// More pieces, of formats whose examples lack them.
const OTHERS: &[&str] = &[
    "prose ",
    "```\n",
    "</parameter>",
    "<parameter=k>",
    "[f(a=",
    "functools",
    "}]",
    "<function=f>",
    "</function>",
    ":0",
    "function call",
    "]<]minimax[>[<k>",
    "]<]minimax[>[</k>",
    "<write_to_file>\n",
    "</write_to_file>",
    "<get_weather>",
    "</get_weather>",
    "<k>",
    "</k>",
    "  ",
    "<THINK>",
    "< think>\n",
    "</think >",
    "<\\/think>",
    "</thinking>\n",
    "\n<tool_result>",
    "</tool_result>",
];

/// The examples of all formats, and their parts between markup and text.
static PIECES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all = OTHERS.iter().chain(hostile::PIECES);
    let mut pieces: Vec<String> = all.map(|piece| (*piece).to_owned()).collect();
    for format in Format::all() {
        let example = format.example();
        pieces.push(example.to_owned());
        let mut part = String::new();
        for character in example.chars() {
            let opens = matches!(character, '<' | '{' | '[' | '(');
            if opens && !part.is_empty() {
                pieces.push(std::mem::take(&mut part));
            }
            part.push(character);
            if matches!(character, '>' | '}' | ']' | ')' | '\n') {
                pieces.push(std::mem::take(&mut part));
            }
        }
        pieces.extend((!part.is_empty()).then_some(part));
    }
    pieces.sort();
    pieces.dedup();
    pieces
});

fn options(fences: Fences, repair: Repair) -> Options {
    Options {
        formats: Format::automatic(),
        fences,
        repair,
        limits: Limits { max_calls: 6, max_depth: 8, max_arguments: 96, ..Limits::default() },
        ..Options::default()
    }
}

fn detectors() -> Vec<Detector> {
    let schema = json!([{"name": "get_weather", "parameters": {"properties": {"city": {"type": ["integer", "null"]}}}}]);
    let known = Options {
        tools: Some(Tools::from_json(&schema).unwrap()),
        ..options(Fences::Json, Repair::Off)
    };
    let path = json!({"properties": {"path": {"type": ["integer", "string"]}}});
    let schema = json!([{"name": "read_file", "parameters": path}, "get_weather"]);
    let cline = [vec![Format::named("cline").unwrap()], Format::automatic()].concat();
    let tags = Options {
        formats: cline,
        tools: Some(Tools::from_json(&schema).unwrap()),
        ..options(Fences::Json, Repair::Safe)
    };
    let every =
        [options(Fences::Json, Repair::Off), options(Fences::All, Repair::Safe), known, tags];
    every.into_iter().map(|options| Detector::new(options).unwrap()).collect()
}

fn text(indexes: &[usize]) -> String {
    indexes.iter().map(|index| PIECES[index % PIECES.len()].as_str()).collect()
}

#[test]
fn every_example_is_one_call_by_name_and_without_any_option() {
    assert_eq!(Format::all().len(), 64);
    let default = Detector::default();
    for format in Format::all() {
        let named =
            Detector::new(Options { formats: vec![format.clone()], ..Options::default() }).unwrap();
        let (slug, example) = (format.slug(), format.example().as_bytes());
        // Some forms are read for the models alone that write them.
        let is_default = slug == "xlam" || Format::automatic().contains(format);
        let by_default = Some(&default).filter(|_| is_default || slug == "functionary_v32");
        for detector in [&named].into_iter().chain(by_default) {
            let found = detector.detect(example);
            assert_eq!(found.calls.len(), 1, "{slug}: {:?}", found.rejections);
            assert!(found.rejections.is_empty(), "{slug}");
            let name = &*found.calls[0].name;
            assert!(matches!(name, "get_weather" | "wp_api" | "read_file"), "{slug}");
            assert!(found.calls[0].diagnostics.is_empty(), "{slug}: {:?}", found.calls[0]);
            assert_eq!(found.arguments(&found.calls[0]).len(), 1, "{slug}");
            let text = String::from_utf8(found.text().into_owned()).unwrap();
            assert!(text.is_empty() || slug == "command_r", "{slug}: {text}");
        }
        assert_eq!(named.detect(example).calls[0].format, slug);
        // `xlam` has the keys of `json`, and so has a single call of `llama3`, without its marker.
        let told = if matches!(slug, "xlam" | "llama3") { "json" } else { slug };
        let format = by_default.map(|default| default.detect(example).calls[0].format);
        assert!(format.is_none_or(|format| format == told), "{slug}: {format:?}");
    }
}

#[test]
fn every_example_splits_anywhere_and_may_be_cut_off_anywhere() {
    let detectors = detectors();
    for format in Format::all() {
        check_splits(&detectors, format!("a {} b", format.example()).as_bytes());
        let bytes = format.example().as_bytes();
        for length in 0..bytes.len() {
            check_laws(&detectors[0].detect(&bytes[..length]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_in_any_order_split_anywhere(indexes in vec(any::<usize>(), 1..9)) {
        check_splits(&detectors(), text(&indexes).as_bytes());
    }

    #[test]
    fn pieces_split_in_many_ways(
        indexes in vec(any::<usize>(), 10..80),
        mut cuts in vec(0usize..4000, 0..40),
    ) {
        let text = text(&indexes);
        cuts.retain(|&cut| cut <= text.len());
        cuts.sort_unstable();
        for detector in detectors() {
            check_cuts(&detector, text.as_bytes(), [cuts.clone()]);
        }
    }
}

#[test]
fn an_unknown_tool_behind_the_last_call_splits_anywhere() {
    let call = r#"<tool:get_weather>{"city":1}</tool>"#;
    let text = format!("{}<tool:other>{{}}</tool> end", call.repeat(6));
    check_splits(&detectors(), text.as_bytes());
}
