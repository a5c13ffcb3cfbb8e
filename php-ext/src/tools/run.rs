//! Drives a run: does what the core's machine asks for, and tells it what came of that.

use std::rc::Rc;
use std::sync::Arc;

use ext_php_rs::types::Zval;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwire::lifecycle::{
    self, Answer, ApprovalDetail, Execution as Machine, Failure, NewApproval, NewUndo, OutputFacts,
    Permit, Run, State, Step,
};
use toolwire::registry::ToolSpec;
use toolwire::{Error, ErrorKind};

use super::action::Action;
use super::callback::{Raised, Stop, call};
use super::definition::ToolDefinition;
use super::execution::Execution;
use super::host::Host;
use super::input::ToolInput;
use super::output::ToolOutput;
use super::{clock, error, event, json, summary};
use crate::host::exception;
use crate::host::value::{self, held};

/// The least time, in microseconds, for which a run is kept after the deadline of its approval.
const AN_HOUR: i64 = 3_600_000_000;

/// What came of the machine's last step.
pub(super) enum Reply {
    /// It was done.
    Done,
    /// The run may go on.
    Granted,
    /// The caller may not, and why.
    Refused(String),
    /// The payload as JSON.
    Arguments(Rc<Value>),
    /// The tool has run too often: the milliseconds until it may run again.
    Limited(u64),
    /// A person was asked, by this request, for what has this fingerprint.
    Requested(String, String),
    /// The person decided, why, and the fingerprint that the person saw.
    Decided(bool, Option<String>, Option<String>),
    /// The run's present fingerprint.
    Fingerprint(String),
    /// Nobody decided in time.
    TimedOut,
    /// The handler's output.
    Output(OutputFacts),
    /// Something threw.
    Raised(Raised),
}

impl Reply {
    fn answer(&self) -> Answer<'_> {
        match self {
            Self::Done => Answer::Done,
            Self::Granted => Answer::Granted,
            Self::Refused(reason) => Answer::Refused { reason },
            Self::Arguments(arguments) => Answer::Arguments(arguments),
            Self::Limited(retry_after_ms) => Answer::Limited { retry_after_ms: *retry_after_ms },
            Self::Requested(request_id, fingerprint) => {
                Answer::Requested { request_id, fingerprint: Some(fingerprint) }
            }
            Self::Decided(granted, reason, fingerprint) => Answer::Decided {
                granted: *granted,
                reason: reason.as_deref(),
                fingerprint: fingerprint.as_deref(),
            },
            Self::Fingerprint(fingerprint) => Answer::Fingerprint(fingerprint),
            Self::TimedOut => Answer::TimedOut,
            Self::Output(facts) => Answer::Output(*facts),
            Self::Raised(Raised { class, message }) => Answer::Raised { class, message },
        }
    }
}

/// What the machine asks for, free of the machine.
enum Wanted {
    Tell(&'static str, Zval),
    Input,
    Replace(Value),
    Permission(Option<String>),
    Limit,
    Request(String),
    Await(String),
    Verify,
    Cancel(String),
    Run,
    StoreUndo,
    Finish(Option<Failure>),
}

/// A run of a tool under an executor.
pub(super) struct Drive<'h> {
    host: &'h Host,
    /// The tool as it was when the run began, whatever becomes of it in the registry.
    definition: Zval,
    spec: Arc<ToolSpec>,
    payload: Zval,
    /// The payload as it is checked, shown and kept, where PHP cannot say it.
    written: Option<Rc<Value>>,
    caller: String,
    summary: Option<Zval>,
    output: Option<Zval>,
    thrown: Option<Zval>,
    approval_id: Option<String>,
    events: Vec<Zval>,
}

impl<'h> Drive<'h> {
    /// Takes a tool's definition and what its handler will be given.
    pub(super) fn new(
        host: &'h Host,
        definition: Zval,
        payload: Zval,
        caller: String,
    ) -> Result<Self, Error> {
        let spec = spec(&definition)?;
        Ok(Self {
            host,
            definition,
            spec,
            payload,
            written: None,
            caller,
            summary: None,
            output: None,
            thrown: None,
            approval_id: None,
            events: Vec::new(),
        })
    }

    /// Has the payload checked and kept as it was written, if that is known, in place of what PHP
    /// made of it.
    pub(super) fn checking(self, written: Option<Value>) -> Self {
        Self { written: written.map(Rc::new), ..self }
    }

    /// The payload of a run that waited, as it was kept.
    pub(super) fn kept(
        host: &'h Host,
        definition: Zval,
        payload: &RawValue,
    ) -> Result<Self, Error> {
        let written = json::parsed(payload.get())?;
        Ok(Self::new(host, definition, json::read(payload), String::new())?.checking(Some(written)))
    }

    /// Runs an action from its beginning.
    pub(super) fn begin(self, run: Run) -> Result<Execution, Stop> {
        let machine = Machine::new(Arc::clone(&self.spec), run, self.host.settings.clone());
        self.go(machine, Reply::Done)
    }

    /// Goes on until the run ends or waits for a person.
    pub(super) fn go(mut self, mut machine: Machine, first: Reply) -> Result<Execution, Stop> {
        self.approval_id = machine.awaited_approval().map(str::to_owned);
        let mut reply = first;
        loop {
            reply = match self.wanted(&mut machine, &reply)? {
                Wanted::Tell(name, data) => self.tell(name, &data)?,
                Wanted::Input => self.arguments(),
                Wanted::Replace(arguments) => self.replace(arguments),
                Wanted::Permission(capability) => {
                    self.permit(machine.run(), capability.as_deref())?
                }
                Wanted::Limit => self.limit()?,
                Wanted::Request(message) => self.request(machine.run(), message)?,
                Wanted::Await(request_id) => match self.suspend(&machine, &request_id)? {
                    None => return self.finish(&machine, None),
                    Some(reply) => reply,
                },
                Wanted::Verify => self.verify(machine.run())?,
                Wanted::Cancel(request_id) => self.cancel(&request_id)?,
                Wanted::Run => self.run(machine.run())?,
                Wanted::StoreUndo => self.store_undo(machine.run())?,
                Wanted::Finish(failure) => return self.finish(&machine, failure.as_ref()),
            };
        }
    }

    fn wanted(&mut self, machine: &mut Machine, reply: &Reply) -> Result<Wanted, Stop> {
        Ok(match machine.advance(&reply.answer(), clock::moment())? {
            Step::Emit(event) => {
                let summary = match event.kind {
                    lifecycle::EventKind::Invoked => self.summary(),
                    _ => Zval::null(),
                };
                Wanted::Tell(event.kind.name(), event::data(&event, &summary)?)
            }
            Step::CheckInput => Wanted::Input,
            Step::ReplaceArguments { arguments } => Wanted::Replace(json::parsed(arguments)?),
            Step::CheckPermission { capability } => {
                Wanted::Permission(capability.map(str::to_owned))
            }
            Step::CheckLimit => Wanted::Limit,
            Step::RequestApproval { message } => Wanted::Request(message),
            Step::AwaitApproval { request_id, .. } => Wanted::Await(request_id.to_owned()),
            Step::VerifyApproval => Wanted::Verify,
            Step::CancelApproval { request_id } => Wanted::Cancel(request_id.to_owned()),
            Step::Run => Wanted::Run,
            Step::StoreUndo => Wanted::StoreUndo,
            Step::Finished(failure) => Wanted::Finish(failure.cloned()),
            other => {
                let message = format!("this extension does not know the step {other:?}");
                return Err(Error::new(ErrorKind::UnexpectedAnswer, message).into());
            }
        })
    }

    fn summary(&mut self) -> Zval {
        let summary =
            self.summary.get_or_insert_with(|| summary::of(&self.payload, &self.host.redaction));
        summary.shallow_clone()
    }

    fn tell(&mut self, name: &'static str, data: &Zval) -> Result<Reply, Stop> {
        self.events
            .push(value::record([("type", value::text(name)), ("data", data.shallow_clone())])?);
        self.host.tell(name, data)?;
        Ok(Reply::Done)
    }

    /// What a handler is given.
    pub(super) fn input(&self, run: &Run) -> ToolInput {
        ToolInput::new(run, &self.spec.name, &self.payload, self.written.clone())
    }

    fn permit(&mut self, run: &Run, capability: Option<&str>) -> Result<Reply, Stop> {
        let Some(permission) = self.host.permission.as_ref().map(Zval::shallow_clone) else {
            let capability = capability.unwrap_or_default();
            return Ok(Reply::Refused(format!(
                "there is no check for the capability '{capability}'"
            )));
        };
        let input = value::object(self.input(run))?;
        let given = match call(&permission, vec![&input, &self.definition]) {
            Ok(given) => given,
            Err(stop) => return self.raised(stop),
        };
        Ok(match (given.bool(), given.zend_str()) {
            (Some(true), _) => Reply::Granted,
            (Some(false), _) => Reply::Refused("the caller may not run it".to_owned()),
            (_, Some(reason)) => {
                Reply::Refused(String::from_utf8_lossy(reason.as_bytes()).into_owned())
            }
            _ => {
                let given = value::type_name(&given);
                let message =
                    format!("the permission check must return a bool or a reason, got {given}");
                return self.raised(Error::new(ErrorKind::WrongType, message).into());
            }
        })
    }

    /// The payload as JSON.
    fn json(&self) -> Result<Rc<Value>, Error> {
        let made = || json::object("payload", &self.payload).map(Rc::new);
        self.written.clone().map_or_else(made, Ok)
    }

    fn arguments(&mut self) -> Reply {
        match self.json() {
            Ok(arguments) => Reply::Arguments(arguments),
            Err(error) => self.caught(exception::object_of(&error)),
        }
    }

    /// Takes the validated arguments in the payload's place.
    fn replace(&mut self, arguments: Value) -> Reply {
        self.payload = json::value(&arguments);
        self.written = Some(Rc::new(arguments));
        self.summary = None;
        Reply::Done
    }

    /// What a run would change now, where the program says it.
    fn changes(&self, run: &Run) -> Result<Option<Value>, Stop> {
        let Some(changes) = &self.host.changes else { return Ok(None) };
        let input = value::object(self.input(run))?;
        let given = call(changes, vec![&input, &self.definition])?;
        Ok(Some(json::given("changes", &given)?))
    }

    /// What a person approves: the whole arguments, with what a run would change now.
    fn detail(&self, run: &Run) -> Result<ApprovalDetail, Stop> {
        let (changes, arguments) = (self.changes(run)?, self.json()?);
        Ok(ApprovalDetail::new(&self.spec.name, &arguments, changes.as_ref(), &self.host.redaction))
    }

    /// The present fingerprint.
    pub(super) fn fingerprint(&self, run: &Run) -> Result<String, Stop> {
        let (changes, arguments) = (self.changes(run)?, self.json()?);
        Ok(lifecycle::fingerprint(&self.spec.name, &arguments, changes.as_ref()))
    }

    fn verify(&mut self, run: &Run) -> Result<Reply, Stop> {
        match self.fingerprint(run) {
            Ok(fingerprint) => Ok(Reply::Fingerprint(fingerprint)),
            Err(stop) => self.raised(stop),
        }
    }

    fn limit(&mut self) -> Result<Reply, Stop> {
        let Some(limit) = self.spec.rate_limit else { return Ok(Reply::Granted) };
        let limiter = self.host.limiter(&self.spec, limit);
        match limiter.check(&self.spec.action_type, &self.caller, clock::now()) {
            Ok(Permit::Allowed { .. }) => Ok(Reply::Granted),
            Ok(Permit::Limited { retry_after }) => {
                let milliseconds = retry_after.saturating_add(999) / 1000;
                Ok(Reply::Limited(u64::try_from(milliseconds).unwrap_or_default()))
            }
            Err(failure) => self.raised(error::store(failure)),
        }
    }

    fn request(&mut self, run: &Run, message: String) -> Result<Reply, Stop> {
        let summary = self.summary();
        let payload_summary = match json::written("payload", &summary) {
            Ok(summary) => Some(summary),
            Err(error) => return Ok(self.caught(exception::object_of(&error))),
        };
        let detail = match self.detail(run) {
            Ok(detail) => detail,
            Err(stop) => return self.raised(stop),
        };
        let fingerprint = detail.fingerprint.clone();
        let now = clock::now();
        let new = NewApproval {
            id: None,
            action_id: run.action_id.clone(),
            tool_name: self.spec.name.clone(),
            pipeline_run_id: run.pipeline_run_id.clone(),
            approval_message: message,
            payload_summary,
            detail: Some(detail),
            expires_at: Some(now.saturating_add(self.timeout())),
        };
        match self.host.approvals.request(new, now) {
            Ok(request) => {
                self.approval_id = Some(request.id.clone());
                Ok(Reply::Requested(request.id, fingerprint))
            }
            Err(failure) => self.raised(error::store(failure)),
        }
    }

    /// How long a person has to decide, in microseconds.
    fn timeout(&self) -> i64 {
        i64::try_from(self.host.settings.approval_timeout_ms.saturating_mul(1000))
            .unwrap_or(i64::MAX)
    }

    /// Keeps the run for a later request; what failed where that could not be done.
    fn suspend(&mut self, machine: &Machine, request_id: &str) -> Result<Option<Reply>, Stop> {
        let now = clock::now();
        let failed = match self.json().and_then(|payload| json::raw(&payload)) {
            Err(error) => Stop::from(error),
            Ok(payload) => {
                let context = json::raw(&Value::Null)?;
                // Somebody who decides at the last moment leaves as much time again to take the run
                // up.
                let kept = self.timeout().saturating_add(self.timeout().max(AN_HOUR));
                let expires_at = now.saturating_add(kept);
                match self.host.suspensions.keep(machine, payload, context, Some(expires_at), now) {
                    Ok(true) => return Ok(None),
                    Ok(false) => {
                        let id = &machine.run().action_id;
                        let message =
                            format!("a run of the action '{id}' waits for approval already");
                        Error::new(ErrorKind::InvalidExecution, message).into()
                    }
                    Err(lifecycle::SuspensionError::Store(failure)) => error::store(failure),
                    Err(other) => Error::new(ErrorKind::InvalidExecution, other.to_string()).into(),
                }
            }
        };
        let reply = self.raised(failed)?;
        // Nobody shall be asked in vain; a store that fails here too leaves a request that expires.
        if let Err(failure) = self.host.approvals.cancel(request_id, now)
            && let Stop::Exit = error::store(failure)
        {
            return Err(Stop::Exit);
        }
        Ok(Some(reply))
    }

    fn cancel(&mut self, request_id: &str) -> Result<Reply, Stop> {
        match self.host.approvals.cancel(request_id, clock::now()) {
            Ok(_) => Ok(Reply::Done),
            Err(failure) => self.raised(error::store(failure)),
        }
    }

    fn run(&mut self, run: &Run) -> Result<Reply, Stop> {
        let input = value::object(self.input(run))?;
        let Some(handler) = held::<ToolDefinition>(&self.definition).map(ToolDefinition::handler)
        else {
            return Err(not_a_tool().into());
        };
        let given = match call(&handler, vec![&input]) {
            Ok(given) => given,
            Err(stop) => return self.raised(stop),
        };
        let Some(facts) = held::<ToolOutput>(&given).map(ToolOutput::facts) else {
            let (tool, given) = (&self.spec.name, value::type_name(&given));
            let message = format!(
                "the handler of '{tool}' must return a Toolwire\\Tools\\ToolOutput, got {given}"
            );
            return self.raised(Error::new(ErrorKind::WrongType, message).into());
        };
        self.output = Some(given.dereference().shallow_clone());
        Ok(Reply::Output(facts))
    }

    /// Keeps what undoes the run; the run has completed, so a failure is told and is no error of
    /// it.
    fn store_undo(&self, run: &Run) -> Result<Reply, Stop> {
        let metadata =
            self.output.as_ref().and_then(held::<ToolOutput>).map(ToolOutput::undo_metadata);
        let stored = match json::written("undoMetadata", &metadata.unwrap_or_else(Zval::new_array))
        {
            Err(error) => Err(Stop::from(error)),
            Ok(undo_data) => {
                let (action_id, tool_name) = (run.action_id.clone(), self.spec.name.clone());
                let new = NewUndo { action_id, tool_name, undo_data };
                let stored = self.host.undo.store(new, Some(self.host.undo_ttl), clock::now());
                stored.map(drop).map_err(error::store)
            }
        };
        match stored {
            Ok(()) => Ok(Reply::Done),
            Err(Stop::Thrown(thrown)) => Ok(Reply::Raised(Raised::of(&thrown))),
            Err(Stop::Exit) => Err(Stop::Exit),
        }
    }

    /// That something threw, which becomes the cause of the run's failure.
    fn raised(&mut self, stop: Stop) -> Result<Reply, Stop> {
        match stop {
            Stop::Thrown(thrown) => Ok(self.caught(thrown)),
            Stop::Exit => Err(Stop::Exit),
        }
    }

    fn caught(&mut self, thrown: Zval) -> Reply {
        let raised = Raised::of(&thrown);
        self.thrown = Some(thrown);
        Reply::Raised(raised)
    }

    fn finish(self, machine: &Machine, failure: Option<&Failure>) -> Result<Execution, Stop> {
        let (id, tool) = (machine.run().action_id.clone(), self.spec.name.clone());
        let error = match failure {
            Some(failure) => Some(error::of_failure(failure, &tool, &id, self.thrown)?),
            None => None,
        };
        let state = machine.state();
        let output = self.output.filter(|_| state == State::Completed);
        let (approval_id, events) = (self.approval_id, self.events);
        Ok(Execution { id, state, tool: Some(tool), output, error, approval_id, events })
    }
}

/// What became of an action that no tool runs.
pub(super) fn unknown(action: Action) -> Result<Execution, Stop> {
    let error = Some(error::not_found(&action.kind)?);
    let state = State::Failed;
    let (tool, output, approval_id, events) = (None, None, None, Vec::new());
    Ok(Execution { id: action.id, state, tool, output, error, approval_id, events })
}

/// What a definition says of its tool.
pub(super) fn spec(definition: &Zval) -> Result<Arc<ToolSpec>, Error> {
    held::<ToolDefinition>(definition).map(|tool| Arc::clone(tool.spec())).ok_or_else(not_a_tool)
}

fn not_a_tool() -> Error {
    // A registry holds nothing else.
    Error::new(ErrorKind::WrongType, "a registered tool is no Toolwire\\Tools\\ToolDefinition")
}
