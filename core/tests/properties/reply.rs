//! Laws of reading the JSON of a reply.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwire::json::Repair;
use toolwire::reply::{ReplyOptions, extract_json};

fn options(keys: &[&str], repair: Repair) -> ReplyOptions {
    ReplyOptions {
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        repair,
        ..ReplyOptions::default()
    }
}

/// An object, several levels deep, whose texts contain misleading pieces.
fn any_object() -> impl Strategy<Value = Value> {
    let text = "[a`{}\\[\\]\"':,\\\\\n é]{0,8}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from)
    ];
    let value = leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text, inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    });
    prop::collection::vec((text, value), 1..4)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

/// A text made of the pieces of replies.
fn any_reply() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just("\""),
        Just("'"),
        Just(":"),
        Just(","),
        Just("\\"),
        Just("```"),
        Just("```json\n"),
        Just("\n"),
        Just(" "),
        Just("a"),
        Just("1"),
        Just("\"k\":"),
        Just("'k':"),
        Just("{\"k\":"),
        Just("/*"),
        Just("//"),
        Just("null"),
        Just("{}"),
        Just("é"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_object_is_found_in_prose(object in any_object(), before in "[a-z .]{0,9}", behind in "[a-z .]{0,9}") {
        let json = object.to_string();
        let reply = format!("{before} {json} {behind}");
        let found = extract_json(reply.as_bytes(), &ReplyOptions::default()).unwrap();
        prop_assert_eq!(found.json.as_ref(), &json);
        prop_assert_eq!(found.span.of(reply.as_bytes()), json.as_bytes());
    }

    #[test]
    fn the_object_is_found_in_a_block(object in any_object(), other in any_object(), pretty: bool) {
        let json = if pretty { serde_json::to_string_pretty(&object).unwrap() } else { object.to_string() };
        let reply = format!("For {other}:\n```json\n{json}\n```\nand {other}");
        let found = extract_json(reply.as_bytes(), &ReplyOptions::default()).unwrap();
        prop_assert_eq!(found.json.as_ref(), &json);
    }

    #[test]
    fn a_cut_object_gives_nothing(object in any_object(), at in 0..1000_usize) {
        let json = object.to_string();
        // The cut removes at least the last bracket.
        let cut = json.floor_char_boundary((json.len() - 1) * at / 1000);
        let found = extract_json(&json.as_bytes()[..cut], &options(&[], Repair::Safe));
        prop_assert_eq!(found, None);
    }

    #[test]
    fn what_is_found_is_json_of_the_reply(reply in any_reply(), keys: bool, safe: bool) {
        let keys: &[&str] = if keys { &["k"] } else { &[] };
        let repair = if safe { Repair::Safe } else { Repair::Off };
        if let Some(found) = extract_json(reply.as_bytes(), &options(keys, repair)) {
            prop_assert!(serde_json::from_str::<Value>(&found.json).is_ok(), "{}", found.json);
            if found.repairs.is_empty() {
                prop_assert_eq!(found.json.as_bytes(), found.span.of(reply.as_bytes()));
            }
        }
    }
}

#[test]
fn hostile_replies_take_linear_time() {
    let hostile = [
        " ",
        "{",
        "[",
        "}",
        "{\"",
        "{'",
        "```",
        "```json\n{",
        "{\"a\":",
        "{\"a\":[",
        "[{",
        "{\"{",
        "{a:",
        "{/*",
        "{a:'",
        "{\"a\":\"{",
        "```\"",
        "```[\"",
        "{\"a\":1,}",
        "{ ",
        "\\\"",
        "{\"a\":[0,0,0,0,0,0,0,0],\"b\":",
    ];
    for piece in hostile {
        let reply = piece.repeat((1 << 20) / piece.len());
        for options in [options(&[], Repair::Off), options(&["k"], Repair::Safe)] {
            let start = Instant::now();
            let _ = extract_json(reply.as_bytes(), &options);
            let taken = start.elapsed();
            // Linear work takes milliseconds; quadratic work would take hours.
            assert!(taken < Duration::from_mins(1), "{piece}: {taken:?}");
        }
    }
}

#[test]
fn the_options_are_checked() {
    let mut options = ReplyOptions::default();
    options.set("keys", &json!(["a", "b"])).unwrap();
    assert_eq!(options.keys, ["a", "b"]);
    for name in ReplyOptions::NAMES {
        assert!(options.set(name, &json!({})).is_err(), "{name}");
    }
    assert_eq!(options.set("key", &json!("a")).unwrap_err().kind().slug(), "unknown_option");
}
