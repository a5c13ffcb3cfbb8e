//! The cases of all dialects in hostile frames: each gives the calls of the plain log.

use serde_json::{Value, json};
use toolwire::transcript::{DialectName, Patch, Reader, ReaderOptions, Transcript};

use crate::sample::{Sample, samples};

impl Sample {
    fn options(&self) -> ReaderOptions {
        ReaderOptions { dialect: Some(self.dialect), ..ReaderOptions::default() }
    }

    fn read(&self, log: &[u8]) -> Transcript {
        Transcript::read(log, b"", self.options())
    }

    /// The lines, if each of them is a JSON value.
    fn records(&self) -> Option<Vec<&str>> {
        let lines: Vec<&str> = self.log.lines().filter(|line| !line.trim().is_empty()).collect();
        let is_record = |line: &&str| {
            let is_object = line.starts_with('{');
            is_object && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
        };
        (lines.len() > 1 && lines.iter().all(is_record)).then_some(lines)
    }
}

/// The samples in any frame: Droid's own stream is read line by line exactly as it stands.
fn framed_samples() -> impl Iterator<Item = Sample> {
    samples().into_iter().filter(|sample| sample.dialect != DialectName::Droid)
}

/// Each call with what is known of it.
fn calls(transcript: &Transcript) -> Vec<Value> {
    let told = transcript.calls().map(|(_, call)| {
        let (name, id, arguments) = (&call.call.name, &call.call.id, &call.call.arguments);
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        json!([
            id,
            name,
            arguments,
            call.tool_name(),
            call.status.slug(),
            call.data(),
            call.error()
        ])
    });
    told.collect()
}

/// Compares the calls of all samples in another frame with those of the plain log.
fn check(what: &str, frame: impl Fn(&Sample) -> Option<Vec<u8>>) {
    let mut wrong = Vec::new();
    for sample in framed_samples() {
        let Some(framed) = frame(&sample) else { continue };
        let plain = calls(&sample.read(sample.log.as_bytes()));
        let found = calls(&sample.read(&framed));
        if found != plain {
            wrong.push(format!("{what}: {}\n  {plain:?}\n  {found:?}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
}

#[test]
fn encodings_and_line_ends_change_no_call() {
    check("BOM", |sample| Some(format!("\u{feff}{}", sample.log).into_bytes()));
    check("UTF-16 LE", |sample| Some(utf_16(&sample.log, u16::to_le_bytes)));
    check("UTF-16 BE", |sample| Some(utf_16(&sample.log, u16::to_be_bytes)));
    check("CRLF", |sample| Some(sample.log.replace('\n', "\r\n").into_bytes()));
    check("blank lines", |sample| {
        let is_json = sample.log.trim_start().starts_with(['{', '[']);
        is_json.then(|| sample.log.replace('\n', "\n\n \n\n").into_bytes())
    });
}

#[test]
fn zero_bytes_round_a_log_and_its_lines_change_no_call() {
    let zeros = "\0".repeat(300);
    check("before", |sample| Some(format!("{zeros}{}", sample.log).into_bytes()));
    check("behind", |sample| Some(format!("{}{zeros}", sample.log).into_bytes()));
    check("a line before", |sample| Some(format!("{zeros}\n{}", sample.log).into_bytes()));
    check("round lines", |sample| {
        let lines = sample.records()?.into_iter().map(|line| format!("{zeros}{line}{zeros}\n"));
        Some(lines.collect::<String>().into_bytes())
    });
}

#[test]
fn separators_of_unicode_in_texts_are_data() {
    check("separators", |sample| {
        let lines = sample.records()?;
        let filled = lines.iter().map(|line| {
            let rest = line.strip_prefix('{').unwrap();
            format!("{{\"zz\":\"\u{2028}\u{2029}\u{85} }}{{\",{rest}\n")
        });
        lines.iter().all(|line| line.len() > 2).then(|| filled.collect::<String>().into_bytes())
    });
}

#[test]
fn records_that_are_glued_together_are_told_apart() {
    check("all", |sample| Some(sample.records()?.concat().into_bytes()));
    check("the last two", |sample| {
        let lines = sample.records()?;
        let (last, before) = lines.split_last()?;
        Some(format!("{}{last}", before.join("\n")).into_bytes())
    });
}

#[test]
fn of_a_torn_record_nothing_else_is_lost() {
    let mut wrong = Vec::new();
    for sample in framed_samples() {
        let Some(lines) = sample.records() else { continue };
        let (last, before) = lines.split_last().unwrap();
        let expected = sample.read(before.join("\n").as_bytes());
        let whole = calls(&sample.read(sample.log.as_bytes()));
        let middle = last.floor_char_boundary(last.len() / 2);
        for torn in [&last[..middle], &last[..last.len() - 1]] {
            let found = sample.read(format!("{}\n{torn}", before.join("\n")).as_bytes());
            let damaged = found.account.damaged.count - expected.account.damaged.count;
            // A payload that is whole may be read without the record round it.
            let is_right = [&calls(&expected), &whole].contains(&&calls(&found));
            if !is_right || damaged != 1 {
                let (found, expected) = (calls(&found), calls(&expected));
                wrong.push(format!("{}: {damaged}\n  {expected:?}\n  {found:?}", sample.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// A document that is cut off anywhere holds no call that the whole one does not hold, and says
/// that it is damaged.
#[test]
fn a_torn_document_invents_nothing() {
    let mut wrong = Vec::new();
    for sample in framed_samples() {
        if sample.records().is_some() || !sample.log.trim_start().starts_with(['{', '[']) {
            continue;
        }
        let Ok(document) = serde_json::from_str::<Value>(&sample.log) else { continue };
        let pretty = serde_json::to_string_pretty(&document).unwrap();
        let whole = sample.read(pretty.as_bytes());
        let known: Vec<Value> = calls(&whole);
        // All of a call but its result, which may be what was cut off.
        let made = |call: &Value| json!(call.as_array().unwrap()[..3]);
        let ends = (2..pretty.trim_end().len()).step_by(3);
        for end in ends.filter(|end| pretty.is_char_boundary(*end)) {
            let found = sample.read(&pretty.as_bytes()[..end]);
            let is_new = |call: &Value| {
                // Cline's commands tell their output piece by piece.
                let is_pending = call[4] == "created" || sample.dialect == DialectName::ClineUi;
                let is_known = |one: &Value| one == call || is_pending && made(one) == made(call);
                !known.iter().any(is_known)
            };
            let new = calls(&found).into_iter().find(is_new);
            if let Some(new) = new {
                let shown = &pretty[pretty.floor_char_boundary(end.saturating_sub(60))..end];
                wrong.push(format!("{} at {end}: {shown}\n  {new}", sample.name));
                break;
            }
            if found.account.damaged.count == 0 {
                wrong.push(format!("{} at {end}: not damaged", sample.name));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// A rollout whose messages stand in its events alone gives all of them, however many there are.
#[test]
fn messages_of_events_are_not_lost() {
    let words = "x".repeat(4000);
    let mut log = String::new();
    for number in 0..3000 {
        let payload = json!({"type": "agent_message", "message": format!("{number} {words}")});
        let line =
            json!({"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": payload});
        log.push_str(&line.to_string());
        log.push('\n');
    }
    let read = Transcript::read(log.as_bytes(), b"", ReaderOptions::default());
    assert_eq!((read.entries.len(), read.account.repeated), (3000, 0));
}

fn patches(sample: &Sample, length: usize) -> (Vec<Patch>, Value) {
    let (mut reader, mut patches) = (Reader::new(sample.options()), Vec::new());
    for piece in sample.log.as_bytes().chunks(length) {
        reader.feed(piece, &mut patches);
    }
    reader.finish(&mut patches);
    (patches, reader.account().to_value())
}

#[test]
fn every_cut_of_a_sample_gives_the_same() {
    for sample in framed_samples() {
        let whole = patches(&sample, usize::MAX);
        for length in [1, 2, 7, 64, 1000] {
            assert_eq!(patches(&sample, length), whole, "{}: {length}", sample.name);
        }
    }
}
