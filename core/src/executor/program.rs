//! A Rust program's side of its runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::hold::RunHold;
use super::host::RunHost;
use super::tool::{Fault, Tool, ToolInput, ToolOutput};
use super::undo::UndoHost;
use crate::error::Error;
use crate::json::infinite_in;
use crate::lifecycle::{
    Answer, OutputFacts, Run, RunEvent, UndoAnswer, UndoData, summarize_payload,
};
use crate::redact::{JsonBuild, Redaction};
use crate::registry::ToolSpec;
use crate::store::raw_json;

/// A listener to the events of runs.
pub(super) type Listener = Box<dyn Fn(&RunEvent) + Send + Sync>;

/// A policy: whether a caller may run a tool, or the reason why not.
pub(super) type Policy = Box<dyn Fn(&ToolInput, Option<&str>) -> Result<(), String> + Send + Sync>;

/// The program's code that every run may call.
#[derive(Default)]
pub(super) struct Program {
    pub(super) listeners: Vec<Listener>,
    pub(super) policy: Option<Policy>,
}

impl Program {
    /// Emits an event; no listener stops the program.
    pub(super) fn emit(&self, event: &RunEvent) {
        for listener in &self.listeners {
            // A listener that panics must not end the run of a tool.
            drop(catch_unwind(AssertUnwindSafe(|| listener(event))));
        }
    }
}

/// The program's side of one run.
pub(super) struct ProgramRun<'p> {
    pub(super) program: &'p Program,
    pub(super) redaction: &'p Redaction,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) spec: Arc<ToolSpec>,
    pub(super) arguments: Arc<Value>,
    pub(super) caller: String,
    pub(super) output: Option<ToolOutput>,
    pub(super) cause: Option<Fault>,
    pub(super) not_kept: Option<Fault>,
}

impl ProgramRun<'_> {
    pub(super) fn input(&self, run: &Run) -> ToolInput {
        let arguments = Arc::clone(&self.arguments);
        ToolInput { run: run.clone(), tool_name: self.spec.name.clone(), arguments, hold: None }
    }
}

impl RunHost for ProgramRun<'_> {
    type Stop = Fault;

    fn raised(&mut self, stop: Fault) -> Result<Answer, Fault> {
        let answer = Answer::Raised { class: class(&stop), message: stop.to_string() };
        self.cause = Some(stop);
        Ok(answer)
    }

    fn emit(&mut self, event: &RunEvent) -> Result<(), Fault> {
        self.program.emit(&event.without_secrets(self.redaction));
        Ok(())
    }

    fn arguments(&self) -> Result<Arc<Value>, Fault> {
        Ok(Arc::clone(&self.arguments))
    }

    fn bad_number(&self) -> Option<String> {
        infinite_in(&self.arguments)
    }

    fn replace_arguments(&mut self, arguments: Value) {
        self.arguments = Arc::new(arguments);
    }

    fn payload_summary(&mut self) -> Result<Box<RawValue>, Fault> {
        let summary = summarize_payload(&&*self.arguments, self.redaction, &mut JsonBuild);
        Ok(raw_json(&summary.map_err(Error::from)?)?)
    }

    fn caller(&self) -> &str {
        &self.caller
    }

    fn permit(&mut self, run: &Run, capability: Option<&str>) -> Result<Answer, Fault> {
        let Some(policy) = &self.program.policy else {
            let capability = capability.unwrap_or_default();
            let reason = format!("there is no check for the capability '{capability}'");
            return Ok(Answer::Refused { reason });
        };
        Ok(match caught(|| Ok(policy(&self.input(run), capability)))? {
            Ok(()) => Answer::Granted,
            Err(reason) => Answer::Refused { reason },
        })
    }

    fn changes(&self, run: &Run) -> Result<Option<Value>, Fault> {
        caught(|| self.tool.changes(&self.input(run)))
    }

    fn handle(&mut self, run: &Run, hold: Option<&RunHold>) -> Result<OutputFacts, Fault> {
        let input = ToolInput { hold: hold.cloned(), ..self.input(run) };
        let output = caught(|| self.tool.run(&input))?;
        let facts = output.facts();
        self.output = Some(output);
        Ok(facts)
    }

    fn output_json(&self) -> Option<Box<RawValue>> {
        raw_json(self.output.as_ref()?).ok()
    }

    fn undo_data(&self) -> Result<Box<RawValue>, Fault> {
        let metadata = self.output.as_ref().and_then(|output| output.undo_metadata.as_ref());
        Ok(raw_json(&metadata)?)
    }

    fn not_settled(&mut self, failed: Fault) -> Result<(), Fault> {
        self.not_kept = Some(failed);
        Ok(())
    }
}

/// The program's side of undoing one run.
pub(super) struct ProgramUndo<'p> {
    pub(super) program: &'p Program,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) cause: Option<Fault>,
}

impl UndoHost for ProgramUndo<'_> {
    type Stop = Fault;

    fn raised(&mut self, stop: Fault) -> Result<UndoAnswer, Fault> {
        let answer = UndoAnswer::Raised { class: class(&stop), message: stop.to_string() };
        self.cause = Some(stop);
        Ok(answer)
    }

    fn emit(&mut self, event: &RunEvent) -> Result<(), Fault> {
        self.program.emit(event);
        Ok(())
    }

    fn undo(&mut self, data: &UndoData) -> Result<(), Fault> {
        caught(|| self.tool.undo(data))
    }
}

/// A handler that panicked.
#[derive(Debug)]
struct Panicked(String);

impl std::fmt::Display for Panicked {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the program panicked: {}", self.0)
    }
}

impl std::error::Error for Panicked {}

/// Calls code of the program, so that its panic is an error of the run.
fn caught<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let told = panic.downcast_ref::<&str>().map(|told| (*told).to_owned());
        let told = told.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Box::new(Panicked(told.unwrap_or_default())))
    })
}

/// Returns the class of an error for events and the store. Rust keeps no names of types.
fn class(fault: &Fault) -> String {
    if fault.is::<Panicked>() { "panic" } else { "error" }.to_owned()
}
