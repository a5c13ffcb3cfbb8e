//! Runs the shared cases of `tests/cases/`, which PHP and Python run too.
//!
//! A file is a topic, and each topic has a function here. Everything unknown is a failure: an
//! unknown topic, field or function, a repeated name, a case that expects nothing. The number of
//! cases is written to `build/cases-rust.json`, to be compared with the other languages' counts.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

mod case;
mod comment;
mod constrain;
mod detection;
mod diff;
mod finder;
mod profiles;
mod provider;
mod reply;
mod requests;
mod runs;
mod store;
mod stream;
mod summary;
mod tokens;
mod tool_asked;
mod tool_input;
mod tool_run;
mod tools;
mod transcript;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use case::Case;

/// Runs one case; the message says what differs.
type Run = fn(&Case) -> Result<(), String>;

/// Every topic.
const TOPICS: &[(&str, Run)] = &[
    ("comment", comment::comment),
    ("constrain", constrain::constrain),
    ("detection", detection::detection),
    ("diff", diff::diff),
    ("errors", detection::errors),
    ("finder", finder::finder),
    ("formats", detection::detection),
    ("logs", transcript::transcript),
    ("messages", detection::detection),
    ("profiles", profiles::profiles),
    ("provider", provider::provider),
    ("projection", finder::projection),
    ("quote", comment::quoted),
    ("render", detection::render),
    ("replace", detection::replace),
    ("reply", reply::reply),
    ("report", summary::report),
    ("requests", requests::requests),
    ("runs", runs::runs),
    ("store", store::store),
    ("summary", summary::summary),
    ("tokens", tokens::tokens),
    ("tools", tools::tools),
    ("transcript", transcript::transcript),
    ("visible", comment::visible),
];

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The case files by topic.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path))
        .collect()
}

/// Runs the cases of a file; returns their number and the failures.
fn run_file(topic: &str, text: &str) -> Result<(usize, Vec<String>), String> {
    let (_, run) = TOPICS.iter().find(|(known, _)| *known == topic).ok_or("an unknown topic")?;
    let cases = case::read(text)?;
    let failures =
        cases.iter().filter_map(|case| Some(format!("{}: {}", case.name, run(case).err()?)));
    Ok((cases.len(), failures.collect()))
}

#[test]
fn shared_cases() {
    let files = files(&root().join("tests/cases"));
    assert!(!files.is_empty(), "there are no cases");
    let (mut counts, mut failures) = (BTreeMap::new(), Vec::new());
    for (topic, path) in files {
        match run_file(&topic, &fs::read_to_string(&path).unwrap()) {
            Ok((count, failed)) => {
                failures.extend(failed.into_iter().map(|failure| format!("{topic}: {failure}")));
                counts.insert(topic, count);
            }
            Err(reason) => failures.push(format!("{topic}: {reason}")),
        }
    }
    let build = root().join("build");
    fs::create_dir_all(&build).unwrap();
    fs::write(build.join("cases-rust.json"), serde_json::to_string_pretty(&counts).unwrap() + "\n")
        .unwrap();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_runner_is_strict() {
    let refused = [
        ("weather", "[]"),
        ("summary", "[]"),
        ("summary", "{}"),
        ("summary", r#"[{"name":"n","input":{},"output":{},"extra":1}]"#),
        ("summary", r#"[{"name":"n","input":{}}]"#),
        ("summary", r#"[{"name":"n","input":{},"output":{},"error":{"kind":"wrong_type"}}]"#),
        ("summary", r#"[{"name":"n","input":{},"error":{"kind":"no_such_kind"}}]"#),
        ("summary", r#"[{"name":"n","input":{},"error":{"kind":"wrong_type","text":"t"}}]"#),
        ("summary", r#"[{"name":"n","input":{},"output":{}},{"name":"n","input":{},"output":{}}]"#),
    ];
    for (topic, text) in refused {
        assert!(run_file(topic, text).is_err(), "{topic} {text}");
    }
}

#[test]
fn a_case_that_differs_fails() {
    let failing = [
        ("summary", r#"{"function":"tool_data","data":{"a":1}}"#, r#""output":{"text":"- a: 2"}"#),
        (
            "summary",
            r#"{"function":"tool_data","data":{"a":1}}"#,
            r#""output":{"text":"- a: 1","more":1}"#,
        ),
        (
            "summary",
            r#"{"function":"tool_data","data":{"a":1}}"#,
            r#""error":{"kind":"wrong_type"}"#,
        ),
        ("summary", r#"{"function":"tool_data","data":[1]}"#, r#""error":{"kind":"invalid_tool"}"#),
        ("summary", r#"{"function":"tool_data","data":[1]}"#, r#""output":{"text":""}"#),
        (
            "summary",
            r#"{"function":"tool_data","data":{},"depth":1}"#,
            r#""output":{"text":"No data returned"}"#,
        ),
        (
            "summary",
            r#"{"function":"nothing","data":{}}"#,
            r#""output":{"text":"No data returned"}"#,
        ),
        (
            "comment",
            r#"{"function":"clean","text":"long enough"}"#,
            r#""output":{"text":"another text"}"#,
        ),
        ("tokens", r#"{"function":"count","text":"a"}"#, r#""output":{"tokens":2}"#),
        ("diff", r#"{"function":"text","old":"","new":"","depth":1}"#, r#""output":{}"#),
        ("diff", r#"{"function":"text","old":"","new":""}"#, r#""output":{"diff_output":""}"#),
        ("projection", r#"{"function":"data","value":{}}"#, r#""output":{"value":[]}"#),
        (
            "projection",
            r#"{"function":"envelope_data","value":{"b":1,"a":2}}"#,
            r#""output":{"value":{"a":2,"b":1}}"#,
        ),
        (
            "projection",
            r#"{"function":"envelope_data","value":{"b":1}}"#,
            r#""output":{"value":{"b":1.0}}"#,
        ),
        (
            "detection",
            r#"{"text":"prose"}"#,
            r#""output":{"calls":[{"name":"x","arguments":{},"format":"tag"}]}"#,
        ),
        ("detection", r#"{"text":"<tool:x>{}</tool>"}"#, r#""output":{"calls":[]}"#),
        (
            "detection",
            r#"{"text":"<tool:x>{}</tool>"}"#,
            r#""output":{"calls":[{"name":"x","arguments":{"a":1},"format":"tag"}]}"#,
        ),
        (
            "detection",
            r#"{"text":"<tool:x>{}</tool>"}"#,
            r#""output":{"calls":[{"name":"x","arguments":{},"format":"tag","colour":"red"}]}"#,
        ),
        ("detection", r#"{"text":"<tool:x>{</tool>"}"#, r#""output":{"calls":[]}"#),
        ("errors", r#"{"options":{}}"#, r#""error":{"kind":"unknown_option"}"#),
        ("replace", r#"{"text":"t","results":{}}"#, r#""output":{"text":"u"}"#),
        (
            "tools",
            r#"{"function":"resolve","tools":[],"calls":[{"id":"c","name":"x"}]}"#,
            r#""output":{"resolved":[],"unresolved":[{"call_id":"c","name":"x","arguments":{},"error":"Another"}]}"#,
        ),
        (
            "tools",
            r#"{"function":"payload_summary","payload":{"token":1}}"#,
            r#""output":{"summary":{"token":1}}"#,
        ),
        (
            "render",
            r#"{"function":"result","name":"n","success":true,"result":"r"}"#,
            r#""output":{"html":"r"}"#,
        ),
    ];
    for (topic, input, expected) in failing {
        let text = format!(r#"[{{"name":"n","input":{input},{expected}}}]"#);
        let (_, failures) = run_file(topic, &text).unwrap();
        assert_eq!(failures.len(), 1, "{topic} {text}");
    }
}
