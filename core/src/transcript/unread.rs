//! Calls and results in records that no dialect has read.
//!
//! A dialect may skip a record, or read its words alone. If the record holds what looks like a call
//! or a result, the log is not whole, unless another record gives the same call.

use crate::json::value::Json;
use crate::transcript::account::LogAccount;
use crate::transcript::call_shape::{each_call, key_of_calls, may_hold_calls};
use crate::transcript::dialect::SeenIds;
use crate::transcript::look::kind;

/// How many records are remembered, and how many ids of each; further records count as unread.
const MOST: usize = 256;

/// The records with calls that were not read.
#[derive(Debug, Default)]
pub(super) struct UnreadCalls {
    read: ReadIds,
    records: Vec<UnreadRecord>,
    more: u64,
}

/// What was read.
#[derive(Debug, Default)]
struct ReadIds {
    /// The ids of all calls.
    calls: SeenIds,
    /// The ids of the calls of all results.
    results: SeenIds,
    /// The names of all calls.
    names: SeenIds,
}

impl ReadIds {
    fn has(&self, id: &str, is_result: bool) -> bool {
        if is_result { self.results.contains(id) } else { self.calls.contains(id) }
    }
}

/// A record, by its line, with the ids of its calls.
#[derive(Debug, Default)]
struct UnreadRecord {
    line: u64,
    kind: String,
    /// Whether a call has no id.
    is_nameless: bool,
    /// The ids of calls and of results.
    ids: Vec<(Box<str>, bool)>,
    is_told: bool,
}

impl UnreadRecord {
    /// Whether a call of the record was read nowhere else.
    fn is_lost(&self, read: &ReadIds) -> bool {
        self.is_nameless || self.ids.iter().any(|(id, is_result)| !read.has(id, *is_result))
    }
}

impl UnreadCalls {
    /// Remembers that a call was read.
    pub(super) fn read(&mut self, id: &str, name: &str) {
        self.read.names.is_new(name);
        if !id.is_empty() {
            self.read.calls.is_new(id);
        }
    }

    /// Remembers that the result of a call was read.
    pub(super) fn read_result(&mut self, id: &str) {
        if !id.is_empty() {
            self.read.results.is_new(id);
        }
    }

    /// Looks for calls in a record, or in what a document has beside the values that were read.
    pub(super) fn look(&mut self, record: Json<'_>, read: &[Json<'_>], line: u64) {
        if !may_hold_calls(record.raw()) {
            return;
        }
        let is_document = !read.is_empty();
        let mut found = UnreadRecord { line, ..UnreadRecord::default() };
        each_call(record, read, &mut |call| match call.id {
            Some(id) if found.ids.len() < MOST && !self.read.has(&id, call.is_result) => {
                found.ids.push(((&*id).into(), call.is_result));
            }
            Some(_) => {}
            // What a document has beside its records may say the same in another form.
            None if is_document
                && call.name.is_some_and(|name| self.read.names.contains(&name)) => {}
            None => found.is_nameless = true,
        });
        if found.is_lost(&self.read) {
            let key = if is_document { key_of_calls(record, read) } else { None };
            found.kind = key.map_or_else(|| kind(record), |key| format!("\"{key}\""));
            self.add(found);
        }
    }

    /// Remembers a part of a record that is a call or a result and was not read.
    pub(super) fn lost(&mut self, kind: &str, line: u64) {
        let kind = kind.to_owned();
        self.add(UnreadRecord { line, kind, is_nameless: true, ..UnreadRecord::default() });
    }

    fn add(&mut self, found: UnreadRecord) {
        if self.records.len() >= MOST {
            let read = &self.read;
            self.records.retain(|record| record.is_lost(read));
        }
        if self.records.len() < MOST {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tape::Tape;

    fn lines(records: &[&str], read: &[&str]) -> Vec<u64> {
        let (mut unread, mut tape) = (UnreadCalls::default(), Tape::default());
        for (line, record) in (1..).zip(records) {
            unread.look(tape.read(record).unwrap(), &[], line);
        }
        for id in read {
            unread.read(id, "");
            unread.read_result(id);
        }
        let mut account = LogAccount::default();
        unread.count(&mut account);
        assert_eq!(account.damaged.count, account.records);
        account.damaged.first
    }

    #[test]
    fn a_call_that_is_read_elsewhere_is_not_lost() {
        let call = r#"{"a":{"tool_calls":[{"id":"x","function":{}}]}}"#;
        assert_eq!(lines(&["{}", call], &[]), [2]);
        assert_eq!(lines(&["{}", call], &["x"]), [0; 0]);
        let result = r#"{"type":"function_call_output","call_id":"x"}"#;
        assert_eq!(lines(&[result], &["y"]), [1]);
        assert_eq!(lines(&[r#"{"function_call":{"name":"f"}}"#], &["x"]), [1]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let record = r#"{"tool_calls":[{"id":"x"}]}"#;
        assert_eq!(lines(&vec![record; MOST], &["x"]), [0; 0]);
        let (mut unread, mut tape) = (UnreadCalls::default(), Tape::default());
        for line in 0..2 * MOST as u64 {
            unread.look(tape.read(record).unwrap(), &[], line);
        }
        assert_eq!((unread.records.len(), unread.more), (MOST, MOST as u64));
    }
}
