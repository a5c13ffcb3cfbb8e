//! Drives one run from step to step, until it ends or waits for a person.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::hold::RunHold;
use super::host::RunHost;
use super::services::Services;
use crate::error::{Error, ErrorKind};
use crate::json::parse_json;
use crate::lifecycle::{
    Answer, ApprovalDetail, Execution, NewApproval, NewUndo, OutputGap, RunClaim, RunFailure,
    RunOutcome, Runs, RunsError, Step, fingerprint, lost_message,
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

/// A run, with the host's side of it and its place in the store.
pub(super) struct Driver<'s, H> {
    services: &'s Services,
    host: H,
    execution: Execution,
    claim: Option<RunClaim>,
    approval_id: Option<String>,
    gap: Option<OutputGap>,
}

/// What came of giving a run back while a person decides.
enum Suspension {
    Kept,
    /// Another process has taken the run up.
    Lost,
}

/// Why a step before the handler has no answer.
enum Halt<S> {
    /// Code of the program raised.
    Raised(S),
    /// The store failed. The handler was not started.
    Store(StoreError),
}

impl<'s, H: RunHost> Driver<'s, H> {
    pub(super) fn new(services: &'s Services, host: H, execution: Execution) -> Self {
        let approval_id = execution.awaited_approval().map(str::to_owned);
        Self { services, host, execution, claim: None, approval_id, gap: None }
    }

    /// Sets the run in the store that this process has.
    pub(super) fn having(self, claim: RunClaim) -> Self {
        Self { claim: Some(claim), ..self }
    }

    /// Runs until the run ends or waits. Returns nothing if another process has taken it up.
    pub(super) fn go(mut self, first: Answer) -> Result<Option<Driven<H>>, H::Stop> {
        let mut answer = first;
        loop {
            answer = match self.execution.advance(answer, self.host.moment())? {
                Step::Emit(event) => {
                    self.host.emit(&event)?;
                    Answer::Done
                }
                Step::AwaitApproval { request_id, .. } => match self.suspend(&request_id) {
                    Ok(Suspension::Kept) => return Ok(Some(self.driven())),
                    Ok(Suspension::Lost) => return Ok(None),
                    Err(halt) => self.halted(halt)?,
                },
                Step::Run => {
                    let lease = self.lease();
                    match self.start(lease) {
                        Ok(true) => self.handle(lease)?,
                        Ok(false) => return Ok(None),
                        Err(failed) => self.halted(Halt::Store(failed))?,
                    }
                }
                Step::Finished(failure) => {
                    self.settle(failure)?;
                    return Ok(Some(self.driven()));
                }
                check => match self.take(check) {
                    Ok(answer) => answer,
                    Err(halt) => self.halted(halt)?,
                },
            };
        }
    }

    /// Answers for a step that was not taken. What the program raised is the run's failure. A run
    /// of the store whose store failed has no outcome: it is given back, so that it can be started
    /// or resumed again.
    ///
    /// # Errors
    ///
    /// The store's error, and what ends the program.
    fn halted(&mut self, halt: Halt<H::Stop>) -> Result<Answer, H::Stop> {
        match (halt, &self.claim) {
            (Halt::Raised(stop), _) => self.host.raised(stop),
            (Halt::Store(failed), None) => self.host.raised(failed.into()),
            (Halt::Store(failed), Some(claim)) => {
                // If this fails too, the run is free when its lease ends.
                drop(self.services.runs.give_back(claim, self.now()));
                Err(failed.into())
            }
        }
    }

    fn driven(self) -> Driven<H> {
        let Self { host, execution, approval_id, gap, .. } = self;
        Driven { host, execution, approval_id, gap }
    }

    fn now(&self) -> i64 {
        self.host.moment().wall_us
    }

    /// Takes a step whose error is an error of the run.
    fn take(&mut self, step: Step) -> Result<Answer, Halt<H::Stop>> {
        match step {
            Step::CheckLimit => self.check_limit().map_err(Halt::Store),
            Step::RequestApproval { message } => self.request(message),
            check => self.ask(check).map_err(Halt::Raised),
        }
    }

    /// Takes a step that is the program's, or whose failure the run tells itself.
    fn ask(&mut self, step: Step) -> Result<Answer, H::Stop> {
        match step {
            Step::CheckInput => Ok(Answer::Arguments(self.host.arguments()?)),
            Step::ReplaceArguments { arguments } => {
                self.host.replace_arguments(parsed(&arguments)?);
                Ok(Answer::Done)
            }
            Step::CheckPermission { capability } => {
                self.host.permit(self.execution.run(), capability.as_deref())
            }
            Step::VerifyApproval => {
                Ok(Answer::Fingerprint(fingerprint_of(&self.host, &self.execution)?))
            }
            Step::CancelApproval { request_id } => {
                self.services.approvals.cancel(&request_id, self.now())?;
                Ok(Answer::Done)
            }
            Step::StoreUndo => self.store_undo(),
            // `go` and `take` take these steps themselves.
            Step::Emit(_)
            | Step::AwaitApproval { .. }
            | Step::CheckLimit
            | Step::RequestApproval { .. }
            | Step::Run
            | Step::Finished(_) => {
                let message = "the step is not one of the checks";
                Err(Error::new(ErrorKind::UnexpectedAnswer, message).into())
            }
        }
    }

    fn check_limit(&self) -> Result<Answer, StoreError> {
        let tool = self.execution.tool();
        let Some(limit) = tool.limits.rate else { return Ok(Answer::Granted) };
        let caller = self.host.caller();
        Ok(self.services.check_limit(tool, limit, caller, self.now())?.into())
    }

    /// Makes the request for approval, unless the process that had the run before made it.
    fn request(&mut self, message: String) -> Result<Answer, Halt<H::Stop>> {
        let (payload_summary, detail) = self.shown().map_err(Halt::Raised)?;
        let (services, run, now) = (self.services, self.execution.run(), self.now());
        let fingerprint = detail.fingerprint.clone();
        let taken_over = self.claim.as_ref().is_some_and(|claim| claim.taken_over);
        let asked = if taken_over {
            services.approvals.asked(&run.action_id, &fingerprint, now).map_err(Halt::Store)?
        } else {
            None
        };
        let new = NewApproval {
            id: None,
            action_id: run.action_id.clone(),
            tool_name: self.execution.tool().name.clone(),
            pipeline_run_id: run.pipeline_run_id.clone(),
            approval_message: message,
            payload_summary: Some(payload_summary),
            detail: Some(detail),
            expires_at: Some(now.saturating_add(services.settings.approval_timeout())),
        };
        let request = match asked {
            Some(request) => request,
            None => services.approvals.request(new, now).map_err(Halt::Store)?,
        };
        self.approval_id = Some(request.id.clone());
        Ok(Answer::Requested { request_id: request.id, fingerprint: Some(fingerprint) })
    }

    /// Returns what a person sees of the call: its short form, and the whole.
    fn shown(&mut self) -> Result<(Box<RawValue>, ApprovalDetail), H::Stop> {
        let summary = self.host.payload_summary()?;
        let changes = self.host.changes(self.execution.run())?;
        let (tool, arguments) = (&self.execution.tool().name, self.host.arguments()?);
        let redaction = &self.services.redaction;
        Ok((summary, ApprovalDetail::new(tool, &arguments, changes.as_ref(), redaction)))
    }

    /// Gives the run back to the store while a person decides.
    fn suspend(&mut self, request_id: &str) -> Result<Suspension, Halt<H::Stop>> {
        let failed = match self.keep() {
            Ok(true) => return Ok(Suspension::Kept),
            // Who has the run now waits for the same request.
            Ok(false) if self.claim.is_some() => return Ok(Suspension::Lost),
            Ok(false) => {
                let id = &self.execution.run().action_id;
                let message = format!("the store has another run of the action '{id}' already");
                Halt::Raised(Error::new(ErrorKind::InvalidExecution, message).into())
            }
            // The store may have taken the run although it answered with an error.
            Err(Halt::Store(_)) if self.waits_for(request_id) => return Ok(Suspension::Kept),
            Err(halt) => halt,
        };
        // The request is useless without its run. If this fails too, the request expires, and the
        // run's own failure is the one to tell.
        drop(self.services.approvals.cancel(request_id, self.now()));
        Err(failed)
    }

    /// Whether the store has the run, and the run waits for this request.
    fn waits_for(&self, request_id: &str) -> bool {
        let (id, now) = (&self.execution.run().action_id, self.now());
        let kept = self.services.runs.get(id, now).ok().flatten();
        kept.is_some_and(|run| run.is_free(now) && run.approval_id.as_deref() == Some(request_id))
    }

    fn keep(&self) -> Result<bool, Halt<H::Stop>> {
        let (services, now) = (self.services, self.now());
        let arguments = self.host.arguments().map_err(Halt::Raised)?;
        let payload = raw_json(&*arguments).map_err(|error| Halt::Raised(error.into()))?;
        let kept = if let Some(claim) = &self.claim {
            services.runs.suspend(claim, &self.execution, &payload, now)
        } else {
            let until = Some(services.settings.kept_until(now));
            let caller = self.host.caller().to_owned();
            services.runs.keep(&self.execution, payload, caller, until, now)
        };
        kept.map_err(|failed| match failed {
            RunsError::Store(failure) => Halt::Store(failure),
            RunsError::Run(error) => Halt::Raised(error.into()),
            refused => {
                let error = Error::new(ErrorKind::InvalidExecution, refused.to_string());
                Halt::Raised(error.into())
            }
        })
    }

    /// Writes down that the handler starts now. Returns false if it must not start here.
    fn start(&self, lease: i64) -> Result<bool, StoreError> {
        let Some(claim) = &self.claim else { return Ok(true) };
        self.services.runs.start(claim, lease, self.host.moment())
    }

    /// For how long the handler has the run, in microseconds, until the lease is renewed.
    fn lease(&self) -> i64 {
        if H::RENEWS {
            return Runs::LEASE;
        }
        RunHold::own_lease(self.host.timeout(self.execution.tool()))
    }

    fn handle(&mut self, lease: i64) -> Result<Answer, H::Stop> {
        let hold = self
            .claim
            .as_ref()
            .map(|claim| RunHold::new(Arc::clone(&self.services.runs), claim.clone(), lease));
        let timeout = self.host.timeout(self.execution.tool());
        let _renewed = hold.as_ref().filter(|_| H::RENEWS).map(|hold| hold.renewed(timeout));
        match self.host.handle(self.execution.run(), hold.as_ref()) {
            Ok(facts) => Ok(Answer::Output(facts)),
            Err(stop) => self.host.raised(stop),
        }
    }

    fn store_undo(&self) -> Result<Answer, H::Stop> {
        let new = NewUndo {
            action_id: self.execution.run().action_id.clone(),
            tool_name: self.execution.tool().name.clone(),
            undo_data: self.host.undo_data()?,
        };
        let services = self.services;
        services.undo.store(new, Some(services.undo_ttl), self.now())?;
        Ok(Answer::Done)
    }

    /// Writes down how the run ended. If that fails, the handler does not run again.
    fn settle(&mut self, failure: Option<RunFailure>) -> Result<(), H::Stop> {
        let Some(claim) = &self.claim else { return Ok(()) };
        let outcome = match failure {
            Some(failure) => RunOutcome::failed(failure),
            None => RunOutcome::completed(self.host.output_json()),
        };
        self.gap = outcome.gap;
        match self.services.runs.settle(claim, &outcome, self.host.moment()) {
            Ok(true) => Ok(()),
            Ok(false) => self.host.not_settled(lost(&claim.record.id).into()),
            Err(failed) => self.host.not_settled(failed.into()),
        }
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

fn lost(id: &str) -> Error {
    Error::new(ErrorKind::RunLost, lost_message(id))
}

fn parsed(arguments: &str) -> Result<serde_json::Value, Error> {
    parse_json(arguments.as_bytes())
        .map_err(|error| Error::new(ErrorKind::InvalidExecution, error.to_string()))
}
