//! Every path of a run: the events, their order, and the end.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

mod approvals;
mod drive;
mod drive_host;
mod drive_left;
mod drive_random;
mod runs;
mod undo;

use std::sync::Arc;

use serde_json::{Value, json};
use toolwire::lifecycle::{
    Answer, Execution, Moment, OutputFacts, Run, RunFailure, RunState, Settings, Step,
};
use toolwire::registry::ToolSpec;

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
    ToolSpec::new("edit").with_id("EDIT")
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
    let run = Run { mode: Some("chat".into()), request_id: Some("r".into()), ..Run::new("a") };
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
