//! Approvals with other arguments than those of the call, over each store.

use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use toolwire::executor::{Action, Executor, Fault, Tool, ToolInput, ToolOutput, clock};
use toolwire::lifecycle::{
    ApprovalError, Decision, NewApproval, ProposedArguments, RunState, Settings, fingerprint,
};
use toolwire::registry::ToolSpec;
use toolwire::store::{Condition, MemoryStore, Store, Write};

use crate::stores;

/// Keeps what its handler got, and ends as it is told.
#[derive(Clone, Default)]
struct Disk {
    got: Arc<Mutex<Vec<Value>>>,
}

impl Tool for Disk {
    fn run(&self, input: &ToolInput) -> Result<ToolOutput, Fault> {
        self.got.lock().unwrap().push((*input.arguments).clone());
        Ok(ToolOutput::ok((*input.arguments).clone()))
    }

    fn changes(&self, input: &ToolInput) -> Result<Option<Value>, Fault> {
        Ok(Some(json!({"disk": ["full", input.arguments["disk"]]})))
    }
}

fn process(store: &Arc<dyn Store>, disk: &Disk) -> Executor {
    let mut executor = Executor::new(Arc::clone(store), Settings::default());
    let schema = json!({"type": "object", "properties": {"disk": {"type": "integer"}}});
    let spec = ToolSpec { requires_approval: true, ..ToolSpec::new("wipe").with_id("WIPE") };
    executor.register(spec.with_schema(&schema).unwrap(), disk.clone()).unwrap();
    executor
}

fn wipe() -> Action {
    Action::new("call_1", "wipe", json!({"disk": 7}))
}

fn disk_of(disk: Value) -> Map<String, Value> {
    Map::from_iter([("disk".to_owned(), disk)])
}

/// The decision of a person who looked at the request.
fn seen(fingerprint: Option<String>) -> Decision {
    Decision { decided_by: Some("ann".into()), fingerprint, ..Decision::approved() }
}

fn code(refused: &Fault) -> &'static str {
    refused.downcast_ref().map(ApprovalError::slug).unwrap()
}

#[test]
fn the_run_goes_on_with_the_arguments_that_were_approved_and_stays_the_run_of_its_call() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let disk = Disk::default();
        let run = process(&store, &disk).start(&wipe()).unwrap();
        let request = run.approval_id.unwrap();
        let approver = process(&store, &disk);
        let asked = approver.approvals().get(&request, clock::now()).unwrap().unwrap().fingerprint;
        // A whole number as a float is the integer of the schema, as in a call.
        let decided = approver.approve_changed(&request, disk_of(json!(9.0)), &seen(asked.clone()));
        let decided = decided.unwrap().decision;
        assert_ne!(decided.decided_fingerprint, asked, "{name}");
        assert_eq!(decided.decided_by.as_deref(), Some("ann"));
        assert_eq!(approver.get(&run.id).unwrap().unwrap().state, RunState::Approved, "{name}");
        let third = process(&store, &disk);
        assert_eq!(third.resume(&run.id).unwrap().unwrap().state, RunState::Completed, "{name}");
        assert_eq!(*disk.got.lock().unwrap(), [json!({"disk": 9})], "{name}");
        let known = third.start(&wipe()).unwrap();
        assert_eq!((known.id, known.state), (run.id, RunState::Completed), "{name}");
        assert_eq!(
            code(&third.approve_changed(&request, Map::new(), &seen(None)).unwrap_err()),
            "already_decided",
            "{name}"
        );
    }
}

#[test]
fn what_is_refused_decides_nothing() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let (disk, refused) =
            (Disk::default(), |refused: Result<_, Fault>| refused.map(drop).unwrap_err());
        let mut executor = process(&store, &disk);
        executor.set_policy(|input, _| match &input.arguments["disk"] {
            Value::Number(disk) if disk.as_u64() == Some(1) => Err("not the first disk".into()),
            _ => Ok(()),
        });
        let run = executor.start(&wipe()).unwrap();
        let request = run.approval_id.unwrap();
        let change = |disk: Value, decision: &Decision| {
            executor.approve_changed(&request, disk_of(disk), decision)
        };
        let schema = refused(change(json!("nine"), &seen(None)));
        assert_eq!(code(&schema), "arguments_refused", "{name}");
        assert!(schema.to_string().contains("/disk"), "{schema}");
        let policy = refused(change(json!(1), &seen(None)));
        assert!(policy.to_string().contains("not the first disk"), "{policy}");
        let other = refused(change(json!(9), &seen(Some("f".into()))));
        assert_eq!(code(&other), "changed_since", "{name}");
        assert_eq!(
            code(&refused(executor.approve_changed("x", Map::new(), &seen(None)))),
            "unknown_approval"
        );
        assert_eq!(executor.get(&run.id).unwrap().unwrap().state, RunState::Waiting, "{name}");
        executor.approve(&request, &seen(None)).unwrap();
        executor.resume(&run.id).unwrap();
        assert_eq!(*disk.got.lock().unwrap(), [json!({"disk": 7})], "{name}");
    }
}

#[test]
fn a_decision_chooses_among_the_proposals_even_if_its_process_died_before_it_told_the_run() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let (disk, now) = (Disk::default(), clock::now());
    let executor = process(&store, &disk);
    let run = executor.start(&wipe()).unwrap();
    let request = run.approval_id.unwrap();
    let runs = &executor.services().runs;
    let record = runs.get(&run.id, now).unwrap().unwrap();
    let propose = |disk: u64| {
        let arguments = json!({"disk": disk});
        let changes = json!({"disk": ["full", disk]});
        let fingerprint = fingerprint("wipe", &arguments, Some(&changes));
        let payload = to_raw_value(&arguments).unwrap();
        let proposed = ProposedArguments { fingerprint: fingerprint.clone(), payload };
        assert!(runs.propose(&record, &proposed, now).unwrap());
        fingerprint
    };
    let (first, _second) = (propose(1), propose(2));
    // The record as it was before the decision comes back, as if nobody had told the run of it.
    let key = format!("run/id/{}", run.id);
    let before = store.get(&key, now).unwrap().unwrap();
    executor
        .approvals()
        .decide(&request, &Decision { present: Some(first.clone()), ..seen(Some(first)) }, now)
        .unwrap();
    let expect = Condition::Any;
    let write = Write { value: &before.value, expect, expires_at: before.expires_at };
    store.put(&key, write, now).unwrap();
    assert_eq!(executor.resume(&run.id).unwrap().unwrap().state, RunState::Completed);
    assert_eq!(*disk.got.lock().unwrap(), [json!({"disk": 1})]);
    assert!(
        !runs
            .propose(
                &record,
                &ProposedArguments {
                    fingerprint: "f".into(),
                    payload: to_raw_value(&json!({})).unwrap()
                },
                now
            )
            .unwrap()
    );
}

#[test]
fn of_approvers_at_the_same_moment_one_decides_and_the_run_has_its_arguments() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        for round in 0..20 {
            let disk = Disk::default();
            let call = Action::new(format!("call_{round}"), "wipe", json!({"disk": 7}));
            let run = process(&store, &disk).start(&call).unwrap();
            let request = run.approval_id.unwrap();
            let decided: Vec<Option<u64>> = thread::scope(|scope| {
                let approve = |number: u64| {
                    let (store, disk, request) = (&store, &disk, &request);
                    scope.spawn(move || {
                        let arguments = disk_of(json!(number));
                        let decided =
                            process(store, disk).approve_changed(request, arguments, &seen(None));
                        decided.ok().map(|_| number)
                    })
                };
                let approvers: Vec<_> = (0..4).map(approve).collect();
                approvers.into_iter().map(|one| one.join().unwrap()).collect()
            });
            let decided: Vec<u64> = decided.into_iter().flatten().collect();
            assert_eq!(decided.len(), 1, "{name}");
            let ended = process(&store, &disk).resume(&run.id).unwrap().unwrap();
            assert_eq!(ended.state, RunState::Completed, "{name}");
            assert_eq!(*disk.got.lock().unwrap(), [json!({"disk": decided[0]})], "{name}");
        }
    }
}

#[test]
fn a_run_that_began_again_does_not_answer_for_the_request_of_the_one_before() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let (disk, executor) = (Disk::default(), process(&store, &Disk::default()));
    let first = executor.start(&wipe()).unwrap();
    assert!(executor.forget(&first.id).unwrap());
    let second = executor.start(&wipe()).unwrap();
    let request = first.approval_id.unwrap();
    let refused = executor.approve_changed(&request, disk_of(json!(9)), &seen(None)).unwrap_err();
    assert_eq!((code(&refused), second.state), ("not_waiting", RunState::Waiting));
    assert!(disk.got.lock().unwrap().is_empty());
}

#[test]
fn a_run_that_waits_in_no_store_keeps_its_arguments() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let (disk, executor) = (Disk::default(), process(&store, &Disk::default()));
    let new = NewApproval { run_id: "a".into(), ..Default::default() };
    let request = executor.approvals().request(new, clock::now()).unwrap();
    let refused = executor.approve_changed(&request.id, Map::new(), &seen(None)).unwrap_err();
    assert_eq!(code(&refused), "not_waiting");
    assert!(disk.got.lock().unwrap().is_empty());
}
