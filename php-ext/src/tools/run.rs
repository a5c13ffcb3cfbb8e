//! PHP's side of a run: its handler, its listeners and its values.

use std::rc::Rc;
use std::sync::Arc;

use ext_php_rs::types::Zval;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwire::executor::{Driven, RunHold, RunHost, Teller};
use toolwire::json::infinite_in;
use toolwire::lifecycle::{
    Answer, EventKind, OutputFacts, OutputGap, Run, RunEvent, RunFailure, RunState,
};
use toolwire::registry::ToolSpec;
use toolwire::{Error, ErrorKind};

use super::action::Action;
use super::callback::{Raised, Stop, call, warn};
use super::definition::ToolDefinition;
use super::execution::Execution;
use super::host::Host;
use super::input::ToolInput;
use super::output::ToolOutput;
use super::working::{TimeLimit, Working, time_of_php};
use super::{error, event, json, summary};
use crate::host::option;
use crate::host::value::{self, held};
use crate::zend;

/// A run of a tool under an executor.
pub(super) struct Runner<'h> {
    pub(super) host: &'h Host,
    /// The tool as it was when the run began, even if the registry changes.
    pub(super) definition: Zval,
    pub(super) spec: Arc<ToolSpec>,
    payload: Zval,
    /// The payload for the check, the person and the store, if a PHP array cannot represent it.
    written: Option<Arc<Value>>,
    caller: String,
    summary: Option<Zval>,
    output: Option<Zval>,
    /// The output as JSON, unless it is none.
    written_output: Option<Box<RawValue>>,
    thrown: Option<Zval>,
    /// Why the store does not have the end of the run.
    not_kept: Option<String>,
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
            written_output: None,
            thrown: None,
            not_kept: None,
            events: Vec::new(),
        })
    }

    /// Sets the payload as the model wrote it, if it is known. It is checked and kept in place of
    /// the PHP array.
    pub(super) fn checking(self, written: Option<Value>) -> Self {
        Self { written: written.map(Arc::new), ..self }
    }

    /// Makes a runner for a run of the store, with the payload that was kept.
    pub(super) fn kept(
        host: &'h Host,
        definition: Zval,
        payload: &RawValue,
        caller: String,
    ) -> Result<Self, Error> {
        let written = json::parsed(payload.get())?;
        Ok(Self::new(host, definition, json::read(payload), caller)?.checking(Some(written)))
    }

    /// Returns the payload as JSON.
    fn json(&self) -> Result<Arc<Value>, Error> {
        let made = || json::object("payload", &self.payload).map(Arc::new);
        self.written.clone().map_or_else(made, Ok)
    }

    /// Returns the summary of the payload.
    fn summary(&mut self) -> Zval {
        let summary = self
            .summary
            .get_or_insert_with(|| summary::of(&self.payload, &self.host.services.redaction));
        summary.shallow_clone()
    }

    /// Returns the input for the handler.
    pub(super) fn input(&self, run: &Run) -> ToolInput {
        ToolInput::new(run, &self.spec.name, &self.payload, self.written.clone())
    }
}

impl RunHost for Runner<'_> {
    type Stop = Stop;

    const MAY_LEAVE: bool = true;

    /// A store may be written in PHP, which has one thread.
    const RENEWS: bool = false;

    /// Without a limit of its own, a tool has the time that PHP gives to the script.
    fn timeout(&self, tool: &ToolSpec) -> Option<i64> {
        tool.limits.timeout.or_else(time_of_php)
    }

    fn leaves(stop: &Stop) -> bool {
        matches!(stop, Stop::Exit)
    }

    fn stack() -> usize {
        zend::running_fiber()
    }

    fn raised(&mut self, stop: Stop) -> Result<Answer, Stop> {
        let Stop::Thrown(thrown) = stop else { return Err(stop) };
        let raised = Raised::of(&thrown);
        self.thrown = Some(thrown);
        Ok(raised.into())
    }

    fn emit(&mut self, event: &RunEvent) -> Result<(), Stop> {
        let summary = match event.kind {
            EventKind::Invoked => self.summary(),
            _ => Zval::null(),
        };
        let event = event.without_secrets(&self.host.services.redaction);
        let (name, data) = (event.kind.slug(), event::data(&event, &summary)?);
        self.events
            .push(value::record([("type", value::text(name)), ("data", data.shallow_clone())])?);
        self.host.listeners.tell(name, &data)
    }

    fn teller(&self) -> Option<Teller> {
        Some(self.host.listeners.teller())
    }

    fn arguments(&self) -> Result<Arc<Value>, Stop> {
        Ok(self.json()?)
    }

    fn bad_number(&self) -> Option<String> {
        match &self.written {
            Some(written) => infinite_in(written),
            None => option::not_finite_in(&self.payload),
        }
    }

    fn replace_arguments(&mut self, arguments: Value) {
        self.payload = json::value(&arguments);
        self.written = Some(Arc::new(arguments));
        self.summary = None;
    }

    fn payload_summary(&mut self) -> Result<Box<RawValue>, Stop> {
        Ok(json::written("payload", &self.summary())?)
    }

    fn caller(&self) -> &str {
        &self.caller
    }

    fn permit(&mut self, run: &Run, capability: Option<&str>) -> Result<Answer, Stop> {
        let Some(permission) = self.host.permission.as_ref().map(Zval::shallow_clone) else {
            let capability = capability.unwrap_or_default();
            let reason = format!("there is no check for the capability '{capability}'");
            return Ok(Answer::Refused { reason });
        };
        let input = value::object(self.input(run))?;
        let given = call(&permission, vec![&input, &self.definition])?;
        match (given.bool(), given.zend_str()) {
            (Some(true), _) => Ok(Answer::Granted),
            (Some(false), _) => {
                Ok(Answer::Refused { reason: "the caller may not run it".to_owned() })
            }
            (_, Some(reason)) => {
                let reason = String::from_utf8_lossy(reason.as_bytes()).into_owned();
                Ok(Answer::Refused { reason })
            }
            _ => {
                let given = value::type_name(&given);
                let message =
                    format!("the permission check must return a bool or a reason, got {given}");
                Err(Error::new(ErrorKind::WrongType, message).into())
            }
        }
    }

    fn changes(&self, run: &Run) -> Result<Option<Value>, Stop> {
        let Some(changes) = &self.host.changes else { return Ok(None) };
        let input = value::object(self.input(run))?;
        let given = call(changes, vec![&input, &self.definition])?;
        Ok(Some(json::given("changes", &given)?))
    }

    fn handle(&mut self, run: &Run, hold: Option<&RunHold>) -> Result<OutputFacts, Stop> {
        let working = Rc::new(Working::new(hold, self.host.listeners.share()));
        let input = value::object(self.input(run).of_handler(Rc::clone(&working)))?;
        let handler = held::<ToolDefinition>(&self.definition).map(ToolDefinition::handler);
        let handler = handler.ok_or_else(not_a_tool)?;
        let limit = TimeLimit::during(self.spec.limits.timeout)?;
        let given = call(&handler, vec![&input]);
        working.end();
        if !given.as_ref().is_err_and(Self::leaves) {
            limit.end()?;
        }
        let given = given?;
        // The tool has done its work, whatever it returned.
        let output = match held::<ToolOutput>(&given) {
            Some(_) => given.dereference().shallow_clone(),
            None => value::object(ToolOutput::returned(&given))?,
        };
        let told = held::<ToolOutput>(&output).ok_or_else(not_a_tool)?;
        let (facts, fields) = (told.facts(), told.fields());
        self.output = Some(output);
        self.written_output = match fields {
            Ok(fields) => json::encoded(&fields)?,
            Err(_) => None,
        };
        Ok(facts)
    }

    fn output_json(&self) -> Option<Box<RawValue>> {
        self.written_output.clone()
    }

    fn undo_data(&self) -> Result<Box<RawValue>, Stop> {
        let metadata =
            self.output.as_ref().and_then(held::<ToolOutput>).map(ToolOutput::undo_metadata);
        Ok(json::written("undoMetadata", &metadata.unwrap_or_else(Zval::new_array))?)
    }

    fn not_settled(&mut self, failed: Stop) -> Result<(), Stop> {
        match failed {
            Stop::Thrown(thrown) => {
                self.not_kept = Some(Raised::of(&thrown).message);
                warn("the store", &thrown)
            }
            Stop::Exit => Err(Stop::Exit),
        }
    }
}

/// Returns the result of a run that this process drove.
pub(super) fn result(driven: Driven<Runner<'_>>) -> Result<Execution, Stop> {
    let Driven { host: runner, execution, approval_id, gap } = driven;
    let (id, tool) = (execution.run().run_id.clone(), runner.spec.name.clone());
    let (state, failure) = (execution.state(), execution.failure());
    let error = failure.map(|failure| error::of_failure(failure, &tool, &id, runner.thrown));
    let completed = state == RunState::Completed;
    let not_json = (completed && runner.written_output.is_none()).then_some(OutputGap::NotJson);
    Ok(Execution {
        output: runner.output.filter(|_| completed),
        written: runner.written_output.filter(|_| completed),
        error: error.transpose()?,
        approval_id,
        events: runner.events,
        gap: gap.or(not_json),
        not_kept: runner.not_kept,
        ..Execution::bare(id, state, Some(tool))
    })
}

/// Makes the result of an action that no tool runs.
pub(super) fn without_tool(
    id: String,
    action: &Action,
    failure: &RunFailure,
) -> Result<Execution, Stop> {
    let error = match failure {
        RunFailure::ToolNotFound => error::not_found(&action.kind)?,
        failure => error::of_failure(failure, &action.kind, &id, None)?,
    };
    let execution = Execution::bare(id, RunState::Failed, None);
    Ok(Execution { error: Some(error), ..execution }.of_call(action.id.clone()))
}

/// Returns the specification of a definition.
pub(super) fn spec(definition: &Zval) -> Result<Arc<ToolSpec>, Error> {
    held::<ToolDefinition>(definition).map(|tool| Arc::clone(tool.spec())).ok_or_else(not_a_tool)
}

fn not_a_tool() -> Error {
    // This cannot happen, because a registry holds only tool definitions.
    Error::new(ErrorKind::WrongType, "a registered tool is no Toolwire\\Tools\\ToolDefinition")
}
