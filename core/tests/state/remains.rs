//! The entries that remain in a store after a run that waited and its request for approval.

use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;
use toolwire::lifecycle::{
    Answer, ApprovalDetail, ApprovalStatus, Approvals, Decision, Execution, Moment, NewApproval,
    Resumption, Run, Runs, Settings, Step, Waiter,
};
use toolwire::redact::Redaction;
use toolwire::registry::ToolSpec;
use toolwire::store::{MemoryStore, Store, StoreEntry};

use crate::hooked_store::{After, HookedStore};
use crate::stores;

const SECRET: &str = "hunter2-raw-secret";
const DAY: i64 = 86_400 * 1_000_000;

/// A run that waits for approval; its request expires after a day, the run after two days.
struct Waiting {
    store: Arc<dyn Store>,
    approvals: Approvals,
    runs: Runs,
}

impl Waiting {
    fn new(store: &Arc<dyn Store>) -> Self {
        let (approvals, runs) = (Approvals::new(Arc::clone(store)), Runs::new(Arc::clone(store)));
        Self { store: Arc::clone(store), approvals, runs }
    }

    fn ask(&self, run_id: &str, expires_at: Option<i64>, now: i64) -> String {
        let arguments = json!({"user_pass": SECRET, "note": "private"});
        let detail = Some(ApprovalDetail::new("t", &arguments, None, &Redaction::default()));
        let new =
            NewApproval { run_id: run_id.to_owned(), detail, expires_at, ..NewApproval::default() };
        self.approvals.request(new, now).unwrap().id
    }

    fn keep(&self, run_id: &str, request_id: &str, now: i64) {
        let tool =
            Arc::new(ToolSpec { requires_approval: true, ..ToolSpec::new("t").with_id("T") });
        let settings = Settings { emit_events: false, ..Settings::default() };
        let mut execution = Execution::new(tool, Run::new(run_id), settings);
        let asks = execution.advance(Answer::Done, Moment::default()).unwrap();
        assert!(matches!(asks, Step::RequestApproval { .. }));
        execution
            .advance(
                Answer::Requested { request_id: request_id.to_owned(), fingerprint: None },
                Moment::default(),
            )
            .unwrap();
        let raw = |value: serde_json::Value| serde_json::value::to_raw_value(&value).unwrap();
        let payload: Box<RawValue> = raw(json!({"user_pass": SECRET}));
        let kept = self.runs.keep(&execution, payload, String::new(), Some(now + 2 * DAY), now);
        assert!(kept.unwrap());
    }

    /// Suspends a run of this action at its request for approval.
    fn suspend(&self, run_id: &str, now: i64) -> String {
        let id = self.ask(run_id, Some(now + DAY), now);
        self.keep(run_id, &id, now);
        id
    }

    /// The keys of the entries in the store, expired or not, that hold a text.
    fn keys_with(&self, text: &str) -> Vec<String> {
        let all = self.store.scan("", None, usize::MAX, i64::MIN).unwrap();
        let has = |entry: &StoreEntry| String::from_utf8_lossy(&entry.value).contains(text);
        all.into_iter().filter(|(_, entry)| has(entry)).map(|(key, _)| key).collect()
    }
}

/// Runs a test on every store.
fn each(test: impl Fn(&str, Waiting)) {
    let folder = tempfile::tempdir().unwrap();
    for (name, store) in stores(&folder) {
        test(name, Waiting::new(&store));
    }
}

#[test]
fn a_run_that_is_not_approved_loses_its_arguments_at_once() {
    type End = fn(&Waiting, &str);
    let ends: [(&str, End); 6] = [
        ("denied", |it, id| drop(it.approvals.decide(id, &Decision::denied(), 1).unwrap())),
        ("cancelled", |it, id| assert!(it.approvals.cancel(id, 1).unwrap())),
        ("ended", |it, id| assert!(it.approvals.expire(id, 1).unwrap())),
        ("listed late", |it, _| drop(it.approvals.pending(None, DAY + 1).unwrap())),
        ("another asked", |it, _| drop(it.ask("b", None, DAY + 1))),
        ("forgotten", |it, id| it.approvals.cleanup(id, 1).unwrap()),
    ];
    for (end, close) in ends {
        each(|name, it| {
            let id = it.suspend("a", 0);
            assert_eq!(it.keys_with(SECRET), ["run/id/a"]);
            close(&it, &id);
            assert_eq!(it.keys_with(SECRET), [""; 0], "{end}, {name}");
            let run = it.runs.get("a", 1).unwrap().unwrap();
            assert!(run.is_refused() && run.is_free(1));
            assert_eq!(run.input.payload.get(), "null");
            assert!(
                matches!(it.runs.claim("a", 9, 1).unwrap(), Resumption::Claimed(claim) if claim.record.is_refused())
            );
            assert!(matches!(it.runs.claim("a", 9, 1).unwrap(), Resumption::Standing(_)));
        });
    }
}

#[test]
fn a_run_that_is_approved_keeps_its_arguments() {
    each(|_, it| {
        let id = it.suspend("a", 0);
        it.approvals.decide(&id, &Decision::approved(), 1).unwrap();
        assert!(!it.approvals.cancel(&id, 2).unwrap());
        assert_eq!(it.keys_with(SECRET), ["run/id/a"]);
    });
}

/// The run waits only for its newest request.
#[test]
fn a_request_that_no_run_waits_for_takes_no_arguments() {
    each(|_, it| {
        let old = it.ask("a", None, 0);
        it.suspend("a", 0);
        assert!(it.approvals.cancel(&old, 1).unwrap());
        assert_eq!(it.keys_with(SECRET), ["run/id/a"]);
    });
}

#[test]
fn a_request_that_is_denied_before_its_run_is_kept_leaves_no_arguments() {
    each(|_, it| {
        let id = it.ask("a", Some(DAY), 0);
        it.approvals.decide(&id, &Decision::denied(), 0).unwrap();
        it.keep("a", &id, 1);
        assert_eq!(it.keys_with(SECRET), [""; 0]);
        assert!(it.runs.get("a", 1).unwrap().unwrap().is_refused());
    });
}

#[test]
fn a_run_whose_time_is_over_leaves_the_store_with_the_next_step() {
    type Next = fn(&Waiting);
    let late = 2 * DAY + 1;
    let steps: [(&str, Next); 4] = [
        ("asked for", |it| assert!(it.runs.get("a", 2 * DAY + 1).unwrap().is_none())),
        ("claimed", |it| {
            assert!(matches!(it.runs.claim("b", 9, 2 * DAY + 1).unwrap(), Resumption::Unknown));
        }),
        ("another kept", |it| it.keep("b", "r", 2 * DAY + 1)),
        ("forgotten", |it| assert!(!it.runs.forget("b", 2 * DAY + 1).unwrap())),
    ];
    for (name, step) in steps {
        each(|store, it| {
            let id = it.suspend("a", 0);
            it.approvals.decide(&id, &Decision::approved(), 1).unwrap();
            assert_eq!(it.keys_with(SECRET), ["run/id/a"]);
            step(&it);
            assert!(!it.keys_with("").contains(&"run/id/a".to_owned()), "{name}, {store}, {late}");
        });
    }
}

#[test]
fn a_settled_request_is_kept_for_a_month() {
    each(|name, it| {
        let denied = it.ask("a", None, 0);
        it.approvals.decide(&denied, &Decision::denied(), DAY).unwrap();
        let late = it.ask("b", Some(DAY), 0);
        let open = it.ask("c", None, 0);
        assert!(it.approvals.get(&denied, 31 * DAY).unwrap().is_some());
        assert_eq!(it.approvals.look(&late, 31 * DAY).unwrap(), Some(ApprovalStatus::Expired));
        assert_eq!(it.approvals.pending(None, 31 * DAY + 1).unwrap().len(), 1, "{name}");
        let left: Vec<_> =
            it.keys_with("").into_iter().filter(|key| !key.contains(&open)).collect();
        assert_eq!(left, [""; 0], "{name}");
        assert_eq!(it.keys_with(&open).len(), 4, "{name}: what is pending without an end stays");
    });
}

#[test]
fn a_program_says_for_how_long_a_settled_request_is_kept() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let approvals = Approvals::new(store).with_retention(10);
    let id = approvals
        .request(NewApproval { expires_at: Some(5), ..NewApproval::default() }, 0)
        .unwrap()
        .id;
    assert_eq!(approvals.look(&id, 15).unwrap(), Some(ApprovalStatus::Expired));
    assert_eq!(approvals.look(&id, 16).unwrap(), None);
}

/// A store in which another process acts just after the arguments, or the request, have been
/// stored.
fn racing(after: &'static str, step: fn(&Approvals, &str)) -> (Waiting, Waiting) {
    let inner: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let other = Approvals::new(Arc::clone(&inner));
    let act = Box::new(move |id: &str| step(&other, id));
    let store = HookedStore::new(Arc::clone(&inner), After::Put(after), act);
    (Waiting::new(&(Arc::new(store) as _)), Waiting::new(&inner))
}

#[test]
fn a_request_that_is_cancelled_while_it_is_made_leaves_no_arguments() {
    for expires_at in [None, Some(DAY)] {
        let (asking, other) = racing("approval/request/", |approvals, id| {
            assert!(
                approvals.arguments(id, 0).unwrap().is_some(),
                "whoever sees a request sees its arguments"
            );
            assert!(approvals.cancel(id, 0).unwrap());
        });
        let id = asking.ask("a", expires_at, 0);
        assert_eq!(other.approvals.look(&id, 0).unwrap(), Some(ApprovalStatus::Cancelled));
        assert!(other.approvals.arguments(&id, 0).unwrap().is_none());
        assert!(other.keys_with("private").is_empty(), "{expires_at:?}");
        // What leads to the request expires with its deadline and the retention.
        assert!(other.approvals.pending(None, 31 * DAY + 1).unwrap().is_empty());
        assert_eq!(other.keys_with(""), [""; 0], "{expires_at:?}: nothing stays for ever");
    }
}

/// A process that is killed between the two steps leaves arguments without a request for a short
/// time.
#[test]
fn arguments_without_a_request_expire() {
    for expires_at in [None, Some(DAY)] {
        let (asking, other) = racing("approval/detail/", |approvals, id| {
            assert!(approvals.get(id, 0).unwrap().is_none());
            assert!(approvals.arguments(id, 0).unwrap().is_some());
            assert!(approvals.arguments(id, DAY + 1).unwrap().is_none());
        });
        let id = asking.ask("a", expires_at, 0);
        assert_eq!(
            other.approvals.arguments(&id, DAY + 1).unwrap().is_none(),
            expires_at.is_some()
        );
    }
}

#[test]
fn a_request_whose_id_is_taken_leaves_the_arguments_of_the_other() {
    each(|_, it| {
        let ask = |id: &str, note: &str| {
            let detail =
                ApprovalDetail::new("t", &json!({"note": note}), None, &Redaction::default());
            let new = NewApproval {
                id: Some(id.to_owned()),
                detail: Some(detail),
                ..NewApproval::default()
            };
            it.approvals.request(new, 0).unwrap().id
        };
        let note =
            |id: &str| it.approvals.arguments(id, 0).unwrap().map(|whole| whole.get().to_owned());
        assert_eq!(ask("mine", "first"), "mine");
        let second = ask("mine", "second");
        assert_ne!(second, "mine");
        assert_eq!(note("mine").as_deref(), Some(r#"{"note":"first"}"#));
        assert_eq!(note(&second).as_deref(), Some(r#"{"note":"second"}"#));
        it.approvals.cancel("mine", 0).unwrap();
        assert_ne!(ask("mine", "third"), "mine");
        assert_eq!(
            note("mine"),
            None,
            "a closed request has no arguments, whoever asks for its id"
        );
        let waiter = it.approvals.get(&second, 0).unwrap().unwrap();
        assert_eq!(it.approvals.waiter(&waiter, 0).unwrap(), Waiter::Nobody);
    });
}
