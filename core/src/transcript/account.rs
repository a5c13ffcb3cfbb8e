//! The account of a log: what was in it, and what came of each record.
//!
//! ```
//! use toolwire::transcript::{ReaderOptions, Transcript, LogVerdict};
//!
//! let log = br#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"now"}}]}"#;
//! let account = Transcript::read(log, b"", ReaderOptions::default()).account;
//! assert_eq!((account.records, account.calls, account.pending()), (1, 1, 1));
//! assert_eq!(account.verdict(), LogVerdict::Unjoined);
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::slug::slugs;
use crate::transcript::usage::{UsageTable, UsedTokens};

/// How many kinds, lines and ids an account names; the rest is only counted.
const MOST_NAMED: usize = 100;
/// The longest name of a kind or an id in an account, in characters.
const LONGEST_NAME: usize = 80;

slugs! {
    /// What an account says of its log in one word, the worst first.
    pub enum LogVerdict {
        /// No record was understood.
        Unknown => "unknown",
        /// A part of the log is damaged, or no dialect knows it.
        Damaged => "damaged",
        /// A call has no result, or a result no call.
        Unjoined => "unjoined",
        /// All records were understood, and all calls have their result.
        Whole => "whole",
    }
}

impl LogVerdict {
    /// The exit status of a program that reads the log.
    #[must_use]
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Whole => 0,
            Self::Unjoined => 1,
            Self::Unknown => 3,
            Self::Damaged => 4,
        }
    }
}

/// Some of the things that were counted, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedCount<T> {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub first: Vec<T>,
}

impl<T> NamedCount<T> {
    /// Counts one more, and keeps its name if there is room.
    pub(super) fn add(&mut self, name: T) {
        self.count += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push(name);
        }
    }
}

/// What was in a log.
///
/// Each record is understood, skipped, repeated or unknown. A record is one JSON value of the log,
/// or one item of a document that holds many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogAccount {
    /// How many records there are.
    pub records: u64,
    /// How many gave messages, calls, results or facts.
    pub understood: u64,
    /// How many are bookkeeping, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// How many were damaged and could be read after all.
    pub repaired: u64,
    /// The lines that could not be read, counted from 1.
    pub damaged: NamedCount<u64>,
    /// How many repeat an earlier record.
    pub repeated: u64,
    /// How many calls there are.
    pub calls: u64,
    /// How many calls have their result.
    pub joined: u64,
    /// The results without a call, by the id that they name.
    pub orphaned: NamedCount<String>,
    /// How many calls the model wrote as text, which did not run.
    pub as_text: u64,
    /// How many calls were denied.
    pub denied: u64,
    /// How many calls were cancelled.
    pub cancelled: u64,
    /// The tokens of all messages, by model and day; a message that stands several times counts
    /// once.
    pub usage: UsageTable,
}

impl LogAccount {
    /// How many calls have no result.
    #[must_use]
    pub fn pending(&self) -> u64 {
        self.calls.saturating_sub(self.joined)
    }

    /// How many records are bookkeeping.
    #[must_use]
    pub fn all_skipped(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// How many records no dialect knows.
    #[must_use]
    pub fn unknown(&self) -> u64 {
        let known = self.understood + self.all_skipped() + self.repeated + self.damaged.count;
        self.records.saturating_sub(known)
    }

    /// What the account says in one word.
    #[must_use]
    pub fn verdict(&self) -> LogVerdict {
        if self.understood == 0 {
            LogVerdict::Unknown
        } else if self.damaged.count > 0 || self.unknown() > 0 {
            LogVerdict::Damaged
        } else if self.pending() > 0 || self.orphaned.count > 0 {
            LogVerdict::Unjoined
        } else {
            LogVerdict::Whole
        }
    }

    /// The account as a JSON value, in the form that all languages give.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "verdict": self.verdict().slug(),
            "records": self.records,
            "understood": self.understood,
            "skipped": self.skipped,
            "unknown": self.unknown(),
            "repaired": self.repaired,
            "damaged": self.damaged.count,
            "damaged_lines": self.damaged.first,
            "repeated": self.repeated,
            "calls": self.calls,
            "joined": self.joined,
            "pending": self.pending(),
            "orphaned": self.orphaned.count,
            "orphans": self.orphaned.first,
            "as_text": self.as_text,
            "denied": self.denied,
            "cancelled": self.cancelled,
            "tokens": self.usage.total(),
            "usage": self.usage.rows().iter().map(UsedTokens::to_value).collect::<Vec<_>>(),
        })
    }

    /// Counts a skipped record; beyond so many kinds, the rest is one kind.
    pub(super) fn skip(&mut self, kind: &str) {
        let kind = short(kind);
        if let Some(count) = self.skipped.get_mut(&kind) {
            *count += 1;
            return;
        }
        let kind = if self.skipped.len() < MOST_NAMED { kind } else { "other kinds".to_owned() };
        *self.skipped.entry(kind).or_default() += 1;
    }

    /// Counts a result without a call.
    pub(super) fn orphan(&mut self, id: &str) {
        self.orphaned.add(short(id));
    }
}

/// The start of a name.
fn short(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}
