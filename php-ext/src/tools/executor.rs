//! `Toolwire\Tools\Executor`: runs actions, resumes runs that waited, and undoes them.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::sync::Arc;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::executor::RunStart;
use toolwire::lifecycle::{
    Decision, Page, Runs, Settings, UndoStore, checked_microseconds, whole_ms,
};
use toolwire::redact::Redaction;
use toolwire::store::MemoryStore;
use toolwire::{Error, ErrorKind};

use super::action::{Action, CallPlace, Context};
use super::any_store::AnyStore;
use super::approval::{RETENTION, TIMEOUT, page_size};
use super::approval_request::ApprovalRequest;
use super::callback::callable;
use super::execution::Execution;
use super::host::{Host, HostOptions};
use super::input::ToolInput;
use super::registry::Registry;
use super::run::{Runner, result, without_tool};
use super::{clock, error, resume, undoing};
use crate::class::redaction::Redact;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::object::Object;
use crate::host::value::{
    self, ACallable, AnArray, Anything, As, Flag, Maybe, Real, Table, Text, Whole,
};
use crate::zend::Holds;

/// The index of the constructor's argument `redact`, from 0.
pub(super) const REDACT: usize = 8;

/// Runs the tools of a registry.
pub(crate) struct Executor(Host);

php_class!(Executor, "Toolwire\\Tools\\Executor", [], public, {});

#[php_impl]
impl Executor {
    /// Makes an executor. Without a store, waiting runs and undo data live as long as the executor.
    #[php(defaults(
        approvalTimeout = TIMEOUT,
        undoTtl = UndoStore::TTL_SECONDS,
        emitEvents = true,
        storeUndoData = true,
        requireApprovalForRisky = true,
        approvalRetention = RETENTION,
        runRetention = Runs::RETENTION_SECONDS,
        keepOutputs = true
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in PHP")]
    fn __construct(
        registry: Object<Registry>,
        store: Maybe<AnyStore>,
        permission: Maybe<As<ACallable>>,
        approvalTimeout: Real,
        undoTtl: Real,
        emitEvents: Flag,
        storeUndoData: Flag,
        requireApprovalForRisky: Flag,
        redact: Maybe<Redact<'_>>,
        changes: Maybe<As<ACallable>>,
        approvalRetention: Real,
        runRetention: Real,
        keepOutputs: Flag,
    ) -> PhpResult<Self> {
        let read = || {
            let permission =
                permission.0.map(|check| callable("permission", &check.0)).transpose()?;
            let changes = changes.0.map(|says| callable("changes", &says.0)).transpose()?;
            let timeout = checked_microseconds("approvalTimeout", approvalTimeout.0)?;
            let settings = Settings {
                emit_events: emitEvents.0,
                ask_approval: requireApprovalForRisky.0,
                approval_timeout_ms: whole_ms(timeout),
                store_undo: storeUndoData.0,
                ask_permission: permission.is_some(),
            };
            let redaction =
                redact.0.map_or_else(|| Ok(Redaction::default()), |given| given.core("redact"))?;
            let undo_ttl = checked_microseconds("undoTtl", undoTtl.0)?;
            let approval_retention =
                checked_microseconds("approvalRetention", approvalRetention.0)?;
            Ok(HostOptions {
                approval_retention,
                run_retention: checked_microseconds("runRetention", runRetention.0)?,
                keeps_outputs: keepOutputs.0,
                permission,
                changes,
                redaction,
                settings,
                undo_ttl,
            })
        };
        let options = read().map_err(|error: Error| exception::from_core(&error))?;
        let store = store.0.map_or_else(|| Arc::new(MemoryStore::default()) as _, |store| store.0);
        Ok(Self(Host::new(&registry, store, options)?))
    }

    /// Adds a listener, which is called with every event.
    fn listen(&self, listener: As<ACallable>) -> PhpResult<()> {
        let listener =
            callable("listener", &listener.0).map_err(|error| exception::from_core(&error))?;
        self.0.listeners.add(listener);
        Ok(())
    }

    /// Returns the tools as a provider's request has them, in the order of their registration.
    #[php(defaults(strict = false))]
    fn to_provider(&self, provider: Text<'_>, strict: Flag) -> PhpResult<As<AnArray>> {
        self.0.tools.to_provider(&provider, strict).map(As::new)
    }

    /// Runs an action. The returned value describes every outcome of the run.
    fn execute(
        &self,
        action: As<Anything>,
        context: Maybe<Table<'_>>,
        scope: Maybe<Text<'_>>,
        message: Maybe<Text<'_>>,
        index: Maybe<Whole>,
    ) -> PhpResult<Execution> {
        let (action, context) = (Action::read(&action.0)?, read_context(&context)?);
        let place = read_place(&scope, &message, index)?;
        let id = place.id_of_passing_run(&action, &context);
        let definition = match action.tool(&self.0.tools) {
            Ok(definition) => definition,
            Err(failure) => return Ok(without_tool(id, &action, &failure)?),
        };
        let run = context.run(&id);
        let runner = Runner::new(&self.0, definition, action.payload, context.caller);
        let runner = runner.map_err(|error| exception::from_core(&error))?;
        let runner = runner.checking(action.written);
        let tool = Arc::clone(&runner.spec);
        Ok(result(self.0.services.execute(runner, tool, run)?)?.of_call(action.id))
    }

    /// Starts the run of a call and keeps it in the store. A call that was started before gives the
    /// run that it has.
    #[php(defaults(again = false))]
    fn start(
        &self,
        action: As<Anything>,
        context: Maybe<Table<'_>>,
        scope: Maybe<Text<'_>>,
        message: Maybe<Text<'_>>,
        index: Maybe<Whole>,
        again: Flag,
    ) -> PhpResult<Execution> {
        let (action, context) = (Action::read(&action.0)?, read_context(&context)?);
        let place = read_place(&scope, &message, index)?;
        let start = if again.0 { RunStart::Again } else { RunStart::Once };
        Ok(resume::start(&self.0, action, context, &place, start)?)
    }

    /// Resumes a run that nobody has, and returns it; null if the store has no run of this id.
    fn resume(&self, id: Text<'_>) -> PhpResult<Option<Execution>> {
        Ok(resume::resume(&self.0, &id.lossy())?)
    }

    /// Returns a run as it stands, and leaves it alone; null if the store has no run of this id.
    fn run(&self, id: Text<'_>) -> PhpResult<Option<Execution>> {
        Ok(resume::look(&self.0, &id.lossy())?)
    }

    /// Makes an interrupted run ready to run once more, and returns it.
    fn retry(&self, id: Text<'_>) -> PhpResult<Execution> {
        Ok(resume::retry(&self.0, &id.lossy())?)
    }

    /// Returns the runs that have not ended, the oldest first, all of them or a page.
    fn waiting(&self, limit: Maybe<Whole>, after: Maybe<Text<'_>>) -> PhpResult<As<AnArray>> {
        let after = after.0.as_ref().map(Text::lossy);
        let limit = limit.0.map(|limit| page_size(limit.0)).transpose();
        let limit = limit.map_err(|error| exception::from_core(&error))?;
        let open = resume::open(&self.0, Page { limit, after: after.as_deref() })?;
        let open = open.into_iter().map(value::object).collect::<Result<Vec<_>, _>>()?;
        Ok(As::new(value::list(open)?))
    }

    /// Deletes a run from the store, and says whether there was one.
    fn forget(&self, id: Text<'_>) -> PhpResult<bool> {
        Ok(self.0.services.runs.forget(&id.lossy(), clock::now()).map_err(error::store)?)
    }

    /// Ends the runs that this request has left by `exit`, a fatal error or the time limit, and
    /// returns how many there were.
    fn interrupt_open_runs() -> PhpResult<i64> {
        Ok(i64::try_from(resume::end_left_runs()?).unwrap_or(i64::MAX))
    }

    /// Returns the input that a waiting run will get; null if it does not wait.
    fn input(&self, runId: Text<'_>) -> PhpResult<Option<ToolInput>> {
        let waiting = resume::kept(&self.0, &runId.lossy())?;
        Ok(waiting.map(|(machine, runner)| runner.input(machine.run())))
    }

    /// Returns the present fingerprint of a waiting run; null if it does not wait.
    fn fingerprint(&self, runId: Text<'_>) -> PhpResult<Option<String>> {
        let waiting = resume::kept(&self.0, &runId.lossy())?;
        let Some((machine, runner)) = waiting else { return Ok(None) };
        Ok(Some(self.0.services.fingerprint(&machine, &runner)?))
    }

    /// Approves a request, by its id or its action's: as its run stands now, or with these
    /// arguments in place of those of the call, which pass the checks of a call first.
    fn approve(
        &self,
        id: Text<'_>,
        arguments: Maybe<Table<'_>>,
        decidedBy: Maybe<Text<'_>>,
        reason: Maybe<Text<'_>>,
        fingerprint: Maybe<Text<'_>>,
    ) -> PhpResult<ApprovalRequest> {
        let owned = |text: Maybe<Text<'_>>| text.0.map(|text| text.lossy().into_owned());
        let decision = Decision {
            granted: true,
            decided_by: owned(decidedBy),
            reason: owned(reason),
            fingerprint: owned(fingerprint),
            present: None,
        };
        let arguments = arguments.0.map(|given| given.0.shallow_clone());
        let decided = resume::approve(&self.0, &id.lossy(), arguments, &decision)?;
        Ok(ApprovalRequest::made(decided))
    }

    /// Undoes a run. Returns false if undo data or an undo handler is missing.
    fn undo(&self, runId: Text<'_>, context: Maybe<Table<'_>>) -> PhpResult<bool> {
        let context = read_context(&context)?;
        Ok(undoing::undo(&self.0, context.run(&runId.lossy()))?)
    }
}

impl Executor {
    /// Returns what the runs share.
    pub(super) fn host(&self) -> &Host {
        &self.0
    }
}

impl Holds for Executor {
    fn each_held(&self, show: &mut dyn FnMut(&Zval)) {
        self.0.each_held(show);
    }
}

fn read_place(
    scope: &Maybe<Text<'_>>,
    message: &Maybe<Text<'_>>,
    index: Maybe<Whole>,
) -> PhpResult<CallPlace> {
    let refused =
        |message: String| exception::from_core(&Error::new(ErrorKind::InvalidOption, message));
    // Bytes that are replaced would make one name of two.
    let text = |name: &str, given: &Maybe<Text<'_>>| {
        let bytes = given.0.as_ref().map(|text| text.bytes().to_vec()).unwrap_or_default();
        String::from_utf8(bytes).map_err(|_| refused(format!("{name} must be UTF-8")))
    };
    let index = index.0.map(|index| u64::try_from(index.0)).transpose();
    let index = index.map_err(|_| refused("index must not be negative".to_owned()))?;
    Ok(CallPlace { scope: text("scope", scope)?, message: text("message", message)?, index })
}

pub(super) fn read_context(given: &Maybe<Table<'_>>) -> PhpResult<Context> {
    let table = given.0.as_ref().and_then(|given| given.0.array());
    Context::read(table).map_err(|error| exception::from_core(&error))
}
