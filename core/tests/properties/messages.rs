//! Messages that are written are read again as the same messages, by every profile.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwire::detect::{Format, NewCall, NewMessage, Profile, Tools, render_message};
use toolwire::{Detector, Error, ErrorKind, Options};

use crate::hostile;

/// Text without the signs with which markers and code begin.
const PLAIN: &str = "[a-zA-Z0-9 ,.!?é\n]{0,40}";

/// Pieces of what the profile writes.
pub fn pieces(profile: &Profile) -> Vec<String> {
    let mut pieces = hostile::pieces(profile.formats().iter().map(Format::example));
    for (open, close) in profile.reasoning_markers() {
        pieces.extend(open.into_iter().chain(close).map(|marker| marker.replace("{suffix}", ":x")));
    }
    pieces.extend(profile.frames().into_iter().map(|frame| frame.replace("{word}", "7")));
    let halves: Vec<_> = pieces
        .iter()
        .map(|piece| piece.chars().take(piece.chars().count() / 2).collect())
        .collect();
    pieces.extend(halves);
    pieces
}

fn arguments(text: BoxedStrategy<String>) -> BoxedStrategy<Map<String, Value>> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
        text.clone().prop_map(|text| json!([text, 1])),
        text.prop_map(|text| json!({"k": text})),
    ];
    vec(("[a-z_][a-z0-9_]{0,5}", value), 0..3)
        .prop_map(|members| members.into_iter().collect())
        .boxed()
}

/// A message whose calls are of `tool_0`, `tool_1` and so on.
fn message(text: BoxedStrategy<String>) -> BoxedStrategy<NewMessage> {
    let calls = vec(arguments(text.clone()), 0..3);
    (text.clone(), text, calls)
        .prop_map(|(reasoning, text, calls)| {
            let call = |(index, arguments): (usize, Map<String, Value>)| {
                NewCall::new(format!("tool_{index}"), Value::Object(arguments).to_string())
            };
            let calls = calls.into_iter().enumerate().map(call).collect();
            NewMessage { reasoning, text, calls }
        })
        .boxed()
}

fn hostile() -> BoxedStrategy<(Profile, NewMessage)> {
    let profile = (0..Profile::all().len()).prop_map(|index| Profile::all()[index].clone());
    (profile, any::<bool>())
        .prop_flat_map(|(profile, begun)| {
            let text = vec(proptest::sample::select(pieces(&profile)), 0..5)
                .prop_map(|pieces| pieces.concat())
                .boxed();
            (Just(profile.with_reasoning_begun(begun)), message(text))
        })
        .boxed()
}

/// The message without the parts that the profile never has.
fn fitted(profile: &Profile, message: &NewMessage) -> NewMessage {
    let mut message = message.clone();
    if profile.reasoning().next().is_none() {
        message.reasoning.clear();
    }
    if profile.formats().is_empty() {
        message.calls.clear();
    }
    message
}

fn tools(calls: &[NewCall]) -> Tools {
    let read = |call: &NewCall| serde_json::from_str(&call.arguments).unwrap();
    let arguments: Vec<Map<String, Value>> = calls.iter().map(read).collect();
    hostile::tools(calls.iter().map(|call| call.name.clone()).zip(&arguments))
}

/// Writes a message, and checks that the same one is read, whole and from a stream.
fn written(profile: &Profile, message: &NewMessage) -> Result<String, Error> {
    let text = render_message(message, profile, None)?;
    let tools = (!message.calls.is_empty()).then(|| tools(&message.calls));
    let options = Options { profile: Some(profile.clone()), tools, ..Options::default() };
    let detector = Detector::new(options).unwrap();
    let found = detector.detect(text.as_bytes());
    let read = NewMessage::of(&found, text.as_bytes());
    let slug = profile.slug();
    assert_eq!(read.reasoning, message.reasoning.trim_ascii(), "{slug}: {text}");
    assert_eq!(read.text.trim_ascii(), message.text.trim_ascii(), "{slug}: {text}");
    let calls: Vec<_> = found
        .calls
        .iter()
        .map(|call| {
            NewCall::new(call.name.as_str(), Value::Object(found.arguments(call)).to_string())
        })
        .collect();
    assert_eq!(calls, message.calls, "{slug}: {text}");
    Ok(text)
}

#[test]
fn every_profile_writes_a_plain_message() {
    let message = NewMessage {
        reasoning: "I look.\n\nThen I add.".to_owned(),
        text: "One moment.\n\n- a list\n- of **two**".to_owned(),
        calls: vec![
            NewCall::new("tool_0", r#"{"city":"Rome","days":[1,2]}"#),
            NewCall::new("tool_1", "{}"),
        ],
    };
    let mut failed = Vec::new();
    for profile in Profile::all() {
        for begun in [false, true] {
            let profile = profile.clone().with_reasoning_begun(begun);
            let whole = fitted(&profile, &message);
            for left in 0..8 {
                let mut some = whole.clone();
                if left & 1 == 1 {
                    some.reasoning.clear();
                }
                if left & 2 == 2 {
                    some.text.clear();
                }
                if left & 4 == 4 {
                    some.calls.clear();
                }
                if let Err(error) = written(&profile, &some) {
                    failed.push(format!("{left} {begun} {error}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_definition_of_a_profile_makes_the_same_profile() {
    let template = "<minimax:tool_call><invoke name=\"x\"><parameter name=\"y\">[THINK]\
                    {% if add_generation_prompt %}[THINK]{% endif %}";
    let template = Profile::from_template(template).unwrap();
    assert_eq!(template.slug(), "template");
    let begun = |profile: &Profile| {
        let mut options = Options { profile: Some(profile.clone()), ..Options::default() };
        options.set("prompt", &json!("<think>")).unwrap();
        options.profile.unwrap()
    };
    let own = Profile::define(&json!({"slug": "own", "formats": [], "reasoning": "mistral"}));
    let mixed = begun(&own.unwrap());
    let all = Profile::all().iter().cloned();
    for profile in all.chain([template, Profile::automatic(), mixed]) {
        for profile in [
            profile.clone(),
            begun(&profile),
            profile.clone().with_reasoning_begun(true),
            profile.clone().with_reasoning_begun(false),
        ] {
            let definition = profile.definition();
            assert_eq!(Profile::define(&definition).unwrap(), profile, "{definition}");
        }
    }
}

#[test]
fn the_tokens_that_stop_a_model_are_told() {
    for profile in Profile::all() {
        // What is known of Nova's frame is an element round the answer, no token that ends it.
        let is_told = profile.frames().is_empty() || !profile.stop().is_empty();
        assert!(is_told || profile.slug() == "nova", "{}", profile.slug());
    }
}

#[test]
fn what_a_profile_never_writes_is_refused() {
    let calls = vec![NewCall::new("f", "{}")];
    let thought = NewMessage { reasoning: "a".to_owned(), ..NewMessage::default() };
    let called = NewMessage { calls, ..NewMessage::default() };
    for profile in Profile::all() {
        if profile.reasoning().next().is_none() {
            let error = render_message(&thought, profile, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CannotRender);
        }
        if profile.formats().is_empty() {
            let error = render_message(&called, profile, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CannotRender);
        }
    }
    let error = render_message(&called, &Profile::automatic(), None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CannotRender);
}

#[test]
fn muse_addresses_each_part_of_a_message() {
    let message = NewMessage {
        reasoning: "Hm.".to_owned(),
        text: "I look.".to_owned(),
        calls: vec![NewCall::new("f", "{}")],
    };
    let told = |message: &NewMessage| written(&Profile::named("muse").unwrap(), message).unwrap();
    let begins = " to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>I look.";
    let whole = told(&message);
    let calls = whole.strip_prefix(begins).unwrap();
    assert!(calls.starts_with("<|eom|><|start|>assistant to=f<|message|><atem:"), "{whole}");
    assert!(calls.ends_with("</atem:function_calls><|eot|>"), "{whole}");
    assert_eq!(told(&NewMessage { calls: Vec::new(), ..message }), format!("{begins}<|eot|>"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_messages_are_the_same_or_refused((profile, message) in hostile()) {
        let message = fitted(&profile, &message);
        if let Err(error) = written(&profile, &message) {
            prop_assert_eq!(error.kind(), ErrorKind::CannotRender, "{}", error);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_messages_are_written_by_every_profile(message in message(PLAIN.boxed())) {
        for profile in Profile::all() {
            let message = fitted(profile, &message);
            if let Err(error) = written(profile, &message) {
                prop_assert!(false, "{} {:?}", error, message);
            }
        }
    }
}
