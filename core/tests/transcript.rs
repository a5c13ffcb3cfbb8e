//! Laws for every log, and the recorded logs if they are available beside the project.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolwire::ErrorKind;
use toolwire::compat::vibe_kanban;
use toolwire::transcript::{
    DialectName, Entry, Form, Op, Patch, Reader, ReaderOptions, Transcript,
};

/// The patches of a log that is fed in pieces, which end at the given offsets.
fn read(log: &[u8], cuts: &[usize], options: ReaderOptions) -> (Vec<Patch>, Reader) {
    let (mut reader, mut patches) = (Reader::new(options), Vec::new());
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (log.len() + 1)).collect();
    cuts.sort_unstable();
    let mut start = 0;
    for end in cuts.into_iter().chain([log.len()]) {
        reader.feed(&log[start..end], &mut patches);
        start = end;
    }
    reader.finish(&mut patches);
    (patches, reader)
}

fn written(write: impl Fn(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

/// The entries that result from patches.
fn entries(patches: &[Patch]) -> Vec<String> {
    let mut entries = Vec::new();
    for patch in patches {
        let entry = written(|out| patch.entry.write_json(out));
        match patch.op {
            Op::Add => {
                assert_eq!(patch.index, entries.len());
                entries.push(entry);
            }
            Op::Replace => entries[patch.index] = entry,
        }
    }
    entries
}

/// The folder of recorded logs, which are not part of this project.
fn recorded() -> PathBuf {
    let folder = std::env::var_os("TOOLWIRE_RECORDED").expect("TOOLWIRE_RECORDED names no folder");
    PathBuf::from(folder).join("droid")
}

fn json_file(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Compares with the output of the live program byte for byte, including the order of keys.
fn check(name: &str, patches: &[Patch], expected_entries: &Value, expected_patches: &Value) {
    let expected: Vec<_> =
        expected_entries.as_array().unwrap().iter().map(Value::to_string).collect();
    assert_eq!(entries(patches), expected, "{name}");
    let made: Vec<_> = patches
        .iter()
        .map(|patch| {
            let entry = written(|out| patch.entry.write_json(out));
            format!(r#"{{"op":"{}","index":{},"entry":{entry}}}"#, patch.op.slug(), patch.index)
        })
        .collect();
    let expected: Vec<_> =
        expected_patches.as_array().unwrap().iter().map(Value::to_string).collect();
    assert_eq!(made, expected, "{name}");
}

fn faithful(worktree: &str) -> ReaderOptions {
    ReaderOptions {
        worktree: Some(worktree.into()),
        form: vibe_kanban::FORM,
        ..ReaderOptions::default()
    }
}

#[test]
#[ignore = "reads recordings: make recorded FOLDER=FOLDER"]
fn recorded_logs_give_what_the_live_program_gives() {
    let folder = recorded();
    for name in ["glob", "hello-world", "insufficient-perms"] {
        let log = fs::read(folder.join(format!("{name}.jsonl"))).unwrap();
        let (patches, reader) = read(&log, &[], faithful("/tmp/test-worktree"));
        let expected = |kind: &str| json_file(&folder.join(format!("{name}.{kind}expected.json")));
        check(name, &patches, &expected(""), &expected("patches."));
        assert!(reader.session_id().is_some() && reader.pending().next().is_none());
    }
}

#[test]
#[ignore = "reads recordings: make recorded FOLDER=FOLDER"]
fn recorded_cases_give_what_the_live_program_gives() {
    let folder = recorded();
    // Two cases need symbolic links at these places.
    #[cfg(unix)]
    {
        let root = Path::new("/tmp/harness/droid/wt");
        fs::create_dir_all(root.join("real/sub")).unwrap();
        fs::write(root.join("real/sub/f.txt"), "").unwrap();
        if !root.join("link").exists() {
            std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        }
    }
    for case in json_file(&folder.join("cases.json")).as_array().unwrap() {
        let name = case["id"].as_str().unwrap();
        let mut reader = Reader::new(faithful(case["worktree"].as_str().unwrap()));
        let mut patches = Vec::new();
        reader.feed(case["text"].as_str().unwrap().as_bytes(), &mut patches);
        reader.finish(&mut patches);
        reader.standard_error(case["stderr"].as_str().unwrap_or_default().as_bytes(), &mut patches);
        check(name, &patches, &case["want"]["entries"], &case["want"]["patches"]);
        let sessions: Vec<_> = reader.session_id().into_iter().collect();
        assert_eq!(json!(sessions), case["want"]["session_ids"], "{name}");
    }
}

#[test]
fn the_longest_line_is_bounded() {
    let long = format!("{}\n{{}}\nx", "a".repeat(toolwire::transcript::MAX_LINE + 1));
    for cuts in [&[][..], &[5, 1 << 24, (1 << 24) + 1]] {
        let (patches, _) = read(long.as_bytes(), cuts, ReaderOptions::default());
        let said: Vec<_> = patches.iter().map(|patch| patch.entry.content()).collect();
        assert_eq!(
            said,
            ["a line of 16777217 bytes is left out: it is longer than 16777216", "{}", "x"]
        );
    }
}

/// One of a few ids, so that some repeat and some are missing.
fn any_id() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![json!("a"), json!("b"), json!("c"), json!(""), Value::Null])
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z\u{1b}é\n]{0,8}".prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        Just(json!({"file_path": "/w/p", "diff": "@@\n-a\n\n+b\n\\ No newline at end of file"})),
        Just(json!("x\n[Process exited with code 3]")),
        Just(json!({"b": 1, "a": [true, null, {"z": -0.0}]})),
    ]
}

/// A call of one of Droid's tools; most calls have valid parameters.
fn any_call() -> impl Strategy<Value = Value> {
    let tool = prop::sample::select(vec![
        ("Read", json!({"file_path": "/w/a"})),
        ("Execute", json!({"command": "bash -lc 'cat x > y'"})),
        ("Edit", json!({"path": "a", "old_string": "x\ny", "new_string": "y"})),
        ("ApplyPatch", json!({"input": "*** Update File: /w/p\n"})),
        ("TodoWrite", json!({"todos": [{"content": "c", "status": "s"}]})),
        ("Create", json!({"path": 5})),
        ("other", json!({"n": 1e30})),
    ]);
    (any_id(), tool).prop_map(|(id, (name, parameters))| {
        json!({"type": "tool_call", "id": id, "messageId": "m", "toolId": name, "toolName": name,
            "parameters": parameters, "timestamp": 1, "session_id": "s"})
    })
}

fn any_result() -> impl Strategy<Value = Value> {
    (any_id(), any::<bool>(), any_value()).prop_map(|(id, failed, value)| {
        let mut result = json!({"type": "tool_result", "id": id, "messageId": "m", "toolId": "",
            "isError": failed, "timestamp": 5, "session_id": "s"});
        if failed && value.is_string() {
            result["error"] = json!({"type": "tool_error", "message": value});
        } else {
            result["value"] = value;
        }
        result
    })
}

/// A line of a log in any dialect, or in none.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let other = prop::sample::select(vec![
        json!({"type": "system", "session_id": "s", "model": "m"}),
        json!({"type": "completion", "finalText": "done", "session_id": "s"}),
        json!({"type": "message", "role": "assistant", "id": "1", "text": "t\u{1b}[0m", "timestamp": 1, "session_id": "s"}),
        json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}}]}}),
        json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}}),
        json!({"type": "item.started", "item": {"id": "i", "type": "todo_list", "items": [{"text": "t"}]}}),
        json!({"type": "item.completed", "item": {"id": "i", "type": "todo_list", "items": []}}),
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{"}}]}),
        json!({"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "x"}]}),
        json!({"level": "error", "error": {"message": "m"}}),
        json!([[[]]]),
    ]);
    let json =
        prop_oneof![any_call(), any_result(), other].prop_map(|line| line.to_string().into_bytes());
    let json = json.boxed();
    let damaged = (json.clone(), any::<usize>(), any::<u8>()).prop_map(|(mut line, at, byte)| {
        let at = at % line.len();
        line[at] = byte;
        line
    });
    prop_oneof![6 => json, 1 => damaged, 1 => vec(any::<u8>(), 0..20)]
}

fn any_log() -> impl Strategy<Value = Vec<u8>> {
    vec(any_line(), 0..24).prop_map(|lines| lines.join(&b'\n'))
}

/// The JSON Pointers of all values of a record.
fn list_paths(value: &Value, path: &str, paths: &mut Vec<String>) {
    paths.push(path.to_owned());
    match value {
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(key, value)| list_paths(value, &format!("{path}/{key}"), paths));
        }
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(at, value)| list_paths(value, &format!("{path}/{at}"), paths));
        }
        _ => {}
    }
}

#[test]
fn what_is_no_record_of_an_entry_is_refused() {
    let call = json!({"id": "c", "name": "n", "arguments": "{}", "action": "tool", "started": 1});
    let result = json!({"given": {"value": "1"}, "patched": null, "ended": 2});
    let form = json!({"numbers": "exact", "hunks": "whole", "omits_errors": false});
    let good = json!({"call": call, "status": "success", "result": result, "form": form});
    let entry = |tool_use: &Value| Entry::from_record(json!({"tool_use": tool_use}));
    assert_eq!(entry(&good).unwrap().tool_use().unwrap().duration(), Some(1));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (path, value) in [
        ("/call/arguments", json!("{}, \"x\": 1")),
        ("/call/arguments", json!(" {}")),
        ("/call/arguments", json!("")),
        ("/call/arguments", json!("[\"\\ud800\"]")),
        ("/call/arguments", json!(deep)),
        ("/call/action", json!("nothing")),
        ("/call/started", json!(1.5)),
        ("/call/started", json!(u64::MAX)),
        ("/call", json!({"id": "c"})),
        ("/result/given", json!({"value": "{"})),
        ("/result/given", json!({"value": deep})),
        ("/result/given", json!({"command": ["x", i64::MAX]})),
        ("/result/given", json!({"none\0": 1})),
        ("/result/newer", json!(1)),
        ("/result", Value::Null),
        ("/status", json!("created")),
        ("/form", json!("")),
    ] {
        let mut bad = good.clone();
        match bad.pointer_mut(path) {
            Some(part) => *part = value.clone(),
            None => bad["result"]["newer"] = value.clone(),
        }
        let error = entry(&bad).expect_err(path);
        assert_eq!(error.kind(), ErrorKind::InvalidRecord, "{path} {value}");
        assert!(error.to_string().len() < 1000 && !error.to_string().contains('\0'));
    }
    for bad in [
        Value::Null,
        json!([]),
        json!({}),
        json!("tool_use"),
        json!({"message": {"role": "x", "text": ""}}),
    ] {
        assert_eq!(Entry::from_record(bad).unwrap_err().kind(), ErrorKind::InvalidRecord);
    }
}

proptest! {
    /// A library that applies the JSON Patch operations one after the other gets the entries of the
    /// whole log.
    #[test]
    fn patches_build_the_entries(log in any_log()) {
        let (patches, _) = read(&log, &[], ReaderOptions::default());
        let mut board = json!({"entries": []});
        for patch in &patches {
            let operation = format!("[{}]", written(|out| patch.write_json(out)));
            let operations: json_patch::Patch = serde_json::from_str(&operation).unwrap();
            json_patch::patch(&mut board, &operations).unwrap();
        }
        let built: Vec<_> = board["entries"].as_array().unwrap().iter().map(|entry| {
            assert_eq!(entry["type"], "NORMALIZED_ENTRY");
            entry["content"].to_string()
        }).collect();
        let whole: Vec<_> = entries(&patches)
            .iter()
            .map(|entry| serde_json::from_str::<Value>(entry).unwrap().to_string())
            .collect();
        prop_assert_eq!(built, whole);
    }

    /// Every entry can be restored from its record, also through JSON text. A record with one
    /// changed value is refused, or gives another entry that is written as JSON.
    #[test]
    fn entries_come_back_from_their_records(
        log in any_log(),
        name in prop::sample::select(DialectName::ALL),
        place in any::<prop::sample::Index>(),
        changed in any_value(),
    ) {
        for form in [Form::default(), vibe_kanban::FORM] {
            let options = ReaderOptions { dialect: Some(name), form, worktree: Some("/w".into()) };
            for Patch { entry, .. } in read(&log, &[], options).0 {
                let record = entry.to_record();
                let text: Value = serde_json::from_str(&record.to_string()).unwrap();
                prop_assert_eq!(&Entry::from_record(text).unwrap(), &entry);
                prop_assert_eq!(&Entry::from_record(record.clone()).unwrap(), &entry);
                let mut hostile = record.clone();
                let mut paths = Vec::new();
                list_paths(&record, "", &mut paths);
                let path: &String = place.get(&paths);
                *hostile.pointer_mut(path).unwrap() = changed.clone();
                match Entry::from_record(hostile) {
                    Ok(other) => {
                        let written = written(|out| other.write_json(out));
                        prop_assert!(serde_json::from_str::<Value>(&written).is_ok(), "{}", written);
                    }
                    Err(error) => prop_assert_eq!(error.kind(), ErrorKind::InvalidRecord),
                }
            }
        }
    }

    /// A log gives the same result however it is cut.
    #[test]
    fn cuts_change_nothing(log in any_log(), cuts in vec(any::<usize>(), 0..9)) {
        let (whole, reader) = read(&log, &[], ReaderOptions::default());
        let (cut, again) = read(&log, &cuts, ReaderOptions::default());
        prop_assert_eq!(whole, cut);
        prop_assert_eq!((reader.session_id(), reader.dialect()), (again.session_id(), again.dialect()));
    }

    /// A whole log keeps no patches, and reports the origin of its entries as its reader did.
    #[test]
    fn a_whole_log_tells_its_readers_patches(log in any_log(), name in prop::sample::select(DialectName::ALL)) {
        for form in [Form::default(), vibe_kanban::FORM] {
            let options = || ReaderOptions { dialect: Some(name), form, worktree: Some("/w".into()) };
            let whole = Transcript::read(&log, b"", options());
            let (patches, _) = read(&log, &[], options());
            prop_assert_eq!(whole.patches().collect::<Vec<_>>(), patches);
        }
    }

    /// In every dialect, each result is joined with at most one call, and calls without a result
    /// are pending.
    #[test]
    fn every_call_is_resolved_once_or_pending(log in any_log(), name in prop::sample::select(DialectName::ALL)) {
        for form in [Form::default(), vibe_kanban::FORM] {
            let options = ReaderOptions { dialect: Some(name), form, worktree: Some("/w".into()) };
            let (patches, reader) = read(&log, &[], options);
            let calls = patches.iter().filter(|patch| patch.op == Op::Add && patch.entry.tool_use().is_some());
            let mut resolved: Vec<_> =
                patches.iter().filter(|patch| patch.op == Op::Replace).map(|patch| patch.index).collect();
            let (calls, pending) = (calls.count(), reader.pending().count());
            prop_assert_eq!(calls, resolved.len() + pending);
            resolved.sort_unstable();
            let count = resolved.len();
            resolved.dedup();
            prop_assert_eq!(resolved.len(), count);
            for patch in &patches {
                let entry = written(|out| patch.entry.write_json(out));
                prop_assert!(serde_json::from_str::<Value>(&entry).is_ok(), "{}", entry);
            }
        }
    }
}
