//! How often a run of an executor calls its store, and how many operations that are: the figures of
//! `docs/stores.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use toolwire::executor::{Action, Executor, ToolInput, ToolOutput, clock};
use toolwire::lifecycle::{Decision, InterruptionCode, RunState, Runs, Settings};
use toolwire::registry::ToolSpec;
use toolwire::store::MemoryStore;

use crate::Counted;
use crate::runs::{LEASE, begin};

fn executor(store: &Arc<Counted>) -> Executor {
    let mut executor = Executor::new(Arc::clone(store) as _, Settings::default());
    let run = |_: &ToolInput| Ok(ToolOutput::ok(json!({"done": 1})));
    executor.register(ToolSpec::new("plain").with_id("PLAIN"), run).unwrap();
    let asks = ToolSpec { requires_approval: true, ..ToolSpec::new("asks").with_id("ASKS") };
    executor.register(asks, run).unwrap();
    executor
}

/// Leaves the run of a call as a process that ends while its handler works.
fn interrupted(store: &Arc<Counted>, id: &str) {
    let runs = Runs::new(Arc::clone(store) as _);
    let claim = begin(&runs, id, clock::now());
    assert!(runs.start(&claim, LEASE, clock::moment()).unwrap());
    let why = InterruptionCode::Exit.into();
    assert!(runs.interrupt(&claim, &why, clock::now()).unwrap().is_some());
}

/// The trips and operations of each step on the page, for PHP, whose driver is this one.
fn figures() -> BTreeMap<String, (usize, usize)> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/stores.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [_, step, _, _, trips, operations, _] = cells[..] else { return None };
        Some((step.to_owned(), (trips.parse().ok()?, operations.parse().ok()?)))
    });
    rows.collect()
}

#[test]
fn each_step_of_a_run_takes_the_trips_of_the_page() {
    let store = Arc::new(Counted::over(Arc::new(MemoryStore::default())));
    let executor = executor(&store);
    let mut counted = BTreeMap::new();
    let mut step =
        |name: &str| counted.insert(name.to_owned(), (store.calls(), store.operations()));

    // The first request looks for those whose time is over.
    executor.start(&Action::new("call_0", "asks", json!({"n": 1}))).unwrap();
    step("");
    let plain = Action::new("call_1", "plain", json!({"n": 1}));
    assert_eq!(executor.start(&plain).unwrap().state, RunState::Completed);
    step("start, completed");
    assert_eq!(executor.start(&plain).unwrap().state, RunState::Completed);
    step("the same call again");
    let run = executor.start(&Action::new("call_2", "asks", json!({"n": 1}))).unwrap();
    assert_eq!(run.state, RunState::Waiting);
    step("start, waiting");
    let request = run.approval_id.unwrap();
    executor.approvals().decide(&request, &Decision::approved(), clock::now()).unwrap();
    step("approve");
    let done = executor.resume(&run.id).unwrap().unwrap();
    assert_eq!(done.state, RunState::Completed);
    step("resume, completed");

    let kept = executor.execute(&Action::new("call_3", "asks", json!({"n": 1}))).unwrap();
    assert_eq!(kept.state, RunState::Waiting);
    step("execute, waiting");
    interrupted(&store, "call_4");
    step("");
    assert_eq!(executor.retry("call_4").unwrap().state, RunState::Approved);
    step("retry");

    counted.remove("");
    let page = figures();
    for (name, counts) in counted {
        assert_eq!(Some(&counts), page.get(&name), "{name}");
    }
}
