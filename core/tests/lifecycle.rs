//! Every path of a run: the events, their order, and the end.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwire::ErrorKind;
use toolwire::lifecycle::{
    Answer, ApprovalDetail, ApprovalError, ApprovalStatus, Approvals, Decision, Execution, Moment,
    NewApproval, OutputFacts, RateLimit, Run, RunFailure, RunState, Settings, Step, UndoAnswer,
    UndoStep, Undoing,
};
use toolwire::redact::Redaction;
use toolwire::registry::ToolSpec;
use toolwire::store::MemoryStore;

/// The host's answers to the requests of a run.
#[derive(Clone)]
struct Host {
    permission: Answer,
    /// The permission of the caller after a person has approved.
    permission_again: Answer,
    arguments: Value,
    limit: Answer,
    approval: Vec<Answer>,
    /// The fingerprint of the run at the request for approval, and the one after it.
    fingerprints: (&'static str, &'static str),
    handler: Answer,
    undo: Answer,
    /// The step at which the run is abandoned.
    give_up_at: Option<usize>,
}

impl Default for Host {
    fn default() -> Self {
        Self {
            permission: Answer::Granted,
            permission_again: Answer::Granted,
            arguments: json!({}),
            limit: Answer::Granted,
            approval: vec![decided(true, None)],
            fingerprints: ("f", "f"),
            handler: Answer::Output(done()),
            undo: Answer::Done,
            give_up_at: None,
        }
    }
}

/// The steps of a run, one word each, and its events.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    steps: Vec<&'static str>,
    told: Vec<(&'static str, Value)>,
    /// The arguments that replace the payload.
    replaced: Option<String>,
    state: Option<RunState>,
    failure: Option<RunFailure>,
}

impl Trace {
    fn names(&self) -> Vec<&'static str> {
        self.told.iter().map(|(name, _)| *name).collect()
    }
}

fn decided(granted: bool, reason: Option<&str>) -> Answer {
    Answer::Decided { granted, reason: reason.map(str::to_owned), fingerprint: None }
}

fn raised(class: &str, message: &str) -> Answer {
    Answer::Raised { class: class.into(), message: message.into() }
}

fn done() -> OutputFacts {
    OutputFacts { success: true, has_data: true, ..OutputFacts::default() }
}

fn undoable() -> OutputFacts {
    OutputFacts { has_undo_metadata: true, ..done() }
}

fn tool() -> ToolSpec {
    ToolSpec::new("edit", "EDIT")
}

fn at(step: usize) -> Moment {
    let step = u64::try_from(step).unwrap();
    Moment {
        wall_us: 1_704_067_200_000_000 + i64::try_from(step).unwrap(),
        ticks_ns: step * 1_500_000,
    }
}

/// Drives a run to its end; if `carried`, saves and restores it between all steps.
fn drive(tool: &Arc<ToolSpec>, settings: Settings, host: &Host, carried: bool) -> Trace {
    let run = Run { behavior: Some("chat".into()), request_id: Some("r".into()), ..Run::new("a") };
    let mut execution = Execution::new(Arc::clone(tool), run, settings);
    let mut trace = Trace::default();
    let mut approval = host.approval.iter();
    let mut answer = Answer::Done;
    for count in 0.. {
        if carried {
            let saved = execution.save().unwrap();
            execution = Execution::restore(&saved, |_| Some(Arc::clone(tool))).unwrap();
        }
        if host.give_up_at == Some(count) {
            answer = Answer::Cancelled;
        }
        let (step, next) = match execution.advance(answer, at(count)).unwrap() {
            Step::Emit(event) => {
                trace.told.push((event.kind.slug(), event.to_json(&json!({"k": 1}))));
                ("emit", Answer::Done)
            }
            Step::CheckPermission { .. } if trace.steps.contains(&"await") => {
                ("permission again", host.permission_again.clone())
            }
            Step::CheckPermission { .. } => ("permission", host.permission.clone()),
            Step::CheckInput => ("input", Answer::Arguments(Arc::new(host.arguments.clone()))),
            Step::ReplaceArguments { arguments } => {
                trace.replaced = Some(arguments);
                ("replace", Answer::Done)
            }
            Step::CheckLimit => ("limit", host.limit.clone()),
            Step::RequestApproval { .. } => (
                "request",
                Answer::Requested {
                    request_id: "q".into(),
                    fingerprint: Some(host.fingerprints.0.into()),
                },
            ),
            Step::VerifyApproval => ("verify", Answer::Fingerprint(host.fingerprints.1.into())),
            Step::AwaitApproval { .. } => ("await", approval.next().unwrap().clone()),
            Step::CancelApproval { .. } => ("cancel", Answer::Done),
            Step::Run => ("run", host.handler.clone()),
            Step::StoreUndo => ("store undo", host.undo.clone()),
            Step::Finished(failure) => {
                trace.failure = failure;
                break;
            }
        };
        trace.steps.push(step);
        answer = next;
    }
    trace.state = Some(execution.state());
    trace
}

fn run(tool: ToolSpec, host: &Host) -> Trace {
    drive(&Arc::new(tool), Settings::default(), host, false)
}

#[test]
fn a_run_tells_its_events_with_their_fields_in_order() {
    let trace = run(tool(), &Host::default());
    assert_eq!(trace.names(), ["tool.invoked", "tool.started", "tool.completed"]);
    let told: Vec<String> = trace.told.iter().map(|(_, fields)| fields.to_string()).collect();
    let base = r#"{"tool_name":"edit","action_id":"a","pipeline_run_id":null,"request_id":"r","timestamp":"2024-01-01T00:00:00"#;
    assert_eq!(
        told[0],
        format!("{base}+00:00\",\"payload_summary\":{{\"k\":1}},\"behavior\":\"chat\"}}")
    );
    assert_eq!(told[1], format!("{base}.000001+00:00\"}}"));
    let output = r#""output_summary":{"success":true,"has_data":true,"has_error":false,"has_artifacts":false,"has_undo_metadata":false},"artifacts_count":0}"#;
    assert_eq!(told[2], format!("{base}.000003+00:00\",\"duration_ms\":1.5,{output}"));
    assert_eq!((trace.state, trace.failure), (Some(RunState::Completed), None));
}

#[test]
fn an_output_of_failure_completes_and_keeps_no_undo() {
    let facts = OutputFacts { has_error: true, success: false, ..undoable() };
    let host = Host { handler: Answer::Output(facts), ..Host::default() };
    let trace = run(ToolSpec { undoable: true, ..tool() }, &host);
    assert_eq!(trace.names(), ["tool.invoked", "tool.started", "tool.completed"]);
    assert!(!trace.steps.contains(&"store undo"));
}

#[test]
fn a_handler_that_raises_fails() {
    let host = Host { handler: raised("ValueError", "bad"), ..Host::default() };
    let trace = run(tool(), &host);
    assert_eq!(trace.names(), ["tool.invoked", "tool.started", "tool.failed"]);
    let (_, failed) = &trace.told[2];
    assert_eq!(
        (&failed["error_code"], &failed["error_message"]),
        (&json!("ValueError"), &json!("bad"))
    );
    assert_eq!(failed["duration_ms"], json!(1.5));
    assert_eq!(trace.state, Some(RunState::Failed));
}

#[test]
fn the_behaviour_is_checked_before_everything_else() {
    let tool = ToolSpec {
        allowed_behaviors: vec!["edit".into()],
        requires_approval: true,
        capability: Some("edit_posts".into()),
        ..tool()
    };
    let trace = run(tool, &Host::default());
    assert_eq!(trace.names(), ["tool.invoked", "tool.denied"]);
    assert_eq!(trace.steps, ["emit", "emit"]);
    assert_eq!(trace.told[1].1["reason"], json!("behavior_not_allowed"));
    assert_eq!(trace.told[1].1["allowed_behaviors"], json!(["edit"]));
    assert_eq!(trace.state, Some(RunState::Denied));
}

#[test]
fn the_checks_come_in_their_order_and_each_can_deny() {
    let schema = json!({"type": "object", "required": ["id"]});
    let tool = ToolSpec {
        capability: Some("edit_posts".into()),
        rate_limit: Some(RateLimit::new(1, 60_000_000).unwrap()),
        requires_approval: true,
        ..tool()
    };
    let tool = tool.with_schema(&schema).unwrap();
    let granted = Host { arguments: json!({"id": 1}), ..Host::default() };
    let trace = run(tool.clone(), &granted);
    let before = ["emit", "input", "permission", "limit", "request", "emit", "await"];
    let after = ["emit", "verify", "permission again", "emit", "run", "emit"];
    assert_eq!(trace.steps, [before.as_slice(), after.as_slice()].concat());

    let refused =
        Host { permission: Answer::Refused { reason: "not yours".into() }, ..granted.clone() };
    let limited = Host { limit: Answer::Limited { retry_after_ms: 1500 }, ..granted.clone() };
    for (host, reason, message) in [
        (refused, "permission_denied", "Tool 'edit' denied: not yours"),
        (
            Host::default(),
            "invalid_input",
            "Tool 'edit' denied: invalid input: /: \"id\" is a required property",
        ),
        (limited, "rate_limited", "Tool 'edit' denied: rate limited, try again in 1.500 s"),
    ] {
        let trace = run(tool.clone(), &host);
        assert_eq!(trace.names(), ["tool.invoked", "tool.denied"]);
        assert_eq!(trace.told[1].1["reason"], json!(reason));
        let failure = trace.failure.unwrap();
        assert_eq!((failure.code().slug(), failure.message("edit")), (reason, message.to_owned()));
        assert_eq!(trace.state, Some(RunState::Denied));
    }
}

#[test]
fn arguments_that_do_not_match_are_refused_before_the_caller_is_looked_at() {
    let tool = ToolSpec { capability: Some("edit_posts".into()), ..tool() };
    let tool = tool.with_schema(&json!({"required": ["id"]})).unwrap();
    let host =
        Host { permission: Answer::Refused { reason: "not yours".into() }, ..Host::default() };
    let trace = run(tool, &host);
    assert_eq!(trace.steps, ["emit", "input", "emit"]);
    assert_eq!(trace.failure.map(|failure| failure.code().slug()), Some("invalid_input"));
}

#[test]
fn an_integral_float_is_an_integer_before_the_caller_is_looked_at() {
    let tool = ToolSpec { capability: Some("edit_posts".into()), ..tool() };
    let tool = tool.with_schema(&json!({"properties": {"post_id": {"type": "integer"}}})).unwrap();
    let arguments = serde_json::from_str(r#"{"post_id":5.0,"n":5.0}"#).unwrap();
    let trace = run(tool.clone(), &Host { arguments, ..Host::default() });
    assert_eq!(trace.steps, ["emit", "input", "replace", "permission", "emit", "run", "emit"]);
    assert_eq!(trace.replaced.as_deref(), Some(r#"{"post_id":5,"n":5.0}"#));
    let trace = run(tool, &Host { arguments: json!({"post_id": 5}), ..Host::default() });
    assert!(!trace.steps.contains(&"replace"));
}

#[test]
fn what_changed_since_it_was_approved_does_not_run() {
    let tool = ToolSpec { requires_approval: true, ..tool() };
    let trace = run(tool.clone(), &Host { fingerprints: ("f", "g"), ..Host::default() });
    let names = ["tool.invoked", "approval.requested", "approval.decided", "tool.denied"];
    assert_eq!(trace.names(), names);
    assert_eq!(trace.told[3].1["reason"], json!("changed_since"));
    let failure = RunFailure::ChangedSince { request_id: "q".into() };
    assert_eq!((trace.failure, trace.state), (Some(failure), Some(RunState::Denied)));

    // The fingerprint that the person saw decides, not the requested one.
    let seen = |fingerprint: &str| Answer::Decided {
        granted: true,
        reason: None,
        fingerprint: Some(fingerprint.into()),
    };
    let later = Host { fingerprints: ("f", "g"), approval: vec![seen("g")], ..Host::default() };
    assert_eq!(run(tool.clone(), &later).state, Some(RunState::Completed));
    let stale = Host { fingerprints: ("f", "f"), approval: vec![seen("g")], ..Host::default() };
    assert_eq!(
        run(tool, &stale).failure.map(|failure| failure.code().slug()),
        Some("changed_since")
    );
}

#[test]
fn a_person_may_deny_what_changed_meanwhile() {
    let approvals = Approvals::new(Arc::new(MemoryStore::default()));
    let detail = ApprovalDetail::new("edit", &json!({"id": 1}), None, &Redaction::default());
    let new = NewApproval { action_id: "a".into(), detail: Some(detail), ..NewApproval::default() };
    let id = approvals.request(new, 0).unwrap().id;
    let seen = |decision| Decision { fingerprint: Some("old".into()), ..decision };
    let refused = approvals.decide(&id, &seen(Decision::approved()), 1).unwrap_err();
    assert!(matches!(refused, ApprovalError::ChangedSince { .. }), "{refused:?}");
    let denied = approvals.decide(&id, &seen(Decision::denied()), 1).unwrap();
    assert_eq!(denied.status, ApprovalStatus::Denied);
}

#[test]
fn a_caller_who_may_no_longer_is_refused_after_the_approval() {
    let tool = ToolSpec {
        requires_approval: true,
        capability: Some("edit_posts".into()),
        undoable: true,
        ..tool()
    };
    for (answer, state) in [
        (Answer::Refused { reason: "gone".into() }, RunState::Denied),
        (raised("E", "no"), RunState::Failed),
    ] {
        let trace = run(tool.clone(), &Host { permission_again: answer, ..Host::default() });
        assert!(!trace.steps.contains(&"run"), "{trace:?}");
        assert_eq!(trace.state, Some(state));
    }
}

#[test]
fn a_run_that_was_kept_without_a_fingerprint_goes_on_only_for_a_decision_with_one() {
    let tool = Arc::new(ToolSpec { requires_approval: true, ..tool() });
    let saved = concat!(
        r#"{"version":1,"action_type":"EDIT","run":{"action_id":"a","behavior":null,"pipeline_run_id":null,"#,
        r#""request_id":null},"settings":{"emit_events":false,"ask_approval":true,"approval_timeout_ms":60000,"#,
        r#""store_undo":true,"ask_permission":false},"phase":{"at":"awaiting_approval","request_id":"q"}}"#
    );
    let restored = || Execution::restore(saved, |_| Some(Arc::clone(&tool))).unwrap();
    let mut execution = restored();
    assert_eq!(execution.awaited_approval(), Some("q"));
    let seen = Answer::Decided { granted: true, reason: None, fingerprint: Some("f".into()) };
    assert_eq!(execution.advance(seen, at(0)).unwrap(), Step::VerifyApproval);
    assert_eq!(execution.advance(Answer::Fingerprint("f".into()), at(0)).unwrap(), Step::Run);

    let mut execution = restored();
    assert_eq!(execution.advance(decided(true, None), at(0)).unwrap(), Step::VerifyApproval);
    let failure = RunFailure::ChangedSince { request_id: "q".into() };
    let ended = execution.advance(Answer::Fingerprint("f".into()), at(0)).unwrap();
    assert_eq!(ended, Step::Finished(Some(failure)));

    let mut execution = restored();
    let denied = execution.advance(decided(false, None), at(0)).unwrap();
    assert!(matches!(denied, Step::Finished(Some(RunFailure::ApprovalDenied { .. }))));
}

#[test]
fn approval_is_waited_for_and_decides() {
    let tool = ToolSpec { requires_approval: true, ..tool() };
    let approval = |granted, reason| vec![Answer::Done, Answer::Done, decided(granted, reason)];
    let trace = run(tool.clone(), &Host { approval: approval(true, None), ..Host::default() });
    let names = [
        "tool.invoked",
        "approval.requested",
        "approval.decided",
        "tool.started",
        "tool.completed",
    ];
    assert_eq!(trace.names(), names);
    assert_eq!(trace.told[1].1["request_id"], json!("q"));
    assert_eq!(trace.told[2].1["decision"], json!("approved"));

    let trace = run(tool.clone(), &Host { approval: approval(false, None), ..Host::default() });
    assert_eq!(trace.names(), ["tool.invoked", "approval.requested", "approval.decided"]);
    let failure =
        RunFailure::ApprovalDenied { request_id: "q".into(), reason: "user_denied".into() };
    assert_eq!((trace.failure, trace.state), (Some(failure), Some(RunState::Denied)));

    let trace = run(tool, &Host { approval: vec![Answer::TimedOut], ..Host::default() });
    assert_eq!(trace.names(), ["tool.invoked", "approval.requested", "tool.denied"]);
    assert_eq!(trace.told[2].1["reason"], json!("approval_timeout"));
}

#[test]
fn undo_data_that_cannot_be_kept_is_told_and_the_run_completes() {
    let tool = ToolSpec { undoable: true, ..tool() };
    let host = Host {
        handler: Answer::Output(undoable()),
        undo: raised("StoreError", "full"),
        ..Host::default()
    };
    let trace = run(tool, &host);
    assert_eq!(
        trace.names(),
        ["tool.invoked", "tool.started", "tool.completed", "tool.undo_store_failed"]
    );
    assert_eq!((trace.state, trace.failure), (Some(RunState::Completed), None));
}

#[test]
fn a_check_that_cannot_be_made_fails_the_run() {
    let tool = ToolSpec {
        capability: Some("edit_posts".into()),
        rate_limit: Some(RateLimit::new(1, 60_000_000).unwrap()),
        requires_approval: true,
        ..tool()
    };
    let raised = raised("StoreError", "locked");
    let granted = Host::default();
    for host in [
        Host { permission: raised.clone(), ..granted.clone() },
        Host { limit: raised.clone(), ..granted.clone() },
        Host { approval: vec![raised], ..granted },
    ] {
        let trace = run(tool.clone(), &host);
        assert_eq!(trace.told.last().map(|(name, _)| *name), Some("tool.failed"));
        assert!(!trace.steps.contains(&"run"));
        assert_eq!(trace.state, Some(RunState::Failed));
    }
}

#[test]
fn settings_silence_events_and_skip_approval_and_undo() {
    let tool = Arc::new(ToolSpec { undoable: true, requires_approval: true, ..tool() });
    let settings = Settings {
        emit_events: false,
        ask_approval: false,
        store_undo: false,
        ..Settings::default()
    };
    let trace = drive(
        &tool,
        settings,
        &Host { handler: Answer::Output(undoable()), ..Host::default() },
        false,
    );
    assert_eq!(trace.steps, ["run"]);
}

#[test]
fn a_run_that_is_given_up_says_so_once() {
    let asked = Arc::new(ToolSpec { requires_approval: true, undoable: true, ..tool() });
    for step in 0..10 {
        let host =
            Host { give_up_at: Some(step), handler: Answer::Output(undoable()), ..Host::default() };
        let trace = drive(&asked, Settings::default(), &host, false);
        let cancelled = trace.names().iter().filter(|name| **name == "tool.cancelled").count();
        let completed = trace.names().contains(&"tool.completed");
        assert_eq!(cancelled, usize::from(!completed), "{trace:?}");
        let state = if completed { RunState::Completed } else { RunState::Cancelled };
        assert_eq!(trace.state, Some(state), "given up at step {step}");
        // A recorded request is withdrawn, and a decided request is left unchanged.
        assert_eq!(
            trace.steps.contains(&"cancel"),
            step == 3 || step == 4,
            "given up at step {step}"
        );
    }
}

#[test]
fn a_wrong_answer_changes_nothing() {
    let mut execution = Execution::new(Arc::new(tool()), Run::new("a"), Settings::default());
    let first = format!("{:?}", execution.advance(Answer::Done, at(0)).unwrap());
    assert!(first.contains("Invoked"));
    let error = execution.advance(Answer::TimedOut, at(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedAnswer);
    assert_eq!(error.to_string(), "timed out is no answer to the run's last step");
    let second = format!("{:?}", execution.advance(Answer::Done, at(2)).unwrap());
    assert!(second.contains("Started"));
}

#[test]
fn what_is_no_saved_run_is_refused() {
    let saved =
        Execution::new(Arc::new(tool()), Run::new("a"), Settings::default()).save().unwrap();
    let newer = saved.replace("\"version\":2", "\"version\":3");
    for (text, known) in [("", true), ("{}", true), (newer.as_str(), true), (saved.as_str(), false)]
    {
        let error = Execution::restore(text, |_| known.then(|| Arc::new(tool()))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidExecution);
    }
}

#[test]
fn an_undoing_forgets_what_is_undone_and_releases_what_is_not() {
    for (answer, steps, told) in [
        (UndoAnswer::Done, ["run", "emit", "forget"], "tool.undone"),
        (
            UndoAnswer::Raised { class: "E".into(), message: "no".into() },
            ["run", "emit", "release"],
            "tool.undo_failed",
        ),
    ] {
        let mut undoing = Undoing::new(Arc::new(tool()), Run::new("a"), "then", true);
        let (mut taken, mut names, mut next) = (Vec::new(), Vec::new(), UndoAnswer::Done);
        loop {
            let step = undoing.advance(next, Moment::default()).unwrap();
            next = UndoAnswer::Done;
            taken.push(match step {
                UndoStep::Run => {
                    next = answer.clone();
                    "run"
                }
                UndoStep::Emit(event) => {
                    names.push(event.kind.slug());
                    "emit"
                }
                UndoStep::Forget => "forget",
                UndoStep::Release => "release",
                UndoStep::Finished(failed) => {
                    assert_eq!(failed.is_some(), answer != UndoAnswer::Done);
                    break;
                }
            });
        }
        assert_eq!((taken, names), (steps.to_vec(), vec![told]));
    }
}

proptest! {
    /// For any request of a tool and any answer of a host, a run ends and reports at most one end.
    /// Saving and restoring it between any two steps changes nothing.
    #[test]
    fn a_run_that_is_carried_over_is_the_same(
        flags in prop::array::uniform6(any::<bool>()),
        granted in any::<bool>(),
        raises in any::<bool>(),
        waits in 0_usize..3,
        give_up_at in prop::option::of(0_usize..14),
    ) {
        let [approval, undo, capability, limit, silent, schema] = flags;
        let tool = ToolSpec {
            requires_approval: approval,
            undoable: undo,
            capability: capability.then(|| "c".into()),
            rate_limit: limit.then(|| RateLimit::new(1, 1_000_000).unwrap()),
            ..tool()
        };
        let tool = Arc::new(if schema { tool.with_schema(&json!({"type": "object"})).unwrap() } else { tool });
        let mut answers = vec![Answer::Done; waits];
        answers.push(decided(granted, Some("r")));
        answers.push(Answer::TimedOut);
        let handler =
            if raises { raised("E", "m") } else { Answer::Output(undoable()) };
        let host = Host { approval: answers, handler, give_up_at, ..Host::default() };
        let settings = Settings { emit_events: !silent, ..Settings::default() };
        let give_up = give_up_at.unwrap_or(usize::MAX);
        let straight = drive(&tool, settings.clone(), &host, false);
        let carried = drive(&tool, settings, &host, true);
        prop_assert_eq!(&straight, &carried);
        let ends = ["tool.completed", "tool.failed", "tool.denied", "tool.cancelled"];
        let ended = straight.names().iter().filter(|name| ends.contains(name)).count();
        prop_assert!(ended <= 1);
        prop_assert!(silent == straight.told.is_empty());
        prop_assert!(straight.state != Some(RunState::Running) && straight.state != Some(RunState::PendingApproval));
        prop_assert!(give_up > 0 || silent || straight.names() == ["tool.cancelled"]);
    }
}
