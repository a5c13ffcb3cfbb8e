//! Interrupted runs, which one process notes and tells, on every store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolwire::lifecycle::{
    HandlerEnd, Interruption, InterruptionCode, Moment, RunOutcome, RunRecord, RunState, Runs,
};

use crate::at;
use crate::runs::{LEASE, begin, claim, each, state};

/// The moment after the lease of a handler that was started at 1.
const LATE: i64 = LEASE + 2;

fn found(runs: &Runs, id: &str, now: i64) -> (bool, RunRecord) {
    let found = runs.note(id, now).unwrap().unwrap();
    assert_eq!(found.event(at(now)).is_some(), found.is_first);
    (found.is_first, *found.record)
}

fn code(record: &RunRecord) -> Option<InterruptionCode> {
    record.interruption().map(|why| why.code)
}

#[test]
fn who_finds_a_run_first_notes_why_and_tells_it() {
    each(|name, store| {
        let runs = Runs::new(store);
        assert!(runs.note("a", 0).unwrap().is_none(), "{name}: there is no such run");
        let mine = begin(&runs, "a", 0);
        assert!(!found(&runs, "a", 0).0, "{name}: it is in its checks");
        assert!(runs.start(&mine, LEASE, at(1)).unwrap());
        assert!(!found(&runs, "a", 2).0, "{name}: it runs");
        let (is_first, record) = found(&runs, "a", LATE);
        assert_eq!((is_first, code(&record)), (true, Some(InterruptionCode::LeaseOver)), "{name}");
        let (is_first, record) = found(&runs, "a", LATE + 1);
        let (code, detail, attempt) = (InterruptionCode::LeaseOver, None, 1);
        let seen_at = toolwire::lifecycle::Time::from_micros(LATE);
        let noted = Interruption { code, detail, seen_at, attempt };
        assert_eq!((is_first, record.interruption()), (false, Some(&noted)), "{name}");
        assert_eq!(record.state(LATE), RunState::Interrupted);

        // Each attempt is told once.
        let retried = runs.retry_found("a", LATE).unwrap();
        assert!(!retried.is_first, "{name}");
        assert!(runs.start(&claim(&runs, "a", LATE), LEASE, at(LATE)).unwrap());
        let later = LATE + LEASE + 1;
        let retried = runs.retry_found("a", later).unwrap();
        assert_eq!(
            (retried.is_first, retried.record.interruption().map(|why| why.attempt)),
            (true, Some(2)),
            "{name}"
        );
    });
}

#[test]
fn a_process_that_sees_its_end_says_why() {
    each(|name, store| {
        let runs = Runs::new(store);
        let (mine, other) = (begin(&runs, "a", 0), begin(&runs, "b", 0));
        assert!(runs.start(&mine, LEASE, at(1)).unwrap());
        let long = "\u{7}".repeat(2 * Interruption::LONGEST_DETAIL);
        let why = HandlerEnd { code: InterruptionCode::Fatal, detail: Some(long) };
        let cut_off = runs.interrupt(&mine, &why, 2).unwrap().unwrap();
        assert_eq!(cut_off.record.state(2), RunState::Interrupted);
        let detail = cut_off.record.interruption().cloned().unwrap().detail.unwrap();
        assert_eq!(detail, "⟨U+0007⟩".repeat(Interruption::LONGEST_DETAIL), "{name}");
        assert!(cut_off.event(at(2)).is_some());
        assert!(runs.interrupt(&mine, &why, 3).unwrap().is_none(), "{name}: it has given it up");
        assert!(!found(&runs, "a", 3).0);

        // What others have noted stands, and is not told again.
        let late = begin(&runs, "c", 0);
        assert!(runs.start(&late, LEASE, at(1)).unwrap());
        assert!(found(&runs, "c", LATE).0, "{name}");
        let seen = runs.interrupt(&late, &why, LATE).unwrap();
        assert!(seen.is_none_or(|seen| !seen.is_first), "{name}");
        assert_eq!(code(&found(&runs, "c", LATE).1), Some(InterruptionCode::LeaseOver), "{name}");

        // A run whose handler was not started is no interrupted run.
        let given_up = runs.interrupt(&other, &why, 2).unwrap().unwrap();
        assert!(!given_up.is_first && given_up.record.is_free(2), "{name}");
        assert_eq!(code(&given_up.record), None);
    });
}

#[test]
fn of_many_who_find_a_run_one_tells_it() {
    each(|name, store| {
        let runs = Runs::new(store);
        assert!(runs.start(&begin(&runs, "a", 0), LEASE, at(1)).unwrap());
        let told = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (runs, told) = (&runs, &told);
                scope.spawn(move || {
                    let is_first = if number == 3 {
                        runs.retry_found("a", LATE).unwrap().is_first
                    } else {
                        runs.note("a", LATE).unwrap().unwrap().is_first
                    };
                    told.fetch_add(usize::from(is_first), Ordering::SeqCst);
                });
            }
        });
        assert_eq!(told.into_inner(), 1, "{name}");
    });
}

/// A clock that was set forward for a while made the run look interrupted.
#[test]
fn a_run_that_goes_on_takes_a_wrong_note_back() {
    each(|name, store| {
        let runs = Arc::new(Runs::new(store));
        let [renewed, ended] = ["a", "b"].map(|id| begin(&runs, id, 0));
        let at_once = |ticks: i64| Moment { wall_us: ticks, ..at(ticks) };
        for claim in [&renewed, &ended] {
            assert!(runs.start(claim, LEASE, at_once(1)).unwrap());
            assert!(runs.note(&claim.record.id, 90 * LEASE).unwrap().unwrap().is_first);
        }
        assert!(runs.renew(&renewed, LEASE, at_once(2)).unwrap(), "{name}");
        assert_eq!(state(&runs, "a", 3), RunState::Running);
        assert!(runs.settle(&ended, &RunOutcome::default(), at_once(2)).unwrap(), "{name}");
        for id in ["a", "b"] {
            assert_eq!(code(&runs.get(id, 3).unwrap().unwrap()), None, "{name}");
        }
        assert!(found(&runs, "a", 90 * LEASE).0, "{name}: this time it is true");
    });
}
