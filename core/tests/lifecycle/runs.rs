//! Runs: the checks before the handler, its output, and runs that are given up.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use toolwire::ErrorKind;
use toolwire::lifecycle::{Answer, Execution, OutputFacts, RateLimit, Run, RunState, Settings};
use toolwire::registry::{ToolLimits, ToolSpec};

use crate::{Host, at, decided, drive, raised, run, tool, undoable};

fn limits(rate: Option<RateLimit>) -> ToolLimits {
    ToolLimits { rate, ..ToolLimits::default() }
}

#[test]
fn a_run_tells_its_events_with_their_fields_in_order() {
    let trace = run(tool(), &Host::default());
    assert_eq!(trace.names(), ["tool.invoked", "tool.started", "tool.completed"]);
    let told: Vec<String> = trace.told.iter().map(|(_, fields)| fields.to_string()).collect();
    let base = r#"{"tool_name":"edit","run_id":"a","parent_id":null,"request_id":"r","timestamp":"2024-01-01T00:00:00"#;
    assert_eq!(
        told[0],
        format!("{base}+00:00\",\"payload_summary\":{{\"k\":1}},\"mode\":\"chat\"}}")
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
fn the_mode_is_checked_before_everything_else() {
    let tool = ToolSpec {
        allowed_modes: vec!["edit".into()],
        requires_approval: true,
        capability: Some("edit_posts".into()),
        ..tool()
    };
    let trace = run(tool, &Host::default());
    assert_eq!(trace.names(), ["tool.invoked", "tool.denied"]);
    assert_eq!(trace.steps, ["emit", "emit"]);
    assert_eq!(trace.told[1].1["reason"], json!("mode_not_allowed"));
    assert_eq!(trace.told[1].1["allowed_modes"], json!(["edit"]));
    assert_eq!(trace.state, Some(RunState::Denied));
}

#[test]
fn the_checks_come_in_their_order_and_each_can_deny() {
    let schema = json!({"type": "object", "required": ["id"]});
    let tool = ToolSpec {
        capability: Some("edit_posts".into()),
        limits: limits(RateLimit::new(1, 60_000_000).ok()),
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
fn a_check_that_cannot_be_made_fails_the_run() {
    let tool = ToolSpec {
        capability: Some("edit_posts".into()),
        limits: limits(RateLimit::new(1, 60_000_000).ok()),
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
            limits: limits(limit.then(|| RateLimit::new(1, 1_000_000).unwrap())),
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
        prop_assert!(straight.state != Some(RunState::Running) && straight.state != Some(RunState::Waiting));
        prop_assert!(give_up > 0 || silent || straight.names() == ["tool.cancelled"]);
    }
}
