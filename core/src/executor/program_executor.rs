//! The executor of a Rust program.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::action::Action;
use super::clock;
use super::program::{Program, ProgramRun, ProgramUndo};
use super::services::Services;
use super::tool::{Fault, Tool, ToolInput};
use super::tool_run::ToolRun;
use super::undo::Undone;
use crate::error::{Error, ErrorKind};
use crate::json::parse_json;
use crate::lifecycle::{
    ApprovalRequest, Approvals, Decision, Page, Run, RunEvent, RunFailure, RunRecord, RunStart,
    RunsError, Settings, run_id, undo_message,
};
use crate::provider::{Provider, ToolOptions};
use crate::registry::{Registered, Registry, ToolSpec};
use crate::store::{Store, StoreError};

/// Runs the tools of a Rust program, over one store.
pub struct Executor {
    tools: Registry<Arc<dyn Tool>>,
    services: Services,
    program: Program,
}

impl Executor {
    /// Makes an executor with approvals, undo data, limits and runs in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Self {
        Self::over(Services::new(store, settings))
    }

    /// Makes an executor over these services.
    #[must_use]
    pub fn over(services: Services) -> Self {
        Self { tools: Registry::default(), services, program: Program::default() }
    }

    /// Adds a tool. It replaces a tool of the same id.
    ///
    /// # Errors
    ///
    /// `invalid_tool`, see [`ToolSpec::check`].
    pub fn register(&mut self, spec: ToolSpec, tool: impl Tool + 'static) -> Result<(), Error> {
        spec.check()?;
        self.tools.register(spec, Arc::new(tool));
        Ok(())
    }

    /// Adds a listener, which is called with every event.
    pub fn listen(&mut self, listener: impl Fn(&RunEvent) + Send + Sync + 'static) {
        self.program.listeners.push(Box::new(listener));
    }

    /// Sets the policy that every run is asked of. It gets the input and the capability that the
    /// tool names, and returns the reason of a refusal.
    pub fn set_policy(
        &mut self,
        policy: impl Fn(&ToolInput, Option<&str>) -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.services.settings.ask_permission = true;
        self.program.policy = Some(Box::new(policy));
    }

    /// Whether there is a tool of this name that says of itself that it changes nothing.
    #[must_use]
    pub fn only_reads(&self, name: &str) -> bool {
        let tool = self.tools.get(name);
        tool.is_some_and(|tool| tool.spec().hints.read_only == Some(true))
    }

    /// The names of the tools, in the order of their registration.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| &*tool.spec().name)
    }

    /// Writes the tools as the provider's request has them.
    ///
    /// # Errors
    ///
    /// As [`Registry::to_provider`].
    pub fn to_provider(
        &self,
        provider: Provider,
        options: ToolOptions,
    ) -> Result<Vec<Value>, Error> {
        self.tools.to_provider(provider, options)
    }

    /// The requests for approval.
    #[must_use]
    pub fn approvals(&self) -> &Approvals {
        &self.services.approvals
    }

    /// What the runs share: the store's runs, undo data and limits, and the settings.
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Runs an action. The store has it only while a person decides.
    ///
    /// # Errors
    ///
    /// Any error of the store before the run has begun. What the tool, the policy or the store
    /// raised later is in the run. A run without a tool, or without a call that can be read, has
    /// failed.
    pub fn execute(&self, action: &Action) -> Result<ToolRun, Fault> {
        let tool = match self.tool(action) {
            Ok(tool) => tool,
            Err(failure) => return Ok(ToolRun::failed(action, failure)),
        };
        let run = action.run(run_id(&action.name()));
        let host = self.host(tool, Arc::new(action.arguments.clone()), action.caller.clone());
        Ok(ToolRun::driven(self.services.execute(host, Arc::clone(tool.spec()), run)?))
    }

    /// Starts the run of an action and keeps it in the store. An action that was started before
    /// gives the run that it has.
    ///
    /// # Errors
    ///
    /// Any error of the store before the run has begun. A run without a tool, or without a call
    /// that can be read, has failed, and is not kept.
    pub fn start(&self, action: &Action) -> Result<ToolRun, Fault> {
        self.begin(action, RunStart::Once)
    }

    /// Starts the run of an action as [`start`](Self::start) does, and once more if its handler
    /// never ran: it was denied, or nobody decided in time.
    ///
    /// # Errors
    ///
    /// `already_ran` for a run that has ended otherwise or may have run; else as `start`.
    pub fn start_again(&self, action: &Action) -> Result<ToolRun, Fault> {
        self.begin(action, RunStart::Again)
    }

    fn begin(&self, action: &Action, start: RunStart) -> Result<ToolRun, Fault> {
        let tool = match self.tool(action) {
            Ok(tool) => tool,
            Err(failure) => return Ok(ToolRun::failed(action, failure)),
        };
        let (name, spec) = (action.name(), Arc::clone(tool.spec()));
        let run = action.run(run_id(&name));
        let host = self.host(tool, Arc::new(action.arguments.clone()), action.caller.clone());
        Ok(ToolRun::of(self.services.start(host, spec, run, name.naming(), start)?))
    }

    /// Goes on with a run that no process has, and gives it as it stands otherwise; nothing if the
    /// store has no run of this id.
    ///
    /// # Errors
    ///
    /// `invalid_execution` if the run's tool is not registered, and any error of the store before
    /// the run is taken up.
    pub fn resume(&self, id: &str) -> Result<Option<ToolRun>, Fault> {
        let kept =
            self.services.resume(id, clock::now(), &self.tell(), |record| self.own(record))?;
        Ok(kept.map(ToolRun::of))
    }

    /// Approves a request, by its id or its run's. The fingerprint of the decision, if it has
    /// one, must be that of the request or of the run as it stands now.
    ///
    /// # Errors
    ///
    /// As [`Approvals::decide`], and what the tool's report of its changes raised.
    pub fn approve(&self, id: &str, decision: &Decision) -> Result<ApprovalRequest, Fault> {
        self.services.approve(id, decision, clock::now(), &|record| self.own(record), None)
    }

    /// Approves a request with these arguments in place of those of the call. They pass the checks
    /// of a call first, and the run goes on with them. It stays the run of its call.
    ///
    /// # Errors
    ///
    /// `not_waiting` when no run of the store waits for the request, `arguments_refused` when the
    /// arguments do not pass a check; as [`approve`](Self::approve).
    pub fn approve_changed(
        &self,
        id: &str,
        arguments: Map<String, Value>,
        decision: &Decision,
    ) -> Result<ApprovalRequest, Fault> {
        let arguments = Arc::new(Value::Object(arguments));
        let changed = |record: &RunRecord| self.kept(record, Arc::clone(&arguments));
        let own = |record: &RunRecord| self.own(record);
        self.services.approve(id, decision, clock::now(), &own, Some(&changed))
    }

    /// Returns a run as it stands, and leaves it alone. The listeners are told of a run that is
    /// found interrupted.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn get(&self, id: &str) -> Result<Option<ToolRun>, RunsError> {
        let found: Result<_, RunsError> = self.services.look(id, clock::now(), &self.tell());
        Ok(found?.map(ToolRun::standing))
    }

    /// Returns a page of the runs that have not ended, the oldest first.
    ///
    /// # Errors
    ///
    /// `unknown_run` when the store does not have the run after which the page begins; any error
    /// of the store.
    pub fn waiting(&self, page: Page<'_>) -> Result<Vec<ToolRun>, RunsError> {
        let open = self.services.runs.open_page(page, clock::now())?;
        Ok(open.into_iter().map(ToolRun::standing).collect())
    }

    /// Makes an interrupted run ready to run once more, because somebody decided so; see
    /// [`Runs::retry`](crate::lifecycle::Runs::retry). [`resume`](Self::resume) runs it.
    ///
    /// # Errors
    ///
    /// `unknown_run`, `not_interrupted`, and any error of the store.
    pub fn retry(&self, id: &str) -> Result<ToolRun, RunsError> {
        self.services.retry(id, clock::now(), &self.tell()).map(ToolRun::standing)
    }

    /// Deletes a run from the store, and says whether there was one.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn forget(&self, id: &str) -> Result<bool, StoreError> {
        self.services.runs.forget(id, clock::now())
    }

    /// Undoes the newest run with this id. Returns false if undo data or an
    /// undo handler is missing.
    ///
    /// # Errors
    ///
    /// What the undo handler raised, an undoing in another process, and any error of the store.
    pub fn undo(&self, id: &str) -> Result<bool, Fault> {
        let undone = self.services.undo(Run::new(id), clock::now(), |data| {
            let tool = self.tools.by_name(&data.tool_name).filter(|tool| tool.spec().undoable);
            Ok(tool.map(|tool| {
                let (program, handler) = (&self.program, Arc::clone(tool.handle()));
                let host = ProgramUndo { program, tool: handler, cause: None };
                (Arc::clone(tool.spec()), host)
            }))
        })?;
        let failed = |tool: &str, reason: &str| {
            Error::new(ErrorKind::InvalidExecution, undo_message(tool, id, reason))
        };
        match undone {
            Undone::Done => Ok(true),
            Undone::Missing => Ok(false),
            Undone::Busy { tool, until } => {
                let reason = format!("another process is undoing it, until {until} at most");
                Err(failed(&tool, &reason).into())
            }
            Undone::Failed { tool, reason, host } => {
                let error = failed(&tool, &reason);
                Err(match host.cause {
                    Some(cause) => error.caused_by(cause).into(),
                    None => error.into(),
                })
            }
        }
    }

    /// Returns what emits an event whose run has no host.
    fn tell<S>(&self) -> impl Fn(&RunEvent) -> Result<(), S> {
        |event| {
            self.program.emit(event);
            Ok(())
        }
    }

    /// Finds the tool of an action.
    fn tool(&self, action: &Action) -> Result<&Registered<Arc<dyn Tool>>, RunFailure> {
        match &action.refusal {
            Some(refusal) => Err(refusal.clone().into()),
            None => self.tools.get(&action.tool).ok_or(RunFailure::ToolNotFound),
        }
    }

    /// Makes the host of a run of the store, with the arguments that the store has.
    fn own(&self, record: &RunRecord) -> Result<(Arc<ToolSpec>, ProgramRun<'_>), Fault> {
        self.kept(record, Arc::new(parse_json(record.input.payload.get().as_bytes())?))
    }

    /// Makes the host of a run of the store, with these arguments.
    fn kept(
        &self,
        record: &RunRecord,
        arguments: Arc<Value>,
    ) -> Result<(Arc<ToolSpec>, ProgramRun<'_>), Fault> {
        let tool = self.tool_of(record)?;
        let host = self.host(tool, arguments, record.input.caller.clone());
        Ok((Arc::clone(tool.spec()), host))
    }

    fn tool_of(&self, record: &RunRecord) -> Result<&Registered<Arc<dyn Tool>>, Error> {
        let kind = &record.tool.id;
        self.tools.by_id(kind).ok_or_else(|| {
            let message = format!("the run's tool \"{kind}\" is not registered");
            Error::new(ErrorKind::InvalidExecution, message)
        })
    }

    fn host(
        &self,
        tool: &Registered<Arc<dyn Tool>>,
        arguments: Arc<Value>,
        caller: String,
    ) -> ProgramRun<'_> {
        ProgramRun {
            program: &self.program,
            redaction: &self.services.redaction,
            tool: Arc::clone(tool.handle()),
            spec: Arc::clone(tool.spec()),
            arguments,
            caller,
            output: None,
            cause: None,
            not_kept: None,
        }
    }
}
