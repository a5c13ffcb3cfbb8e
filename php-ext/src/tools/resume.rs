//! Runs that are kept in the store: begins them once, takes them up again, and lists them.

use std::cell::Cell;
use std::sync::Arc;

use ext_php_rs::types::{ZendCallable, Zval};
use toolwire::executor::{KeptRun, RunStart, forget_open_runs, interrupt_open_runs};
use toolwire::lifecycle::{
    ApprovalRequest, Decision, Execution as Machine, HandlerEnd, InterruptionCode, Page, RunEvent,
    RunFailure, RunRecord, RunState, run_id,
};
use toolwire::redact::Redaction;
use toolwire::registry::ToolSpec;
use toolwire::{Error, ErrorKind};

use super::action::{Action, CallPlace, Context};
use super::callback::{Stop, caught};
use super::clock;
use super::error;
use super::execution::Execution;
use super::host::Host;
use super::json;
use super::output::ToolOutput;
use super::run::{Runner, result, without_tool};
use crate::host::option::not_finite_in;
use crate::host::value;

thread_local! {
    /// Whether PHP will call for the end of the runs of this request.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// The static method that ends the runs that the end of a request left.
const AT_THE_END: &str = "Toolwire\\Tools\\Executor::interruptOpenRuns";

/// Has PHP end the runs that this request leaves: by `exit`, a fatal error or the time limit. Where
/// the site disables the function for that, such a run is interrupted when its lease ends.
fn watch() -> Result<(), Stop> {
    if IS_WATCHED.replace(true) {
        return Ok(());
    }
    if let Ok(register) = ZendCallable::try_from_name("register_shutdown_function") {
        let registered = register.try_call(vec![&AT_THE_END]);
        caught()?;
        registered?;
    }
    Ok(())
}

/// Forgets what belongs to a request that has ended.
pub(super) fn end_of_request() {
    IS_WATCHED.set(false);
    forget_open_runs();
}

/// The errors that end a request: `E_ERROR`, `E_PARSE`, `E_CORE_ERROR`, `E_COMPILE_ERROR`,
/// `E_USER_ERROR` and `E_RECOVERABLE_ERROR`.
const FATAL: i64 = 1 | 4 | 16 | 64 | 256 | 4096;

/// What stands between an exception's message and its trace.
const TRACE: &[u8] = b"\nStack trace:";

/// Ends the runs that this request has left, and returns how many there were.
pub(super) fn end_left_runs() -> Result<usize, Stop> {
    let count = interrupt_open_runs(&why()?);
    // A listener may have called `exit`, or thrown what no warning could tell.
    caught()?;
    Ok(count)
}

/// Returns why the request ends: by the fatal error that PHP remembers, without secrets, or by
/// `exit`.
fn why() -> Result<HandlerEnd, Stop> {
    let exit = HandlerEnd::from(InterruptionCode::Exit);
    let Ok(last) = ZendCallable::try_from_name("error_get_last") else { return Ok(exit) };
    let last = last.try_call(Vec::new());
    caught()?;
    let last = last?;
    let field = |name| last.array().and_then(|last| last.get(name));
    // PHP remembers the last warning too, which ended nothing.
    if field("type").and_then(Zval::long).is_none_or(|kind| kind & FATAL == 0) {
        return Ok(exit);
    }
    let message = field("message").map(value::bytes).unwrap_or_default();
    // The trace of an uncaught exception may have the arguments of its functions.
    let trace = message.windows(TRACE.len()).position(|bytes| bytes == TRACE);
    let message = trace.and_then(|end| message.get(..end)).unwrap_or(message);
    let masked = Redaction::default().masked_text(message).into_owned();
    let detail = Some(String::from_utf8_lossy(&masked).into_owned());
    Ok(HandlerEnd { code: InterruptionCode::Fatal, detail })
}

/// Begins the run of a call, or returns the run that the call has already.
pub(super) fn start(
    host: &Host,
    action: Action,
    context: Context,
    place: &CallPlace,
    start: RunStart,
) -> Result<Execution, Stop> {
    let (id, named) = {
        let name = place.name(&action, &context);
        (run_id(&name), name.naming())
    };
    if context.run_id.as_ref().is_some_and(|given| *given != id) {
        let message = "run_id of a run in the store must be a UUID with hyphens";
        return Err(Error::new(ErrorKind::InvalidOption, message).into());
    }
    let definition = match action.tool(&host.tools) {
        Ok(definition) => definition,
        Err(failure) => return without_tool(id, &action, &failure),
    };
    watch()?;
    let run = context.run(&id);
    let runner = Runner::new(host, definition, action.payload, context.caller)?;
    let runner = runner.checking(action.written);
    let tool = Arc::clone(&runner.spec);
    let name = tool.name.clone();
    Ok(stands(host.services.start(runner, tool, run, named, start)?, &name)?.of_call(action.id))
}

/// Takes a run up that nobody has; returns nothing if the store has no run of this id.
pub(super) fn resume(host: &Host, id: &str) -> Result<Option<Execution>, Stop> {
    watch()?;
    let tell = |event: &RunEvent| host.tell(event);
    let kept = host.services.resume(id, clock::now(), &tell, |record| made(host, record))?;
    kept.map(|kept| stands(kept, "")).transpose()
}

/// Returns a run as it stands; nothing if the store has no run of this id.
pub(super) fn look(host: &Host, id: &str) -> Result<Option<Execution>, Stop> {
    let record = host.services.look(id, clock::now(), &|event: &RunEvent| host.tell(event))?;
    record.as_ref().map(standing).transpose()
}

/// Returns the waiting run with this id, if it may still be approved and nobody has it.
pub(super) fn kept<'h>(host: &'h Host, id: &str) -> Result<Option<(Machine, Runner<'h>)>, Stop> {
    host.services.waiting(id, clock::now(), |record| made(host, record))
}

/// Returns a page of the runs that have not ended, the oldest first.
pub(super) fn open(host: &Host, page: Page<'_>) -> Result<Vec<Execution>, Stop> {
    let open = host.services.runs.open_page(page, clock::now()).map_err(error::run)?;
    open.iter().map(standing).collect()
}

/// Makes an interrupted run ready to run once more, and returns it.
pub(super) fn retry(host: &Host, id: &str) -> Result<Execution, Stop> {
    let tell = |event: &RunEvent| host.tell(event);
    standing(&host.services.retry(id, clock::now(), &tell)?)
}

/// Makes the runner of a kept run, with its tool as it is registered now.
fn made<'h>(host: &'h Host, record: &RunRecord) -> Result<(Arc<ToolSpec>, Runner<'h>), Stop> {
    let (definition, input) = (definition_of(host, record)?, &record.input);
    let runner = Runner::kept(host, definition, &input.payload, input.caller.clone())?;
    Ok((Arc::clone(&runner.spec), runner))
}

fn definition_of(host: &Host, record: &RunRecord) -> Result<Zval, Error> {
    let tool = &record.tool.id;
    host.tools.by_id(tool).ok_or_else(|| {
        let message = format!("the run's tool \"{tool}\" is not registered");
        Error::new(ErrorKind::InvalidExecution, message)
    })
}

/// Approves a request as its run stands, or with these arguments in place of those of the call.
pub(super) fn approve(
    host: &Host,
    id: &str,
    arguments: Option<Zval>,
    decision: &Decision,
) -> Result<ApprovalRequest, Stop> {
    let own = |record: &RunRecord| made(host, record);
    let Some(payload) = arguments else {
        return host.services.approve(id, decision, clock::now(), &own, None);
    };
    // What is checked is what runs, whatever the program's code does to the array meanwhile.
    // A number that is not finite is refused as such.
    let is_finite = not_finite_in(&payload).is_none();
    let written = is_finite.then(|| json::object("payload", &payload)).transpose()?;
    let changed = |record: &RunRecord| {
        let (definition, caller) = (definition_of(host, record)?, record.input.caller.clone());
        let runner = Runner::new(host, definition, payload.shallow_clone(), caller)?;
        let runner = runner.checking(written.clone());
        Ok((Arc::clone(&runner.spec), runner))
    };
    host.services.approve(id, decision, clock::now(), &own, Some(&changed))
}

/// Returns a run of the store, after the call of this tool that started or resumed it.
fn stands(kept: KeptRun<Runner<'_>>, tool: &str) -> Result<Execution, Stop> {
    match kept {
        KeptRun::Driven(driven) => result(*driven),
        KeptRun::Standing(record) => standing(&record),
        KeptRun::Reused(record) => {
            let error = error::of_failure(&RunFailure::CallIdReused, tool, &record.id, None)?;
            let bare = Execution::bare(record.id, RunState::Denied, Some(tool.to_owned()));
            Ok(Execution { error: Some(error), ..bare })
        }
    }
}

/// Returns a run as the store has it.
fn standing(record: &RunRecord) -> Result<Execution, Stop> {
    let (state, tool) = (record.state(clock::now()), record.tool.name.clone());
    let outcome = record.outcome.as_ref();
    let failure = record.failure(clock::now());
    let error = failure.map(|failure| error::of_failure(&failure, &tool, &record.id, None));
    let output = outcome.and_then(|outcome| outcome.output.as_ref());
    Ok(Execution {
        output: output.map(|output| value::object(ToolOutput::read(output))).transpose()?,
        written: output.cloned(),
        error: error.transpose()?,
        approval_id: record.approval_id.clone(),
        gap: outcome.and_then(|outcome| outcome.gap),
        interruption: record.interruption().cloned(),
        ..Execution::bare(record.id.clone(), state, Some(tool))
    })
}
