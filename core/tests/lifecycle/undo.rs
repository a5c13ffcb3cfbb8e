//! Undo data that a run leaves, and undoing.

use std::sync::Arc;

use toolwire::lifecycle::{Answer, Moment, Run, RunState, UndoAnswer, UndoStep, Undoing};
use toolwire::registry::ToolSpec;

use crate::{Host, raised, run, tool, undoable};

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
