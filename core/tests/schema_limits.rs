//! A schema and arguments from strangers never ask for endless work: beyond the limits they are
//! refused as `schema_limit`, and within them nothing changes.
#![cfg(feature = "schema")]
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "these are tests"
)]

use allocation_counter::measure;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwire::ErrorKind;
use toolwire::input_schema::{InputSchema, Mismatch};

/// The most memory that one check takes. Of 12,000 hostile checks, the worst took two thirds of it:
/// definitions that lead back to themselves for the same value.
const MOST_BYTES: u64 = 768 << 20;

fn schema(schema: &Value) -> InputSchema {
    InputSchema::new("tool", schema).unwrap()
}

/// What a check says, which takes bounded memory.
fn checked(schema: &InputSchema, value: &Value) -> Result<(), Mismatch> {
    let mut outcome = Ok(());
    let memory = measure(|| outcome = schema.validate(value).map(|_| ()));
    assert!(memory.bytes_max < MOST_BYTES, "{} bytes", memory.bytes_max);
    outcome
}

fn is_too_large(schema: &Value) -> bool {
    match InputSchema::new("tool", schema) {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::SchemaLimit, "{error}");
            true
        }
    }
}

fn nested(levels: usize, key: &str, last: Value) -> Value {
    (0..levels).fold(last, |value, _| json!({ key: value }))
}

/// A schema whose definitions refer to the next one twice, under a keyword.
fn doubling(count: usize, twice: impl Fn(Value) -> Value) -> Value {
    let mut definitions = Map::new();
    for number in 0..count {
        let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
        definitions.insert(format!("d{number}"), twice(next));
    }
    definitions.insert(format!("d{count}"), json!({"type": "string"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn a_recursive_any_of_and_400_bytes_of_arguments() {
    let tree = json!({"$ref": "#/$defs/n"});
    let branch = |kind: &str| {
        json!({"type": "object", "required": ["k"],
               "properties": {"k": {"type": kind}, "a": tree}})
    };
    let branches: Vec<_> = ["string", "boolean", "integer", "null"].map(branch).to_vec();
    let recursive = schema(&json!({"$ref": "#/$defs/n", "$defs": {"n": {"anyOf": branches}}}));
    let value = nested(60, "a", json!({"k": []}));
    assert!(value.to_string().len() < 400);
    assert!(checked(&recursive, &value).is_err());
    // The same with two ways into each level.
    let fork = json!({"anyOf": [
        {"properties": {"a": tree}, "required": ["x"]},
        {"properties": {"a": tree}, "required": ["y"]},
    ]});
    for combination in ["anyOf", "oneOf"] {
        let mut fork = fork.clone();
        let branches = fork["anyOf"].take();
        let fork = schema(&json!({"$ref": "#/$defs/n", "$defs": {"n": {combination: branches}}}));
        assert!(checked(&fork, &nested(60, "a", json!({}))).is_err());
    }
}

#[test]
fn forty_definitions_that_refer_twice_to_the_next_one() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        assert!(is_too_large(&doubling(40, |next| json!({keyword: [next, next]}))));
        assert!(!is_too_large(&doubling(10, |next| json!({keyword: [next, next]}))));
    }
    assert!(is_too_large(&doubling(40, |next| json!({"not": next, "if": next}))));
    let then = |next: Value| json!({"if": next, "then": next, "else": next});
    assert!(is_too_large(&doubling(40, then)));
    assert!(is_too_large(&doubling(
        40,
        |next| json!({"dependentSchemas": {"a": next, "b": next}})
    )));
    assert!(is_too_large(&doubling(40, |next| {
        json!({"allOf": [next], "unevaluatedProperties": false})
    })));
}

#[test]
fn forty_definitions_that_refer_twice_to_the_next_one_for_a_value_within() {
    let fork = |next: Value| {
        json!({"anyOf": [{"properties": {"a": next}, "required": ["x"]},
                         {"properties": {"a": next}, "required": ["y"]}]})
    };
    let deep = schema(&doubling(20, fork));
    assert!(checked(&deep, &nested(20, "a", json!({}))).is_err());
    let items = |next: Value| json!({"items": {"anyOf": [next, next, next]}});
    let deep = schema(&doubling(30, items));
    let value = (0..30).fold(json!(1), |value, _| json!([value]));
    assert_eq!(checked(&deep, &value), Err(Mismatch::Limit));
}

#[test]
fn a_chain_of_references_takes_no_stack() {
    let chain = |count| doubling(count, |next| json!({"allOf": [next]}));
    assert!(is_too_large(&chain(10_000)));
    assert!(is_too_large(&chain(200)));
    assert!(!is_too_large(&chain(40)));
    let deep = (0..500).fold(json!(true), |schema, _| json!({"items": schema}));
    assert!(is_too_large(&deep));
    let list =
        schema(&json!({"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}));
    let value = |levels| (0..levels).fold(json!(1.0), |value, _| json!([value]));
    assert_eq!(checked(&list, &value(200)), Ok(()));
    assert_eq!(checked(&list, &value(5_000)), Err(Mismatch::Limit));
    // All levels that are allowed, in a thread with little stack.
    let levels = doubling(30, |next| json!({"anyOf": [next, {"type": "boolean"}]}));
    let mut levels = levels;
    levels["$defs"]["d30"] = json!({"items": {"$ref": "#/$defs/d0"}, "type": "array"});
    let levels = schema(&levels);
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let run = move || (1..40).map(|count| checked(&levels, &value(count)).is_err()).collect();
    let all: Vec<bool> = thread.spawn(run).unwrap().join().unwrap();
    assert!(all.iter().all(|refused| *refused));
}

#[test]
fn documents_within_each_other_do_not_multiply() {
    let mut definitions = Map::new();
    for layer in 0..30 {
        for side in ["a", "b"] {
            let next = |side: &str| json!({"$ref": format!("https://x.test/{side}{}", layer + 1)});
            let body = json!({"$id": format!("https://x.test/{side}{layer}"),
                              "properties": {"p": next("a"), "q": next("b")}});
            definitions.insert(format!("{side}{layer}"), body);
        }
    }
    for side in ["a", "b"] {
        definitions.insert(format!("{side}30"), json!({"$id": format!("https://x.test/{side}30")}));
    }
    let schema = json!({"$id": "https://x.test/root", "$ref": "a0", "$defs": definitions});
    assert!(is_too_large(&schema));
}

#[test]
fn a_pattern_that_tries_again_and_again() {
    let text = format!("{}!", "a".repeat(30_000));
    let linear = schema(&json!({"type": "string", "pattern": "^(a+)+$"}));
    assert!(matches!(checked(&linear, &json!(text)), Err(Mismatch::Problems(_))));
    for pattern in [r"^(?=(a+)+$)(a|aa)+\1$", r"^(a+)+\1b$", r"(?!x)(a*)*\1c"] {
        let trying = schema(&json!({"items": {"type": "string", "pattern": pattern}}));
        let value = json!(vec![text.clone(); 50]);
        assert!(checked(&trying, &value).is_err(), "{pattern}");
    }
    assert!(is_too_large(&json!({"pattern": r"(((\p{L}{99}){99}){99}){99}"})));
    let name = schema(&json!({"items": {"pattern": r"^[\p{L}\p{N} .'-]{1,100}$"}}));
    assert_eq!(checked(&name, &json!(vec!["Zoë O'Hara"; 200])), Ok(()));
}

#[test]
fn many_patterns_and_many_names() {
    let patterns: Map<String, Value> =
        (0..3000).map(|number| (format!("^k[a-z]*{number}$"), json!(true))).collect();
    let all = schema(&json!({"patternProperties": patterns}));
    let many = json!({"patternProperties": patterns, "additionalProperties": false});
    let names: Map<String, Value> =
        (0..3000).map(|number| (format!("k{number}-{}", "x".repeat(100)), json!(1))).collect();
    assert_eq!(checked(&all, &Value::Object(names)), Err(Mismatch::Limit));
    assert_eq!(checked(&schema(&many), &json!({"k1": 1, "kx2": 2})), Ok(()));
}

#[test]
fn lists_of_what_looks_alike() {
    let unique = schema(&json!({"uniqueItems": true}));
    let large: Vec<Value> = (0..20_000)
        .map(|number| serde_json::from_str(&format!("1e{}", 400 + number)).unwrap())
        .collect();
    assert_eq!(checked(&unique, &Value::Array(large)), Ok(()));
    let near = |number: usize| serde_json::from_str(&format!("0.1000000000000000000{number}1"));
    let near: Vec<Value> = (0..20_000).map(|number| near(number).unwrap()).collect();
    assert_eq!(checked(&unique, &Value::Array(near.clone())), Ok(()));
    let with_both = near.iter().cloned().chain([json!(1), json!(1.0)]).collect();
    assert!(matches!(checked(&unique, &Value::Array(with_both)), Err(Mismatch::Problems(_))));
}

#[test]
fn values_that_are_long_are_not_copied_for_each_error() {
    let branches: Vec<Value> =
        (0..100).map(|_| json!({"properties": {"a": {"type": "null"}}})).collect();
    let many = schema(&json!({"anyOf": branches}));
    let value = json!({"a": vec!["x".repeat(1000); 1000]});
    assert!(checked(&many, &value).is_err());
    let key = "k".repeat(200_000);
    let each = schema(&json!({"properties": {key.clone(): {"items": {"type": "null"}}}}));
    let value = json!({key: vec![1; 20_000]});
    assert!(checked(&each, &value).is_err());
    let constant = "c".repeat(100_000);
    let each = schema(&json!({"items": {"const": {"c": constant}}}));
    assert!(checked(&each, &json!(vec![1; 20_000])).is_err());
}

#[test]
fn a_long_list_of_wrong_items_has_its_problems() {
    let numbers = schema(&json!({"items": {"type": "string"}}));
    let Err(Mismatch::Problems(problems)) = checked(&numbers, &json!(vec![1; 10_000])) else {
        panic!("a number is no text");
    };
    assert_eq!(problems.len(), 5);
    let Err(Mismatch::Problems(problems)) = checked(&numbers, &json!(vec![1; 200_000])) else {
        panic!("a number is no text");
    };
    assert_eq!((problems.len(), problems[0].path.as_str()), (1, "/0"));
}

/// Schemas of all kinds of keywords that refer to each other.
fn hostile_schema() -> impl Strategy<Value = Value> {
    let part = (0_usize..14, 0_usize..6, 0_usize..6).prop_map(|(keyword, one, other)| {
        let (one, other) = (
            json!({"$ref": format!("#/$defs/{one}")}),
            json!({"$ref": format!("#/$defs/{other}")}),
        );
        match keyword {
            0 => json!({"anyOf": [one, other]}),
            1 => json!({"oneOf": [one, other, {"type": "null"}]}),
            2 => json!({"allOf": [one, other]}),
            3 => json!({"if": one, "then": other, "else": {"properties": {"a": other}}}),
            4 => json!({"dependentSchemas": {"a": one, "b": other}}),
            5 => json!({"patternProperties": {"^a": one, "b$": other, "(?=a)a": one}}),
            6 => json!({"properties": {"a": one, "b": other}, "required": ["a"]}),
            7 => json!({"items": {"anyOf": [one, other]}, "uniqueItems": true}),
            8 => json!({"contains": one, "minContains": 2}),
            9 => json!({"not": one}),
            10 => json!({"allOf": [one], "unevaluatedProperties": other}),
            11 => json!({"additionalProperties": {"oneOf": [one, other]}}),
            12 => json!({"type": "integer"}),
            _ => json!({"enum": [1, "a", {"a": 1}]}),
        }
    });
    prop::collection::vec(part, 6).prop_map(|parts| {
        let parts: Map<String, Value> =
            parts.into_iter().enumerate().map(|(index, part)| (index.to_string(), part)).collect();
        json!({"$ref": "#/$defs/0", "$defs": parts})
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!(1)), Just(json!(1.0)), Just(json!("a")), Just(json!(null))];
    leaf.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map("[ab]{1,2}", inner, 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn schemas_that_refer_to_each_other_come_to_an_end(
        written in hostile_schema(), value in value(), levels in 0_usize..50,
    ) {
        let Ok(schema) = InputSchema::new("tool", &written) else { return Ok(()) };
        checked(&schema, &value).ok();
        checked(&schema, &nested(levels, "a", value.clone())).ok();
        let lists = (0..levels).fold(value, |value, _| json!([value, {"a": 1}]));
        checked(&schema, &lists).ok();
    }

    #[test]
    fn within_the_limits_the_validator_says_what_it_says_alone(
        written in hostile_schema(), value in value(),
    ) {
        let Ok(schema) = InputSchema::new("tool", &written) else { return Ok(()) };
        let alone = jsonschema::options().offline().build(&written).unwrap();
        match schema.check(&value) {
            Ok(()) => prop_assert!(alone.is_valid(&value)),
            Err(Mismatch::Limit) => {}
            Err(Mismatch::Problems(problems)) => {
                let expected: Vec<_> = alone
                    .iter_errors(&value)
                    .take(5)
                    .map(|error| (error.instance_path().to_string(), error.masked().to_string()))
                    .collect();
                let problems: Vec<_> =
                    problems.into_iter().map(|one| (one.path, one.message)).collect();
                // Where the list of all is too long, the first problem stands alone.
                let is_first = problems.get(..1) == expected.get(..1) && problems.len() == 1;
                prop_assert!(problems == expected || is_first, "{problems:?} {expected:?}");
            }
        }
    }
}

#[test]
fn definitions_that_lead_back_to_themselves_for_the_same_value() {
    let to = |number: usize| json!({"$ref": format!("#/$defs/{number}")});
    let written = json!({"$ref": "#/$defs/0", "$defs": {
        "0": {"allOf": [to(2), to(2)]},
        "1": {"allOf": [to(0), to(3)]},
        "2": {"if": to(1), "then": to(0), "else": {"properties": {"a": to(0)}}},
        "3": {"properties": {"a": to(0), "b": to(0)}, "required": ["a"]},
    }});
    let back = schema(&written);
    for levels in 0..50 {
        let value = (0..levels).fold(json!([[1.0]]), |value, _| json!([value, {"a": 1}]));
        checked(&back, &value).ok();
        checked(&back, &nested(levels, "a", json!([[1.0]]))).ok();
    }
}
