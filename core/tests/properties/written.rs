//! Calls that are written are read again as the same calls, in every format.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value};
use toolwire::detect::{Format, NewCall, render_calls};
use toolwire::json::parse_json;
use toolwire::{Detector, Error, ErrorKind, Options};

use crate::hostile::{pieces, tools};

/// Text without the sign that opens markers.
const PLAIN: &str = r"[ -;=-~é\n]{0,12}";
const KEY: &str = "[a-z_][a-z0-9_]{0,5}";

fn value(text: BoxedStrategy<String>, key: BoxedStrategy<String>) -> BoxedStrategy<Value> {
    let number = prop_oneof![
        Just("0".to_owned()),
        Just("-0".to_owned()),
        Just("123456789012345678901234567890".to_owned()),
        Just("1.50".to_owned()),
        Just("1e400".to_owned()),
        Just("-2.5E-07".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number.prop_map(|digits| parse_json(digits.as_bytes()).unwrap()),
        text.clone().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((key.clone(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
    .boxed()
}

/// A format and arguments that are as hostile to it as can be.
fn hostile() -> BoxedStrategy<(Format, Vec<Map<String, Value>>)> {
    let format = (0..Format::all().len()).prop_map(|index| Format::all()[index].clone());
    format
        .prop_flat_map(|format| {
            let text = vec(proptest::sample::select(pieces([format.example()])), 0..4)
                .prop_map(|pieces| pieces.concat())
                .boxed();
            let key = prop_oneof![3 => KEY.boxed(), 1 => text.clone()].boxed();
            let value = value(text, key.clone());
            let arguments = vec((key, value), 0..3).prop_map(|each| each.into_iter().collect());
            (Just(format), vec(arguments, 1..4))
        })
        .boxed()
}

fn plain() -> BoxedStrategy<Vec<Map<String, Value>>> {
    let value = value(PLAIN.boxed(), KEY.boxed());
    vec(vec((KEY, value), 0..4).prop_map(|each| each.into_iter().collect()), 1..4).boxed()
}

/// Writes calls of `tool_0`, `tool_1` and so on, and checks that the same calls are read.
fn written(format: &Format, calls: &[Map<String, Value>]) -> Result<String, Error> {
    let texts: Vec<_> = calls.iter().map(|call| Value::Object(call.clone()).to_string()).collect();
    let names: Vec<_> = (0..calls.len()).map(|index| format!("tool_{index}")).collect();
    let new: Vec<_> =
        names.iter().zip(&texts).map(|(name, arguments)| NewCall::new(name, arguments)).collect();
    let text = render_calls(&new, format, None)?;
    let tools = Some(tools(names.iter().cloned().zip(calls)));
    let options = Options { formats: vec![format.clone()], tools, ..Options::default() };
    let found = Detector::new(options).unwrap();
    let found = found.detect(text.as_bytes());
    let read: Vec<_> = found
        .calls
        .iter()
        .map(|call| (call.name.clone(), Value::Object(found.arguments(call)).to_string()))
        .collect();
    let expected: Vec<_> = names.into_iter().zip(texts).collect();
    assert_eq!(read, expected, "{}: {text}", format.slug());
    assert!(found.rejections.is_empty(), "{}: {text}", format.slug());
    Ok(text)
}

#[test]
fn every_example_is_written_as_it_stands() {
    for format in Format::all() {
        let example = format.example().as_bytes();
        let options = Options { formats: vec![format.clone()], ..Options::default() };
        let detector = Detector::new(options).unwrap();
        let found = detector.detect(example);
        let call = &found.calls[0];
        let text = render_calls(&[NewCall::of(call, example)], format, None).unwrap();
        assert_eq!(text, format.example(), "{}", format.slug());
    }
}

/// The built-in formats without their examples.
fn defined() -> Vec<Format> {
    let table = include_str!("../../src/detect/format/builtin.json");
    let mut table: Vec<Value> = serde_json::from_str(table).unwrap();
    for entry in &mut table {
        drop(entry.as_object_mut().unwrap().remove("example"));
    }
    table.iter().map(|entry| Format::define(entry).unwrap()).collect()
}

#[test]
fn a_format_without_an_example_is_written_too() {
    let arguments = |json| match parse_json(json) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    let calls = [
        arguments(br#"{"a": "x\ny", "b": [1.50, null, {"c": ""}], "d": "\n"}"#),
        arguments(b"{}"),
        arguments(br#"{"a": true}"#),
    ];
    for format in defined() {
        written(&format, &calls).unwrap();
    }
}

#[test]
fn numbers_keep_their_text_and_keys_their_order() {
    let arguments = r#"{"z": 1E5, "a": [-0, 1.50e+02, 123456789012345678901234567890]}"#;
    for format in Format::all() {
        let call = NewCall::new("f", arguments);
        let text = render_calls(&[call], format, None).unwrap().replace("&quot;", "\"");
        let places = ["z", "1E5", "a", "-0", "1.50e+02", "123456789012345678901234567890"];
        let mut rest = text.as_str();
        for place in places {
            let at = rest.find(place);
            assert!(at.is_some(), "{}: {text} lacks {place}", format.slug());
            rest = &rest[at.unwrap_or_default()..];
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_calls_are_the_same_or_refused((format, calls) in hostile()) {
        match written(&format, &calls) {
            Ok(_) => {}
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::CannotRender);
                let body = format.body();
                prop_assert!(
                    matches!(body, "tagged" | "literal"),
                    "{}: {} {:?}", format.slug(), error, calls
                );
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_calls_are_written_in_every_format(calls in plain()) {
        for format in Format::all() {
            if let Err(error) = written(format, &calls) {
                prop_assert!(false, "{}: {} {:?}", format.slug(), error, calls);
            }
        }
    }
}
