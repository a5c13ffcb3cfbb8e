//! Calls and results in records that no dialect has read.
//!
//! A dialect may skip a record, or read its words alone. If the record holds what looks like a call
//! or a result, the log is not whole, unless another record gives the same call.

use std::borrow::Cow;

use memchr::memmem;

use crate::json::value::Json;
use crate::transcript::account::LogAccount;
use crate::transcript::dialect::SeenIds;
use crate::transcript::look::kind;

/// How many records are remembered, and how many ids of each; further records count as unread.
const MOST: usize = 256;
/// The deepest value that is looked at.
const DEEPEST: usize = 16;

/// The keys of lists of calls or results.
const LISTS: [&str; 3] = ["tool_calls", "tool_use", "tool_result"];
/// The types of objects that are calls or results.
const TYPES: [&str; 4] = ["tool_use", "tool_result", "function_call", "function_call_output"];
/// The keys under which a call or a result has its id, or the id of its call.
const IDS: [&str; 5] = ["tool_use_id", "tool_call_id", "call_id", "toolCallId", "id"];

/// The records with calls that were not read.
#[derive(Debug, Default)]
pub(super) struct UnreadCalls {
    /// The ids of all calls that were read.
    read: SeenIds,
    records: Vec<UnreadRecord>,
    more: u64,
}

/// A record, by its line, with the ids of its calls.
#[derive(Debug, Default)]
struct UnreadRecord {
    line: u64,
    kind: String,
    /// Whether a call has no id.
    is_nameless: bool,
    ids: Vec<Box<str>>,
    is_told: bool,
}

impl UnreadRecord {
    /// Whether a call of the record was read nowhere else.
    fn is_lost(&self, read: &SeenIds) -> bool {
        self.is_nameless || self.ids.iter().any(|id| !read.contains(id))
    }
}

impl UnreadCalls {
    /// Remembers that a call was read.
    pub(super) fn read(&mut self, id: &str) {
        if !id.is_empty() {
            self.read.is_new(id);
        }
    }

    /// Looks for calls in a record that gave none.
    pub(super) fn look(&mut self, record: Json<'_>, line: u64) {
        let raw = record.raw().as_bytes();
        let may_hold = |sign: &[u8]| memmem::find(raw, sign).is_some();
        if !may_hold(b"\"tool") && !may_hold(b"\"function_call") {
            return;
        }
        let mut found = UnreadRecord { line, ..UnreadRecord::default() };
        each_call(record, 0, &mut |id| match id {
            Some(id) if found.ids.len() < MOST && !self.read.contains(&id) => {
                found.ids.push((&*id).into());
            }
            Some(_) => {}
            None => found.is_nameless = true,
        });
        if !found.is_lost(&self.read) {
            return;
        }
        if self.records.len() >= MOST {
            let read = &self.read;
            self.records.retain(|record| record.is_lost(read));
        }
        if self.records.len() < MOST {
            found.kind = kind(record);
            self.records.push(found);
        } else {
            self.more += 1;
        }
    }

    /// Counts the records as damaged: a part of each could not be read.
    pub(super) fn count(&self, account: &mut LogAccount) {
        for record in self.records.iter().filter(|record| record.is_lost(&self.read)) {
            account.records += 1;
            account.damaged.add(record.line);
        }
        account.records += self.more;
        account.damaged.count += self.more;
    }

    /// The words that tell of each record, once.
    pub(super) fn tell(&mut self) -> Vec<String> {
        let Self { read, records, .. } = self;
        let lost = records.iter_mut().filter(|record| record.is_lost(read) && !record.is_told);
        let told = lost.map(|record| {
            record.is_told = true;
            let UnreadRecord { line, kind, .. } = record;
            format!("line {line} holds a call or a result that is not read: {kind}")
        });
        told.collect()
    }
}

/// Takes the id of each call and each result that a value holds, in whatever form.
fn each_call<'a>(value: Json<'a>, depth: usize, take: &mut dyn FnMut(Option<Cow<'a, str>>)) {
    if depth >= DEEPEST {
        return;
    }
    if value.is_array() {
        return value.items().for_each(|item| each_call(item, depth + 1, take));
    }
    if !value.is_object() {
        return;
    }
    let id = || IDS.iter().find_map(|key| value.text_of(key));
    let kind = value.text_of("type");
    let is_call = kind.is_some_and(|kind| TYPES.contains(&&*kind));
    if is_call && (id().is_some() || value.get("name").is_some()) {
        return take(id());
    }
    if value.text_of("method").as_deref() == Some("tools/call") {
        return take(value.get("id").map(|id| id.text().unwrap_or_else(|| id.raw().into())));
    }
    for (key, inner) in value.members() {
        if LISTS.contains(&&*key) && inner.is_array() {
            for call in inner.items().filter(|call| call.is_object()) {
                take(IDS.iter().find_map(|key| call.text_of(key)));
            }
        } else if key == "function_call" && inner.get("name").is_some() {
            take(None);
        } else {
            each_call(inner, depth + 1, take);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tape::Tape;

    fn lines(records: &[&str], read: &[&str]) -> Vec<u64> {
        let (mut unread, mut tape) = (UnreadCalls::default(), Tape::default());
        for (line, record) in (1..).zip(records) {
            unread.look(tape.read(record).unwrap(), line);
        }
        for id in read {
            unread.read(id);
        }
        let mut account = LogAccount::default();
        unread.count(&mut account);
        assert_eq!(account.damaged.count, account.records);
        account.damaged.first
    }

    #[test]
    fn calls_and_results_are_seen_in_each_form() {
        for record in [
            r#"{"a":[{"type":"tool_use","id":"x","name":"f"}]}"#,
            r#"{"a":{"type":"tool_result","tool_use_id":"x"}}"#,
            r#"{"tool_use":[{"id":"x"}]}"#,
            r#"{"a":{"tool_calls":[{"id":"x","function":{}}]}}"#,
            r#"{"type":"function_call_output","call_id":"x"}"#,
            r#"{"method":"tools/call","id":"x"}"#,
        ] {
            assert_eq!(lines(&["{}", record], &[]), [2], "{record}");
            assert_eq!(lines(&["{}", record], &["x"]), [0; 0], "{record}");
        }
        assert_eq!(lines(&[r#"{"function_call":{"name":"f"}}"#], &["x"]), [1]);
    }

    #[test]
    fn words_and_settings_are_no_calls() {
        for record in [
            r#"{"stop_reason":"tool_use","tool_calls":[],"function_call":null}"#,
            r#"{"finish_reason":"tool_calls","tool_calls":null}"#,
            r#"{"text":"{\"type\":\"tool_use\",\"id\":\"x\"}"}"#,
            r#"{"properties":{"tool_calls":{"type":"array"}}}"#,
            r#"{"capabilities":{"tool_use":true},"function_call":"auto"}"#,
        ] {
            assert_eq!(lines(&[record], &[]), [0; 0], "{record}");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let record = r#"{"tool_calls":[{"id":"x"}]}"#;
        assert_eq!(lines(&vec![record; MOST], &["x"]), [0; 0]);
        let (mut unread, mut tape) = (UnreadCalls::default(), Tape::default());
        for line in 0..2 * MOST as u64 {
            unread.look(tape.read(record).unwrap(), line);
        }
        assert_eq!((unread.records.len(), unread.more), (MOST, MOST as u64));
    }
}
