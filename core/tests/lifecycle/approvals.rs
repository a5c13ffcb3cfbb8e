//! Runs that wait for a person, and what holds after the approval.

use std::sync::Arc;

use serde_json::json;
use toolwire::lifecycle::{
    Answer, ApprovalDetail, ApprovalError, ApprovalStatus, Approvals, Decision, Execution,
    NewApproval, RunFailure, RunState, Step,
};
use toolwire::redact::Redaction;
use toolwire::registry::ToolSpec;
use toolwire::store::MemoryStore;

use crate::{Host, at, decided, raised, run, tool};

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
    let new = NewApproval { run_id: "a".into(), detail: Some(detail), ..NewApproval::default() };
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
