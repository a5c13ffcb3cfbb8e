//! Operations on a store that a driven run needs. Each is a value, which the host performs with one
//! call, in any thread.

use super::asking_run::WaitStep;
use super::call::RunStart;
use crate::lifecycle::approval::Approvals;
use crate::lifecycle::approval::outcome::ApprovalOutcome;
use crate::lifecycle::approval::request::NewApproval;
use crate::lifecycle::kept::claim::RunClaim;
use crate::lifecycle::kept::error::RunsError;
use crate::lifecycle::kept::found::FoundRun;
use crate::lifecycle::kept::interruption::HandlerEnd;
use crate::lifecycle::kept::record::{ProposedArguments, RunOutcome, RunRecord};
use crate::lifecycle::kept::{Begun, NewRun, Resumption, Runs};
use crate::lifecycle::machine::step::Moment;
use crate::store::StoreError;

/// An operation on the runs of a store.
#[derive(Clone, Debug)]
pub enum RunsStep {
    /// Begin the run of a call, unless the store has it.
    Begin {
        /// The run.
        new: Box<NewRun>,
        /// Whether a run that never ran begins once more.
        start: RunStart,
    },
    /// Read a run.
    Get {
        /// The run's id.
        id: String,
    },
    /// Take a run up that no process has, if it is still what was read.
    Claim {
        /// The run, as it was read.
        read: Box<RunRecord>,
        /// The fingerprint that was approved, which may be that of changed arguments.
        approved: Option<String>,
    },
    /// Write arguments down that a person would approve in place of the run's own.
    Propose {
        /// The run, as it was read.
        read: Box<RunRecord>,
        /// The arguments.
        proposed: ProposedArguments,
    },
    /// Give the run to the store while a person decides on a request that exists.
    Wait(Box<WaitStep>),
    /// Write down that the handler starts now.
    Start {
        /// The run.
        claim: RunClaim,
    },
    /// Give the run back as it was, since its handler was not started.
    GiveBack {
        /// The run.
        claim: RunClaim,
    },
    /// Give the run up while its handler works.
    Interrupt {
        /// The run.
        claim: RunClaim,
        /// Why.
        why: HandlerEnd,
    },
    /// Note that the run was found interrupted.
    Note {
        /// The run's id.
        id: String,
    },
    /// Make an interrupted run ready to run once more.
    Retry {
        /// The run's id.
        id: String,
    },
    /// Write down how the run ended.
    Settle {
        /// The run.
        claim: RunClaim,
        /// How it ended.
        outcome: Box<RunOutcome>,
    },
}

/// An operation on the requests for approval.
#[derive(Clone, Debug)]
pub enum ApprovalsStep {
    /// Read the outcome of the request that a run waits for.
    Hear {
        /// The run.
        record: Box<RunRecord>,
    },
    /// Find the request that the process made which had the run before.
    Find {
        /// The run's id.
        run_id: String,
        /// The fingerprint of what the run would do now.
        fingerprint: String,
        /// When the run began, in microseconds since 1970. An older request was for another run.
        began: i64,
    },
    /// Make a request.
    Request {
        /// The request, without its deadline.
        new: Box<NewApproval>,
        /// How long a person has to decide, in microseconds.
        timeout: i64,
    },
    /// Cancel a request.
    Cancel {
        /// The request's id.
        request_id: String,
    },
}

/// What the store gave for a [`RunsStep`] or an [`ApprovalsStep`].
#[derive(Clone, Debug)]
pub enum StoreAnswer {
    /// The answer to [`RunsStep::Begin`].
    Begun(Begun),
    /// The answer to [`RunsStep::Get`].
    Record(Option<Box<RunRecord>>),
    /// The answer to [`RunsStep::Claim`].
    Resumed(Resumption),
    /// The answer to [`RunsStep::Interrupt`] and [`RunsStep::Note`], and, always with a run, to
    /// [`RunsStep::Retry`].
    Found(Option<FoundRun>),
    /// Whether this process had the run, or whether the request was pending: the answer to what
    /// changes one.
    Changed(bool),
    /// The answer to [`ApprovalsStep::Hear`].
    Heard(ApprovalOutcome),
    /// The answer to [`ApprovalsStep::Find`]: the id of the request.
    Asked(Option<String>),
    /// The answer to [`ApprovalsStep::Request`] and [`AskStep`](super::AskStep): the id of the
    /// request.
    Requested(String),
}

impl StoreAnswer {
    /// The run that this process has by this answer.
    #[must_use]
    pub fn claim(&self) -> Option<&RunClaim> {
        match self {
            Self::Begun(Begun::Mine(claim)) | Self::Resumed(Resumption::Claimed(claim)) => {
                Some(claim)
            }
            _ => None,
        }
    }
}

impl RunsStep {
    /// Performs the operation. A handler that starts has the run for `lease` microseconds.
    ///
    /// # Errors
    ///
    /// Any error of the store; `already_ran` for a run that does not begin again; a refusal of
    /// [`Runs::retry`]; the error of a run that cannot be kept.
    pub fn perform(&self, runs: &Runs, lease: i64, at: Moment) -> Result<StoreAnswer, RunsError> {
        let now = at.wall_us;
        Ok(match self {
            Self::Begin { new, start } => StoreAnswer::Begun(match start {
                RunStart::Once => runs.begin((**new).clone(), Runs::LEASE, now)?,
                RunStart::Again => runs.begin_again((**new).clone(), Runs::LEASE, now)?,
            }),
            Self::Get { id } => StoreAnswer::Record(runs.get(id, now)?.map(Box::new)),
            Self::Claim { read, approved } => StoreAnswer::Resumed(runs.claim_read(
                read,
                approved.as_deref(),
                Runs::LEASE,
                now,
            )?),
            Self::Propose { read, proposed } => {
                StoreAnswer::Changed(runs.propose(read, proposed, now)?)
            }
            Self::Wait(step) => StoreAnswer::Changed(step.perform(runs, now)?),
            Self::Start { claim } => StoreAnswer::Changed(runs.start(claim, lease, at)?),
            Self::GiveBack { claim } => StoreAnswer::Changed(runs.give_back(claim, now)?),
            Self::Interrupt { claim, why } => StoreAnswer::Found(runs.interrupt(claim, why, now)?),
            Self::Note { id } => StoreAnswer::Found(runs.note(id, now)?),
            Self::Retry { id } => StoreAnswer::Found(Some(runs.retry_found(id, now)?)),
            Self::Settle { claim, outcome } => {
                StoreAnswer::Changed(runs.settle(claim, outcome, at)?)
            }
        })
    }
}

impl ApprovalsStep {
    /// Performs the operation.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn perform(&self, approvals: &Approvals, at: Moment) -> Result<StoreAnswer, StoreError> {
        let now = at.wall_us;
        Ok(match self {
            Self::Hear { record } => {
                let outcome = approvals.outcome_for(record, now)?;
                StoreAnswer::Heard(outcome.unwrap_or(ApprovalOutcome::Missing))
            }
            Self::Find { run_id, fingerprint, began } => {
                let asked = approvals.asked(run_id, fingerprint, *began, now)?;
                StoreAnswer::Asked(asked.map(|request| request.id))
            }
            Self::Request { new, timeout } => {
                let expires_at = Some(now.saturating_add(*timeout));
                let new = NewApproval { expires_at, ..(**new).clone() };
                StoreAnswer::Requested(approvals.request(new, now)?.id)
            }
            Self::Cancel { request_id } => StoreAnswer::Changed(approvals.cancel(request_id, now)?),
        })
    }
}
