//! Interrupted runs that somebody retries, on every store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolwire::lifecycle::{
    Approvals, Decision, InterruptionCode, NewApproval, Page, Resumption, RunOutcome, RunState,
    Runs,
};

use crate::at;
use crate::runs::{LEASE, begin, claim, each, json, state, waiting};

/// The moment after the lease of a handler that was started at 1.
const LATE: i64 = LEASE + 2;

#[test]
fn an_interrupted_run_is_retried_once() {
    each(|name, store| {
        let runs = Runs::new(store);
        let first = begin(&runs, "a", 0);
        assert!(runs.start(&first, LEASE, at(1)).unwrap());
        let refused = runs.retry("a", 2).unwrap_err();
        assert_eq!(refused.slug(), "not_interrupted", "{name}: another process may have it");
        assert!(refused.to_string().contains("is running"));

        let exit = InterruptionCode::Exit.into();
        assert!(runs.interrupt(&first, &exit, LATE).unwrap().unwrap().is_first, "{name}");
        assert!(!runs.renew(&first, LEASE, at(3)).unwrap(), "{name}: it was given up");
        assert!(!runs.settle(&first, &RunOutcome::default(), at(3)).unwrap());
        let ready = runs.retry("a", LATE).unwrap();
        assert_eq!((ready.state(LATE), ready.id.as_str()), (RunState::Approved, "a"));
        assert!(ready.is_free(LATE));
        assert_eq!(runs.retry("a", LATE).unwrap_err().slug(), "not_interrupted");
        assert_eq!(runs.open(9, LATE).unwrap().len(), 1, "{name}");

        // The process that was thought dead can no longer write down an end.
        assert!(!runs.settle(&first, &RunOutcome::default(), at(LATE)).unwrap());
        assert!(!runs.renew(&first, LEASE, at(LATE)).unwrap());

        let second = claim(&runs, "a", LATE);
        assert_eq!(second.record.input.payload.get(), r#"{"title":"New"}"#);
        assert!(!second.taken_over, "its first checks are over");
        assert!(runs.start(&second, LEASE, at(LATE)).unwrap());
        let later = 2 * LATE;
        assert_eq!(state(&runs, "a", later), RunState::Interrupted);
        assert_eq!(runs.retry("a", later).unwrap().state(later), RunState::Approved, "{name}");
        let third = claim(&runs, "a", later);
        assert!(runs.start(&third, LEASE, at(later)).unwrap());
        assert!(runs.settle(&third, &RunOutcome::default(), at(later)).unwrap());
        assert_eq!(runs.retry("a", later).unwrap_err().slug(), "not_interrupted");
        let ended = runs.get("a", later).unwrap().unwrap();
        assert_eq!(ended.input.payload.get(), "null", "its arguments have left the store");
    });
}

#[test]
fn only_an_interrupted_run_is_retried() {
    each(|name, store| {
        let runs = Runs::new(store);
        assert_eq!(runs.retry("none", 0).unwrap_err().slug(), "unknown_run", "{name}");
        let mine = begin(&runs, "a", 0);
        assert_eq!(runs.retry("a", 1).unwrap_err().slug(), "not_interrupted");
        assert_eq!(runs.retry("a", LATE).unwrap_err().slug(), "not_interrupted", "in its checks");
        runs.suspend(&mine, &waiting("a", "r"), &json("{}"), 2).unwrap();
        assert_eq!(runs.retry("a", 3).unwrap_err().slug(), "not_interrupted");
        let kept = waiting("kept", "r");
        assert!(runs.keep(&kept, json("{}"), String::new(), None, 0).unwrap());
        assert!(runs.start(&claim(&runs, "kept", 1), LEASE, at(1)).unwrap());
        assert_eq!(runs.retry("kept", LATE).unwrap_err().slug(), "arguments_gone");
        assert_eq!(state(&runs, "kept", LATE), RunState::Interrupted);
    });
}

#[test]
fn a_retried_run_keeps_its_approval() {
    each(|name, store| {
        let (runs, approvals) = (Runs::new(Arc::clone(&store)), Approvals::new(store));
        let new = NewApproval { run_id: "a".into(), ..NewApproval::default() };
        let request = approvals.request(new, 0).unwrap();
        let mine = begin(&runs, "a", 0);
        runs.suspend(&mine, &waiting("a", &request.id), &json("{}"), 0).unwrap();
        approvals.decide("a", &Decision::approved(), 1).unwrap();
        assert!(runs.start(&claim(&runs, "a", 1), LEASE, at(1)).unwrap());
        let ready = runs.retry("a", LATE).unwrap();
        assert_eq!(ready.approval_id.as_ref(), Some(&request.id), "{name}");
        assert!(ready.input.execution.is_some() && !ready.is_refused());
        assert!(matches!(runs.claim("a", LEASE, LATE).unwrap(), Resumption::Claimed(_)));
    });
}

#[test]
fn of_many_who_retry_a_run_one_succeeds() {
    each(|name, store| {
        let runs = Runs::new(store);
        assert!(runs.start(&begin(&runs, "a", 0), LEASE, at(1)).unwrap());
        let retried = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| match runs.retry("a", LATE) {
                    Ok(_) => drop(retried.fetch_add(1, Ordering::SeqCst)),
                    Err(error) => assert_eq!(error.slug(), "not_interrupted"),
                });
            }
        });
        assert_eq!(retried.into_inner(), 1, "{name}");
    });
}

#[test]
fn pages_of_runs_together_are_the_whole_list() {
    each(|name, store| {
        let runs = Runs::new(store);
        let ids: Vec<String> = (0..7).map(|number| format!("r{number}")).collect();
        let claims: Vec<_> = (0..).zip(&ids).map(|(now, id)| begin(&runs, id, now)).collect();
        let found = |after: Option<&str>, limit, every| {
            let page = Page { after, limit };
            let read = if every { runs.all_page(page, 9) } else { runs.open_page(page, 9) };
            read.map(|found| found.into_iter().map(|run| run.id).collect::<Vec<_>>())
        };
        let newest: Vec<_> = ids.iter().rev().cloned().collect();
        for (every, whole) in [(false, &ids), (true, &newest)] {
            let (mut read, mut after) = (Vec::new(), None);
            loop {
                let page = found(after.as_deref(), Some(3), every).unwrap();
                read.extend(page.iter().cloned());
                after = page.last().cloned();
                if page.len() < 3 {
                    break;
                }
            }
            assert_eq!(&read, whole, "{name}");
            assert_eq!(&found(None, None, every).unwrap(), whole);
            assert!(found(None, Some(0), every).unwrap().is_empty());
            assert_eq!(found(Some("none"), None, every).unwrap_err().slug(), "unknown_run");
        }
        // The last run of a page may end before the next page is read.
        runs.settle(&claims[2], &RunOutcome::default(), at(9)).unwrap();
        assert_eq!(found(Some("r2"), Some(2), false).unwrap(), ["r3", "r4"], "{name}");
    });
}
