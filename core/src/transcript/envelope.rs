//! Records of an agent or a gateway inside the lines of what collects logs: a line of a container,
//! of syslog or of a program, and the JSON of a collector that holds such a line.
//!
//! A line is opened only if no dialect knows it as it stands and one knows what it holds.

use std::borrow::Cow;

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::dialect::at;
use crate::transcript::frame::container_of;
use crate::transcript::recognise::{DialectWeights, LEAST};

/// Where collectors, loggers and exports keep a line or a record.
const HELD: [&str; 15] = [
    "log",
    "MESSAGE",
    "message",
    "msg",
    "line",
    "text",
    "textPayload",
    "jsonPayload",
    "_source",
    "_raw",
    "event",
    "data",
    "payload",
    "fields",
    "body",
];
/// Where a program keeps the whole of its state. States that follow each other repeat their
/// messages, so only one that is alone is opened.
const STATE: &str = "values";
/// Where documents of collectors and exports keep their lines.
const LISTS: [&[&str]; 6] =
    [&["events"], &["logEvents"], &["hits", "hits"], &["hits"], &["entries"], &["data"]];
/// What tables keep as a text of JSON.
const TEXTS: [&str; 8] = [
    "messages",
    "response",
    "conversation",
    "conversations",
    "trajectory",
    "history",
    "request",
    "proxy_server_request",
];
/// The most records that stand in each other.
const DEEPEST: usize = 3;
/// How many bytes of a line may stand in front of its record, and how many beginnings are tried.
const MOST_WORDS: usize = 512;
const MOST_STARTS: usize = 4;

/// The record that a record of a collector holds; of a list of such records, the list of those.
pub(super) fn opened(record: Json<'_>) -> Option<String> {
    if record.is_object() {
        return opened_record(record, 0)
            .or_else(|| list_in(record))
            .or_else(|| heavier(record.get(STATE)?, record));
    }
    opened_list(record)
}

/// The list of records in a document.
fn list_in(document: Json<'_>) -> Option<String> {
    let lists = LISTS.iter().filter_map(|path| at(document, path));
    let mut lists = lists.filter(|list| list.is_array());
    lists.find_map(|list| opened_list(list).or_else(|| heavier(list, document)))
}

/// A value that a dialect knows better than the record that holds it.
fn heavier(inner: Json<'_>, record: Json<'_>) -> Option<String> {
    let weight = DialectWeights::of(record);
    (weight < LEAST && DialectWeights::of(inner) > weight).then(|| inner.raw().to_owned())
}

/// The records of a list, opened where they can be; none if no record can.
fn opened_list(list: Json<'_>) -> Option<String> {
    let (mut all, mut is_opened) = (String::from("["), false);
    for item in list.items() {
        let inner = opened_record(item, 0);
        is_opened |= inner.is_some();
        if all.len() > 1 {
            all.push(',');
        }
        all.push_str(inner.as_deref().unwrap_or(item.raw()));
    }
    all.push(']');
    is_opened.then_some(all)
}

fn opened_record(record: Json<'_>, depth: usize) -> Option<String> {
    let event = message_of_event(record);
    if event.is_some() {
        return event;
    }
    let held: Vec<_> = HELD.iter().filter_map(|key| json_in(record.get(key)?)).collect();
    let row = row(record);
    if held.is_empty() && row.is_none() {
        return None;
    }
    let weight = DialectWeights::of(record);
    let row = row.filter(|row| is_heavier(row, weight));
    if row.is_some() || weight >= LEAST {
        return row;
    }
    let found = held.iter().find(|text| is_heavier(text, weight)).cloned().map(Cow::into_owned);
    found.or_else(|| held.iter().find_map(|text| opened_in(text, depth + 1)))
}

/// What a record inside of another one holds in turn.
fn opened_in(text: &str, depth: usize) -> Option<String> {
    let mut tape = Tape::default();
    opened_record(tape.read(text).filter(|_| depth < DEEPEST)?, depth)
}

/// The row of a table with its texts of JSON as what they hold.
fn row(record: Json<'_>) -> Option<String> {
    let inner = |key: &str, value: Json<'_>| {
        let text = value.text().filter(|_| TEXTS.contains(&key))?;
        let mut tape = Tape::default();
        let is_json = text.trim_start().starts_with(['{', '[']) && tape.read(&text).is_some();
        is_json.then(|| text.into_owned())
    };
    let (mut made, mut is_opened) = (String::from("{"), false);
    for (key, value) in record.members().filter(|_| may_be_row(record)) {
        let inner = inner(&key, value);
        is_opened |= inner.is_some();
        let comma = if made.len() > 1 { "," } else { "" };
        let name = serde_json::Value::from(&*key).to_string();
        made.extend([comma, &name, ":", inner.as_deref().unwrap_or(value.raw())]);
    }
    made.push('}');
    is_opened.then_some(made)
}

fn may_be_row(record: Json<'_>) -> bool {
    TEXTS.iter().any(|key| record.get(key).is_some_and(Json::is_text))
}

/// The message in an event of OpenTelemetry's logs: `gen_ai.tool.message`, `gen_ai.choice`.
fn message_of_event(record: Json<'_>) -> Option<String> {
    let name = at(record, &["attributes", "event.name"]).or(record.get("event_name"))?.text()?;
    let body = record.get("body").filter(|body| body.is_object())?;
    if &*name == "gen_ai.choice" {
        let message = body.get("message").filter(|message| message.is_object())?;
        return Some(with_member(message, "role", "\"assistant\""));
    }
    let role = name.strip_prefix("gen_ai.")?.strip_suffix(".message")?;
    let role = ["system", "user", "assistant", "tool"].into_iter().find(|known| *known == role)?;
    let message = with_member(body, "role", &format!("\"{role}\""));
    let id = body.get("id").filter(|_| role == "tool");
    let Some(id) = id else { return Some(message) };
    let mut tape = Tape::default();
    Some(with_member(tape.read(&message)?, "tool_call_id", id.raw()))
}

/// An object with one more member, unless it has it.
fn with_member(object: Json<'_>, key: &str, value: &str) -> String {
    let raw = object.raw().trim();
    if object.get(key).is_some() {
        return raw.to_owned();
    }
    let comma = if object.members().next().is_some() { "," } else { "" };
    format!("{{\"{key}\":{value}{comma}{}", raw.get(1..).unwrap_or("}"))
}

/// The record that stands behind the words of a program: a time, a level, the name of a container.
pub(super) fn behind_words(line: &str) -> Option<&str> {
    let near = line.get(..line.floor_char_boundary(MOST_WORDS))?;
    let starts = near.match_indices('{').take(MOST_STARTS);
    let mut records = starts.filter_map(|(start, _)| container_of(line.get(start..)?));
    records.find(|text| is_heavier(text, 0))
}

/// Whether a line begins with words in brackets, as `[10:00]` and `[info]`, and not with a list.
pub(super) fn begins_with_words(line: &str) -> bool {
    line.strip_prefix('[').is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

/// An object, or the JSON that a text holds, behind words or without any.
fn json_in(value: Json<'_>) -> Option<Cow<'_, str>> {
    if value.is_object() {
        return Some(value.raw().into());
    }
    let text = value.text()?;
    let start = text.get(..text.floor_char_boundary(MOST_WORDS))?.find('{')?;
    Some(container_of(text.get(start..)?)?.to_owned().into())
}

/// Whether a dialect knows a text as a record, and better than the record that holds it.
fn is_heavier(text: &str, weight: u32) -> bool {
    let mut tape = Tape::default();
    tape.read(text).is_some_and(|inner| DialectWeights::of(inner) > weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;

    fn quoted(text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }

    #[test]
    fn records_stand_in_those_of_collectors() {
        let line = quoted(&format!("{RECORD}\n"));
        let behind = quoted(&format!("10:00 INFO {RECORD}"));
        for record in [
            format!(r#"{{"log":{line},"stream":"stdout"}}"#),
            format!(r#"{{"__CURSOR":"s","MESSAGE":{behind}}}"#),
            format!(r#"{{"insertId":"a","jsonPayload":{RECORD}}}"#),
            format!(r#"{{"level":30,"msg":"message","message":{RECORD}}}"#),
        ] {
            let mut tape = Tape::default();
            assert_eq!(opened(tape.read(&record).unwrap()).as_deref(), Some(RECORD), "{record}");
        }
        let event = r#"{"body":{"content":"a","id":"x"},"event_name":"gen_ai.tool.message"}"#;
        let message = r#"{"tool_call_id":"x","role":"tool","content":"a","id":"x"}"#;
        let table = format!(r#"{{"id":1,"messages":{}}}"#, quoted(&format!("[{RECORD}]")));
        let row = format!(r#"{{"id":1,"messages":[{RECORD}]}}"#);
        let hits = format!(r#"{{"hits":{{"hits":[{{"_source":{{"message":{line}}}}}]}}}}"#);
        let data = format!(r#"{{"data":[{RECORD}]}}"#);
        let list = format!("[{RECORD}]");
        for (record, inner) in [(event, message), (&table, &row), (&hits, &list), (&data, &list)] {
            let mut tape = Tape::default();
            assert_eq!(opened(tape.read(record).unwrap()).as_deref(), Some(inner), "{record}");
        }
        let lists = format!(r#"{{"events":[{{"message":{line}}},{{"message":"up"}}]}}"#);
        let mut tape = Tape::default();
        let both = format!(r#"[{RECORD},{{"message":"up"}}]"#);
        assert_eq!(opened(tape.read(&lists).unwrap()), Some(both));
    }

    #[test]
    fn other_records_stay_closed() {
        for record in [
            r#"{"log":"{\"a\":1}"}"#,
            r#"{"message":"a {b}"}"#,
            r#"{"message":{"text":"a"}}"#,
            RECORD,
            "[]",
        ] {
            let mut tape = Tape::default();
            assert_eq!(opened(tape.read(record).unwrap()), None, "{record}");
        }
    }

    #[test]
    fn records_stand_behind_words() {
        for before in ["agent-1  | ", "2025-05-01T10:00:00Z stdout F ", "{x} "] {
            for after in ["", " {end}", "\r"] {
                let line = format!("{before}{RECORD}{after}");
                assert_eq!(behind_words(&line), Some(RECORD), "{line}");
            }
        }
        for line in ["a {b}", "{", "INFO {\"a\":1}", &"{".repeat(600), ""] {
            assert_eq!(behind_words(line), None, "{line}");
        }
    }
}
