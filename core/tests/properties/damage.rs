//! One tag of a message is missing, doubled, or stands on the wrong side of the next one.
//!
//! What comes of it is right, or mended and noted, or refused with a code. Every other call and all
//! text of the message stand.

use regex::Regex;
use serde_json::{Value, json};
use toolwire::detect::{
    Detection, Format, NewCall, NewMessage, Profile, Tools, render_calls, render_message,
};
use toolwire::{Detector, Options, ToolCall};

/// The text around the calls.
const BEFORE: &str = "I look it up.\n\n";
const AFTER: &str = "\n\nThat is all.";

/// A message of which one tag is damaged.
struct Damaged {
    what: String,
    text: String,
    /// The calls that the tag belongs to, and that need not be read.
    touched: Vec<usize>,
}

fn calls() -> Vec<NewCall> {
    vec![
        NewCall::new("get_weather", r#"{"city":"Rome","days":3}"#),
        NewCall::new("send_note", r#"{"body":"It is warm.","tags":["sea",{"k":"v"}]}"#),
        NewCall::new("get_time", r#"{"zone":"UTC"}"#),
    ]
}

fn tools() -> Tools {
    let text = || json!({"type": "string"});
    let tool = |name: &str, properties: Value| json!({"name": name, "parameters": {"type": "object", "properties": properties}});
    let tools = json!([
        tool("get_weather", json!({"city": text(), "days": {"type": "integer"}})),
        tool("send_note", json!({"body": text(), "tags": {"type": "array"}})),
        tool("get_time", json!({"zone": text()})),
    ]);
    Tools::from_json(&tools).unwrap()
}

/// Where the tags of a text stand.
fn tags(text: &str) -> Vec<(usize, usize)> {
    let tag = Regex::new(r"\]<\]minimax\[>\[</?[^<>]*>|</?[^<>\s][^<>\n]*>|\[/?[A-Z_]+\]").unwrap();
    tag.find_iter(text).map(|found| (found.start(), found.end())).collect()
}

/// The message with one of its tags deleted, doubled or swapped with the next one.
fn damaged(text: &str, spans: &[(usize, usize)]) -> Vec<Damaged> {
    let tags = tags(text);
    let mut all = Vec::new();
    let ends = (spans.first().map_or(0, |span| span.0), spans.last().map_or(0, |span| span.1));
    for (index, &(start, end)) in tags.iter().enumerate() {
        if start < ends.0 || end > ends.1 {
            continue;
        }
        let tag = &text[start..end];
        // A tag at the edge of a wrapper belongs to all calls in it.
        let first = tags.partition_point(|tag| tag.0 < ends.0);
        let wraps = index == first || end == ends.1;
        let touched = |from: usize, to: usize| {
            let inside = spans.iter().enumerate();
            let touches = |span: &(usize, usize)| wraps || (span.0 < to && from < span.1);
            inside.filter(|(_, span)| touches(span)).map(|(call, _)| call).collect::<Vec<_>>()
        };
        // A start tag of HTML is the whole call: without it, there is none that could be lost.
        if !tag.contains("data-tool-name") {
            all.push(Damaged {
                what: format!("without {tag} at {start}"),
                text: [&text[..start], &text[end..]].concat(),
                touched: touched(start, end),
            });
        }
        all.push(Damaged {
            what: format!("with {tag} twice at {start}"),
            text: [&text[..end], tag, &text[end..]].concat(),
            touched: touched(start, end),
        });
        if let Some(&(next, last)) = tags.get(index + 1)
            && last <= ends.1
            && text[next..last] != *tag
        {
            let parts = [&text[..start], &text[next..last], &text[end..next], tag, &text[last..]];
            all.push(Damaged {
                what: format!("with {tag} behind {} at {start}", &text[next..last]),
                text: parts.concat(),
                touched: touched(start, last),
            });
        }
    }
    all
}

fn read(found: &Detection<'_>) -> Vec<(String, Value)> {
    let arguments = |call| Value::Object(found.arguments(call));
    found.calls.iter().map(|call| (call.name.clone(), arguments(call))).collect()
}

/// What is wrong with what comes of a damaged message; `None` when nothing is.
fn problem(
    damaged: &Damaged,
    detector: &Detector,
    wanted: &[(String, Value)],
) -> Option<&'static str> {
    let found = detector.detect(damaged.text.as_bytes());
    let calls = read(&found);
    for size in [1, 7] {
        let mut stream = detector.stream();
        for piece in damaged.text.as_bytes().chunks(size) {
            stream.feed(piece).unwrap();
        }
        stream.finish().unwrap();
        let streamed = stream.findings();
        let spans = |calls: &[ToolCall]| calls.iter().map(|call| call.span).collect::<Vec<_>>();
        if streamed.rejections != found.rejections || spans(&streamed.calls) != spans(&found.calls)
        {
            return Some("a stream gives something else");
        }
    }
    let mut left = wanted.iter().enumerate();
    let mut missing = Vec::new();
    for call in &calls {
        loop {
            match left.next() {
                Some((_, other)) if other == call => break,
                Some((index, _)) => missing.push(index),
                None => return Some("another call, or other arguments"),
            }
        }
    }
    missing.extend(left.map(|(index, _)| index));
    let text = String::from_utf8_lossy(&found.text()).into_owned();
    if missing.iter().any(|index| !damaged.touched.contains(index)) {
        Some("another call is lost")
    } else if !missing.is_empty() && found.rejections.is_empty() {
        Some("lost without a word")
    } else if [BEFORE, AFTER]
        .iter()
        .any(|part| damaged.text.contains(part.trim()) && !text.contains(part.trim()))
    {
        Some("text is lost")
    } else {
        None
    }
}

#[test]
fn one_damaged_tag_of_a_message_does_no_harm() {
    let mut failed = Vec::new();
    for profile in Profile::all().iter().filter(|profile| !profile.formats().is_empty()) {
        let message =
            NewMessage { reasoning: String::new(), text: BEFORE.trim().to_owned(), calls: calls() };
        let Ok(text) = render_message(&message, profile, Some(&tools())) else { continue };
        let options =
            Options { profile: Some(profile.clone()), tools: Some(tools()), ..Options::default() };
        let detector = Detector::new(options).unwrap();
        let found = detector.detect(text.as_bytes());
        let spans: Vec<_> =
            found.calls.iter().map(|call| (call.span.start, call.span.end)).collect();
        let wanted = read(&found);
        for damaged in damaged(&text, &spans) {
            if let Some(problem) = problem(&damaged, &detector, &wanted) {
                failed.push((profile.slug(), format!("{problem}: {}", damaged.what)));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn one_damaged_tag_of_a_format_does_no_harm() {
    let mut failed = Vec::new();
    for format in Format::all() {
        let written = render_calls(&calls(), format, Some(&tools())).unwrap();
        let text = format!("{BEFORE}{written}{AFTER}");
        let options = || Options {
            formats: vec![format.clone()],
            tools: Some(tools()),
            ..Options::default()
        };
        let detector = Detector::new(options()).unwrap();
        let found = detector.detect(text.as_bytes());
        let spans: Vec<_> =
            found.calls.iter().map(|call| (call.span.start, call.span.end)).collect();
        let wanted = read(&found);
        assert_eq!(wanted.len(), 3, "{text}");
        for damaged in damaged(&text, &spans) {
            if let Some(problem) = problem(&damaged, &detector, &wanted) {
                failed.push((format.slug(), format!("{problem}: {}", damaged.what)));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
