//! PHP's side of an agent: its client, and the runs of its calls.

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::exception::{PhpException, PhpResult};
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::agent::{
    AgentError, AgentHost, CallStanding, ModelError, OnInterrupted, OpenCall, read_response,
};
use toolwire::executor::RunStart;
use toolwire::lifecycle::RunState;
use toolwire::provider::{AnsweredCall, Ending, ToolAnswer, ToolOptions};
use toolwire::store::StoreError;
use toolwire::{Error, ErrorKind};

use super::action::{Action, CallPlace, Context};
use super::agent::Agent;
use super::answer;
use super::callback::{Stop, call, caught};
use super::execution::Execution;
use super::executor::{Executor, read_context};
use super::host::Host;
use super::model_response::ModelResponse;
use super::{error, resume};
use crate::class::provider::array;
use crate::host::exception;
use crate::host::option;
use crate::host::value::{self, Maybe, Table, held};

/// One step of a program with an agent.
pub(super) struct AgentRun<'a> {
    agent: &'a Agent,
    host: &'a Host,
    context: Context,
}

impl<'a> AgentRun<'a> {
    pub(super) fn new(agent: &'a Agent, context: &Maybe<Table<'_>>) -> PhpResult<Self> {
        let context = read_context(context)?;
        let executor = held::<Executor>(&agent.executor).map(Executor::host);
        let host = executor.ok_or_else(|| exception::not_constructed(Executor::CLASS_NAME))?;
        Ok(Self { agent, host, context })
    }

    /// Begins the run of a call, or goes on with the one that it has.
    fn execution(&self, action: Action, place: &CallPlace) -> Result<Execution, Stop> {
        let execution =
            resume::start(self.host, action, self.context.clone(), place, RunStart::Once)?;
        if !execution.state.is_open() {
            return Ok(execution);
        }
        // Somebody may have decided since the run was looked at.
        Ok(resume::resume(self.host, &execution.id)?.unwrap_or(execution))
    }
}

impl AgentHost for AgentRun<'_> {
    /// A `Toolwire\Tools\Execution`.
    type Waiting = Zval;
    type Stop = Stop;

    fn tools(&self) -> Result<Vec<Value>, Stop> {
        Ok(self.host.tools.written(self.agent.settings.provider, ToolOptions::default())?)
    }

    fn send(&self, body: &Value) -> Result<Result<Value, ModelError>, Stop> {
        let body = array(body).map_err(stopped)?;
        let given = call(&self.agent.client, vec![&body])?;
        if let Some(response) = held::<ModelResponse>(&given) {
            return Ok(response.read());
        }
        if let Some(text) = given.dereference().zend_str() {
            return Ok(read_response(200, None, text.as_bytes()));
        }
        Ok(Ok(option::sent("the client's response", &given)?))
    }

    fn run_call(
        &self,
        conversation: &str,
        (message, index): (usize, usize),
        OpenCall { name, arguments }: OpenCall,
    ) -> Result<CallStanding<Zval>, Stop> {
        let told = AnsweredCall { id: None, tool: name.clone() };
        let shown = |ending| ToolAnswer { call: told, ending }.result(&self.agent.shown);
        if self.host.tools.get(&name).is_none() {
            let known = self.host.tools.names();
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            let shown = shown(Ending::no_tool(&name, &known));
            return Ok(CallStanding::Done { run: None, shown });
        }
        let place = CallPlace {
            scope: conversation.to_owned(),
            message: message.to_string(),
            index: u64::try_from(index).ok(),
        };
        let execution = self.execution(Action::of_call(name, arguments), &place)?;
        let is_asked = self.agent.interrupted == OnInterrupted::Ask;
        if execution.state.is_open() || (is_asked && execution.state == RunState::Interrupted) {
            return Ok(CallStanding::Open(value::object(execution)?));
        }
        let run = Some(execution.id.clone());
        let item = value::object(execution)?;
        let ending = answer::ending(&item, &self.agent.shown).map_err(stopped)?;
        Ok(CallStanding::Done { run, shown: shown(ending) })
    }
}

impl From<AgentError> for Stop {
    fn from(error: AgentError) -> Self {
        let (code, message) = (error.code().slug(), error.to_string());
        match error.into_source().map(|source| source.downcast::<StoreError>()) {
            Some(Ok(failed)) => error::store(*failed),
            _ => error::agent(code, &message),
        }
    }
}

/// What a value of PHP raised that could not be read or made.
fn stopped(exception: PhpException) -> Stop {
    exception.throw();
    match caught() {
        Err(stop) => stop,
        Ok(()) => Error::new(ErrorKind::WrongType, "a value could not be read").into(),
    }
}
