//! Drives a run: does the step that the core's machine asks for, and gives it the answer.

use std::sync::Arc;

use ext_php_rs::types::Zval;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwire::lifecycle::{
    Answer, EventKind, Execution as Machine, NewUndo, Run, RunClaim, RunEvent, RunFailure,
    RunOutcome, RunState, Runs, Step,
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

/// A run of a tool under an executor.
pub(super) struct Runner<'h> {
    pub(super) host: &'h Host,
    /// The tool as it was when the run began, even if the registry changes.
    pub(super) definition: Zval,
    pub(super) spec: Arc<ToolSpec>,
    pub(super) payload: Zval,
    /// The payload for the check, the person and the store, if a PHP array cannot represent it.
    pub(super) written: Option<Arc<Value>>,
    pub(super) caller: String,
    pub(super) summary: Option<Zval>,
    output: Option<Zval>,
    thrown: Option<Zval>,
    pub(super) approval_id: Option<String>,
    /// The run in the store, if it was begun or taken up there.
    pub(super) claim: Option<RunClaim>,
    events: Vec<Zval>,
}

impl<'h> Runner<'h> {
    /// Makes a runner from a tool's definition and its handler's input.
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
            claim: None,
            events: Vec::new(),
        })
    }

    /// Sets the run in the store that this process has.
    pub(super) fn having(self, claim: RunClaim) -> Self {
        Self { claim: Some(claim), ..self }
    }

    /// Sets the payload as the model wrote it, if it is known. It is checked and kept in place of
    /// the PHP array.
    pub(super) fn checking(self, written: Option<Value>) -> Self {
        Self { written: written.map(Arc::new), ..self }
    }

    /// Makes a runner for a run that waited, with the payload that was kept.
    pub(super) fn kept(
        host: &'h Host,
        definition: Zval,
        payload: &RawValue,
    ) -> Result<Self, Error> {
        let written = json::parsed(payload.get())?;
        Ok(Self::new(host, definition, json::read(payload), String::new())?.checking(Some(written)))
    }

    /// Starts the run of an action.
    pub(super) fn begin(self, run: Run) -> Result<Execution, Stop> {
        let machine = Machine::new(Arc::clone(&self.spec), run, self.host.settings.clone());
        self.go(machine, Answer::Done)
    }

    /// Runs until the run ends or waits for a person.
    pub(super) fn go(mut self, mut machine: Machine, first: Answer) -> Result<Execution, Stop> {
        self.approval_id = machine.awaited_approval().map(str::to_owned);
        let mut answer = first;
        loop {
            answer = match machine.advance(answer, clock::moment())? {
                Step::Emit(event) => self.tell(&event)?,
                Step::CheckInput => self.arguments(),
                Step::ReplaceArguments { arguments } => self.replace(json::parsed(&arguments)?),
                Step::CheckPermission { capability } => {
                    self.permit(machine.run(), capability.as_deref())?
                }
                Step::CheckLimit => self.limit()?,
                Step::RequestApproval { message } => self.request(machine.run(), message)?,
                Step::AwaitApproval { request_id, .. } => {
                    match self.suspend(&machine, &request_id)? {
                        None => return self.finish(&machine, None),
                        Some(answer) => answer,
                    }
                }
                Step::VerifyApproval => self.verify(machine.run())?,
                Step::CancelApproval { request_id } => self.cancel(&request_id)?,
                Step::Run => self.run(machine.run())?,
                Step::StoreUndo => self.store_undo(machine.run())?,
                Step::Finished(failure) => return self.finish(&machine, failure.as_ref()),
            };
        }
    }

    /// Returns the summary of the payload.
    pub(super) fn summary(&mut self) -> Zval {
        let summary =
            self.summary.get_or_insert_with(|| summary::of(&self.payload, &self.host.redaction));
        summary.shallow_clone()
    }

    fn tell(&mut self, event: &RunEvent) -> Result<Answer, Stop> {
        let summary = match event.kind {
            EventKind::Invoked => self.summary(),
            _ => Zval::null(),
        };
        let (name, data) = (event.kind.slug(), event::data(event, &summary)?);
        self.events
            .push(value::record([("type", value::text(name)), ("data", data.shallow_clone())])?);
        self.host.tell(name, &data)?;
        Ok(Answer::Done)
    }

    /// Returns the input for the handler.
    pub(super) fn input(&self, run: &Run) -> ToolInput {
        ToolInput::new(run, &self.spec.name, &self.payload, self.written.clone())
    }

    fn run(&mut self, run: &Run) -> Result<Answer, Stop> {
        if let Some(claim) = &self.claim {
            match self.host.runs.start(claim, Runs::LONG_LEASE, clock::now()) {
                Ok(true) => {}
                Ok(false) => return Ok(self.lost(&run.action_id)),
                Err(failure) => return self.raised(error::store(failure)),
            }
        }
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
        Ok(Answer::Output(facts))
    }

    /// Returns the answer for a run that another process has taken up.
    fn lost(&mut self, id: &str) -> Answer {
        let message = format!("another process has taken up the run '{id}'");
        self.caught(exception::object_of(&Error::new(ErrorKind::InvalidExecution, message)))
    }

    /// Stores the undo data of the run. The run has completed, so an error here becomes an event
    /// and does not fail the run.
    fn store_undo(&self, run: &Run) -> Result<Answer, Stop> {
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
            Ok(()) => Ok(Answer::Done),
            Err(Stop::Thrown(thrown)) => Ok(Raised::of(&thrown).into()),
            Err(Stop::Exit) => Err(Stop::Exit),
        }
    }

    /// Returns the answer for an exception, which becomes the cause of the run's failure.
    pub(super) fn raised(&mut self, stop: Stop) -> Result<Answer, Stop> {
        match stop {
            Stop::Thrown(thrown) => Ok(self.caught(thrown)),
            Stop::Exit => Err(Stop::Exit),
        }
    }

    /// Returns the answer for a thrown object, which becomes the cause of the run's failure.
    pub(super) fn caught(&mut self, thrown: Zval) -> Answer {
        let raised = Raised::of(&thrown);
        self.thrown = Some(thrown);
        raised.into()
    }

    fn finish(self, machine: &Machine, failure: Option<&RunFailure>) -> Result<Execution, Stop> {
        let (id, tool) = (machine.run().action_id.clone(), self.spec.name.clone());
        let state = machine.state();
        if let (Some(claim), true) = (&self.claim, state != RunState::Waiting) {
            self.host.settle(claim, &self.outcome(failure))?;
        }
        let error = match failure {
            Some(failure) => Some(error::of_failure(failure, &tool, &id, self.thrown)?),
            None => None,
        };
        Ok(Execution {
            output: self.output.filter(|_| state == RunState::Completed),
            error,
            approval_id: self.approval_id,
            events: self.events,
            ..Execution::bare(id, state, Some(tool))
        })
    }

    /// Returns the outcome for the store.
    fn outcome(&self, failure: Option<&RunFailure>) -> RunOutcome {
        if let Some(failure) = failure {
            return RunOutcome::failed(failure.clone());
        }
        let fields = self.output.as_ref().and_then(held::<ToolOutput>).map(ToolOutput::fields);
        let fields = fields.and_then(Result::ok);
        RunOutcome::completed(fields.and_then(|fields| json::written("output", &fields).ok()))
    }
}

/// Returns the result for an action that no tool runs.
pub(super) fn unknown(action: Action) -> Result<Execution, Stop> {
    let error = Some(error::not_found(&action.kind)?);
    Ok(Execution { error, ..Execution::bare(action.id, RunState::Failed, None) })
}

/// Returns the specification of a definition.
pub(super) fn spec(definition: &Zval) -> Result<Arc<ToolSpec>, Error> {
    held::<ToolDefinition>(definition).map(|tool| Arc::clone(tool.spec())).ok_or_else(not_a_tool)
}

fn not_a_tool() -> Error {
    // This cannot happen, because a registry holds only tool definitions.
    Error::new(ErrorKind::WrongType, "a registered tool is no Toolwire\\Tools\\ToolDefinition")
}
