//! Runs a call of a conversation, or finds how its run stands.

use serde_json::Value;

use super::conversation::{Conversation, OpenCall};
use super::error::{AgentCode, AgentError};
use crate::error::Error;
use crate::executor::{Action, Executor, ToolRun};
use crate::lifecycle::{OutputGap, RunFailure, RunState};
use crate::nearest::suggestion;
use crate::provider::{
    AnswerData, AnswerOptions, AnsweredCall, Ending, ProviderResult, Shown, ToolAnswer,
};

/// What an agent does with a call whose run was interrupted, so that nobody knows what it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInterrupted {
    /// The conversation waits until a person has the run [retried](Executor::retry).
    #[default]
    Ask,
    /// The model is told that the outcome is unknown.
    Tell,
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingCall {
    /// The tool's name.
    pub tool: String,
    /// The id of the run.
    pub run: String,
    /// Its state: waiting for a person, running in another process, or interrupted.
    pub state: RunState,
    /// The request that a person decides, if the run waits for one.
    pub approval_id: Option<String>,
}

/// How a call stands.
pub(super) enum CallStanding {
    /// What the call gave, and its run.
    Done {
        run: String,
        shown: ProviderResult,
    },
    Open(WaitingCall),
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
        conversation: &Conversation,
        place: (usize, usize),
    ) -> Result<CallStanding, AgentError> {
        let Some(OpenCall { name, arguments }) = conversation.open_call(place) else {
            return Err(AgentError::new(AgentCode::Failed, "the conversation has no such call"));
        };
        let (message, index) = place;
        let action = Action {
            scope: conversation.id().to_owned(),
            message: message.to_string(),
            index: u64::try_from(index).ok(),
            caller: self.caller.to_owned(),
            ..Action::new("", name, arguments)
        };
        let mut run = self.executor.start(&action).map_err(AgentError::failed)?;
        if is_open(run.state) {
            // Somebody may have decided since the run was looked at.
            let resumed = self.executor.resume(&run.id).map_err(AgentError::failed)?;
            run = resumed.unwrap_or(run);
        }
        let is_asked = run.state == RunState::Interrupted && self.interrupted == OnInterrupted::Ask;
        if is_asked || is_open(run.state) {
            let ToolRun { id, state, tool, approval_id, .. } = run;
            return Ok(CallStanding::Open(WaitingCall { tool, run: id, state, approval_id }));
        }
        let ending = match run.failure {
            Some(RunFailure::ToolNotFound) => self.no_tool(&action.tool),
            _ => ending(&run, self.shown),
        };
        let told = AnsweredCall { id: None, tool: action.tool };
        let shown = ToolAnswer { call: told, ending }.result(self.shown);
        Ok(CallStanding::Done { run: run.id, shown })
    }
}

impl CallRunner<'_> {
    /// What the model is told of a call of no tool: the names that are like it, and all.
    fn no_tool(&self, name: &str) -> Ending {
        let known: Vec<_> = self.executor.tool_names().collect();
        let message = format!("There is no tool '{name}'{}", suggestion(name, &known));
        Ending::Failed { message, data: None }
    }
}

/// Whether a run has not ended and may still go on.
fn is_open(state: RunState) -> bool {
    matches!(state, RunState::Waiting | RunState::Approved | RunState::Running)
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
