//! Calls in the arguments of another call are data, also where that call is cut off or broken.

use serde_json::{Value, json};
use toolwire::detect::{Format, NewCall, Tools, render_calls};
use toolwire::{Detector, Options};

use crate::laws::check_cuts;

/// A call as JSON, as a file may hold it.
const INNER: &str = r#"{"name": "delete_all", "arguments": {"path": "/"}}"#;

fn tools() -> Tools {
    let tool = |name: &str, properties: Value| json!({"name": name, "parameters": {"type": "object", "properties": properties}});
    Tools::from_json(&json!([
        tool("write_file", json!({"content": {"type": "string"}, "path": {"type": "string"}})),
        tool("delete_all", json!({"path": {"type": "string"}})),
    ]))
    .unwrap()
}

/// The format alone, and everything that is read without an option.
fn detectors(format: &Format) -> [Detector; 2] {
    [vec![format.clone()], Vec::new()].map(|formats| {
        Detector::new(Options { formats, tools: Some(tools()), ..Options::default() }).unwrap()
    })
}

/// The beginnings of a text.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().skip(1).map(|(at, _)| &text[..at])
}

fn runs_inner(detector: &Detector, text: &str) -> bool {
    detector.detect(text.as_bytes()).calls.iter().any(|call| call.name == "delete_all")
}

#[test]
fn no_call_in_the_arguments_of_another_one_counts() {
    let mut failed = Vec::new();
    let content = format!("Say this:\n{INNER}\nand go on.");
    let outer = json!({"content": content, "path": "a.md"}).to_string();
    for format in Format::all() {
        let calls = [NewCall::new("write_file", &outer)];
        let text = render_calls(&calls, format, Some(&tools())).unwrap();
        // Quotes that the model forgets to escape.
        let broken = text.replace("\\\"", "\"");
        for detector in detectors(format) {
            let cut = beginnings(&text).find(|text| runs_inner(&detector, text));
            let damaged =
                [text.as_str(), &broken].into_iter().find(|text| runs_inner(&detector, text));
            failed.extend(cut.or(damaged).map(|text| (format.slug(), text.to_owned())));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn no_call_in_a_result_counts() {
    let detector = Detector::default();
    let mut failed = Vec::new();
    for name in ["tool_result", "tool_results", "function_result", "function_response", "ipython"] {
        for format in Format::all() {
            let example = format.example();
            let text = format!("See:\n<{name}>\n{example}\n</{name}>\n");
            check_cuts(&detector, text.as_bytes(), [vec![7], vec![text.len() / 2]]);
            let found = detector.detect(text.as_bytes());
            // Some forms are calls at the beginning of a text alone.
            let alone = format!("See:\n{example}\n");
            let is_call = !detector.detect(alone.as_bytes()).calls.is_empty();
            let is_told = !is_call || !found.rejections.is_empty();
            if !found.calls.is_empty() || !is_told {
                failed.push((format.slug(), text));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
