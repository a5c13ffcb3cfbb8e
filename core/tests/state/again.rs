//! What another beginning, another reader or a failing store may not do to a run.

use std::sync::Arc;

use toolwire::lifecycle::{
    Approvals, Begun, Decision, NewApproval, Page, Resumption, RunFailure, RunOutcome, RunState,
    Runs,
};
use toolwire::store::{MemoryStore, Store};

use crate::at;
use crate::failing_store::{FailingStore, Outage};
use crate::runs::{LEASE, begin, claim, each, new, state, waiting};

const LATE: i64 = LEASE + 2;

fn denied() -> RunOutcome {
    RunOutcome::failed(RunFailure::PermissionDenied { reason: "gone".to_owned() })
}

/// Writes under a place fail for some times.
fn outage(place: &str, times: usize) -> Outage {
    Outage { writes_under: Some(place.to_owned()), times, ..Outage::default() }
}

fn again(runs: &Runs, now: i64) -> Result<Begun, &'static str> {
    runs.begin_again(new("a", "print"), LEASE, now).map_err(|refused| refused.slug())
}

#[test]
fn a_run_whose_handler_was_started_once_never_begins_again() {
    each(|name, store| {
        let runs = Runs::new(Arc::clone(&store));
        let first = begin(&runs, "a", 0);
        assert!(runs.start(&first, LEASE, at(1)).unwrap());
        runs.retry("a", LATE).unwrap();
        // The check that says that the work is done denies the run.
        let second = claim(&runs, "a", LATE);
        assert!(runs.settle(&second, &denied(), at(LATE + 1)).unwrap());
        assert_eq!(state(&runs, "a", LATE + 2), RunState::Denied);
        assert_eq!(again(&runs, LATE + 3).unwrap_err(), "already_ran", "{name}");
        assert!(!runs.get("a", LATE + 3).unwrap().unwrap().may_begin_again(LATE + 3));
    });
}

#[test]
fn a_retried_run_whose_request_is_deleted_never_begins_again() {
    each(|name, store| {
        let (runs, approvals) = (Runs::new(Arc::clone(&store)), Approvals::new(store));
        let request = NewApproval { run_id: "a".to_owned(), ..NewApproval::default() };
        let first = begin(&runs, "a", 0);
        let request = approvals.request(request, 1).unwrap();
        runs.suspend(&first, &waiting("a", &request.id), &first.record.input.payload, 2).unwrap();
        approvals.decide(&request.id, &Decision::approved(), 3).unwrap();
        let second = claim(&runs, "a", 4);
        assert!(runs.start(&second, LEASE, at(5)).unwrap());
        runs.retry("a", 2 * LATE).unwrap();
        approvals.cleanup(&request.id, 2 * LATE).unwrap();
        assert_eq!(state(&runs, "a", 2 * LATE), RunState::Denied, "{name}");
        assert_eq!(again(&runs, 2 * LATE).unwrap_err(), "already_ran", "{name}");
    });
}

#[test]
fn a_request_of_an_earlier_beginning_answers_for_no_later_one() {
    each(|name, store| {
        let approvals = Approvals::new(store);
        let detail = toolwire::lifecycle::ApprovalDetail::new(
            "edit",
            &serde_json::json!({}),
            None,
            &toolwire::redact::Redaction::default(),
        );
        let fingerprint = detail.fingerprint.clone();
        let new =
            NewApproval { run_id: "a".to_owned(), detail: Some(detail), ..NewApproval::default() };
        let request = approvals.request(new, 10).unwrap();
        let asked = |began| approvals.asked("a", &fingerprint, began, 12).unwrap();
        assert_eq!(asked(10).map(|found| found.id), Some(request.id), "{name}");
        assert!(asked(11).is_none(), "{name}");
    });
}

#[test]
fn who_read_a_run_claims_no_other_beginning_of_it() {
    each(|name, store| {
        let runs = Runs::new(Arc::clone(&store));
        let first = begin(&runs, "a", 0);
        runs.suspend(&first, &waiting("a", "q1"), &first.record.input.payload, 1).unwrap();
        let read = runs.get("a", 2).unwrap().unwrap();
        // Another process ends that run, and the call begins anew.
        let other = claim(&runs, "a", 3);
        assert!(runs.settle(&other, &denied(), at(4)).unwrap());
        let Begun::Mine(anew) = again(&runs, 5).unwrap() else { panic!("{name}") };
        runs.suspend(&anew, &waiting("a", "q2"), &anew.record.input.payload, 6).unwrap();
        let Resumption::Standing(stands) = runs.claim_read(&read, None, LEASE, 7).unwrap() else {
            panic!("{name}")
        };
        assert_eq!(stands.approval_id.as_deref(), Some("q2"), "{name}");
        let present = runs.get("a", 8).unwrap().unwrap();
        let claimed = runs.claim_read(&present, None, LEASE, 8).unwrap();
        assert!(matches!(claimed, Resumption::Claimed(_)), "{name}");
    });
}

#[test]
fn a_retried_run_is_listed_for_as_long_as_it_is_kept() {
    each(|name, store| {
        let runs = Runs::new(store).with_retention(1000);
        let first = begin(&runs, "a", 0);
        assert!(runs.start(&first, LEASE, at(1)).unwrap());
        runs.retry("a", 900).unwrap();
        assert_eq!(state(&runs, "a", 1800), RunState::Approved, "{name}");
        let listed = runs.open_page(Page { limit: Some(9), after: None }, 1800).unwrap();
        assert_eq!(listed.len(), 1, "{name}");
    });
}

#[test]
fn an_approval_that_the_run_was_not_told_of_is_not_dropped() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let runs = Runs::new(Arc::clone(&store));
    let first = begin(&runs, "a", 0);
    let request = NewApproval { run_id: "a".to_owned(), ..NewApproval::default() };
    let request = Approvals::new(Arc::clone(&store)).request(request, 1).unwrap();
    runs.suspend(&first, &waiting("a", &request.id), &first.record.input.payload, 2).unwrap();
    // The decision is written, and its process dies before it tells the run.
    let cut = FailingStore::new(Arc::clone(&store), outage("run/id/", 9));
    drop(Approvals::new(Arc::new(cut)).decide(&request.id, &Decision::approved(), 3));
    let late = 2 * 86_400 * 1_000_000;
    assert_eq!(state(&runs, "a", late), RunState::Expired);
    let Begun::Known(known) = again(&runs, late).unwrap() else { panic!() };
    assert_eq!(known.state(late), RunState::Approved);
}

#[test]
fn the_end_of_a_run_is_written_at_the_second_or_third_try() {
    for (fails, place, is_kept) in [
        (0, "run/id/", true),
        (1, "run/id/", true),
        (2, "run/id/", true),
        (9, "run/id/", false),
        // The end is written, and only the list of open runs fails.
        (9, "run/open/", true),
    ] {
        let healthy = outage(place, 0);
        let store = Arc::new(FailingStore::new(Arc::new(MemoryStore::default()), healthy));
        let runs = Runs::new(Arc::clone(&store) as _);
        let claim = begin(&runs, "a", 0);
        assert!(runs.start(&claim, LEASE, at(1)).unwrap());
        store.fail(outage(place, fails));
        let settled = runs.settle(&claim, &RunOutcome::default(), at(2));
        store.fail(outage(place, 0));
        assert_eq!(settled.ok(), is_kept.then_some(true), "{fails} {place}");
        assert_eq!(runs.get("a", 3).unwrap().unwrap().is_ended(), is_kept, "{fails} {place}");
        assert_eq!(runs.open(9, 3).unwrap().len(), usize::from(!is_kept), "{fails} {place}");
    }
}

#[test]
fn who_has_seen_that_the_run_is_lost_remembers_it() {
    each(|name, store| {
        let runs = Runs::new(store);
        let claim = begin(&runs, "a", 0);
        assert!(runs.start(&claim, LEASE, at(1)).unwrap());
        assert!(!claim.is_over(at(2)));
        assert!(runs.forget("a", 2).unwrap());
        assert!(!runs.renew(&claim, LEASE, at(3)).unwrap());
        assert!(claim.is_over(at(4)), "{name}");
    });
}
