//! Whose ids are whose, what a key is, and what a store that fails in the middle leaves behind.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tempfile::TempDir;
use toolwire::executor::{Action, Executor, Fault, ToolInput, ToolOutput, clock};
use toolwire::lifecycle::{Decision, Page, RunFailure, RunState, Settings};
use toolwire::registry::ToolSpec;
use toolwire::store::{MemoryStore, Store};

use crate::failing_store::{FailingStore, Outage};
use crate::stores;

/// An executor whose tool tells the key of each run. `wipe` needs an approval.
fn process(store: &Arc<dyn Store>, keys: &Arc<Mutex<Vec<String>>>) -> Executor {
    let mut executor = Executor::new(Arc::clone(store), Settings::default());
    let keys = Arc::clone(keys);
    let tell = move |input: &ToolInput| -> Result<ToolOutput, Fault> {
        keys.lock().unwrap().push(input.idempotency_key().to_owned());
        Ok(ToolOutput::ok((*input.arguments).clone()))
    };
    let order = ToolSpec::new("order").with_id("ORDER");
    executor.register(order, tell.clone()).unwrap();
    let wipe = ToolSpec { requires_approval: true, ..ToolSpec::new("wipe").with_id("WIPE") };
    executor.register(wipe, tell).unwrap();
    executor
}

fn order(scope: &str, message: &str, id: &str) -> Action {
    let action = Action::new(id, "order", json!({"item": 1}));
    Action { scope: scope.to_owned(), message: message.to_owned(), ..action }
}

#[test]
fn a_key_is_random_and_the_same_for_each_attempt() {
    let folder = TempDir::new().unwrap();
    let keys = Arc::default();
    let mut runs = Vec::new();
    for (name, store) in stores(&folder) {
        let run = process(&store, &keys).start(&order("", "", "call_1")).unwrap();
        assert_eq!(run.state, RunState::Completed, "{name}");
        runs.push(run.id);
    }
    assert_eq!(runs[0], runs[1], "the same call is the same run in each program");
    let told = keys.lock().unwrap().clone();
    assert_ne!(told[0], told[1], "but no two runs have one key");
    assert!(!told.contains(&runs[0]) && !told.contains(&"call_1".to_owned()));

    let executor = process(&(Arc::new(MemoryStore::default()) as _), &keys);
    executor.execute(&order("", "", "call_1")).unwrap();
    executor.execute(&order("", "", "call_1")).unwrap();
    let told = keys.lock().unwrap().clone();
    assert_ne!(told[2], told[3], "runs without a place in the store have keys of their own");
}

#[test]
fn a_key_is_kept_while_a_person_decides() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let keys: Arc<Mutex<Vec<String>>> = Arc::default();
        let wipe = Action::new("call_1", "wipe", json!({}));
        let run = process(&store, &keys).start(&wipe).unwrap();
        let kept = process(&store, &keys).services().runs.get(&run.id, clock::now()).unwrap();
        let key = kept.unwrap().input.run.idempotency_key().to_owned();
        let later = process(&store, &keys);
        let approval = run.approval_id.unwrap();
        later.approvals().decide(&approval, &Decision::approved(), clock::now()).unwrap();
        later.resume(&run.id).unwrap().unwrap();
        assert_eq!(*keys.lock().unwrap(), [key], "{name}");
    }
}

#[test]
fn an_id_that_comes_again_in_a_later_message_is_another_call() {
    let keys: Arc<Mutex<Vec<String>>> = Arc::default();
    let executor = process(&(Arc::new(MemoryStore::default()) as _), &keys);
    let first = executor.start(&order("chat 7", "1", "call_0")).unwrap();
    let second = executor.start(&order("chat 7", "3", "call_0")).unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(executor.start(&order("chat 7", "3", "call_0")).unwrap().id, second.id);
    assert_eq!(keys.lock().unwrap().len(), 2);
    // Calls without ids are known by their places.
    let at = |index| Action { index: Some(index), ..order("chat 7", "5", "") };
    assert_eq!(executor.start(&at(0)).unwrap().id, executor.start(&at(0)).unwrap().id);
    assert_ne!(executor.start(&at(0)).unwrap().id, executor.start(&at(1)).unwrap().id);
    assert_eq!(keys.lock().unwrap().len(), 4);
}

#[test]
fn no_crafted_id_reaches_a_run_of_another_scope() {
    let keys: Arc<Mutex<Vec<String>>> = Arc::default();
    let executor = process(&(Arc::new(MemoryStore::default()) as _), &keys);
    let theirs = executor.start(&order("chat 7", "", "call_1")).unwrap();
    let unnamed = executor.start(&order("", "", "")).unwrap();
    let crafted = [
        order("", "", "chat 7\0call_1"),
        order("chat 7\0", "", "call_1"),
        order("chat", "", " 7\0call_1"),
        order("", "chat 7", "call_1"),
        order("", "", &theirs.id),
        order("", "", &unnamed.id),
        order("chat 8", "", &theirs.id),
        Action { caller: "ann".into(), ..order("chat 7", "", "call_1") },
        Action { caller: "chat 7".into(), ..order("", "", "call_1") },
    ];
    for (number, action) in crafted.iter().enumerate() {
        let run = executor.start(action).unwrap();
        assert!(run.id != theirs.id && run.id != unnamed.id, "{action:?}");
        assert_eq!(keys.lock().unwrap().len(), 3 + number, "{action:?} has a run of its own");
    }
}

/// A store of which one write fails, or its answer is lost. The first write has the number 1.
fn failing(inner: &Arc<dyn Store>, write: usize, is_made: bool) -> Arc<dyn Store> {
    let (writes_under, left) = (Some(String::new()), write - 1);
    let outage = Outage { writes_under, left, is_made, ..Outage::default() };
    Arc::new(FailingStore::new(Arc::clone(inner), outage))
}

/// More writes than a run makes.
const WRITES: usize = 24;

#[test]
fn a_call_whose_request_was_not_stored_can_be_started_again() {
    let mut failures = 0;
    for (write, made) in (1..WRITES).flat_map(|write| [(write, false), (write, true)]) {
        let at = format!("write {write}, made: {made}");
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let keys: Arc<Mutex<Vec<String>>> = Arc::default();
        let wipe = Action::new("call_1", "wipe", json!({}));
        let failing = failing(&inner, write, made);
        // The error of the store is the caller's to see; no outcome is made of it.
        match process(&failing, &keys).start(&wipe) {
            Ok(run) => assert_eq!(run.state, RunState::Waiting, "{at}"),
            Err(_) => failures += 1,
        }

        let healthy = process(&inner, &keys);
        let run = healthy.start(&wipe).unwrap();
        assert_eq!((run.state, &run.failure), (RunState::Waiting, &None), "{at}");
        let approval = run.approval_id.unwrap();
        healthy.approvals().decide(&approval, &Decision::approved(), clock::now()).unwrap();
        let ended = healthy.resume(&run.id).unwrap().unwrap();
        assert_eq!((ended.state, keys.lock().unwrap().len()), (RunState::Completed, 1), "{at}");
    }
    assert!(failures > 2, "{failures}");
}

#[test]
fn a_call_and_its_request_are_stored_both_or_neither() {
    let mut failures = 0;
    for (left, is_made) in (0..4).flat_map(|left| [(left, false), (left, true)]) {
        let at = format!("write {left}, made: {is_made}");
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let keys: Arc<Mutex<Vec<String>>> = Arc::default();
        let writes_under = Some(String::new());
        let outage = Outage { writes_under, left, is_made, ..Outage::default() };
        let failing = FailingStore::new(Arc::clone(&inner), outage).with_whole_batches();
        let failing: Arc<dyn Store> = Arc::new(failing);
        let started = process(&failing, &keys).start(&Action::new("call_1", "wipe", json!({})));

        let healthy = process(&inner, &keys);
        let pending = healthy.approvals().pending(None, clock::now()).unwrap();
        let waiting = healthy.waiting(Page::default()).unwrap();
        let waiting = waiting.iter().filter(|run| run.state == RunState::Waiting);
        assert_eq!(pending.len(), waiting.count(), "{at}");
        if let Ok(run) = started {
            // A lost answer is looked up: the caller is told what the store has.
            assert_eq!(run.state, RunState::Waiting, "{at}");
            assert_eq!(run.approval_id, Some(pending[0].id.clone()), "{at}");
        } else {
            assert!(!is_made && pending.is_empty(), "{at}");
            failures += 1;
        }
    }
    assert_eq!(failures, 2, "the beginning and the request");
}

#[test]
fn an_approved_run_whose_start_was_not_stored_stays_approved() {
    let mut failures = 0;
    for (write, made) in (1..WRITES).flat_map(|write| [(write, false), (write, true)]) {
        let at = format!("write {write}, made: {made}");
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let keys: Arc<Mutex<Vec<String>>> = Arc::default();
        let healthy = process(&inner, &keys);
        let run = healthy.start(&Action::new("call_1", "wipe", json!({}))).unwrap();
        let approval = run.approval_id.unwrap();
        healthy.approvals().decide(&approval, &Decision::approved(), clock::now()).unwrap();
        let failing = failing(&inner, write, made);
        let resumed = process(&failing, &keys).resume(&run.id);

        let stands = healthy.get(&run.id).unwrap().unwrap();
        assert!(!matches!(stands.failure, Some(RunFailure::Raised { .. })), "{at}: {stands:?}");
        if keys.lock().unwrap().is_empty() {
            assert!(resumed.is_err(), "{at}: the store's error is told");
            failures += 1;
            let waits = matches!(stands.state, RunState::Approved | RunState::Running);
            assert!(waits, "{at}: {stands:?}");
            // A claim whose answer was lost ends with its lease.
            if stands.state == RunState::Approved {
                let ended = healthy.resume(&run.id).unwrap().unwrap();
                assert_eq!(ended.state, RunState::Completed, "{at}");
            }
        }
        assert!(keys.lock().unwrap().len() <= 1, "{at}");
        assert!(healthy.waiting(Page::default()).unwrap().len() <= 1, "{at}");
    }
    assert!(failures > 0);
}
