//! A run as a Rust program sees it.

use super::action::Action;
use super::clock;
use super::driver::{Driven, KeptRun};
use super::program::ProgramRun;
use super::tool::{Fault, ToolOutput};
use crate::lifecycle::{Interruption, OutputGap, RunFailure, RunRecord, RunState, run_id};

/// A run, as it stands.
#[derive(Debug)]
pub struct ToolRun {
    /// The id of the run.
    pub id: String,
    /// The state of the run.
    pub state: RunState,
    /// The tool's name.
    pub tool: String,
    /// The handler's output, if the run completed and the store has it.
    pub output: Option<ToolOutput>,
    /// Why the run ended without an output.
    pub failure: Option<RunFailure>,
    /// The error behind the failure, in the process where it was raised.
    pub cause: Option<Fault>,
    /// The request for approval that the run waits or waited for.
    pub approval_id: Option<String>,
    /// Why the store does not have the output of a run that completed.
    pub output_gap: Option<OutputGap>,
    /// Why the handler was cut off last, if it was.
    pub interruption: Option<Interruption>,
    /// Why the store did not take the end of the run, if it did not.
    pub not_kept: Option<Fault>,
}

impl ToolRun {
    /// Makes the run of an action that no tool runs.
    pub(super) fn failed(action: &Action, failure: RunFailure) -> Self {
        Self {
            id: run_id(&action.name()),
            state: RunState::Failed,
            tool: action.tool.clone(),
            output: None,
            failure: Some(failure),
            cause: None,
            approval_id: None,
            output_gap: None,
            interruption: None,
            not_kept: None,
        }
    }

    pub(super) fn of(kept: KeptRun<ProgramRun<'_>>) -> Self {
        match kept {
            KeptRun::Driven(run) => Self::driven(*run),
            KeptRun::Standing(record) => Self::standing(*record),
            KeptRun::Reused(record) => Self {
                state: RunState::Denied,
                failure: Some(RunFailure::CallIdReused),
                output: None,
                output_gap: None,
                approval_id: None,
                ..Self::standing(*record)
            },
        }
    }

    pub(super) fn driven(driven: Driven<ProgramRun<'_>>) -> Self {
        let Driven { host, execution, approval_id, gap } = driven;
        let state = execution.state();
        Self {
            id: execution.run().run_id.clone(),
            state,
            tool: host.spec.name.clone(),
            output: host.output.filter(|_| state == RunState::Completed),
            failure: execution.failure().cloned(),
            cause: host.cause,
            approval_id,
            output_gap: gap,
            interruption: None,
            not_kept: host.not_kept,
        }
    }

    pub(super) fn standing(record: RunRecord) -> Self {
        let (state, failure) = (record.state(clock::now()), record.failure(clock::now()));
        let interruption = record.interruption().cloned();
        let outcome = record.outcome.unwrap_or_default();
        Self {
            id: record.id,
            state,
            tool: record.tool.name,
            output: outcome.output.and_then(|kept| ToolOutput::read(&kept)),
            failure,
            cause: None,
            approval_id: record.approval_id,
            output_gap: outcome.gap,
            interruption,
            not_kept: None,
        }
    }
}
