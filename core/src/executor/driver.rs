//! Drives one run in this process: does at once what its machine needs, until the run ends or waits
//! for a person.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::hold::{Renewed, RunHold};
use super::host::RunHost;
use super::open;
use super::services::Services;
use crate::error::{Error, ErrorKind};
use crate::json::parse_json;
use crate::lifecycle::{
    Answer, ApprovalDetail, Blame, Drive, DriveAnswer, DriveEnd, Execution, Need, NewUndo, NotKept,
    OutputGap, RunClaim, RunFailure, RunRecord, Runs, RunsError, RunsStep, ShownDetail, Step,
    fingerprint, lost_message,
};
use crate::store::{StoreError, raw_json};

/// A run that this process drove.
pub struct Driven<H> {
    /// The host, which has the output and the cause of a failure.
    pub host: H,
    /// The run's machine. Its state is `waiting`, or that of a run that has ended.
    pub execution: Execution,
    /// The request for approval that the run waits or waited for.
    pub approval_id: Option<String>,
    /// Why the store does not have the output of a run that completed.
    pub gap: Option<OutputGap>,
}

/// A run of the store, after a call that started or resumed it.
pub enum KeptRun<H> {
    /// This process drove the run.
    Driven(Box<Driven<H>>),
    /// The run as the store has it: it has ended, waits, or is another process's.
    Standing(Box<RunRecord>),
    /// The call's id belongs to this run of another call. Nothing ran.
    Reused(Box<RunRecord>),
}

/// What came of arguments that a person would approve in place of those of the call.
pub(super) enum Proposal {
    /// They stand beside the run's own, and the run with them has this fingerprint.
    Made { fingerprint: String },
    /// They did not pass a check.
    Refused { tool: String, failure: RunFailure },
    /// The run does not wait.
    NotWaiting,
}

/// A run with the host's side of it.
pub(super) struct Driver<'s, H: RunHost> {
    services: &'s Services,
    host: H,
    drive: Drive,
    /// The run in the store that this process has.
    claim: Option<RunClaim>,
    /// For how long the handler has the run, in microseconds, until the lease is renewed.
    lease: i64,
    /// What stopped a call of the program or the store, until it is known whose failure it is.
    failure: Option<H::Stop>,
    /// The renewal of the lease, from the start of the handler until its end is written.
    renewed: Option<Renewed>,
}

/// What stopped a step, and who failed.
type Stopped<S> = (Blame, S);

impl<'s, H: RunHost> Driver<'s, H> {
    pub(super) fn new(services: &'s Services, host: H, drive: Drive) -> Self {
        let (claim, lease, failure, renewed) = (None, Runs::LEASE, None, None);
        Self { services, host, drive, claim, lease, failure, renewed }
    }

    /// Runs until the run ends or waits, or another process has it. Returns nothing if the store
    /// has no such run.
    pub(super) fn go(mut self, first: DriveAnswer) -> Result<Option<KeptRun<H>>, H::Stop> {
        let end = self.drive(first);
        if let Some(claim) = self.claim.as_ref().filter(|_| H::MAY_LEAVE)
            && !end.as_ref().is_err_and(H::leaves)
        {
            open::close(&self.services.runs, &claim.record.id);
        }
        Ok(match end? {
            DriveEnd::Ended { not_kept } => {
                self.note(not_kept)?;
                Some(self.driven()?)
            }
            DriveEnd::Waiting => Some(self.driven()?),
            DriveEnd::Standing(record) => Some(KeptRun::Standing(record)),
            DriveEnd::Reused(record) => Some(KeptRun::Reused(record)),
            DriveEnd::Unknown => None,
            DriveEnd::Proposed { .. } => return Err(unexpected().into()),
            DriveEnd::Forgotten { id } => return Err(forgotten(&id).into()),
            DriveEnd::Failed => return Err(self.failure.unwrap_or_else(|| unexpected().into())),
        })
    }

    /// Checks changed arguments, and returns the fingerprint of the run with them, or how the
    /// proposal ended otherwise.
    pub(super) fn propose(mut self, first: DriveAnswer) -> Result<Proposal, H::Stop> {
        Ok(match self.drive(first)? {
            DriveEnd::Proposed { fingerprint } => Proposal::Made { fingerprint },
            DriveEnd::Ended { .. } => {
                let execution = execution_of(&self.drive)?;
                let failure = execution.failure().cloned().ok_or_else(unexpected)?;
                Proposal::Refused { tool: execution.tool().name.clone(), failure }
            }
            DriveEnd::Failed => return Err(self.failure.unwrap_or_else(|| unexpected().into())),
            _ => Proposal::NotWaiting,
        })
    }

    /// Does what the run needs until nothing more is.
    fn drive(&mut self, first: DriveAnswer) -> Result<DriveEnd, H::Stop> {
        let mut answer = first;
        loop {
            answer = match self.drive.advance(answer, self.host.moment())? {
                Need::End(end) => return Ok(end),
                Need::Raise => {
                    let failure = self.failure.take().ok_or_else(unexpected)?;
                    self.host.raised(failure)?.into()
                }
                Need::Step(Step::Emit(event)) => {
                    self.host.emit(&event)?;
                    Answer::Done.into()
                }
                need => self.answer(need).unwrap_or_else(|(blame, failure)| {
                    self.failure = Some(failure);
                    DriveAnswer::Failed(blame)
                }),
            };
        }
    }

    /// Does what may fail.
    fn answer(&mut self, need: Need) -> Result<DriveAnswer, Stopped<H::Stop>> {
        let program = |stop| (Blame::Program, stop);
        match need {
            Need::Step(Step::CheckLimit) => self.check_limit().map(Into::into).map_err(of_store),
            Need::Step(Step::RequestApproval { .. }) => {
                let shown = self.shown().map_err(program)?;
                Ok(DriveAnswer::Shown(Box::new(shown)))
            }
            Need::Step(Step::Run) => self.handle().map_err(program),
            Need::Step(step) => self.take(step).map(Into::into).map_err(program),
            Need::Runs(step) => self.perform(&step).map_err(|error| (error.blame(), stop(error))),
            Need::Approvals(step) => {
                let answer = step.perform(&self.services.approvals, self.host.moment());
                answer.map(Into::into).map_err(of_store)
            }
            Need::Ask(step) => {
                let services = self.services;
                step.perform(&services.runs, &services.approvals, self.host.moment())
                    .map(Into::into)
                    .map_err(|error| (error.blame(), stop(error)))
            }
            // `drive` does these itself, and a host that resumes a run gives the tool first.
            Need::Tool(_) | Need::Raise | Need::End(_) => Err(program(unexpected().into())),
        }
    }

    fn perform(&mut self, step: &RunsStep) -> Result<DriveAnswer, RunsError> {
        if let (RunsStep::Start { .. }, Some(execution)) = (step, self.drive.execution())
            && !H::RENEWS
        {
            self.lease = RunHold::own_lease(self.host.timeout(execution.tool()));
        }
        let answer = step.perform(&self.services.runs, self.lease, self.host.moment())?;
        if let Some(claim) = answer.claim() {
            self.claim = Some(claim.clone());
            if H::MAY_LEAVE {
                let emits = self.services.settings.emit_events;
                let teller = if emits { self.host.teller() } else { None };
                open::open(&self.services.runs, claim, teller);
            }
        }
        Ok(answer.into())
    }

    /// Takes a step that is the program's, or whose failure the run tells itself.
    fn take(&mut self, step: Step) -> Result<Answer, H::Stop> {
        match step {
            Step::CheckInput => Ok(Answer::Arguments(self.host.arguments()?)),
            Step::ReplaceArguments { arguments } => {
                self.host.replace_arguments(parsed(&arguments)?);
                Ok(Answer::Done)
            }
            Step::CheckPermission { capability } => {
                self.host.permit(execution_of(&self.drive)?.run(), capability.as_deref())
            }
            Step::VerifyApproval => {
                let execution = execution_of(&self.drive)?;
                Ok(Answer::Fingerprint(fingerprint_of(&self.host, execution)?))
            }
            Step::StoreUndo => self.store_undo(),
            // The machine keeps these for itself, or `answer` takes them.
            Step::Emit(_)
            | Step::AwaitApproval { .. }
            | Step::CancelApproval { .. }
            | Step::CheckLimit
            | Step::RequestApproval { .. }
            | Step::Run
            | Step::Finished(_) => Err(unexpected().into()),
        }
    }

    fn check_limit(&self) -> Result<Answer, StoreError> {
        let Some(execution) = self.drive.execution() else { return Ok(Answer::Granted) };
        let tool = execution.tool();
        let Some(limit) = tool.limits.rate else { return Ok(Answer::Granted) };
        let now = self.host.moment().wall_us;
        Ok(self.services.check_limit(tool, limit, self.host.caller(), now)?.into())
    }

    /// Returns what a person sees of the call: its short form, and the whole.
    fn shown(&mut self) -> Result<ShownDetail, H::Stop> {
        let execution = execution_of(&self.drive)?;
        let summary = self.host.payload_summary()?;
        let changes = self.host.changes(execution.run())?;
        let (tool, arguments) = (&execution.tool().name, self.host.arguments()?);
        let redaction = &self.services.redaction;
        Ok(ShownDetail {
            summary: Some(summary),
            detail: ApprovalDetail::new(tool, &arguments, changes.as_ref(), redaction),
            payload: Some(raw_json(&*arguments)?),
        })
    }

    fn handle(&mut self) -> Result<DriveAnswer, H::Stop> {
        let (runs, lease) = (&self.services.runs, self.lease);
        let hold = self.claim.clone().map(|claim| RunHold::new(Arc::clone(runs), claim, lease));
        let execution = execution_of(&self.drive)?;
        let timeout = self.host.timeout(execution.tool());
        self.renewed = hold.as_ref().filter(|_| H::RENEWS).map(|hold| hold.renewed(timeout));
        let facts = self.host.handle(execution.run(), hold.as_ref())?;
        let json: Option<Box<RawValue>> = hold.and_then(|_| self.host.output_json());
        Ok(DriveAnswer::Output { facts, json })
    }

    fn store_undo(&self) -> Result<Answer, H::Stop> {
        let execution = execution_of(&self.drive)?;
        let new = NewUndo {
            run_id: execution.run().run_id.clone(),
            tool_name: execution.tool().name.clone(),
            undo_data: self.host.undo_data()?,
        };
        let services = self.services;
        services.undo.store(new, Some(services.undo_ttl), self.host.moment().wall_us)?;
        Ok(Answer::Done)
    }

    /// Tells the host why the store does not have the end of the run.
    fn note(&mut self, not_kept: Option<NotKept>) -> Result<(), H::Stop> {
        let failed = match (not_kept, &self.claim) {
            (None, _) => return Ok(()),
            (Some(NotKept::Lost), Some(claim)) => lost(&claim.record.id).into(),
            _ => self.failure.take().ok_or_else(unexpected)?,
        };
        self.host.not_settled(failed)
    }

    fn driven(self) -> Result<KeptRun<H>, H::Stop> {
        let run = self.drive.into_run().ok_or_else(unexpected)?;
        let (execution, approval_id) = (run.execution, run.approval_id);
        // The store may keep less than it was given.
        let written = self.claim.as_ref().and_then(|claim| claim.present().outcome.clone());
        let gap = written.map_or(run.gap, |outcome| outcome.gap);
        Ok(KeptRun::Driven(Box::new(Driven { host: self.host, execution, approval_id, gap })))
    }
}

/// Returns the present fingerprint of a run: of its tool, its arguments and its changes.
pub(super) fn fingerprint_of<H: RunHost>(
    host: &H,
    execution: &Execution,
) -> Result<String, H::Stop> {
    let (changes, arguments) = (host.changes(execution.run())?, host.arguments()?);
    Ok(fingerprint(&execution.tool().name, &arguments, changes.as_ref()))
}

fn execution_of(drive: &Drive) -> Result<&Execution, Error> {
    drive.execution().ok_or_else(unexpected)
}

fn of_store<S: From<StoreError>>(failed: StoreError) -> Stopped<S> {
    (Blame::Store, failed.into())
}

fn stop<S: From<Error> + From<StoreError> + From<RunsError>>(error: RunsError) -> S {
    match error {
        RunsError::Store(failed) => failed.into(),
        RunsError::Run(error) => error.into(),
        refused => refused.into(),
    }
}

fn lost(id: &str) -> Error {
    Error::new(ErrorKind::RunLost, lost_message(id))
}

/// The error of a need that this host never has.
fn unexpected() -> Error {
    Error::new(ErrorKind::UnexpectedAnswer, "the run needs what this host does not do")
}

fn forgotten(id: &str) -> Error {
    let message = format!("another process has taken up the run '{id}' and forgotten it");
    Error::new(ErrorKind::InvalidExecution, message)
}

fn parsed(arguments: &str) -> Result<serde_json::Value, Error> {
    parse_json(arguments.as_bytes())
        .map_err(|error| Error::new(ErrorKind::InvalidExecution, error.to_string()))
}
