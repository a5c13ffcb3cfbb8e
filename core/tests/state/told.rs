//! Decisions while the run that waits changes: between the read of the run and the batch that
//! closes its request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json as value;
use toolwire::executor::{Action, Executor, ToolInput, ToolOutput, clock};
use toolwire::lifecycle::{Approvals, Decision, NewApproval, Resumption, RunState, Runs, Settings};
use toolwire::registry::ToolSpec;
use toolwire::store::Store;

use crate::at;
use crate::hooked_store::{After, HookedStore};
use crate::runs::{LEASE, begin, each, json, state, waiting};

/// Takes a decision, and has `step` happen after it has read the run.
fn decide(store: &Arc<dyn Store>, decision: &Decision, step: impl FnOnce() + Send + 'static) {
    let act = Box::new(move |_: &str| step());
    let meanwhile = Arc::new(HookedStore::new(Arc::clone(store), After::Get("run/id/"), act));
    Approvals::new(Arc::clone(&meanwhile) as _).decide("r", decision, 2).unwrap();
    assert!(meanwhile.has_acted());
}

fn asked(store: &Arc<dyn Store>) {
    let (id, run_id) = (Some("r".to_owned()), "a".to_owned());
    let expires_at = Some(1_000);
    let new = NewApproval { id, run_id, expires_at, ..NewApproval::default() };
    Approvals::new(Arc::clone(store)).request(new, 0).unwrap();
}

fn entries_left(store: &dyn Store) -> usize {
    store.scan("approval/open/", None, 9, 2).unwrap().len()
}

#[test]
fn a_run_that_begins_to_wait_meanwhile_is_told() {
    let decided = [
        (Decision::approved(), RunState::Approved, r#"{"title":"New"}"#),
        (Decision::denied(), RunState::Denied, "null"),
    ];
    for (decision, expected, payload) in decided {
        each(|name, store| {
            asked(&store);
            let runs = Arc::new(Runs::new(Arc::clone(&store)));
            let mine = begin(&runs, "a", 0);
            let suspending = Arc::clone(&runs);
            decide(&store, &decision, move || {
                let payload = json(r#"{"title":"New"}"#);
                assert!(suspending.suspend(&mine, &waiting("a", "r"), &payload, 1).unwrap());
            });
            assert_eq!(state(&runs, "a", 3), expected, "{name}");
            let record = runs.get("a", 3).unwrap().unwrap();
            assert_eq!(record.input.payload.get(), payload, "{name}");
            assert_eq!(entries_left(&*store), 0, "{name}");
        });
    }
}

#[test]
fn a_run_that_is_taken_up_meanwhile_keeps_its_owner() {
    each(|name, store| {
        asked(&store);
        let runs = Arc::new(Runs::new(Arc::clone(&store)));
        let mine = begin(&runs, "a", 0);
        assert!(runs.suspend(&mine, &waiting("a", "r"), &json("{}"), 1).unwrap());
        let (taking, read) = (Arc::clone(&runs), runs.get("a", 1).unwrap().unwrap());
        decide(&store, &Decision::approved(), move || {
            let taken = taking.claim_read(&read, None, LEASE, 1).unwrap();
            assert!(matches!(taken, Resumption::Claimed(_)));
        });
        let record = runs.get("a", 3).unwrap().unwrap();
        assert!(record.is_leased(3), "{name}");
        assert_eq!(entries_left(&*store), 0, "{name}");
        // What was read before that claims nothing any more.
        let late = runs.claim_read(&record, None, LEASE, 3).unwrap();
        assert!(matches!(late, Resumption::Standing(_)), "{name}");
        assert_eq!(state(&runs, "a", LEASE + 2), RunState::Approved, "{name}");
        assert!(!runs.start(&mine, LEASE, at(3)).unwrap(), "{name}: it gave the run back");
    });
}

#[test]
fn of_two_who_have_read_a_run_one_claims_it() {
    each(|name, store| {
        let runs = Runs::new(store);
        let mine = begin(&runs, "a", 0);
        assert!(runs.suspend(&mine, &waiting("a", "r"), &json("{}"), 1).unwrap());
        let read = runs.get("a", 1).unwrap().unwrap();
        let won = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let taken = runs.claim_read(&read, None, LEASE, 2).unwrap();
                    let is_mine = matches!(taken, Resumption::Claimed(_));
                    won.fetch_add(usize::from(is_mine), Ordering::SeqCst);
                });
            }
        });
        assert_eq!(won.into_inner(), 1, "{name}");
    });
}

/// Where changes are made one by one, the request comes first, so somebody may decide before the
/// run waits.
#[test]
fn a_run_that_asks_a_store_without_whole_batches_is_told() {
    let decided = [
        (Decision::approved(), RunState::Approved, true),
        (Decision::denied(), RunState::Denied, false),
    ];
    for (decision, expected, keeps_arguments) in decided {
        each(|name, store| {
            let person = (Approvals::new(Arc::clone(&store)), decision.clone());
            let act = Box::new(move |request_id: &str| {
                let (approvals, decision) = person;
                approvals.decide(request_id, &decision, clock::now()).unwrap();
            });
            let after = After::Put("approval/request/");
            let parted = Arc::new(HookedStore::new(Arc::clone(&store), after, act));
            let mut executor = Executor::new(Arc::clone(&parted) as _, Settings::default());
            let asks = ToolSpec { requires_approval: true, ..ToolSpec::new("asks") };
            executor.register(asks, |_: &ToolInput| Ok(ToolOutput::ok(1))).unwrap();
            let run = executor.start(&Action::new("call", "asks", value!({"n": 1}))).unwrap();
            assert!(parted.has_acted(), "{name}");
            let record = Runs::new(Arc::clone(&store)).get(&run.id, clock::now()).unwrap().unwrap();
            assert_eq!(record.state(clock::now()), expected, "{name}");
            assert_eq!(record.input.payload.get() != "null", keeps_arguments, "{name}");
        });
    }
}
