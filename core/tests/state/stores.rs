//! Compares every store with a model, and uses it from many threads.

use std::collections::{BTreeMap, HashSet};
use std::thread;

use proptest::prelude::*;
use tempfile::TempDir;
use toolwire::store::{
    Changed, Condition, Put, SqliteOptions, SqliteStore, Store, StoreChange, StoreErrorKind, Write,
};

use crate::stores;

/// A step. The expected version of a change is one of the versions that the store has returned.
#[derive(Clone, Debug)]
enum Step {
    Get { key: String },
    Put { key: String, value: Vec<u8>, expect: Expected, ttl: Option<i64> },
    Delete { key: String, expect: Expected },
    Scan { prefix: String, after: Option<String>, limit: usize },
    Purge { prefix: String },
    Wait { micros: i64 },
}

#[derive(Clone, Debug)]
enum Expected {
    Absent,
    Any,
    Current,
    Earlier(usize),
    Never,
}

#[derive(Clone, Debug)]
struct Held {
    value: Vec<u8>,
    version: u64,
    expires_at: Option<i64>,
}

/// The model of a store: a map that is searched from one end to the other.
#[derive(Default)]
struct Model {
    entries: BTreeMap<String, Held>,
    versions: Vec<u64>,
    now: i64,
}

impl Model {
    fn live(&self, key: &str) -> Option<&Held> {
        self.entries.get(key).filter(|held| held.expires_at.is_none_or(|at| at >= self.now))
    }

    fn expect(&self, key: &str, expected: &Expected) -> Condition {
        match expected {
            Expected::Absent => Condition::Absent,
            Expected::Any => Condition::Any,
            Expected::Current => Condition::Version(self.live(key).map_or(0, |held| held.version)),
            Expected::Earlier(index) => {
                let index = index % self.versions.len().max(1);
                Condition::Version(self.versions.get(index).copied().unwrap_or(0))
            }
            Expected::Never => Condition::Version(u64::MAX),
        }
    }

    fn meets(&self, key: &str, expect: Condition) -> bool {
        match expect {
            Condition::Absent => self.live(key).is_none(),
            Condition::Version(version) => {
                self.live(key).is_some_and(|held| held.version == version)
            }
            Condition::Any => true,
        }
    }

    fn check(&mut self, store: &dyn Store, step: Step) {
        let now = self.now;
        match step {
            Step::Get { key } => {
                let got = store.get(&key, now).unwrap();
                let got = got.map(|entry| (entry.value, entry.version, entry.expires_at));
                let held =
                    self.live(&key).map(|held| (held.value.clone(), held.version, held.expires_at));
                assert_eq!(got, held);
            }
            Step::Put { key, value, expect, ttl } => {
                let expect = self.expect(&key, &expect);
                let expires_at = ttl.map(|ttl| now + ttl);
                let put =
                    store.put(&key, Write { value: &value, expect, expires_at }, now).unwrap();
                assert_eq!(put == Put::Conflict, !self.meets(&key, expect));
                if let Put::Stored(version) = put {
                    assert!(!self.versions.contains(&version), "a version comes once");
                    self.versions.push(version);
                    self.entries.insert(key, Held { value, version, expires_at });
                }
            }
            Step::Delete { key, expect } => {
                let expect = self.expect(&key, &expect);
                let gone = expect != Condition::Absent && self.meets(&key, expect);
                let there = self.live(&key).is_some();
                assert_eq!(store.delete(&key, expect, now).unwrap(), gone && there);
                if gone {
                    self.entries.remove(&key);
                }
            }
            Step::Scan { prefix, after, limit } => {
                let scanned = store.scan(&prefix, after.as_deref(), limit, now).unwrap();
                let scanned: Vec<_> = scanned
                    .into_iter()
                    .map(|(key, entry)| (key, entry.version, entry.value))
                    .collect();
                let expected: Vec<_> = self
                    .entries
                    .iter()
                    .filter(|(key, _)| key.starts_with(&prefix) && self.live(key).is_some())
                    .filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after))
                    .map(|(key, held)| (key.clone(), held.version, held.value.clone()))
                    .take(limit)
                    .collect();
                assert_eq!(scanned, expected);
            }
            Step::Purge { prefix } => {
                let expired = |key: &String, held: &Held| {
                    key.starts_with(&prefix) && held.expires_at.is_some_and(|at| at < now)
                };
                let before = self.entries.len();
                self.entries.retain(|key, held| !expired(key, held));
                assert_eq!(
                    store.purge(&prefix, now).unwrap(),
                    (before - self.entries.len()) as u64
                );
            }
            Step::Wait { micros } => self.now += micros,
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let key = || "[ab/]{0,3}";
    let expected = || {
        prop_oneof![
            Just(Expected::Absent),
            Just(Expected::Any),
            Just(Expected::Current),
            any::<usize>().prop_map(Expected::Earlier),
            Just(Expected::Never),
        ]
    };
    let value = proptest::collection::vec(any::<u8>(), 0..4);
    prop_oneof![
        2 => key().prop_map(|key| Step::Get { key }),
        4 => (key(), value, expected(), proptest::option::of(-2_i64..9))
            .prop_map(|(key, value, expect, ttl)| Step::Put { key, value, expect, ttl }),
        2 => (key(), expected()).prop_map(|(key, expect)| Step::Delete { key, expect }),
        2 => (key(), proptest::option::of(key()), 0_usize..5)
            .prop_map(|(prefix, after, limit)| Step::Scan { prefix, after, limit }),
        1 => key().prop_map(|prefix| Step::Purge { prefix }),
        1 => (0_i64..6).prop_map(|micros| Step::Wait { micros }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_store_is_the_same_map(steps in proptest::collection::vec(step(), 1..80)) {
        let folder = tempfile::tempdir().unwrap();
        for (_, store) in stores(&folder) {
            let mut model = Model::default();
            for step in steps.clone() {
                model.check(&*store, step);
            }
        }
    }
}

#[test]
fn of_many_threads_one_makes_each_change() {
    let folder = tempfile::tempdir().unwrap();
    for (name, store) in stores(&folder) {
        let made: Vec<u64> = thread::scope(|scope| {
            let add = || {
                let mut made = Vec::new();
                while made.len() < 50 {
                    let entry = store.get("n", 0).unwrap();
                    let count: u64 = entry
                        .as_ref()
                        .map_or(0, |entry| String::from_utf8_lossy(&entry.value).parse().unwrap());
                    let expect =
                        entry.map_or(Condition::Absent, |entry| Condition::Version(entry.version));
                    let value = (count + 1).to_string();
                    let write = Write { value: value.as_bytes(), expect, expires_at: None };
                    if let Put::Stored(_) = store.put("n", write, 0).unwrap() {
                        made.push(count + 1);
                    }
                }
                made
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(add)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(made.iter().collect::<HashSet<_>>().len(), 400, "{name}");
    }
}

#[test]
fn only_a_file_is_shared() {
    let folder = tempfile::tempdir().unwrap();
    let shared: Vec<_> =
        stores(&folder).iter().map(|(name, store)| (*name, store.shared())).collect();
    assert_eq!(shared, [("memory", false), ("sqlite", true)]);
}

#[test]
fn a_closed_store_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let store =
        SqliteStore::open(folder.path().join("state.db"), SqliteOptions::default()).unwrap();
    store.close();
    store.close();
    let error = store.get("a", 0).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Closed);
    assert!(error.to_string().ends_with("state.db was closed; open it again"));
}

#[test]
fn a_batch_is_its_changes_in_their_order_up_to_a_conflict() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let put = |key, value, expect| StoreChange::Put {
            key,
            write: Write { value, expect, expires_at: Some(5) },
        };
        let first = [
            put("a/1", b"1", Condition::Absent),
            put("a/2", b"2", Condition::Any),
            StoreChange::Delete { key: "a/1", expect: Condition::Any },
            StoreChange::Delete { key: "a/9", expect: Condition::Any },
        ];
        let made = store.batch(&first, 0).unwrap();
        let [Changed::Put(Put::Stored(one)), Changed::Put(Put::Stored(two)), rest @ ..] = &made[..]
        else {
            panic!("{name}: {made:?}")
        };
        assert!(one < two, "{name}");
        assert_eq!(rest, [Changed::Deleted(true), Changed::Deleted(false)], "{name}");

        let second = [
            put("a/3", b"3", Condition::Any),
            put("a/2", b"4", Condition::Absent),
            StoreChange::Delete { key: "a/3", expect: Condition::Any },
        ];
        let made = store.batch(&second, 1).unwrap();
        assert!(matches!(made[..], [Changed::Put(Put::Stored(_)), Changed::Put(Put::Conflict)]));
        let keys = |now| {
            let found = store.scan("a/", None, 9, now).unwrap();
            found.into_iter().map(|(key, entry)| (key, entry.value)).collect::<Vec<_>>()
        };
        let left = [("a/2".to_owned(), b"2".to_vec()), ("a/3".to_owned(), b"3".to_vec())];
        assert_eq!(keys(1), left, "{name}: what came before the conflict is made");

        let purge = StoreChange::PurgeSome { prefix: "a/", limit: 1 };
        assert_eq!(store.batch(&[purge, purge, purge], 9).unwrap(), [1, 1, 0].map(Changed::Purged));
        assert!(store.batch(&[], 9).unwrap().is_empty(), "{name}");
    }
}
