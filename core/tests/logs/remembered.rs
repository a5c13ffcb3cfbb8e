//! What the dialects remember between records is bounded, however many ids an endless log has.

use allocation_counter::measure;
use serde_json::{Value, json};
use toolwire::transcript::{Dialect, DialectName, Tape};

use crate::sample::{Sample, samples};

/// How long the ids and the texts are, and how many bytes of them a dialect may remember.
const LENGTH: usize = 4 << 10;
const MOST: i64 = 20 << 20;
/// How often a step is taken to see whether anything of it is remembered, and how often then.
const FEW: usize = 24;
const MANY: usize = if cfg!(debug_assertions) { 500 } else { 8 << 10 };

/// Which parts of records are long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Long {
    Ids,
    Texts,
}

/// The records of a document, as the dialect finds them.
fn split(dialect: &dyn Dialect, text: &str, depth: usize, records: &mut Vec<Value>) {
    let mut tape = Tape::default();
    let Some(document) = tape.read(text) else { return };
    match dialect.items(document).filter(|_| depth < 4) {
        Some(items) => {
            items.items().for_each(|item| split(dialect, item.raw(), depth + 1, records));
        }
        None => records.extend(serde_json::from_str::<Value>(document.raw())),
    }
}

/// The records of a log.
fn records(Sample { log, dialect, .. }: &Sample) -> Vec<Value> {
    let (dialect, mut records) = (dialect.reader(), Vec::new());
    if serde_json::from_str::<serde::de::IgnoredAny>(log).is_ok() {
        split(&*dialect, log, 0, &mut records);
    } else {
        log.lines().for_each(|line| split(&*dialect, line, 0, &mut records));
    }
    records
}

/// Makes the ids of a record new, and its words.
fn renew(value: &mut Value, key: &str, round: usize, long: Long) {
    let is_id = key.ends_with("id") || key.ends_with("Id") || key.ends_with("ID");
    let more = |now| if long == now { "x".repeat(LENGTH) } else { String::new() };
    match value {
        Value::String(text) if is_id => *text = format!("{text}-{round}-{}", more(Long::Ids)),
        Value::String(text) if matches!(key, "text" | "content" | "message" | "value") => {
            *text = format!("{text} {round} {}", more(Long::Texts));
        }
        Value::Number(number) if matches!(key, "id" | "cause" | "ts") && number.is_u64() => {
            *value = json!(number.as_u64().unwrap() + 1000 * u64::try_from(round).unwrap());
        }
        Value::Array(items) => items.iter_mut().for_each(|item| renew(item, key, round, long)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| renew(value, key, round, long));
        }
        _ => {}
    }
}

/// Feeds records again and again, always with new ids, and gives how many bytes the dialect keeps.
fn kept(name: DialectName, records: &[Value], long: Long, rounds: usize) -> i64 {
    let mut dialect = name.reader();
    let feed = || {
        let mut tape = Tape::default();
        for round in 0..rounds {
            for record in records {
                let mut record = record.clone();
                renew(&mut record, "", round, long);
                if let Some(read) = tape.read(&record.to_string()) {
                    dialect.read(read, &mut |_| {});
                }
            }
        }
    };
    measure(feed).bytes_current
}

#[test]
fn ever_new_ids_take_bounded_memory() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let (name, records) = (sample.dialect, records(&sample));
        // VS Code's log of changes is one document, which is held as a document of many lines is.
        let is_document = name == DialectName::VsCodeChat;
        if size_of_val(&*name.reader()) == 0 || is_document {
            continue;
        }
        // A record alone leaves calls without their results, and results without their calls.
        let steps = records.iter().map(std::slice::from_ref).chain([&*records]);
        for (step, long) in steps.flat_map(|step| [(step, Long::Ids), (step, Long::Texts)]) {
            let few = i64::try_from(FEW * LENGTH / 4).unwrap();
            if kept(name, step, long, FEW) < few {
                continue;
            }
            let bytes = kept(name, step, long, MANY);
            if bytes > MOST {
                wrong.push(format!("{}: {bytes} bytes of {long:?}, {step:?}", name.slug()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
