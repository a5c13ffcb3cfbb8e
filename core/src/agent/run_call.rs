//! Runs a call of a conversation, or finds how its run stands.

use serde_json::Value;

use super::conversation::OpenCall;
use super::error::AgentError;
use super::standing::{CallStanding, WaitingCall};
use crate::error::Error;
use crate::executor::{Action, Executor, ToolRun};
use crate::lifecycle::{OutputGap, RunFailure, RunState};
use crate::provider::{AnswerData, AnswerOptions, AnsweredCall, Ending, Shown, ToolAnswer};

/// What an agent does with a call whose run was interrupted, so that nobody knows what it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInterrupted {
    /// The conversation waits until a person has the run [retried](Executor::retry).
    #[default]
    Ask,
    /// The model is told that the outcome is unknown.
    Tell,
}

impl OnInterrupted {
    /// Whether a call whose run stands so has no result yet.
    #[must_use]
    pub fn leaves_open(self, state: RunState) -> bool {
        state.is_open() || (state == RunState::Interrupted && self == Self::Ask)
    }
}

/// Runs calls by an executor.
pub(super) struct CallRunner<'r> {
    pub(super) executor: &'r Executor,
    pub(super) shown: &'r AnswerOptions,
    pub(super) interrupted: OnInterrupted,
    pub(super) caller: &'r str,
}

impl CallRunner<'_> {
    /// Runs a call, or goes on with its run; a run that has ended gives what it gave.
    ///
    /// # Errors
    /// What the store raised before the run began.
    pub(super) fn run(
        &self,
        conversation: &str,
        (message, index): (usize, usize),
        OpenCall { name, arguments }: OpenCall,
    ) -> Result<CallStanding<WaitingCall>, AgentError> {
        let action = Action {
            scope: conversation.to_owned(),
            message: message.to_string(),
            index: u64::try_from(index).ok(),
            caller: self.caller.to_owned(),
            ..Action::new("", name, arguments)
        };
        let mut run = self.executor.start(&action).map_err(AgentError::failed)?;
        if run.state.is_open() {
            // Somebody may have decided since the run was looked at.
            let resumed = self.executor.resume(&run.id).map_err(AgentError::failed)?;
            run = resumed.unwrap_or(run);
        }
        if self.interrupted.leaves_open(run.state) {
            let ToolRun { id, state, tool, approval_id, .. } = run;
            return Ok(CallStanding::Open(WaitingCall { tool, run: id, state, approval_id }));
        }
        let ending = match run.failure {
            Some(RunFailure::ToolNotFound) => {
                Ending::no_tool(&action.tool, &self.executor.tool_names().collect::<Vec<_>>())
            }
            _ => ending(&run, self.shown),
        };
        let told = AnsweredCall { id: None, tool: action.tool };
        let shown = ToolAnswer { call: told, ending }.result(self.shown);
        Ok(CallStanding::Done { run: Some(run.id), shown })
    }
}

/// How a run ended, for the model.
fn ending(run: &ToolRun, options: &AnswerOptions) -> Ending {
    let gap = |reason: String| Ending::NotShown { reason };
    let Some(output) = &run.output else {
        return match &run.failure {
            Some(failure) => failure.ending(&run.tool),
            None if run.state == RunState::Interrupted => interrupted(&run.tool),
            None => gap(run.output_gap.map_or("it was not kept", OutputGap::reason).to_owned()),
        };
    };
    let read = |data| AnswerData::read(&data, options, |_: &&Value| Ok(Shown::Text(String::new())));
    match output.data.as_ref().map(read).transpose().map_err(Error::from) {
        Err(error) => gap(error.to_string()),
        Ok(data) if output.success => Ending::Completed(data.unwrap_or_default()),
        Ok(data) => Ending::Failed { message: output.error.clone().unwrap_or_default(), data },
    }
}

fn interrupted(tool: &str) -> Ending {
    let message = format!(
        "Tool '{tool}' was interrupted, and it is not known what it did. Do not repeat the call \
         unasked."
    );
    Ending::Failed { message, data: None }
}
