//! What a driven run needs next, and the host's answers.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::ask_step::AskStep;
use super::store_step::{ApprovalsStep, RunsStep, StoreAnswer};
use crate::error::{Error, ErrorKind};
use crate::lifecycle::kept::error::RunsError;
use crate::lifecycle::kept::record::RunRecord;
use crate::lifecycle::machine::event::OutputFacts;
use crate::lifecycle::machine::step::{Answer, Step};
use crate::lifecycle::shown::detail::ApprovalDetail;
use crate::registry::ToolSpec;

/// What a [`Drive`](super::Drive) needs next.
#[derive(Clone, Debug)]
pub enum Need {
    /// Take a step of the run. The answers are those that the [`Step`] names, with three
    /// exceptions: [`DriveAnswer::Shown`] answers the request for approval,
    /// [`DriveAnswer::Output`] the handler's run, and [`DriveAnswer::Failed`] any step that raised
    /// or whose store failed, except the emission of an event.
    Step(Step),
    /// Perform this on the runs of the store. The answer is [`DriveAnswer::Stored`] or
    /// [`DriveAnswer::Failed`].
    Runs(RunsStep),
    /// Perform this on the requests for approval. The answer is [`DriveAnswer::Stored`] or
    /// [`DriveAnswer::Failed`]. A host with a service of approvals of its own performs it there;
    /// see [`Drive::asking_apart`](super::Drive::asking_apart).
    Approvals(ApprovalsStep),
    /// Ask a person, and give the run to the store meanwhile. The answer is
    /// [`DriveAnswer::Stored`] or [`DriveAnswer::Failed`].
    Ask(Box<AskStep>),
    /// Look up the tool of this run of the store. The answer is [`DriveAnswer::Tool`]. The run is
    /// not claimed yet: a host that cannot answer drops the machine, and the run stays free.
    Tool(Box<RunRecord>),
    /// Take the failure that was reported last as the run's own. The answer is [`Answer::Raised`].
    Raise,
    /// Nothing more: this is what came of the run.
    End(DriveEnd),
}

/// What came of a run that a process drove.
#[derive(Clone, Debug)]
pub enum DriveEnd {
    /// The run has ended in this process.
    Ended {
        /// Why the store does not have the end of the run.
        not_kept: Option<NotKept>,
    },
    /// The run waits in the store for a person.
    Waiting,
    /// The run as the store has it: it has ended, waits, or another process has it.
    Standing(Box<RunRecord>),
    /// The call's id belongs to this run of another call. Nothing ran.
    Reused(Box<RunRecord>),
    /// The store has no run of this id.
    Unknown,
    /// Another process has taken this run up and forgotten it.
    Forgotten {
        /// The run's id.
        id: String,
    },
    /// The changed arguments stand beside the run's own. A decision that names this fingerprint
    /// approves them.
    Proposed {
        /// The fingerprint of the run with the changed arguments.
        fingerprint: String,
    },
    /// The caller gets the failure that was reported last. The run has no outcome by it.
    Failed,
}

/// Why the store does not have the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotKept {
    /// The handler outlived its lease, or another process has the run.
    Lost,
    /// The store failed. The failure is the one that was reported last.
    Failed,
}

/// Who failed at what a run needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// Code of the program raised, or the run itself cannot be kept.
    Program,
    /// The store failed.
    Store,
}

impl RunsError {
    /// Who failed, for the machine that needed the store.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Self::Store(_) => Blame::Store,
            _ => Blame::Program,
        }
    }
}

/// What a person is shown of a call, and what the store keeps of it meanwhile.
#[derive(Clone, Debug)]
pub struct ShownDetail {
    /// The short form of the arguments for the list of requests, if the request is made in the
    /// store.
    pub summary: Option<Box<RawValue>>,
    /// The whole arguments and changes, with their fingerprint.
    pub detail: ApprovalDetail,
    /// The payload for the store, if the run waits there.
    pub payload: Option<Box<RawValue>>,
}

/// The answer to a [`Need`].
#[derive(Clone, Debug)]
pub enum DriveAnswer {
    /// The answer to a step. [`Answer::Cancelled`] fits any need before the end.
    Step(Answer),
    /// What a person will see.
    Shown(Box<ShownDetail>),
    /// The handler's output.
    Output {
        /// The facts about it.
        facts: OutputFacts,
        /// The output for the store, or nothing if it is no JSON value.
        json: Option<Box<RawValue>>,
    },
    /// The handler's time is over, and it works on: nobody can stop it.
    StillWorking,
    /// The tool of a run of the store, as it is registered now.
    Tool(Arc<ToolSpec>),
    /// What the store gave.
    Stored(StoreAnswer),
    /// What was needed failed. The host keeps the failure until it knows whose it is.
    Failed(Blame),
}

impl From<Answer> for DriveAnswer {
    fn from(answer: Answer) -> Self {
        Self::Step(answer)
    }
}

impl From<StoreAnswer> for DriveAnswer {
    fn from(answer: StoreAnswer) -> Self {
        Self::Stored(answer)
    }
}

impl DriveAnswer {
    /// The error of an answer that does not match the last need.
    pub(super) fn unexpected(&self) -> Error {
        let name = match self {
            Self::Step(answer) => answer.name(),
            Self::Shown(_) => "shown",
            Self::Output { .. } => "output",
            Self::StillWorking => "still working",
            Self::Tool(_) => "tool",
            Self::Stored(_) => "stored",
            Self::Failed(_) => "failed",
        };
        let message = format!("{name} is no answer to what the run needs");
        Error::new(ErrorKind::UnexpectedAnswer, message)
    }
}
