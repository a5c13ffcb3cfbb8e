//! The executor of a Rust program, over each store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwire::Detector;
use toolwire::executor::{Action, Executor, Fault, Tool, ToolInput, ToolOutput, clock};
use toolwire::lifecycle::{
    Begun, CallName, Decision, EventKind, Naming, NewRun, Page, RateLimit, Resumption, Run,
    RunFailure, RunState, RunTool, Runs, Settings, UndoData, fingerprint, run_id,
};
use toolwire::registry::{ToolLimits, ToolSpec};
use toolwire::store::{MemoryStore, Store};

use crate::{at, stores};

/// Counts how often its handler ran, and gives the arguments back.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

impl Tool for Counter {
    fn run(&self, input: &ToolInput) -> Result<ToolOutput, Fault> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ToolOutput::ok((*input.arguments).clone()).with_undo("old"))
    }

    fn undo(&self, data: &UndoData) -> Result<(), Fault> {
        assert_eq!(data.undo_data.get(), r#""old""#);
        self.0.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }
}

impl Counter {
    fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn risky(name: &str) -> ToolSpec {
    ToolSpec { requires_approval: true, ..ToolSpec::new(name).with_id(name.to_uppercase()) }
}

/// An executor as each process of a program makes it.
fn process(store: &Arc<dyn Store>, counter: &Counter) -> Executor {
    let mut executor = Executor::new(Arc::clone(store), Settings::default());
    executor.register(risky("wipe"), counter.clone()).unwrap();
    let edit = ToolSpec { undoable: true, ..ToolSpec::new("edit").with_id("EDIT") };
    executor.register(edit, counter.clone()).unwrap();
    executor
}

fn approve(executor: &Executor, approval_id: Option<&str>) {
    executor.approvals().decide(approval_id.unwrap(), &Decision::approved(), clock::now()).unwrap();
}

#[test]
fn another_process_goes_on_after_the_decision_and_the_handler_runs_once() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let counter = Counter::default();
        let wipe = Action::new("call_1", "wipe", json!({"disk": 7}));
        let first = process(&store, &counter);
        let run = first.start(&wipe).unwrap();
        assert_eq!((run.state, counter.times()), (RunState::Waiting, 0), "{name}");
        drop(first);

        let second = process(&store, &counter);
        assert_eq!(second.start(&wipe).unwrap().id, run.id, "{name}: the same call, the same run");
        assert_eq!(second.waiting(Page::default()).unwrap().len(), 1, "{name}");
        approve(&second, run.approval_id.as_deref());
        assert_eq!(second.get(&run.id).unwrap().unwrap().state, RunState::Approved, "{name}");
        let ended = second.resume(&run.id).unwrap().unwrap();
        assert_eq!(ended.state, RunState::Completed, "{name}");
        assert_eq!(ended.output.unwrap().data, Some(json!({"disk": 7})), "{name}");

        let again = process(&store, &counter);
        assert_eq!(again.resume(&run.id).unwrap().unwrap().state, RunState::Completed, "{name}");
        assert_eq!(again.start(&wipe).unwrap().output.unwrap().data, Some(json!({"disk": 7})));
        assert_eq!(
            (counter.times(), again.waiting(Page::default()).unwrap().len()),
            (1, 0),
            "{name}"
        );
        assert!(again.forget(&run.id).unwrap() && again.get(&run.id).unwrap().is_none());
    }
}

#[test]
fn a_denied_call_and_another_call_with_its_id_do_not_run() {
    let (store, counter) = (Arc::new(MemoryStore::default()) as Arc<dyn Store>, Counter::default());
    let executor = process(&store, &counter);
    let run = executor.start(&Action::new("call_1", "wipe", json!({"disk": 7}))).unwrap();
    let other = executor.start(&Action::new("call_1", "wipe", json!({"disk": 8}))).unwrap();
    assert_eq!((other.state, other.failure), (RunState::Denied, Some(RunFailure::CallIdReused)));

    let approval = run.approval_id.unwrap();
    executor.approvals().decide(&approval, &Decision::denied(), clock::now()).unwrap();
    let denied = executor.resume(&run.id).unwrap().unwrap();
    assert_eq!(denied.state, RunState::Denied);
    assert!(matches!(denied.failure, Some(RunFailure::ApprovalDenied { .. })));
    assert_eq!(counter.times(), 0);
}

#[test]
fn many_threads_run_a_call_once() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let counter = Counter::default();
        let run =
            process(&store, &counter).start(&Action::new("call_1", "wipe", json!({}))).unwrap();
        approve(&process(&store, &counter), run.approval_id.as_deref());
        let states = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let executor = process(&store, &counter);
                    let state = executor.resume(&run.id).unwrap().unwrap().state;
                    states.lock().unwrap().push(state);
                });
            }
        });
        assert_eq!(counter.times(), 1, "{name}");
        let states = states.into_inner().unwrap();
        let fit = [RunState::Completed, RunState::Running, RunState::Waiting];
        assert!(states.iter().all(|state| fit.contains(state)), "{name}: {states:?}");
    }
}

#[test]
fn a_detected_call_runs_in_one_step() {
    let (store, counter) = (Arc::new(MemoryStore::default()) as Arc<dyn Store>, Counter::default());
    let executor = process(&store, &counter);
    let text = br#"<tool:edit>{"title":"New"}</tool>"#;
    let detection = Detector::default().detect(text);
    let run = executor.execute(&Action::of(&detection, &detection.calls[0])).unwrap();
    assert_eq!(run.output.unwrap().data, Some(json!({"title": "New"})));
    assert!(executor.undo(&run.id).unwrap() && !executor.undo(&run.id).unwrap());
    assert_eq!(counter.times(), 0);
    let unknown = executor.execute(&Action::new("", "none", Value::Null)).unwrap();
    assert_eq!(
        (unknown.state, unknown.failure),
        (RunState::Failed, Some(RunFailure::ToolNotFound))
    );
}

#[test]
fn what_the_program_raises_is_in_the_run() {
    let mut executor = Executor::new(Arc::new(MemoryStore::default()), Settings::default());
    let fails = |_: &ToolInput| -> Result<ToolOutput, Fault> { Err("no disk".into()) };
    executor.register(ToolSpec::new("fail").with_id("FAIL"), fails).unwrap();
    let panics = |_: &ToolInput| -> Result<ToolOutput, Fault> { panic!("at the disk") };
    executor.register(ToolSpec::new("panic").with_id("PANIC"), panics).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let told_here = Arc::clone(&told);
    executor.listen(move |event| told_here.lock().unwrap().push(event.kind));
    executor.listen(|_| panic!("a listener"));

    for (tool, class, message) in
        [("fail", "error", "no disk"), ("panic", "panic", "the program panicked: at the disk")]
    {
        let run = executor.start(&Action::new(tool, tool, json!({}))).unwrap();
        let raised = RunFailure::Raised { class: class.into(), message: message.into() };
        assert_eq!((run.state, run.failure), (RunState::Failed, Some(raised.clone())));
        assert_eq!(run.cause.unwrap().to_string(), message);
        let stored = executor.get(&run.id).unwrap().unwrap();
        assert_eq!((stored.state, stored.failure), (RunState::Failed, Some(raised)));
    }
    assert_eq!(told.lock().unwrap().last(), Some(&EventKind::Failed));
}

#[test]
fn a_policy_a_limit_and_a_schema_hold() {
    let counter = Counter::default();
    let mut executor = Executor::new(Arc::new(MemoryStore::default()), Settings::default());
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let limited = ToolSpec {
        limits: ToolLimits { rate: RateLimit::new(1, 60_000_000).ok(), ..ToolLimits::default() },
        ..ToolSpec::new("count").with_id("COUNT").with_schema(&schema).unwrap()
    };
    executor.register(limited, counter.clone()).unwrap();
    executor.set_policy(|input, _| match input.run.mode.as_deref() {
        Some("guest") => Err("guests may not".into()),
        _ => Ok(()),
    });
    let run = |arguments, mode: &str| {
        let action = Action::new("", "count", arguments);
        executor.execute(&Action { mode: Some(mode.into()), ..action }).unwrap().failure
    };
    assert!(matches!(run(json!({"n": "x"}), ""), Some(RunFailure::InvalidInput { .. })));
    let refused = RunFailure::PermissionDenied { reason: "guests may not".into() };
    assert_eq!(run(json!({"n": 1}), "guest"), Some(refused));
    assert_eq!(run(json!({"n": 1}), ""), None);
    assert!(matches!(run(json!({"n": 1}), ""), Some(RunFailure::RateLimited { .. })));
    assert_eq!(counter.times(), 1);
}

#[test]
fn an_interrupted_run_goes_on_only_after_a_decision() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let counter = Counter::default();
        let executor = process(&store, &counter);
        let (runs, long_ago) = (&executor.services().runs, clock::now() - 10 * Runs::LEASE);
        let arguments = json!({"title": "New"});
        let new = NewRun {
            run: Run::new(run_id(&CallName::new("call_1"))),
            named: Naming::Call,
            caller: String::new(),
            tool: RunTool { name: "edit".into(), id: "EDIT".into() },
            call: fingerprint("EDIT", &arguments, None),
            payload: RawValue::from_string(arguments.to_string()).unwrap(),
        };
        let Begun::Mine(claim) = runs.begin(new, 1, long_ago).unwrap() else { panic!() };
        assert!(runs.start(&claim, 1, at(long_ago)).unwrap());
        // The process ended here.

        let edit = Action::new("call_1", "edit", arguments.clone());
        let run = executor.start(&edit).unwrap();
        assert_eq!((run.state, counter.times()), (RunState::Interrupted, 0), "{name}");
        let resumed = executor.resume(&run.id).unwrap().unwrap();
        assert_eq!((resumed.state, counter.times()), (RunState::Interrupted, 0), "{name}");
        assert_eq!(executor.retry(&run.id).unwrap().state, RunState::Approved, "{name}");
        assert_eq!(executor.retry(&run.id).unwrap_err().slug(), "not_interrupted", "{name}");
        let ended = executor.resume(&run.id).unwrap().unwrap();
        assert_eq!(ended.output.unwrap().data, Some(arguments), "{name}");
        assert_eq!(counter.times(), 1, "{name}");
    }
}

#[test]
fn who_lost_its_run_is_given_it_as_it_stands() {
    let folder = TempDir::new().unwrap();
    for (name, store) in stores(&folder) {
        let counter = Counter::default();
        let mut executor = process(&store, &counter);
        let robbed = Arc::clone(&store);
        // Right before the handler starts, the lease of this process has run out and another
        // process takes the run up.
        executor.listen(move |event| {
            if event.kind == EventKind::Started {
                let later = clock::now() + 2 * Runs::LEASE;
                let id = run_id(&CallName::new("call_1"));
                let claim = Runs::new(Arc::clone(&robbed)).claim(&id, Runs::LEASE, later);
                assert!(matches!(claim, Ok(Resumption::Claimed(_))), "{claim:?}");
            }
        });
        let run = executor.start(&Action::new("call_1", "edit", json!({}))).unwrap();
        assert_eq!((run.state, run.failure, counter.times()), (RunState::Running, None, 0));
        assert_eq!(executor.get(&run.id).unwrap().unwrap().state, RunState::Running, "{name}");
    }
}
