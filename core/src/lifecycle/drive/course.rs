//! The course of a run that goes on in this process: its own steps, and what the store is told and
//! asked between them.

use serde_json::value::RawValue;

use super::last_need::{LastNeed, RunPlace};
use super::need::{Blame, DriveAnswer, DriveEnd, Need, NotKept, ShownDetail};
use super::store_step::{ApprovalsStep, RunsStep, StoreAnswer};
use crate::error::Error;
use crate::lifecycle::kept::found::FoundRun;
use crate::lifecycle::kept::interruption::InterruptionCode;
use crate::lifecycle::kept::record::{OutputGap, RunOutcome, RunRecord};
use crate::lifecycle::machine::execution::Execution;
use crate::lifecycle::machine::failure::RunFailure;
use crate::lifecycle::machine::step::{Answer, Moment, Step};

/// A run that goes on in this process.
#[derive(Clone)]
pub(super) struct Course {
    pub(super) execution: Execution,
    pub(super) place: RunPlace,
    pub(super) last: LastNeed,
    pub(super) approval_id: Option<String>,
    /// What a person is shown.
    pub(super) shown: Option<Box<ShownDetail>>,
    /// Whether the host asks in a service of its own.
    pub(super) asks_apart: bool,
    /// Whether the store has the run while a person decides.
    pub(super) is_waiting: bool,
    /// How the run ends if nothing more happens: with the output of its handler.
    output: Option<RunOutcome>,
    gap: Option<OutputGap>,
    /// Whether the store knows that this process starts the handler.
    is_started: bool,
    /// The arguments that were approved in place of the call's own, until the host has them.
    approved: Option<String>,
}

impl Course {
    pub(super) fn new(execution: Execution, place: RunPlace) -> Self {
        let approval_id = execution.awaited_approval().map(str::to_owned);
        let last = LastNeed::Nothing;
        let (shown, output, gap, approved) = (None, None, None, None);
        let (asks_apart, is_waiting, is_started) = (false, false, false);
        Self {
            execution,
            place,
            last,
            approval_id,
            shown,
            asks_apart,
            is_waiting,
            output,
            gap,
            is_started,
            approved,
        }
    }

    /// Makes requests for approval in a service of the host's own, if it has one.
    pub(super) fn asking_apart(self, asks_apart: bool) -> Self {
        Self { asks_apart, ..self }
    }

    /// Goes on with these arguments, which were approved in place of those that the host has.
    pub(super) fn with(self, approved: &RawValue) -> Self {
        Self { approved: Some(approved.get().to_owned()), ..self }
    }

    pub(super) fn execution(&self) -> &Execution {
        &self.execution
    }

    pub(super) fn into_parts(self) -> (Execution, Option<String>, Option<OutputGap>) {
        (self.execution, self.approval_id, self.gap)
    }

    /// Begins with the first answer to the run's machine.
    pub(super) fn go(&mut self, first: Answer, now: Moment) -> Result<Need, Error> {
        let Some(arguments) = self.approved.take() else { return self.step(first, now) };
        self.last = LastNeed::Replacement { first };
        Ok(Need::Step(Step::ReplaceArguments { arguments }))
    }

    /// Takes the answer to the last need and returns the next one.
    pub(super) fn advance(&mut self, answer: DriveAnswer, now: Moment) -> Result<Need, Error> {
        match answer {
            DriveAnswer::Step(Answer::Cancelled) => self.cancel(now),
            DriveAnswer::Step(answer) => self.stepped(answer, now),
            DriveAnswer::Stored(answer) => self.stored(answer, now),
            DriveAnswer::Failed(blame) => self.failed(blame, now),
            DriveAnswer::Shown(shown) => match &self.last {
                LastNeed::Shown { message } => {
                    let message = message.clone();
                    Ok(self.told(message, shown))
                }
                _ => Err(DriveAnswer::Shown(shown).unexpected()),
            },
            DriveAnswer::Output { facts, json } => {
                if !matches!(self.last, LastNeed::Output) {
                    return Err(DriveAnswer::Output { facts, json }.unexpected());
                }
                self.output = Some(RunOutcome::completed(json));
                self.step(Answer::Output(facts), now)
            }
            DriveAnswer::StillWorking => match (&self.last, &self.place) {
                (LastNeed::Output, RunPlace::Claimed(claim)) => {
                    let claim = claim.clone();
                    let why = InterruptionCode::TimedOut.into();
                    Ok(self.asks(LastNeed::Interruption, RunsStep::Interrupt { claim, why }))
                }
                (LastNeed::Output, _) => Ok(self.raise()),
                _ => Err(answer.unexpected()),
            },
            DriveAnswer::Tool(_) => Err(answer.unexpected()),
        }
    }

    /// Gives the run up. After its last step, the caller gets what cancelled the rest.
    fn cancel(&mut self, now: Moment) -> Result<Need, Error> {
        match self.last {
            LastNeed::Nothing => Err(DriveAnswer::Step(Answer::Cancelled).unexpected()),
            LastNeed::Return
            // The handler may work on: who looks next finds the run interrupted.
            | LastNeed::Interruption
            | LastNeed::InterruptionEvent { .. }
            | LastNeed::Standing
            | LastNeed::End => Ok(self.ends(DriveEnd::Failed)),
            LastNeed::Asking { ref request_id }
            | LastNeed::Wait { ref request_id }
            | LastNeed::Look { ref request_id } => {
                let request_id = request_id.clone();
                Ok(self.cancels(LastNeed::Dropping, request_id))
            }
            _ => self.step(Answer::Cancelled, now),
        }
    }

    /// Takes the answer to a step of the run.
    fn stepped(&mut self, answer: Answer, now: Moment) -> Result<Need, Error> {
        let is_raised = matches!(answer, Answer::Raised { .. });
        match &self.last {
            LastNeed::Replacement { first } if answer == Answer::Done => {
                let first = first.clone();
                self.step(first, now)
            }
            LastNeed::InterruptionEvent { record } if answer == Answer::Done => {
                let record = record.clone();
                Ok(self.ends(DriveEnd::Standing(record)))
            }
            LastNeed::Event | LastNeed::Check | LastNeed::Undo => self.step(answer, now),
            LastNeed::Shown { .. } | LastNeed::Output | LastNeed::Raise if is_raised => {
                self.step(answer, now)
            }
            _ => Err(DriveAnswer::Step(answer).unexpected()),
        }
    }

    /// Takes the next step of the run. What is the store's becomes an operation on it.
    pub(super) fn step(&mut self, answer: Answer, now: Moment) -> Result<Need, Error> {
        let step = self.execution.advance(answer, now)?;
        self.last = match &step {
            Step::Emit(_) => LastNeed::Event,
            Step::RequestApproval { message } => LastNeed::Shown { message: message.clone() },
            Step::StoreUndo => LastNeed::Undo,
            Step::AwaitApproval { .. } if self.is_waiting => {
                return Ok(self.ends(DriveEnd::Waiting));
            }
            Step::CancelApproval { request_id } => {
                let request_id = request_id.clone();
                return Ok(self.cancels(LastNeed::Cancellation, request_id));
            }
            // A tool of which nobody is asked any more is not run for a proposal either.
            Step::Run if matches!(self.place, RunPlace::Proposed(_)) => {
                let message = String::new();
                self.last = LastNeed::Shown { message: message.clone() };
                return Ok(Need::Step(Step::RequestApproval { message }));
            }
            Step::CheckLimit if matches!(self.place, RunPlace::Proposed(_)) => {
                return self.step(Answer::Granted, now);
            }
            Step::Run => match &self.place {
                RunPlace::Claimed(claim) => {
                    let claim = claim.clone();
                    return Ok(self.asks(LastNeed::Start, RunsStep::Start { claim }));
                }
                _ => LastNeed::Output,
            },
            Step::Finished(failure) => {
                let failure = failure.clone();
                return Ok(self.settle(failure));
            }
            Step::CheckInput
            | Step::ReplaceArguments { .. }
            | Step::CheckPermission { .. }
            | Step::CheckLimit
            | Step::AwaitApproval { .. }
            | Step::VerifyApproval => LastNeed::Check,
        };
        Ok(Need::Step(step))
    }

    /// Takes an answer of the store.
    fn stored(&mut self, answer: StoreAnswer, now: Moment) -> Result<Need, Error> {
        match (self.last.clone(), answer) {
            (LastNeed::Asked { message }, StoreAnswer::Asked(found)) => match found {
                Some(request_id) => self.asked(request_id, now),
                None => Ok(self.request(message)),
            },
            (LastNeed::Request, StoreAnswer::Requested(request_id)) => self.asked(request_id, now),
            (LastNeed::Asking { .. }, StoreAnswer::Requested(request_id))
            | (LastNeed::Wait { request_id }, StoreAnswer::Changed(true)) => {
                self.waits(request_id, now)
            }
            // If the request was made, who has the run now waits for it.
            (
                LastNeed::Asking { .. }
                | LastNeed::Wait { .. }
                | LastNeed::Start
                | LastNeed::Proposal { .. },
                StoreAnswer::Changed(false),
            )
            | (LastNeed::Interruption, StoreAnswer::Found(None)) => Ok(self.look_at_lost()),
            (LastNeed::Interruption, StoreAnswer::Found(Some(found))) => {
                Ok(self.interrupted(found, now))
            }
            (LastNeed::Start, StoreAnswer::Changed(true)) => {
                self.is_started = true;
                self.last = LastNeed::Output;
                Ok(Need::Step(Step::Run))
            }
            (LastNeed::Look { request_id }, StoreAnswer::Record(record)) => {
                self.looked(request_id, record, now)
            }
            (LastNeed::Proposal { fingerprint }, StoreAnswer::Changed(true)) => {
                Ok(self.ends(DriveEnd::Proposed { fingerprint }))
            }
            (LastNeed::Withdrawal(blame), StoreAnswer::Changed(_)) => Ok(self.halt(blame)),
            (LastNeed::Cancellation, StoreAnswer::Changed(_)) => self.step(Answer::Done, now),
            (LastNeed::Dropping, StoreAnswer::Changed(_)) => self.step(Answer::Cancelled, now),
            (LastNeed::Return, StoreAnswer::Changed(_)) => Ok(self.ends(DriveEnd::Failed)),
            (LastNeed::Standing, StoreAnswer::Record(record)) => Ok(self.stands(record)),
            // Another process took the run up during the checks, and its end counts.
            (LastNeed::End, StoreAnswer::Changed(false)) if !self.is_started => {
                Ok(self.look_at_lost())
            }
            (LastNeed::End, StoreAnswer::Changed(is_kept)) => {
                let not_kept = (!is_kept).then_some(NotKept::Lost);
                Ok(self.ends(DriveEnd::Ended { not_kept }))
            }
            (_, answer) => Err(DriveAnswer::Stored(answer).unexpected()),
        }
    }

    /// Takes the failure of what was needed.
    fn failed(&mut self, blame: Blame, now: Moment) -> Result<Need, Error> {
        match (self.last.clone(), blame) {
            // A store that fails before the handler is started does not end the run.
            (LastNeed::Check | LastNeed::Shown { .. }, blame)
            // If a request cannot be cancelled, it expires.
            | (LastNeed::Withdrawal(blame), _) => Ok(self.halt(blame)),
            (
                LastNeed::Asked { .. }
                | LastNeed::Request
                | LastNeed::Start
                | LastNeed::Replacement { .. },
                _,
            ) => Ok(self.halt(Blame::Store)),
            // The store may have made the change although it answered with an error.
            (LastNeed::Asking { request_id } | LastNeed::Wait { request_id }, Blame::Store) => {
                let id = self.execution.run().run_id.clone();
                Ok(self.asks(LastNeed::Look { request_id }, RunsStep::Get { id }))
            }
            // The request is useless without its run.
            (LastNeed::Asking { request_id } | LastNeed::Wait { request_id }, blame) => {
                Ok(self.cancels(LastNeed::Withdrawal(blame), request_id))
            }
            (LastNeed::Look { request_id }, _) => {
                Ok(self.cancels(LastNeed::Withdrawal(Blame::Store), request_id))
            }
            (LastNeed::Cancellation, _) => self.step(Answer::Done, now),
            (LastNeed::Dropping, _) => self.step(Answer::Cancelled, now),
            // The handler may have done something, so the run ends with what it raised.
            (LastNeed::Output | LastNeed::Undo, _) => Ok(self.raise()),
            // What cannot be given back or up is free, or interrupted, when its lease ends.
            (LastNeed::Return | LastNeed::Standing | LastNeed::Proposal { .. }, _) => {
                Ok(self.ends(DriveEnd::Failed))
            }
            (LastNeed::Interruption, _) => Ok(self.look_at_lost()),
            // The handler does not run again.
            (LastNeed::End, _) => {
                let not_kept = Some(NotKept::Failed);
                Ok(self.ends(DriveEnd::Ended { not_kept }))
            }
            (
                LastNeed::Nothing
                | LastNeed::Event
                | LastNeed::InterruptionEvent { .. }
                | LastNeed::Raise,
                blame,
            ) => Err(DriveAnswer::Failed(blame).unexpected()),
        }
    }

    /// Follows a failure before the handler. What the program raised is the run's failure. A run of
    /// the store whose store failed has no outcome: it is given back, so that it can be started or
    /// resumed again.
    fn halt(&mut self, blame: Blame) -> Need {
        match (blame, &self.place) {
            (Blame::Store, RunPlace::Claimed(claim)) => {
                let claim = claim.clone();
                self.asks(LastNeed::Return, RunsStep::GiveBack { claim })
            }
            _ => self.raise(),
        }
    }

    fn raise(&mut self) -> Need {
        self.last = LastNeed::Raise;
        Need::Raise
    }

    /// Writes down how the run ended.
    fn settle(&mut self, failure: Option<RunFailure>) -> Need {
        let RunPlace::Claimed(claim) = self.place.clone() else {
            return self.ends(DriveEnd::Ended { not_kept: None });
        };
        let completed = || self.output.take().unwrap_or_else(|| RunOutcome::completed(None));
        let outcome = Box::new(failure.map_or_else(completed, RunOutcome::failed));
        self.gap = outcome.gap;
        self.asks(LastNeed::End, RunsStep::Settle { claim, outcome })
    }

    /// Tells that the run was interrupted, unless somebody has told that.
    fn interrupted(&mut self, found: FoundRun, now: Moment) -> Need {
        let event = found.event(now).filter(|_| self.execution.settings().emit_events);
        let record = found.record;
        let Some(event) = event else { return self.ends(DriveEnd::Standing(record)) };
        self.last = LastNeed::InterruptionEvent { record };
        Need::Step(Step::Emit(event))
    }

    fn look_at_lost(&mut self) -> Need {
        let id = self.execution.run().run_id.clone();
        self.asks(LastNeed::Standing, RunsStep::Get { id })
    }

    fn stands(&mut self, record: Option<Box<RunRecord>>) -> Need {
        let id = self.execution.run().run_id.clone();
        self.ends(record.map_or(DriveEnd::Forgotten { id }, DriveEnd::Standing))
    }

    pub(super) fn cancels(&mut self, last: LastNeed, request_id: String) -> Need {
        self.last = last;
        Need::Approvals(ApprovalsStep::Cancel { request_id })
    }

    pub(super) fn asks(&mut self, last: LastNeed, step: RunsStep) -> Need {
        self.last = last;
        Need::Runs(step)
    }

    pub(super) fn ends(&mut self, end: DriveEnd) -> Need {
        self.last = LastNeed::Nothing;
        Need::End(end)
    }
}
