//! Runs in a store: begun once, taken up by one process, started at most once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::value::RawValue;
use toolwire::lifecycle::{
    Answer, Approvals, Begun, Decision, Execution, Moment, Naming, NewApproval, NewRun, OutputGap,
    Page, Resumption, Run, RunClaim, RunFailure, RunOutcome, RunState, RunTool, Runs, Settings,
    Step,
};
use toolwire::registry::ToolSpec;
use toolwire::store::Store;

use crate::{Counted, at, stores};

pub(crate) const LEASE: i64 = 100;
const WEEK: i64 = 604_800 * 1_000_000;

pub(crate) fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

pub(crate) fn new(id: &str, call: &str) -> NewRun {
    NewRun {
        run: Run { mode: Some("chat".to_owned()), ..Run::new(id) },
        named: Naming::Own,
        caller: "7".to_owned(),
        tool: RunTool { name: "edit".to_owned(), id: "EDIT".to_owned() },
        call: call.to_owned(),
        payload: json(r#"{"title":"New"}"#),
    }
}

pub(crate) fn begin(runs: &Runs, id: &str, now: i64) -> RunClaim {
    match runs.begin(new(id, "print"), LEASE, now).unwrap() {
        Begun::Mine(claim) => claim,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn claim(runs: &Runs, id: &str, now: i64) -> RunClaim {
    match runs.claim(id, LEASE, now).unwrap() {
        Resumption::Claimed(claim) => claim,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn state(runs: &Runs, id: &str, now: i64) -> RunState {
    runs.get(id, now).unwrap().unwrap().state(now)
}

/// A run that waits for this request.
pub(crate) fn waiting(id: &str, request_id: &str) -> Execution {
    let tool =
        Arc::new(ToolSpec { requires_approval: true, ..ToolSpec::new("edit").with_id("EDIT") });
    let settings = Settings { emit_events: false, ..Settings::default() };
    let mut execution = Execution::new(tool, Run::new(id), settings);
    let mut advance = |answer| execution.advance(answer, Moment::default()).unwrap();
    assert!(matches!(advance(Answer::Done), Step::RequestApproval { .. }));
    advance(Answer::Requested { request_id: request_id.to_owned(), fingerprint: None });
    execution
}

pub(crate) fn each(test: impl Fn(&str, Arc<dyn Store>)) {
    let folder = tempfile::tempdir().unwrap();
    for (name, store) in stores(&folder) {
        test(name, store);
    }
}

#[test]
fn a_call_begins_one_run_whatever_its_state() {
    each(|name, store| {
        let runs = Runs::new(store);
        let mine = begin(&runs, "a", 0);
        let again = |now| match runs.begin(new("a", "print"), LEASE, now).unwrap() {
            Begun::Known(run) => run.state(now),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(again(1), RunState::Running);
        assert!(runs.suspend(&mine, &waiting("a", "r"), &json("{}"), 2).unwrap());
        assert_eq!(again(3), RunState::Waiting);
        let mine = claim(&runs, "a", 4);
        assert_eq!(again(5), RunState::Running);
        assert!(runs.start(&mine, LEASE, at(6)).unwrap());
        assert_eq!(again(7), RunState::Running);
        assert_eq!(again(7 + LEASE), RunState::Interrupted);
        assert!(runs.settle(&mine, &RunOutcome::completed(Some(json("7"))), at(8)).unwrap());
        assert_eq!(again(9), RunState::Completed);
        let run = runs.get("a", 9).unwrap().unwrap();
        assert_eq!(run.outcome.unwrap().output.unwrap().get(), "7");
        assert_eq!(again(8 + WEEK), RunState::Completed);
        assert!(matches!(runs.begin(new("a", "print"), LEASE, 9 + WEEK).unwrap(), Begun::Mine(_)));
    });
}

#[test]
fn an_id_of_another_call_is_refused() {
    each(|_, store| {
        let runs = Runs::new(store);
        begin(&runs, "a", 0);
        let other = runs.begin(new("a", "other"), LEASE, 1).unwrap();
        assert!(matches!(other, Begun::Other(run) if run.id == "a"));
    });
}

#[test]
fn a_run_whose_owner_ends_before_the_handler_is_taken_over() {
    each(|_, store| {
        let runs = Runs::new(store);
        let first = begin(&runs, "a", 0);
        assert!(matches!(runs.claim("a", LEASE, LEASE).unwrap(), Resumption::Standing(_)));
        let second = claim(&runs, "a", LEASE + 1);
        assert!(second.taken_over && !first.taken_over);
        assert_eq!(second.record.input.payload.get(), r#"{"title":"New"}"#);
        assert_eq!(second.record.input.caller, "7");
        assert_eq!(second.record.input.run.mode.as_deref(), Some("chat"));
        let late = LEASE + 2;
        assert!(!runs.start(&first, LEASE, at(late)).unwrap(), "the first no longer has it");
        assert!(!runs.renew(&first, LEASE, at(late)).unwrap());
        assert!(!runs.settle(&first, &RunOutcome::default(), at(late)).unwrap());
        assert!(runs.start(&second, LEASE, at(late)).unwrap());
    });
}

#[test]
fn a_handler_that_may_have_run_is_never_taken_over() {
    each(|_, store| {
        let runs = Runs::new(store);
        let mine = begin(&runs, "a", 0);
        assert!(runs.start(&mine, LEASE, at(1)).unwrap());
        assert!(runs.renew(&mine, LEASE, at(50)).unwrap());
        assert_eq!(state(&runs, "a", 50 + LEASE), RunState::Running);
        let late = 51 + LEASE;
        let Resumption::Standing(run) = runs.claim("a", LEASE, late).unwrap() else { panic!() };
        assert_eq!(run.state(late), RunState::Interrupted);
        assert_eq!(run.input.payload.get(), r#"{"title":"New"}"#, "the run may be retried");
        // Others have seen that, so the end of the handler is not written.
        assert!(!runs.renew(&mine, LEASE, at(late)).unwrap());
        assert!(!runs.settle(&mine, &RunOutcome::default(), at(late)).unwrap());
        assert_eq!(state(&runs, "a", late), RunState::Interrupted);
        // The handler ended in time on the clock that never goes back: the time of day was set.
        let in_time = Moment { wall_us: late, ..at(50 + LEASE) };
        let failure = RunFailure::Raised { class: "E".into(), message: "late".into() };
        assert!(runs.settle(&mine, &RunOutcome::failed(failure), in_time).unwrap());
        let run = runs.get("a", late).unwrap().unwrap();
        assert_eq!(run.state(late), RunState::Failed);
        assert_eq!(run.input.payload.get(), "null", "the arguments have left the store");
    });
}

#[test]
fn a_clock_that_is_set_shows_a_wrong_state_until_the_lease_is_renewed() {
    const HOUR: i64 = 3_600_000_000;
    for jump in [-HOUR, HOUR] {
        each(|name, store| {
            let runs = Runs::new(store);
            let start = 2 * HOUR;
            let mine = begin(&runs, "a", start);
            assert!(runs.start(&mine, Runs::LEASE, at(start)).unwrap());
            let later = Moment { wall_us: start + jump, ..at(start + Runs::RENEW_AFTER) };
            assert_eq!(state(&runs, "a", later.wall_us), RunState::Interrupted, "{name}");
            let taken = runs.claim("a", LEASE, later.wall_us).unwrap();
            assert!(matches!(taken, Resumption::Standing(_)), "{name}: only a person retries");
            assert!(runs.renew(&mine, Runs::LEASE, later).unwrap());
            assert_eq!(state(&runs, "a", later.wall_us), RunState::Running, "{name}");
            let end = later.wall_us + Runs::LEASE;
            assert_eq!(state(&runs, "a", end), RunState::Running, "{name}");
            assert_eq!(state(&runs, "a", end + 1), RunState::Interrupted, "{name}");
        });
    }
}

#[test]
fn a_change_of_an_own_run_is_one_call_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    for (name, store) in stores(&folder) {
        let counted = Arc::new(Counted::over(store));
        let runs = Runs::new(Arc::clone(&counted) as Arc<dyn Store>);
        let mine = begin(&runs, "a", 0);
        assert_eq!(counted.calls(), 1, "{name}: a sweep, the run, the list of open runs");
        assert!(runs.start(&mine, LEASE, at(1)).unwrap());
        assert_eq!(counted.calls(), 1, "{name}");
        assert!(runs.renew(&mine, LEASE, at(2)).unwrap());
        assert_eq!(counted.calls(), 1, "{name}");
        assert!(runs.settle(&mine, &RunOutcome::default(), at(3)).unwrap());
        assert_eq!(counted.calls(), 1, "{name}: the run, the list of open runs");
    }
}

#[test]
fn one_of_many_threads_takes_a_run_up() {
    each(|name, store| {
        let runs = Arc::new(Runs::new(store));
        let mine = begin(&runs, "a", 0);
        runs.suspend(&mine, &waiting("a", "r"), &json("{}"), 1).unwrap();
        let started = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    if let Resumption::Claimed(claim) = runs.claim("a", LEASE, 2).unwrap() {
                        assert!(runs.start(&claim, LEASE, at(3)).unwrap());
                        started.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(started.into_inner(), 1, "{name}");
    });
}

#[test]
fn who_lost_a_run_leaves_it_to_the_other() {
    each(|name, store| {
        let runs = Runs::new(store);
        assert!(
            runs.keep(&waiting("kept", "r"), json("{}"), String::new(), None, 0).unwrap(),
            "{name}"
        );
        begin(&runs, "begun", 0);
        for id in ["kept", "begun"] {
            let first = claim(&runs, id, 1 + LEASE);
            let second = claim(&runs, id, 2 + 2 * LEASE);
            let late = 3 + 2 * LEASE;
            assert!(runs.start(&second, LEASE, at(late)).unwrap());
            assert!(!runs.start(&first, LEASE, at(late)).unwrap());
            assert!(!runs.settle(&first, &RunOutcome::default(), at(late)).unwrap());
            assert_eq!(state(&runs, id, late), RunState::Running, "{name}");
            let listed = runs.open(usize::MAX, late).unwrap();
            assert!(listed.iter().any(|run| run.id == id), "{name}");
            assert!(runs.settle(&second, &RunOutcome::default(), at(late)).unwrap());
        }
        assert!(runs.get("kept", WEEK).unwrap().is_none(), "a kept run is forgotten at its end");
        assert!(runs.open(usize::MAX, 4 + 2 * LEASE).unwrap().is_empty());
    });
}

#[test]
fn a_run_that_is_kept_without_an_end_stays() {
    each(|name, store| {
        let runs = Runs::new(store);
        runs.keep(&waiting("a", "r"), json("{}"), String::new(), None, 0).unwrap();
        let mine = claim(&runs, "a", 1);
        assert!(runs.renew(&mine, LEASE, at(2)).unwrap());
        assert!(runs.get("a", 2 * WEEK).unwrap().is_some(), "{name}");
    });
}

#[test]
fn what_cannot_be_kept_leaves_its_reason() {
    let long = format!("\"{}\"", "x".repeat(RunOutcome::LONGEST));
    assert_eq!(RunOutcome::completed(Some(json(&long))).gap, Some(OutputGap::TooLong));
    assert_eq!(RunOutcome::completed(None).gap, Some(OutputGap::NotJson));
}

#[test]
fn a_store_that_keeps_no_outputs_knows_how_a_run_ended() {
    each(|name, store| {
        let runs = Runs::new(store).without_outputs();
        let raised = RunFailure::Raised { class: "Cut".to_owned(), message: "secret".to_owned() };
        for (id, outcome, state, gap) in [
            ("a", RunOutcome::completed(Some(json("\"secret\""))), RunState::Completed, true),
            ("b", RunOutcome::failed(raised), RunState::Failed, false),
        ] {
            let claim = begin(&runs, id, 0);
            assert!(runs.start(&claim, LEASE, at(1)).unwrap());
            assert!(runs.settle(&claim, &outcome, at(2)).unwrap());
            let record = runs.get(id, 3).unwrap().unwrap();
            let kept = record.outcome.clone().unwrap();
            assert_eq!(
                (record.state(3), kept.gap == Some(OutputGap::Withheld)),
                (state, gap),
                "{name}"
            );
            assert!(!serde_json::to_string(&record).unwrap().contains("secret"));
        }
    });
}

#[test]
fn the_open_runs_are_listed_from_the_oldest() {
    each(|name, store| {
        let runs = Runs::new(store);
        let ids = |limit, now| {
            let open = runs.open(limit, now).unwrap();
            open.into_iter().map(|run| run.id).collect::<Vec<_>>()
        };
        let first = begin(&runs, "b", 10);
        let second = begin(&runs, "a", 20);
        begin(&runs, "c", 30);
        assert_eq!(ids(usize::MAX, 31), ["b", "a", "c"], "{name}");
        assert_eq!(ids(2, 31), ["b", "a"]);
        runs.start(&first, LEASE, at(32)).unwrap();
        runs.settle(&first, &RunOutcome::default(), at(33)).unwrap();
        assert!(runs.forget(&second.record.id, 34).unwrap());
        assert_eq!(ids(usize::MAX, 35), ["c"]);
        assert_eq!(runs.all_page(Page::default(), 35).unwrap().len(), 2);
        assert_eq!(ids(usize::MAX, 31 + WEEK), [""; 0], "{name}: runs whose time is over");
    });
}

#[test]
fn a_denial_takes_the_arguments_and_the_run_can_end_with_it() {
    each(|_, store| {
        let (runs, approvals) = (Runs::new(Arc::clone(&store)), Approvals::new(store));
        let mine = begin(&runs, "a", 0);
        let ask = NewApproval { run_id: "a".into(), ..NewApproval::default() };
        let request = approvals.request(ask, 0).unwrap();
        runs.suspend(&mine, &waiting("a", &request.id), &json(r#"{"x":1}"#), 1).unwrap();
        approvals.decide(&request.id, &Decision::denied(), 2).unwrap();
        let run = runs.get("a", 3).unwrap().unwrap();
        assert!(run.is_refused());
        assert_eq!(run.input.payload.get(), "null");
        let mine = claim(&runs, "a", 3);
        assert!(mine.record.input.execution.is_some());
        let denied = RunFailure::ApprovalDenied { request_id: request.id, reason: "no".into() };
        assert!(runs.settle(&mine, &RunOutcome::failed(denied), at(4)).unwrap());
        assert_eq!(state(&runs, "a", 5), RunState::Denied);
    });
}
