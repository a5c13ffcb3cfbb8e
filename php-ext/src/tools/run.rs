//! Drives a run: does the step that the core's machine asks for, and gives it the answer.

use std::sync::Arc;

use ext_php_rs::types::Zval;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwire::lifecycle::{
    Answer, EventKind, Execution as Machine, NewUndo, Run, RunEvent, RunFailure, RunState, Step,
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
            events: Vec::new(),
        })
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
        let error = match failure {
            Some(failure) => Some(error::of_failure(failure, &tool, &id, self.thrown)?),
            None => None,
        };
        let state = machine.state();
        let output = self.output.filter(|_| state == RunState::Completed);
        let (approval_id, events) = (self.approval_id, self.events);
        Ok(Execution { id, state, tool: Some(tool), output, error, approval_id, events })
    }
}

/// Returns the result for an action that no tool runs.
pub(super) fn unknown(action: Action) -> Result<Execution, Stop> {
    let error = Some(error::not_found(&action.kind)?);
    let state = RunState::Failed;
    let (tool, output, approval_id, events) = (None, None, None, Vec::new());
    Ok(Execution { id: action.id, state, tool, output, error, approval_id, events })
}

/// Returns the specification of a definition.
pub(super) fn spec(definition: &Zval) -> Result<Arc<ToolSpec>, Error> {
    held::<ToolDefinition>(definition).map(|tool| Arc::clone(tool.spec())).ok_or_else(not_a_tool)
}

fn not_a_tool() -> Error {
    // This cannot happen, because a registry holds only tool definitions.
    Error::new(ErrorKind::WrongType, "a registered tool is no Toolwire\\Tools\\ToolDefinition")
}
