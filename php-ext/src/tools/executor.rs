//! `Toolwire\Tools\Executor`: runs actions, resumes runs that waited, and undoes them.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::sync::Arc;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::lifecycle::{
    Answer, Execution as Machine, Resumption, RunState, Settings, Suspended, UndoStore,
    checked_microseconds, whole_ms,
};
use toolwire::redact::Redaction;
use toolwire::store::MemoryStore;
use toolwire::{Error, ErrorKind};

use super::action::{Action, Context};
use super::any_store::AnyStore;
use super::approval::{RETENTION, TIMEOUT};
use super::callback::{Stop, callable, warn};
use super::execution::Execution;
use super::host::{Host, HostOptions};
use super::input::ToolInput;
use super::registry::Registry;
use super::run::{Runner, spec, unknown};
use super::{clock, error, undoing};
use crate::class::redaction::Redact;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::object::Object;
use crate::host::value::{ACallable, Anything, As, Flag, Maybe, Real, Table, Text};
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
        approvalRetention = RETENTION
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
        self.0.listen(listener);
        Ok(())
    }

    /// Runs an action. The returned value describes every outcome of the run.
    fn execute(&self, action: As<Anything>, context: Maybe<Table<'_>>) -> PhpResult<Execution> {
        let action = Action::read(&action.0)?;
        let context = Context::read(context.0.as_ref().and_then(|context| context.0.array()));
        let context = context.map_err(|error| exception::from_core(&error))?;
        let Some(definition) = self.0.tools.get(&action.kind) else { return Ok(unknown(action)?) };
        let run = context.run(&action.id);
        let runner = Runner::new(&self.0, definition, action.payload, context.caller);
        let runner = runner.map_err(|error| exception::from_core(&error))?;
        Ok(runner.checking(action.written).begin(run)?)
    }

    /// Resumes a run that waited for a person; null if no run waits under this id.
    fn resume(&self, id: Text<'_>) -> PhpResult<Option<Execution>> {
        Ok(self.go_on(&id.lossy())?)
    }

    /// Returns the input that the waiting run of an action will get; null if none waits.
    fn waiting(&self, actionId: Text<'_>) -> PhpResult<Option<ToolInput>> {
        let waiting = self.kept(&actionId.lossy())?;
        Ok(waiting.map(|(machine, runner)| runner.input(machine.run())))
    }

    /// Returns the present fingerprint of the waiting run of an action; null if none waits.
    fn fingerprint(&self, actionId: Text<'_>) -> PhpResult<Option<String>> {
        let Some((machine, runner)) = self.kept(&actionId.lossy())? else { return Ok(None) };
        Ok(Some(runner.fingerprint(machine.run())?))
    }

    /// Undoes the run of an action. Returns false if undo data or an undo handler is missing.
    fn undo(&self, actionId: Text<'_>, context: Maybe<Table<'_>>) -> PhpResult<bool> {
        let context = Context::read(context.0.as_ref().and_then(|context| context.0.array()));
        let context = context.map_err(|error| exception::from_core(&error))?;
        Ok(undoing::undo(&self.0, context.run(&actionId.lossy()))?)
    }
}

impl Holds for Executor {
    fn each_held(&self, show: &mut dyn FnMut(&Zval)) {
        self.0.each_held(show);
    }
}

impl Executor {
    /// Returns the waiting run of an action, if it may still be approved and is not claimed.
    fn kept(&self, id: &str) -> Result<Option<(Machine, Runner<'_>)>, Stop> {
        let waiting = self.0.suspensions.get(id, clock::now()).map_err(error::store)?;
        let Some(waiting) =
            waiting.filter(|waiting| !waiting.is_claimed() && !waiting.is_refused())
        else {
            return Ok(None);
        };
        let (machine, definition) = self.restored(&waiting)?;
        Ok(Some((machine, Runner::kept(&self.0, definition, &waiting.payload)?)))
    }

    fn go_on(&self, id: &str) -> Result<Option<Execution>, Stop> {
        let waiting = self.0.suspensions.get(id, clock::now()).map_err(error::store)?;
        let Some(waiting) = waiting else { return Ok(None) };
        let (machine, definition) = self.restored(&waiting)?;
        if waiting.is_claimed() {
            return Ok(Some(standing(&machine, RunState::Running)));
        }
        let Some(answer) = self.decision(&machine)? else {
            return Ok(Some(standing(&machine, RunState::PendingApproval)));
        };
        // The payload is read before the claim. If it cannot be read, the run stays unclaimed, so
        // that a later request can resume it.
        let runner = Runner::kept(&self.0, definition, &waiting.payload)?;
        match self.0.suspensions.claim(id, clock::now()).map_err(error::store)? {
            Resumption::Unknown => Ok(None),
            Resumption::Taken => Ok(Some(standing(&machine, RunState::Running))),
            Resumption::Claimed(_) => {
                let execution = runner.go(machine, answer)?;
                self.forget(id)?;
                Ok(Some(execution))
            }
        }
    }

    /// Restores a saved run, with its tool as it is registered now.
    fn restored(&self, waiting: &Suspended) -> Result<(Machine, Zval), Stop> {
        let mut definition = None;
        let machine = Machine::restore(&waiting.execution, |action_type| {
            definition = self.0.tools.by_action_type(action_type);
            spec(definition.as_ref()?).ok()
        })?;
        let definition = definition.ok_or_else(|| {
            Error::new(ErrorKind::InvalidExecution, "the run's tool is not registered")
        })?;
        Ok((machine, definition))
    }

    /// Returns the answer to the request that a run waits for, or nothing while it is pending.
    fn decision(&self, machine: &Machine) -> Result<Option<Answer>, Stop> {
        let Some(request_id) = machine.awaited_approval() else {
            return Err(Error::new(
                ErrorKind::InvalidExecution,
                "the run does not wait for approval",
            )
            .into());
        };
        let outcome = self.0.approvals.outcome(request_id, clock::now()).map_err(error::store)?;
        Ok(outcome.answer())
    }

    /// Removes a run that has ended. If that fails, the run stays claimed and does not run again.
    fn forget(&self, id: &str) -> Result<(), Stop> {
        match self.0.suspensions.forget(id, clock::now()).map_err(error::store) {
            Ok(_) => Ok(()),
            Err(Stop::Thrown(thrown)) => warn("the store", &thrown),
            Err(Stop::Exit) => Err(Stop::Exit),
        }
    }
}

/// Returns the result for a run that this request does not resume.
fn standing(machine: &Machine, state: RunState) -> Execution {
    Execution {
        id: machine.run().action_id.clone(),
        state,
        tool: Some(machine.tool().name.clone()),
        output: None,
        error: None,
        approval_id: machine.awaited_approval().map(str::to_owned),
        events: Vec::new(),
    }
}
