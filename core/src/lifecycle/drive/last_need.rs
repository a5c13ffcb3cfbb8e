//! Where a run that goes on here is kept, and what it needed last.

use super::need::Blame;
use crate::lifecycle::kept::claim::RunClaim;
use crate::lifecycle::kept::record::RunRecord;
use crate::lifecycle::machine::step::Answer;

/// Where a run is, beside this process.
#[derive(Clone)]
pub(super) enum RunPlace {
    /// Nowhere: the host waits where a person has to decide.
    Here,
    /// In the store, only while a person decides.
    Alone { caller: String },
    /// In the store, and this process has it.
    Claimed(RunClaim),
    /// In the store, where it waits. Other arguments are checked for it.
    Proposed(Box<RunRecord>),
}

/// What was needed last.
#[derive(Clone)]
pub(super) enum LastNeed {
    /// Nothing yet, or nothing more.
    Nothing,
    /// The arguments that were approved in place of the call's own. Then the run goes on with this
    /// answer.
    Replacement { first: Answer },
    /// The emission of an event.
    Event,
    /// A check before the handler.
    Check,
    /// What a person will see, with this question.
    Shown { message: String },
    /// The request of the process that had the run before.
    Asked { message: String },
    /// A new request.
    Request,
    /// This new request, and a place in the store while a person decides on it.
    Asking { request_id: String },
    /// A place in the store while a person decides on this request.
    Wait { request_id: String },
    /// A look whether the store, which failed, has that place all the same.
    Look { request_id: String },
    /// The end of the request of a run that was cancelled while it asked.
    Dropping,
    /// The end of a request without a run, after this failure.
    Withdrawal(Blame),
    /// The end of the request of a cancelled run.
    Cancellation,
    /// Leave to start the handler.
    Start,
    /// The handler's output.
    Output,
    /// A place for the proposed arguments with this fingerprint.
    Proposal { fingerprint: String },
    /// A place for the undo data.
    Undo,
    /// The failure that is the run's own.
    Raise,
    /// The return of the run, whose failure the caller gets.
    Return,
    /// The interruption of a run whose handler works on.
    Interruption,
    /// The emission of the event that this run was interrupted.
    InterruptionEvent { record: Box<RunRecord> },
    /// The run as another process has it.
    Standing,
    /// The end of the run in the store.
    End,
}
