//! Drives one run from step to step, until it ends or waits for a person.

use super::host::RunHost;
use super::services::Services;
use crate::error::{Error, ErrorKind};
use crate::json::parse_json;
use crate::lifecycle::{
    Answer, ApprovalDetail, Execution, NewApproval, NewUndo, RunClaim, RunFailure, RunOutcome,
    Runs, RunsError, Step, fingerprint,
};
use crate::store::raw_json;

/// A run that this process drove.
pub struct Driven<H> {
    /// The host, which has the output and the cause of a failure.
    pub host: H,
    /// The run's machine. Its state is `waiting`, or that of a run that has ended.
    pub execution: Execution,
    /// The request for approval that the run waits or waited for.
    pub approval_id: Option<String>,
}

/// A run, with the host's side of it and its place in the store.
pub(super) struct Driver<'s, H> {
    services: &'s Services,
    host: H,
    execution: Execution,
    claim: Option<RunClaim>,
    approval_id: Option<String>,
}

/// What came of giving a run back while a person decides.
enum Suspension {
    Kept,
    /// Another process has taken the run up.
    Lost,
    /// The store has no room for the run, or it failed; the request is cancelled.
    Failed(Answer),
}

impl<'s, H: RunHost> Driver<'s, H> {
    pub(super) fn new(services: &'s Services, host: H, execution: Execution) -> Self {
        let approval_id = execution.awaited_approval().map(str::to_owned);
        Self { services, host, execution, claim: None, approval_id }
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
                Step::AwaitApproval { request_id, .. } => match self.suspend(&request_id)? {
                    Suspension::Kept => return Ok(Some(self.driven())),
                    Suspension::Lost => return Ok(None),
                    Suspension::Failed(answer) => answer,
                },
                Step::Run => match self.start() {
                    Ok(true) => self.handle()?,
                    Ok(false) => return Ok(None),
                    Err(stop) => self.host.raised(stop)?,
                },
                Step::Finished(failure) => {
                    self.settle(failure)?;
                    return Ok(Some(self.driven()));
                }
                check => match self.take(check) {
                    Ok(answer) => answer,
                    Err(stop) => self.host.raised(stop)?,
                },
            };
        }
    }

    fn driven(self) -> Driven<H> {
        Driven { host: self.host, execution: self.execution, approval_id: self.approval_id }
    }

    fn now(&self) -> i64 {
        self.host.moment().wall_us
    }

    /// Takes a step whose error is an error of the run.
    fn take(&mut self, step: Step) -> Result<Answer, H::Stop> {
        match step {
            Step::CheckInput => Ok(Answer::Arguments(self.host.arguments()?)),
            Step::ReplaceArguments { arguments } => {
                self.host.replace_arguments(parsed(&arguments)?);
                Ok(Answer::Done)
            }
            Step::CheckPermission { capability } => {
                self.host.permit(self.execution.run(), capability.as_deref())
            }
            Step::CheckLimit => self.check_limit(),
            Step::RequestApproval { message } => self.request(message),
            Step::VerifyApproval => {
                Ok(Answer::Fingerprint(fingerprint_of(&self.host, &self.execution)?))
            }
            Step::CancelApproval { request_id } => {
                self.services.approvals.cancel(&request_id, self.now())?;
                Ok(Answer::Done)
            }
            Step::StoreUndo => self.store_undo(),
            // `go` takes these steps itself.
            Step::Emit(_) | Step::AwaitApproval { .. } | Step::Run | Step::Finished(_) => {
                let message = "the step is not one of the checks";
                Err(Error::new(ErrorKind::UnexpectedAnswer, message).into())
            }
        }
    }

    fn check_limit(&self) -> Result<Answer, H::Stop> {
        let tool = self.execution.tool();
        let Some(limit) = tool.rate_limit else { return Ok(Answer::Granted) };
        let caller = self.host.caller();
        Ok(self.services.check_limit(tool, limit, caller, self.now())?.into())
    }

    /// Makes the request for approval, unless the process that had the run before made it.
    fn request(&mut self, message: String) -> Result<Answer, H::Stop> {
        let payload_summary = Some(self.host.payload_summary()?);
        let (services, run, now) = (self.services, self.execution.run(), self.now());
        let (changes, arguments) = (self.host.changes(run)?, self.host.arguments()?);
        let tool_name = self.execution.tool().name.clone();
        let detail =
            ApprovalDetail::new(&tool_name, &arguments, changes.as_ref(), &services.redaction);
        let fingerprint = detail.fingerprint.clone();
        let taken_over = self.claim.as_ref().is_some_and(|claim| claim.taken_over);
        let asked = if taken_over {
            services.approvals.asked(&run.action_id, &fingerprint, now)?
        } else {
            None
        };
        let new = NewApproval {
            id: None,
            action_id: run.action_id.clone(),
            tool_name,
            pipeline_run_id: run.pipeline_run_id.clone(),
            approval_message: message,
            payload_summary,
            detail: Some(detail),
            expires_at: Some(now.saturating_add(services.settings.approval_timeout())),
        };
        let request = match asked {
            Some(request) => request,
            None => services.approvals.request(new, now)?,
        };
        self.approval_id = Some(request.id.clone());
        Ok(Answer::Requested { request_id: request.id, fingerprint: Some(fingerprint) })
    }

    /// Gives the run back to the store while a person decides.
    fn suspend(&mut self, request_id: &str) -> Result<Suspension, H::Stop> {
        let failed = match self.keep() {
            Ok(true) => return Ok(Suspension::Kept),
            // Who has the run now waits for the same request.
            Ok(false) if self.claim.is_some() => return Ok(Suspension::Lost),
            Ok(false) => {
                let id = &self.execution.run().action_id;
                let message = format!("the store has another run of the action '{id}' already");
                Error::new(ErrorKind::InvalidExecution, message).into()
            }
            Err(stop) => stop,
        };
        let answer = self.host.raised(failed)?;
        // The request is useless without its run. If the cancellation fails too, the request
        // expires.
        if let Err(failure) = self.services.approvals.cancel(request_id, self.now()) {
            self.host.raised(failure.into())?;
        }
        Ok(Suspension::Failed(answer))
    }

    fn keep(&self) -> Result<bool, H::Stop> {
        let (services, now) = (self.services, self.now());
        let payload = raw_json(&*self.host.arguments()?)?;
        let kept = if let Some(claim) = &self.claim {
            services.runs.suspend(claim, &self.execution, &payload, now)
        } else {
            let until = Some(services.settings.kept_until(now));
            let caller = self.host.caller().to_owned();
            services.runs.keep(&self.execution, payload, caller, until, now)
        };
        kept.map_err(|failed| match failed {
            RunsError::Store(failure) => failure.into(),
            RunsError::Run(error) => error.into(),
            refused => Error::new(ErrorKind::InvalidExecution, refused.to_string()).into(),
        })
    }

    /// Writes down that the handler starts now. Returns false if it must not start here.
    fn start(&self) -> Result<bool, H::Stop> {
        let Some(claim) = &self.claim else { return Ok(true) };
        Ok(self.services.runs.start(claim, Runs::LONG_LEASE, self.now())?)
    }

    fn handle(&mut self) -> Result<Answer, H::Stop> {
        match self.host.handle(self.execution.run()) {
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
        match self.services.runs.settle(claim, &outcome, self.now()) {
            Ok(_) => Ok(()),
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

fn parsed(arguments: &str) -> Result<serde_json::Value, Error> {
    parse_json(arguments.as_bytes())
        .map_err(|error| Error::new(ErrorKind::InvalidExecution, error.to_string()))
}
