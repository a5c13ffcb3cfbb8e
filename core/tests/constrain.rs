//! Checks the grammars without a backend: their text for ten families, the keywords that each
//! engine holds, and the errors. `tests/constrain` checks them with the backends.
//!
//! After a wanted change, `TOOLWIRE_BLESS=1` writes the files of `core/tests/constrain` anew.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "these are tests")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolwire::detect::{
    ConstrainOptions, Constraint, Format, GrammarBackend, Profile, Tools, constrain,
    constrain_calls,
};
use toolwire::{Error, ErrorKind};

/// Ten families, whose calls are written in ten ways.
const FAMILIES: [&str; 10] = [
    "qwen2.5-7b-instruct",
    "qwen3-coder",
    "deepseek-r1-0528",
    "kimi-k2",
    "llama-3.1-8b-instruct",
    "mistral-small-3.2",
    "gpt-oss-20b",
    "glm-4.5",
    "lfm2-1.2b",
    "gemma-4-12b",
];

fn weather() -> Tools {
    tools(&json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
        "required": ["city"],
    }))
}

fn tools(schema: &Value) -> Tools {
    Tools::from_json(&json!([{"name": "get_weather", "parameters": schema}])).unwrap()
}

fn options(given: &Value) -> ConstrainOptions {
    let mut options = ConstrainOptions::default();
    for (name, value) in given.as_object().unwrap() {
        options.set(name, value).unwrap();
    }
    options
}

fn of_hermes(schema: &Value, given: &Value) -> Result<Constraint, Error> {
    constrain_calls(&tools(schema), &Format::named("hermes").unwrap(), &options(given))
}

fn shown(grammar: &Value) -> String {
    match grammar {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap() + "\n",
    }
}

#[test]
fn the_grammars_of_ten_families_are_known() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/constrain");
    let bless = std::env::var_os("TOOLWIRE_BLESS").is_some();
    let mut changed = Vec::new();
    for family in FAMILIES {
        let profile = Profile::named(family).unwrap();
        for (backend, ending) in [("structural_tag", "json"), ("lark", "lark"), ("gbnf", "gbnf")] {
            let constraint =
                constrain(&weather(), &profile, &options(&json!({"backend": backend}))).unwrap();
            let path = folder.join(format!("{}.{ending}", profile.slug()));
            let grammar = shown(&constraint.grammar);
            if bless {
                fs::write(&path, &grammar).unwrap();
            }
            if fs::read_to_string(&path).ok().as_deref() != Some(&*grammar) {
                changed.push(format!("{}.{ending}", profile.slug()));
            }
        }
    }
    assert!(changed.is_empty(), "other grammars: {changed:?}");
}

#[test]
fn what_an_engine_does_not_hold_is_noted() {
    // For each keyword, whether structural tag, Lark and GBNF hold it.
    let cases = [
        (json!({"pattern": "^a"}), [true, true, false]),
        (json!({"type": "string", "minLength": 2}), [true, true, true]),
        (json!({"type": "string", "maxLength": 5000}), [true, true, false]),
        (json!({"type": "string", "format": "date"}), [true, true, false]),
        (json!({"type": "string", "format": "made-up"}), [false, false, false]),
        (json!({"type": "integer", "minimum": 0}), [true, true, true]),
        (json!({"type": "integer", "minimum": 5, "maximum": 9}), [true, true, true]),
        (json!({"type": "integer", "minimum": -7}), [true, true, false]),
        (json!({"type": "number", "maximum": 1}), [true, true, false]),
        (json!({"type": "integer", "multipleOf": 5}), [true, true, false]),
        (json!({"type": "array", "uniqueItems": true}), [false, false, false]),
        (json!({"type": "array", "contains": {"const": 1}}), [false, false, false]),
        (json!({"type": "object", "minProperties": 1}), [false, false, false]),
        (json!({"type": "object", "patternProperties": {"^x": {}}}), [false, true, false]),
        (json!({"oneOf": [{"type": "string"}, {"type": "null"}]}), [false, false, false]),
        (json!({"not": {"type": "string"}}), [false, false, false]),
        (json!({"const": {"a": 1}}), [true, true, true]),
        (json!({"allOf": [{"type": "string"}, {"minLength": 1}]}), [true, true, true]),
    ];
    for (schema, held) in cases {
        let whole = json!({"type": "object", "properties": {"v": schema}});
        for (backend, held) in GrammarBackend::SLUGS.iter().zip(held) {
            let constraint = of_hermes(&whole, &json!({"backend": backend})).unwrap();
            assert_eq!(constraint.notes.is_empty(), held, "{backend}: {schema}");
            let strict = of_hermes(&whole, &json!({"backend": backend, "strict": true}));
            assert_eq!(strict.is_ok(), held, "{backend}: {schema}");
        }
    }
}

#[test]
fn texts_for_people_do_not_change_a_grammar() {
    let told = |text: &str| {
        json!({
            "type": "object",
            "title": text,
            "properties": {"city": {"type": "string", "description": text, "default": text}},
        })
    };
    for backend in GrammarBackend::SLUGS {
        let grammar =
            |text: &str| of_hermes(&told(text), &json!({"backend": backend})).unwrap().grammar;
        assert_eq!(grammar("a"), grammar("</tool_call> \" \\ {\n"), "{backend}");
    }
}

#[test]
fn a_description_is_a_name_like_any_other_among_properties() {
    let schema = json!({
        "type": "object",
        "properties": {"description": {"type": "string"}, "title": {"type": "string"}},
        "required": ["description"],
    });
    for backend in GrammarBackend::SLUGS {
        let constraint = of_hermes(&schema, &json!({"backend": backend})).unwrap();
        let grammar = shown(&constraint.grammar);
        assert!(grammar.contains("description") && grammar.contains("title"), "{grammar}");
    }
}

#[test]
fn a_schema_that_names_itself_is_a_rule() {
    let schema = json!({
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": {
            "type": "object",
            "properties": {"left": {"$ref": "#/$defs/tree"}, "n": {"type": "integer"}},
        }},
    });
    for backend in GrammarBackend::SLUGS {
        for format in ["hermes", "pythonic", "gemma4", "qwen3_coder", "minimax_m3", "cofl", "html"]
        {
            let format = Format::named(format).unwrap();
            let options = options(&json!({"backend": backend}));
            assert!(constrain_calls(&tools(&schema), &format, &options).is_ok());
        }
    }
}

#[test]
fn errors_say_what_cannot_be_held() {
    let kind = |made: Result<Constraint, Error>| made.unwrap_err().kind();
    let empty = json!({"type": "object", "properties": {}});
    // An argument of Python has a name without spaces.
    let spaced = tools(&json!({"type": "object", "properties": {"a b": {"type": "string"}}}));
    let pythonic = Format::named("pythonic").unwrap();
    let none = ConstrainOptions::default();
    assert_eq!(kind(constrain_calls(&spaced, &pythonic, &none)), ErrorKind::CannotConstrain);
    for (given, expected) in [
        (json!({"tool_choice": "search"}), ErrorKind::UnknownTool),
        (json!({"tool_choice": "none", "text": false}), ErrorKind::InvalidOption),
        (json!({"backend": "gbnf", "server": "trtllm"}), ErrorKind::InvalidOption),
        (json!({"text": {"type": 5}}), ErrorKind::InvalidSchema),
    ] {
        assert_eq!(kind(of_hermes(&empty, &given)), expected, "{given}");
    }
    let no_tools = Tools::default();
    let required = options(&json!({"tool_choice": "required"}));
    let hermes = Format::named("hermes").unwrap();
    assert_eq!(kind(constrain_calls(&no_tools, &hermes, &required)), ErrorKind::InvalidOption);
}

#[test]
fn a_second_call_that_cannot_follow_is_said() {
    let made = |family: &str, given: &Value| {
        constrain(&weather(), &Profile::named(family).unwrap(), &options(given))
    };
    let asked = json!({"parallel": true});
    let strict = json!({"parallel": true, "strict": true});
    for (family, given, is_said) in [
        ("gpt-oss-20b", &asked, true),
        ("llama-3.1-8b-instruct", &asked, true),
        ("qwen2.5-7b-instruct", &asked, false),
        ("gpt-oss-20b", &json!({}), false),
        ("gpt-oss-20b", &json!({"parallel": true, "tool_choice": "none"}), false),
        ("qwen2.5-7b-instruct", &json!({"parallel": true, "tool_choice": "get_weather"}), true),
    ] {
        let notes = made(family, given).unwrap().notes;
        let said = notes.iter().any(|note| note.message.starts_with("parallel is not held"));
        assert_eq!(said, is_said, "{family} {given}: {notes:?}");
    }
    let error = made("gpt-oss-20b", &strict).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CannotConstrain);
    assert!(error.to_string().contains("no second call can follow"), "{error}");
    assert!(made("qwen2.5-7b-instruct", &strict).is_ok());
}

#[test]
fn every_profile_with_a_format_has_a_grammar_for_each_choice() {
    let mut refused = Vec::new();
    for profile in Profile::all().iter().filter(|profile| !profile.formats().is_empty()) {
        for backend in GrammarBackend::SLUGS {
            for choice in ["auto", "required", "get_weather", "none"] {
                for text in [json!(true), json!(false), json!({"type": "object"})] {
                    if choice == "none" && text == json!(false) {
                        continue;
                    }
                    let given = json!({"backend": backend, "tool_choice": choice, "text": text});
                    let made = constrain(&weather(), profile, &options(&given));
                    if made.is_err() && !refused.contains(&profile.slug()) {
                        refused.push(profile.slug());
                    }
                }
            }
        }
    }
    assert!(refused.is_empty(), "{refused:?}");
}
