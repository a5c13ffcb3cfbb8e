//! How runs stand: approved, denied, expired, undone, and which of them begin again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use toolwire::executor::{Action, Executor, Fault, Tool, ToolInput, ToolOutput, clock};
use toolwire::lifecycle::{Decision, Page, RunFailure, RunState, Settings, UndoData};
use toolwire::registry::ToolSpec;
use toolwire::store::Store;

use crate::stores;

/// Counts how often it ran, and gives its key.
#[derive(Clone, Default)]
struct Wipe(Arc<AtomicUsize>);

impl Tool for Wipe {
    fn run(&self, input: &ToolInput) -> Result<ToolOutput, Fault> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::ok(input.idempotency_key()).with_undo(1))
    }

    fn undo(&self, _: &UndoData) -> Result<(), Fault> {
        Ok(())
    }
}

fn wipe() -> Action {
    Action::new("call_1", "wipe", json!({"disk": 7}))
}

fn executor(store: &Arc<dyn Store>, tool: &Wipe, approval_timeout_ms: u64) -> Executor {
    let settings = Settings { approval_timeout_ms, ..Settings::default() };
    let mut executor = Executor::new(Arc::clone(store), settings);
    let spec = ToolSpec {
        requires_approval: true,
        undoable: true,
        ..ToolSpec::new("wipe").with_id("WIPE")
    };
    executor.register(spec, tool.clone()).unwrap();
    executor
}

fn state(executor: &Executor, id: &str) -> RunState {
    executor.get(id).unwrap().unwrap().state
}

fn key(executor: &Executor, id: &str) -> String {
    let record = executor.services().runs.get(id, clock::now()).unwrap().unwrap();
    record.input.run.idempotency_key().to_owned()
}

fn decide(executor: &Executor, approval: Option<&str>, decision: &Decision) {
    executor.approvals().decide(approval.unwrap(), decision, clock::now()).unwrap();
}

fn code(result: Result<toolwire::executor::ToolRun, Fault>) -> String {
    result.unwrap_err().to_string()
}

/// Calls a test with an executor over each kind of store, and with its tool.
fn each(approval_timeout_ms: u64, test: impl Fn(&str, &Executor, &Wipe)) {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let tool = Wipe::default();
        test(name, &executor(&store, &tool, approval_timeout_ms), &tool);
    }
}

#[test]
fn an_approved_run_is_taken_up_and_undone() {
    each(60_000, |name, executor, tool| {
        let run = executor.start(&wipe()).unwrap();
        let as_it_stands = executor.start_again(&wipe()).unwrap();
        assert_eq!((as_it_stands.id, as_it_stands.state), (run.id.clone(), RunState::Waiting));
        decide(executor, run.approval_id.as_deref(), &Decision::approved());
        assert_eq!(state(executor, &run.id), RunState::Approved, "{name}");
        assert_eq!(executor.start(&wipe()).unwrap().state, RunState::Approved, "{name}");
        assert_eq!(executor.start_again(&wipe()).unwrap().state, RunState::Approved, "{name}");
        assert_eq!(executor.waiting(Page::default()).unwrap().len(), 1, "{name}");
        assert_eq!(tool.0.load(Ordering::SeqCst), 0, "{name}");

        let ended = executor.resume(&run.id).unwrap().unwrap();
        assert_eq!(ended.state, RunState::Completed, "{name}");
        assert!(code(executor.start_again(&wipe())).contains("is completed; only a run that was"));
        assert!(executor.undo(&run.id).unwrap(), "{name}");
        let undone = executor.start(&wipe()).unwrap();
        assert_eq!((undone.state, undone.output), (RunState::Undone, ended.output), "{name}");
        assert!(code(executor.start_again(&wipe())).contains("is undone; only a run that was"));
        assert!(!executor.undo(&run.id).unwrap(), "{name}");
        assert_eq!(tool.0.load(Ordering::SeqCst), 1, "{name}");
    });
}

#[test]
fn a_denied_run_says_why_at_once_and_begins_again_with_its_key() {
    each(60_000, |name, executor, tool| {
        let run = executor.start(&wipe()).unwrap();
        let first_key = key(executor, &run.id);
        let no = Decision { reason: Some("not now".to_owned()), ..Decision::denied() };
        decide(executor, run.approval_id.as_deref(), &no);
        let request_id = run.approval_id.clone().unwrap();
        let failure = Some(RunFailure::ApprovalDenied { request_id, reason: "not now".to_owned() });
        let stands = executor.get(&run.id).unwrap().unwrap();
        assert_eq!((stands.state, &stands.failure), (RunState::Denied, &failure), "{name}");

        let again = executor.start_again(&wipe()).unwrap();
        assert_eq!((&again.id, again.state), (&run.id, RunState::Waiting), "{name}");
        assert_ne!(again.approval_id, run.approval_id, "{name}");
        assert_eq!(executor.waiting(Page::default()).unwrap().len(), 1, "{name}");

        decide(executor, again.approval_id.as_deref(), &no);
        let ended = executor.resume(&run.id).unwrap().unwrap();
        assert_eq!(ended.state, RunState::Denied, "{name}");
        assert!(executor.waiting(Page::default()).unwrap().is_empty(), "{name}");
        let third = executor.start_again(&wipe()).unwrap();
        decide(executor, third.approval_id.as_deref(), &Decision::approved());
        let ended = executor.resume(&run.id).unwrap().unwrap();
        assert_eq!(ended.output.unwrap().data, Some(json!(first_key)), "{name}");
        assert_eq!(tool.0.load(Ordering::SeqCst), 1, "{name}");
    });
}

#[test]
fn a_run_that_nobody_decided_on_has_expired_and_begins_again() {
    each(1, |name, executor, tool| {
        let run = executor.start(&wipe()).unwrap();
        thread::sleep(Duration::from_millis(5));
        let stands = executor.get(&run.id).unwrap().unwrap();
        assert_eq!(stands.state, RunState::Expired, "{name}");
        let Some(RunFailure::ApprovalTimeout { request_id, timeout_ms: 1 }) = stands.failure else {
            panic!("{name}: {:?}", stands.failure)
        };
        assert_eq!(Some(request_id), run.approval_id, "{name}");
        let again = executor.start_again(&wipe()).unwrap();
        assert_ne!(again.approval_id, run.approval_id, "{name}");
        thread::sleep(Duration::from_millis(5));
        assert_eq!(executor.resume(&run.id).unwrap().unwrap().state, RunState::Expired, "{name}");
        assert_eq!(state(executor, &run.id), RunState::Expired, "{name}");
        let third = executor.start_again(&wipe()).unwrap();
        assert!(matches!(third.state, RunState::Waiting | RunState::Expired), "{name}: {third:?}");
        assert_eq!(tool.0.load(Ordering::SeqCst), 0, "{name}");
    });
}

#[test]
fn of_many_who_begin_a_run_again_one_does() {
    each(60_000, |name, executor, _| {
        let run = executor.start(&wipe()).unwrap();
        decide(executor, run.approval_id.as_deref(), &Decision::denied());
        let approvals = thread::scope(|scope| {
            let begin = || executor.start_again(&wipe()).unwrap().approval_id;
            let all: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
        });
        let pending = executor.approvals().pending(None, clock::now()).unwrap();
        assert_eq!(pending.len(), 1, "{name}");
        // Whoever came second may have seen the run before its request was written.
        let asked = |approval: &Option<String>| {
            approval.is_none() || approval.as_deref() == Some(pending[0].id.as_str())
        };
        assert!(approvals.iter().all(asked), "{name}: {approvals:?}");
        assert_eq!(executor.waiting(Page::default()).unwrap().len(), 1, "{name}");
    });
}
