//! When reasoning ends, for every profile: a call that the model only thought about does not run,
//! and a call at the end of reasoning that nothing closes does.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolwire::call::{DiagnosticCode, RejectionCode};
use toolwire::detect::{Format, NewCall, Profile, Tools, render_calls};
use toolwire::{Detection, Detector, Options};

use crate::laws::{check_cuts, check_splits};

/// Tags of reasoning and of results, and what may stand around them.
const TAGS: [&str; 20] = [
    "<think>",
    "</think>",
    "<THINK>",
    "</THINK>",
    "<Think >",
    "< think>",
    "< /think>",
    "<\\/think>",
    "</thinking>",
    "</thinking>\n",
    "<thinking>",
    "</mm:think>\n",
    "</think\n",
    "<tool_result>",
    "</tool_result>",
    "\n",
    " ",
    "word",
    "<tool:a>{}</tool>",
    "```",
];

/// A detector without options, one of named formats, and one of a message that begins in reasoning.
static DETECTORS: LazyLock<Vec<Detector>> = LazyLock::new(|| {
    let named = vec![Format::named("tag").unwrap(), Format::named("json").unwrap()];
    let begun = Profile::named("qwen3_thinking").unwrap();
    let all = [
        Options::default(),
        Options { formats: named, ..Options::default() },
        Options { profile: Some(begun), ..Options::default() },
    ];
    all.into_iter().map(|options| Detector::new(options).unwrap()).collect()
});

/// The ways in which models write an end tag.
const WAYS: [fn(&str) -> String; 8] = [
    |name| format!("</{}>", name.to_uppercase()),
    |name| format!("</{}{}>", name[..1].to_uppercase(), &name[1..]),
    |name| format!("</{name} >"),
    |name| format!("</ {name}>"),
    |name| format!("< /{name}>"),
    |name| format!("<//{name}>"),
    |name| format!("<\\/{name}>"),
    |name| format!("</{name}\n"),
];

/// The models whose messages are divided by headers: a header decides, in any part.
const CHANNELS: [&str; 5] = ["gpt_oss", "inkling", "solar_open", "hyperclova_think", "muse"];

/// What a message must be read as.
struct Expected {
    called: bool,
    reasoning: Option<String>,
    text: &'static str,
    open: bool,
}

/// A call as the profile's models write it.
fn call(profile: &Profile) -> Option<String> {
    let arguments = r#"{"city":"Rome"}"#;
    let written = |format: &Format| render_calls(&[NewCall::new("look", arguments)], format, None);
    profile.formats().iter().find_map(|format| written(format).ok())
}

/// Markers that open and close the reasoning of a style.
fn markers(profile: &Profile, style: usize) -> (String, String) {
    let (open, close) = profile.reasoning_markers().nth(style).unwrap();
    let plain = |marker: &str| marker.replace("{suffix}", "");
    (plain(open[0]), plain(close[0]))
}

/// The name of a tag without bars.
fn tag_name(close: &str) -> Option<String> {
    let name = close.strip_prefix("</")?.strip_suffix('>')?;
    (!name.contains('|')).then(|| name.to_owned())
}

/// Each profile whose models think, except where the channel of a message decides.
fn thinking() -> Vec<(Profile, String)> {
    let all = Profile::all().iter().filter(|profile| {
        profile.reasoning().next().is_some()
            && !profile.calls_in_reasoning()
            && !CHANNELS.contains(&profile.slug())
    });
    all.filter_map(|profile| Some((profile.clone(), call(profile)?))).collect()
}

/// The reading of a message whose reasoning holds a call that does not run.
fn only_thought(call: &str) -> Expected {
    Expected {
        called: false,
        reasoning: Some(format!("I could {} but no.", call.trim_end())),
        text: "Done.",
        open: false,
    }
}

fn check(profile: &Profile, text: &str, expected: &Expected) {
    let options = Options { profile: Some(profile.clone()), ..Options::default() };
    let detector = Detector::new(options).unwrap();
    let found: Detection<'_> = detector.detect(text.as_bytes());
    let place = format!("{}: {text:?}: {:?}", profile.slug(), found.rejections);
    let shown = String::from_utf8_lossy(&found.text()).trim().to_owned();
    let reasoning = found.reasoning().map(|text| String::from_utf8_lossy(&text).trim().to_owned());
    assert_eq!(found.calls.len(), usize::from(expected.called), "{place}");
    assert_eq!(reasoning, expected.reasoning, "{place}");
    assert_eq!(shown, expected.text, "{place}");
    assert_eq!(found.reasoning_open, expected.open, "{place}");
    for call in &found.calls {
        let arguments = Value::Object(found.arguments(call));
        assert_eq!(arguments["city"], "Rome", "{place}");
        let mut notes = call.diagnostics.iter();
        assert!(notes.any(|note| note.code == DiagnosticCode::InOpenReasoning), "{place}");
    }
    let splits = [1, 3, 7].map(|size| (size..text.len()).step_by(size).collect());
    check_cuts(&detector, text.as_bytes(), splits);
    check_splits(&[detector], text.as_bytes());
}

#[test]
fn a_call_at_the_end_of_open_reasoning_runs() {
    for (profile, call) in thinking() {
        let (open, _) = markers(&profile, 0);
        let expected = |text| Expected {
            called: true,
            reasoning: Some("I will look.".to_owned()),
            text,
            open: false,
        };
        let begun = profile.clone().with_reasoning_begun(true);
        check(&begun, &format!("I will look.\n{call}"), &expected(""));
        check(&begun, &format!("I will look.\n{call}\n \n"), &expected(""));
        if let Some(end) = profile.frames().iter().rev().find(|frame| !frame.contains('{')) {
            check(&begun, &format!("I will look.\n{call}{end}\n{end}"), &expected(""));
        }
        check(&profile, &format!("{open}I will look.\n{call}"), &expected(""));
    }
}

#[test]
fn a_call_in_reasoning_that_is_closed_does_not_run() {
    for (profile, call) in thinking() {
        let (open, close) = markers(&profile, 0);
        let expected = only_thought(&call);
        let rest = format!("I could {} but no.{close} Done.", call.trim_end());
        let begun = profile.clone().with_reasoning_begun(true);
        check(&begun, &rest, &expected);
        check(&profile, &format!("{open}{rest}"), &expected);
        let options = Options { profile: Some(begun), ..Options::default() };
        let found = Detector::new(options).unwrap();
        let found = found.detect(rest.as_bytes());
        let codes: Vec<_> = found.rejections.iter().map(|refused| refused.code).collect();
        assert_eq!(codes, [RejectionCode::InReasoning], "{}", profile.slug());
    }
}

#[test]
fn a_call_in_open_reasoning_with_words_behind_it_does_not_run() {
    for (profile, call) in thinking() {
        let text = format!("I could {} but that wou", call.trim_end());
        let expected =
            Expected { called: false, reasoning: Some(text.clone()), text: "", open: true };
        check(&profile.with_reasoning_begun(true), &text, &expected);
    }
}

#[test]
fn reasoning_without_its_marker_is_told_to_be_open() {
    for (profile, call) in thinking() {
        let reasoning = Some("I will look.".to_owned());
        let expected = Expected { called: false, reasoning, text: "", open: true };
        let begun = profile.clone().with_reasoning_begun(true);
        check(&begun, "I will look.", &expected);
        let shown = Expected { called: false, reasoning: None, text: "I will look.", open: false };
        let off = profile.with_reasoning_begun(false);
        check(&off, "I will look.", &shown);
        let options = Options { profile: Some(off.clone()), ..Options::default() };
        let text = format!("I will look.\n{call}");
        let found = Detector::new(options).unwrap();
        let found = found.detect(text.as_bytes());
        assert_eq!(found.calls.len(), 1, "{text}");
        assert_eq!(found.text().trim_ascii(), b"I will look.", "{}", off.slug());
    }
}

#[test]
fn tags_of_reasoning_may_be_written_in_another_way() {
    let mut seen = 0;
    for (profile, call) in thinking() {
        let (open, close) = markers(&profile, 0);
        let Some(name) = tag_name(&close) else { continue };
        seen += 1;
        let expected = only_thought(&call);
        let other = if name == "thinking" { "</think>\n" } else { "</thinking>\n" };
        for end in WAYS.iter().map(|way| way(&name)).chain([other.to_owned()]) {
            let rest = format!("I could {} but no.{end} Done.", call.trim_end());
            check(&profile.clone().with_reasoning_begun(true), &rest, &expected);
            let opens = [open.to_uppercase(), format!("<{name} >"), format!("< {name}>")];
            for open in opens.iter().chain([&open]) {
                check(&profile, &format!("{open}{rest}"), &expected);
            }
        }
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn an_end_tag_that_nothing_opened_may_be_written_in_another_way() {
    let mut seen = 0;
    for (profile, call) in thinking() {
        let Some(name) = tag_name(&markers(&profile, 0).1) else { continue };
        seen += 1;
        let expected = only_thought(&call);
        for way in WAYS {
            let end = way(&name);
            for (before, behind) in [("\n", " "), ("", "\n"), ("\n", "\n\n"), (" ", " \n")] {
                // A tag that lacks its bracket ends its line itself.
                let behind = if end.ends_with('\n') { "" } else { behind };
                let text = format!("I could {} but no.{before}{end}{behind}Done.", call.trim_end());
                check(&profile.clone().with_reasoning_begun(false), &text, &expected);
            }
        }
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn with_named_formats_the_ways_that_are_not_rare_count() {
    let formats = ["tag", "json", "html"].map(|one| Format::named(one).unwrap()).to_vec();
    let detector = Detector::new(Options { formats, ..Options::default() }).unwrap();
    // A text of some length is searched in another way than a short one.
    for words in ["", "word ".repeat(60).as_str()] {
        for name in ["think", "thinking"] {
            let capital = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
            let upper = name.to_uppercase();
            let opens = [format!("<{name} >"), format!("<{capital}>"), format!("<{upper}>")];
            let thought = format!("{words}\n<tool:a>{{}}</tool> no.\n");
            for end in [0, 1, 2, 6, 7].map(|way| WAYS[way](name)) {
                for open in opens.iter().map(String::as_str).chain([""]) {
                    let text = format!("{open}{thought}{end}\n{words}<tool:b>{{}}</tool>");
                    let found = detector.detect(text.as_bytes());
                    let names: Vec<_> = found.calls.iter().map(|call| &*call.name).collect();
                    assert_eq!(names, ["b"], "{text}");
                    let read = found.reasoning().unwrap_or_default();
                    assert_eq!(read.trim_ascii(), thought.trim().as_bytes(), "{text}");
                    check_splits(std::slice::from_ref(&detector), text.as_bytes());
                }
            }
        }
    }
}

#[test]
fn words_about_a_tag_that_is_written_in_another_way_hide_nothing() {
    let detector = Detector::new(Options::default()).unwrap();
    let call = "<tool:a>{}</tool>";
    for tag in ["think", "thinking", "thought"].iter().flat_map(|name| WAYS.map(|way| way(name))) {
        let tag = tag.trim_end();
        let mut texts = vec![
            format!("{call}\nThe tag {tag} ends it."),
            format!("{call}\n`{tag}` ends it."),
            format!("{call}\n```\n{tag}\n```\n"),
        ];
        if tag.contains(char::is_uppercase) {
            texts.push(format!("{call}\na {}x{tag}\n", tag.replace('/', "")));
        }
        for text in texts {
            let found = detector.detect(text.as_bytes());
            assert_eq!((found.calls.len(), found.reasoning()), (1, None), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tags_in_any_order_split_anywhere(indexes in vec(0..TAGS.len(), 1..10)) {
        let text: String = indexes.iter().map(|index| TAGS[*index]).collect();
        check_splits(&DETECTORS, text.as_bytes());
    }
}

#[test]
fn a_second_closing_marker_behind_text_is_text() {
    for (profile, _) in thinking() {
        let (_, close) = markers(&profile, 0);
        let begun = profile.clone().with_reasoning_begun(true);
        let options = Options { profile: Some(begun), ..Options::default() };
        let detector = Detector::new(options).unwrap();
        let text = format!("a{close}The marker {close} ends it.");
        let found = detector.detect(text.as_bytes());
        let shown = String::from_utf8_lossy(&found.text()).into_owned();
        assert_eq!(shown, format!("The marker {close} ends it."), "{}", profile.slug());
        check_splits(std::slice::from_ref(&detector), text.as_bytes());
        let doubled = format!("a{close}{close}b");
        assert_eq!(detector.detect(doubled.as_bytes()).text().as_ref(), b"b", "{doubled}");
    }
}

#[test]
fn what_is_left_of_a_call_in_open_reasoning_is_told_wherever_the_text_is_cut() {
    let tools = json!(["get_weather", "wp_api", "read_file"]);
    for format in Format::all() {
        let formats = vec![format.clone()];
        let any = Options { formats, ..Options::default() };
        let known = Options { tools: Some(Tools::from_json(&tools).unwrap()), ..any.clone() };
        for detector in [any, known].map(|options| Detector::new(options).unwrap()) {
            for (start, _) in format.example().char_indices() {
                let text = format!("<think>{}", &format.example()[start..]);
                for text in [text.clone(), format!("{text} and")] {
                    check_cuts(&detector, text.as_bytes(), [vec![], vec![text.len() / 2]]);
                }
            }
        }
    }
}
