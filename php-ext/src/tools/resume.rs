//! Runs that are kept in the store: begins them once, takes them up again, and lists them.

use ext_php_rs::types::Zval;
use toolwire::lifecycle::{
    Answer, Begun, Execution as Machine, NewRun, Resumption, RunFailure, RunRecord, RunTool, Runs,
    fingerprint, run_id,
};
use toolwire::{Error, ErrorKind};

use super::action::{Action, Context};
use super::callback::Stop;
use super::execution::Execution;
use super::host::Host;
use super::output::ToolOutput;
use super::run::{Runner, spec, unknown};
use super::{clock, error, json};
use crate::host::value;

/// Begins the run of a call, or returns the run that the call has already.
pub(super) fn start(
    host: &Host,
    action: Action,
    context: Context,
    scope: &str,
) -> Result<Execution, Stop> {
    let Some(definition) = host.tools.get(&action.kind) else { return unknown(action) };
    let run = context.run(&run_id(scope, &action.id));
    let runner = Runner::new(host, definition, action.payload, context.caller)?;
    let runner = runner.checking(action.written);
    let arguments = runner.json()?;
    let tool = tool_of(&runner);
    let new = NewRun {
        run: run.clone(),
        caller: runner.caller.clone(),
        call: fingerprint(&tool.action_type, &arguments, None),
        tool,
        payload: json::raw(&arguments)?,
    };
    match host.runs.begin(new, Runs::LEASE, clock::now()).map_err(error::store)? {
        Begun::Mine(claim) => runner.having(claim).begin(run),
        Begun::Known(record) => standing(&record),
        Begun::Other(record) => {
            let tool = runner.spec.name.clone();
            let error = error::of_failure(&RunFailure::CallIdReused, &tool, &record.id, None)?;
            let state = toolwire::lifecycle::RunState::Denied;
            Ok(Execution { error: Some(error), ..Execution::bare(record.id, state, Some(tool)) })
        }
    }
}

/// Takes a run up that nobody has; returns nothing if the store has no run of this id.
pub(super) fn resume(host: &Host, id: &str) -> Result<Option<Execution>, Stop> {
    let now = clock::now();
    let Some(record) = host.runs.get(id, now).map_err(error::store)? else { return Ok(None) };
    if !record.is_free(now) {
        return Ok(Some(standing(&record)?));
    }
    let (machine, definition) = restored(host, &record)?;
    let answer = match &record.approval_id {
        None => Answer::Done,
        Some(request_id) => {
            let outcome = host.approvals.outcome(request_id, now).map_err(error::store)?;
            let Some(answer) = outcome.answer() else { return Ok(Some(standing(&record)?)) };
            answer
        }
    };
    // The payload is read before the claim. If it cannot be read, the run stays unclaimed, so that
    // a later request can resume it.
    let mut runner = Runner::kept(host, definition, &record.input.payload)?;
    runner.caller.clone_from(&record.input.caller);
    match host.runs.claim(id, Runs::LEASE, clock::now()).map_err(error::store)? {
        Resumption::Unknown => Ok(None),
        Resumption::Standing(record) => Ok(Some(standing(&record)?)),
        Resumption::Claimed(claim) => Ok(Some(runner.having(claim).go(machine, answer)?)),
    }
}

/// Returns the waiting run of an action, if it may still be approved and nobody has it.
pub(super) fn kept<'h>(host: &'h Host, id: &str) -> Result<Option<(Machine, Runner<'h>)>, Stop> {
    let now = clock::now();
    let record = host.runs.get(id, now).map_err(error::store)?;
    let waits = |record: &RunRecord| {
        record.is_free(now) && !record.is_refused() && record.approval_id.is_some()
    };
    let Some(record) = record.filter(waits) else { return Ok(None) };
    let (machine, definition) = restored(host, &record)?;
    Ok(Some((machine, Runner::kept(host, definition, &record.input.payload)?)))
}

/// Returns the runs that have not ended, the oldest first.
pub(super) fn open(host: &Host) -> Result<Vec<Execution>, Stop> {
    let open = host.runs.open(usize::MAX, clock::now()).map_err(error::store)?;
    open.iter().map(standing).collect()
}

/// Returns a run as the store has it.
fn standing(record: &RunRecord) -> Result<Execution, Stop> {
    let (state, tool) = (record.state(clock::now()), record.tool.name.clone());
    let outcome = record.outcome.as_ref();
    let failure = outcome.and_then(|outcome| outcome.failure.as_ref());
    let error = failure.map(|failure| error::of_failure(failure, &tool, &record.id, None));
    let output = outcome.and_then(|outcome| outcome.output.as_ref());
    Ok(Execution {
        output: output.map(|output| value::object(ToolOutput::read(output))).transpose()?,
        error: error.transpose()?,
        approval_id: record.approval_id.clone(),
        gap: outcome.and_then(|outcome| outcome.gap),
        ..Execution::bare(record.id.clone(), state, Some(tool))
    })
}

/// Restores a run, with its tool as it is registered now. A run whose process ended during the
/// first checks begins anew.
fn restored(host: &Host, record: &RunRecord) -> Result<(Machine, Zval), Stop> {
    let definition = host.tools.by_action_type(&record.tool.action_type).ok_or_else(|| {
        let tool = &record.tool.action_type;
        let message = format!("the run's tool \"{tool}\" is not registered");
        Error::new(ErrorKind::InvalidExecution, message)
    })?;
    let tool = spec(&definition)?;
    let machine = match &record.input.execution {
        Some(saved) => Machine::restore(saved, |action_type| {
            (action_type == tool.action_type).then(|| std::sync::Arc::clone(&tool))
        })?,
        None => Machine::new(tool, record.input.run.clone(), host.settings.clone()),
    };
    Ok((machine, definition))
}

fn tool_of(runner: &Runner<'_>) -> RunTool {
    let tool = &runner.spec;
    RunTool { name: tool.name.clone(), action_type: tool.action_type.clone() }
}
