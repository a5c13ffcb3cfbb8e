//! Entries that are not as they were written, and a store that fails at any of its operations:
//! nothing runs twice, and nothing runs that was denied.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tempfile::TempDir;
use toolwire::executor::{Action, Executor, Fault, Tool, ToolInput, ToolOutput, clock};
use toolwire::lifecycle::{Decision, Page, RunState, Settings, UndoData};
use toolwire::registry::ToolSpec;
use toolwire::store::{Condition, MemoryStore, Store, Write};

use crate::failing_store::{FailingStore, Outage};
use crate::stores;

/// Counts how often each handler ran.
#[derive(Clone, Default)]
struct Edit {
    ran: Arc<AtomicUsize>,
    undone: Arc<AtomicUsize>,
}

impl Tool for Edit {
    fn run(&self, input: &ToolInput) -> Result<ToolOutput, Fault> {
        self.ran.fetch_add(1, Ordering::SeqCst);
        assert!(input.arguments.get("of").is_some(), "the arguments are those of a call");
        Ok(ToolOutput::ok(json!(1)).with_undo("old"))
    }

    fn undo(&self, _data: &UndoData) -> Result<(), Fault> {
        self.undone.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

impl Edit {
    fn executor(&self, store: &Arc<dyn Store>) -> Executor {
        let mut executor = Executor::new(Arc::clone(store), Settings::default());
        let undoable = ToolSpec { undoable: true, ..ToolSpec::new("edit").with_id("EDIT") };
        executor.register(ToolSpec { requires_approval: true, ..undoable }, self.clone()).unwrap();
        executor
    }

    fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }
}

fn call(id: &str) -> Action {
    Action::new(id, "edit", json!({"of": id}))
}

type Entries = BTreeMap<String, Vec<u8>>;

fn entries(store: &dyn Store) -> Entries {
    let all = store.scan("", None, usize::MAX, i64::MIN).unwrap();
    all.into_iter().map(|(key, entry)| (key, entry.value)).collect()
}

fn put_back(store: &dyn Store, wanted: &Entries) {
    let now = entries(store);
    for key in now.keys().filter(|key| !wanted.contains_key(*key)) {
        store.delete(key, Condition::Any, 0).unwrap();
    }
    for (key, value) in wanted.iter().filter(|(key, value)| now.get(*key) != Some(value)) {
        put(store, key, value);
    }
}

fn put(store: &dyn Store, key: &str, value: &[u8]) {
    let write = Write { value, expect: Condition::Any, expires_at: None };
    store.put(key, write, 0).unwrap();
}

/// What may stand in the place of a value.
#[allow(clippy::disallowed_methods, reason = "the entry is one of this library")]
fn damages(value: &[u8], other: &[u8]) -> Vec<Vec<u8>> {
    let (half, rest) = value.split_at(value.len() / 2);
    let mut damages: Vec<Vec<u8>> = vec![
        other.to_vec(),
        half.to_vec(),
        [half, b"\xff", rest].concat(),
        [half, b"\0", rest].concat(),
        [value, b"\0"].concat(),
        [value, value].concat(),
        [value, &[b' '; 100_000]].concat(),
        vec![b'['; 100_000],
    ];
    damages.extend(["", "null", "true", "-1", "1e999", "\"\"", "[]", "{}"].map(Vec::from));
    let Ok(record) = serde_json::from_slice::<serde_json::Value>(value) else { return damages };
    for name in record.as_object().into_iter().flat_map(serde_json::Map::keys) {
        for wrong in [json!(null), json!(7), json!("text"), json!([]), json!({})] {
            let mut changed = record.clone();
            changed[name] = wrong;
            damages.push(changed.to_string().into_bytes());
        }
    }
    damages
}

/// Runs in three states, and the ids of those.
fn scene(store: &Arc<dyn Store>) -> [String; 3] {
    let executor = Edit::default().executor(store);
    let [waits, denied, done] = ["waits", "denied", "done"].map(|id| {
        let run = executor.start(&call(id)).unwrap();
        (run.id, run.approval_id.unwrap())
    });
    executor.approvals().decide(&denied.1, &Decision::denied(), clock::now()).unwrap();
    executor.approvals().decide(&done.1, &Decision::approved(), clock::now()).unwrap();
    assert_eq!(executor.resume(&done.0).unwrap().unwrap().state, RunState::Completed);
    [waits.0, denied.0, done.0]
}

#[test]
fn no_entry_that_was_changed_runs_anything() {
    let folder = TempDir::new().unwrap();
    let mut tried = 0;
    for (name, store) in stores(&folder) {
        let ids = scene(&store);
        let whole = entries(&*store);
        for (key, value) in &whole {
            let kind = key.split('/').nth(1);
            let others = whole.iter().filter(|(other, _)| *other != key);
            let other = others.rev().find(|(other, _)| other.split('/').nth(1) == kind);
            let all = damages(value, other.map_or(value, |(_, value)| value));
            // A file waits for the disk at each change.
            for damage in all.into_iter().step_by(if name == "sqlite" { 9 } else { 1 }) {
                put_back(&*store, &whole);
                put(&*store, key, &damage);
                let edit = Edit::default();
                let executor = edit.executor(&store);
                for (id, id_of_call) in ids.iter().zip(["waits", "denied", "done"]) {
                    let _ = executor.get(id);
                    let _ = executor.resume(id);
                    let _ = executor.start(&call(id_of_call));
                    let _ = executor.approvals().find(id, clock::now());
                }
                let _ = executor.waiting(Page::default());
                let _ = executor.approvals().pending(None, clock::now());
                for _ in 0..2 {
                    let _ = executor.undo(&ids[2]);
                }
                let shown = String::from_utf8_lossy(&damage);
                let shown: String = shown.chars().take(300).collect();
                assert_eq!(edit.ran(), 0, "{name}: {key}: {shown}");
                assert!(edit.undone.load(Ordering::SeqCst) <= 1, "{name}: {key}: {shown}");
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "only {tried}");
}

/// Starts a run, decides, goes on and undoes; each step twice, since the first may fail.
fn work(executor: &Executor, granted: bool) -> Option<RunState> {
    let mut state = None;
    for _ in 0..2 {
        let run = executor.start(&call("call")).ok();
        if let Some(id) = run.as_ref().and_then(|run| run.approval_id.as_deref()) {
            let decision = if granted { Decision::approved() } else { Decision::denied() };
            let _ = executor.approvals().decide(id, &decision, clock::now());
        }
        if let Some(run) = &run {
            let resumed = executor.resume(&run.id).ok().flatten();
            state = resumed.map(|run| run.state).or(state);
            let _ = executor.undo(&run.id);
        }
    }
    state
}

#[test]
fn a_store_that_fails_at_any_operation_runs_nothing_twice() {
    for (granted, after) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut completed = 0;
        for operation in 0..199 {
            let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
            let outage = Outage { left: operation, is_made: after, ..Outage::default() };
            let failing = Arc::new(FailingStore::new(Arc::clone(&store), outage));
            let edit = Edit::default();
            work(&edit.executor(&(Arc::clone(&failing) as _)), granted);
            let state = work(&edit.executor(&store), granted);
            let place = format!("operation {operation}, granted {granted}, after {after}");
            assert!(edit.ran() <= usize::from(granted), "{place}");
            assert!(edit.undone.load(Ordering::SeqCst) <= edit.ran(), "{place}");
            assert!(state != Some(RunState::Completed) || edit.ran() == 1, "{place}");
            completed += usize::from(state == Some(RunState::Completed));
        }
        assert_eq!(completed > 0, granted);
    }
}
