//! What an older version has left in a store is read by its old names, and written by the new ones.

use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;
use toolwire::executor::{Action, Executor, ToolInput, ToolOutput, clock};
use toolwire::json::parse_json;
use toolwire::lifecycle::{
    Claim, Decision, FailureCode, Lease, NewUndo, Page, RunState, Settings, UndoStore,
};
use toolwire::registry::ToolSpec;
use toolwire::store::{Condition, MemoryStore, Put, Store, Write};

/// The entries of a store, as PHP wrote them before tools had ids: a run that waits for a person,
/// and one that was denied.
const OLDER: &str = include_str!("../data/older_store.json");

/// The names of fields that only older versions write.
const OLD_NAMES: [&str; 4] = ["action_id", "action_type", "behavior", "pipeline_run_id"];

/// A store with the entries, whose deadlines are still to come.
fn left() -> Arc<dyn Store> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let later = OLDER.replace("2026-11-30T", "2226-11-30T");
    for entry in parse_json(later.as_bytes()).unwrap().as_array().unwrap() {
        let value = serde_json::to_vec(&entry["value"]).unwrap();
        let write = Write { value: &value, expect: Condition::Absent, expires_at: None };
        let put = store.put(entry["key"].as_str().unwrap(), write, 0).unwrap();
        assert!(matches!(put, Put::Stored(_)), "{put:?}");
    }
    store
}

fn process(store: &Arc<dyn Store>) -> Executor {
    let mut executor = Executor::new(Arc::clone(store), Settings::default());
    let wipe = ToolSpec {
        requires_approval: true,
        allowed_modes: vec!["edit".to_owned()],
        ..ToolSpec::new("wipe").with_id("WIPE")
    };
    let run = |input: &ToolInput| Ok(ToolOutput::ok((*input.arguments).clone()));
    executor.register(wipe, run).unwrap();
    executor
}

fn written(store: &Arc<dyn Store>, id: &str) -> String {
    let entry = store.get(&format!("run/id/{id}"), clock::now()).unwrap().unwrap();
    String::from_utf8(entry.value).unwrap()
}

#[test]
fn a_run_that_an_older_version_left_goes_on() {
    let store = left();
    let executor = process(&store);
    let waiting = executor.waiting(Page::default()).unwrap();
    let [run] = &*waiting else { panic!("{waiting:?}") };
    assert_eq!(run.state, RunState::Waiting);
    assert!(OLD_NAMES.iter().all(|name| written(&store, &run.id).contains(name)));

    let requests = executor.approvals().pending(Some("p1"), clock::now()).unwrap();
    assert_eq!(requests.iter().map(|one| &*one.tool_name).collect::<Vec<_>>(), ["wipe"]);
    executor.approvals().decide(&requests[0].id, &Decision::approved(), clock::now()).unwrap();
    let done = process(&store).resume(&run.id).unwrap().unwrap();
    assert_eq!((done.state, &done.failure), (RunState::Completed, &None));
    assert_eq!(done.output.unwrap().data, Some(json!({"disk": 7})));
    for name in OLD_NAMES {
        assert!(!written(&store, &run.id).contains(name), "{name}");
    }
}

#[test]
fn an_outcome_that_an_older_version_left_is_known() {
    let store = left();
    let call = Action::new("call_2", "wipe", json!({"disk": 7}));
    let denied = process(&store).start(&call).unwrap();
    assert_eq!(denied.state, RunState::Denied);
    assert_eq!(denied.failure.unwrap().code(), FailureCode::ModeNotAllowed);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a lease is typed, and holds no value of others")]
fn undo_data_and_a_lease_that_an_older_version_left_are_taken() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let undo = UndoStore::new(Arc::clone(&store));
    let undo_data = RawValue::from_string("7".to_owned()).unwrap();
    let new = NewUndo { run_id: "a".into(), tool_name: "wipe".into(), undo_data };
    undo.store(new, None, 0).unwrap();
    let with_old_name = |json: &str| {
        assert!(json.contains("\"run_id\":"), "{json}");
        json.replace("\"run_id\":", "\"action_id\":")
    };
    let entry = String::from_utf8(store.get("undo/a", 0).unwrap().unwrap().value).unwrap();
    let value = with_old_name(&entry);
    let write = Write { value: value.as_bytes(), expect: Condition::Any, expires_at: None };
    store.put("undo/a", write, 0).unwrap();

    let Claim::Claimed { data, lease } = undo.claim("a", 1_000, 1).unwrap() else { panic!() };
    assert_eq!((&*data.run_id, data.undo_data.get()), ("a", "7"));
    let lease = with_old_name(&serde_json::to_string(&lease).unwrap());
    let lease: Lease = serde_json::from_str(&lease).unwrap();
    assert!(undo.finish(&lease, 2).unwrap());
    assert!(undo.is_empty().unwrap());
}
