//! PHP's side of an agent: its client, and the runs of its calls.

use std::fmt::Display;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::exception::{PhpException, PhpResult};
use ext_php_rs::types::Zval;
use ext_php_rs::zend::ce;
use serde_json::Value;
use toolwire::agent::{
    AgentCode, AgentError, AgentEvent, AgentHost, AgentSettings, CallStanding, ModelError,
    OnInterrupted, OpenCall, WaitingCall, read_response,
};
use toolwire::executor::RunStart;
use toolwire::json::parse_json;
use toolwire::lifecycle::RunState;
use toolwire::provider::{AnswerOptions, AnsweredCall, Ending, ToolAnswer, ToolOptions};
use toolwire::store::StoreError;
use toolwire::{Error, ErrorKind};

use super::action::{Action, CallPlace, Context};
use super::answer;
use super::callback::{Stop, call, call_method, caught, warn};
use super::execution::Execution;
use super::executor::{Executor, read_context};
use super::host::Host;
use super::model_response::ModelResponse;
use super::output::ToolOutput;
use super::{error, resume};
use crate::class::provider::array;
use crate::host::exception;
use crate::host::option;
use crate::host::value::{self, Maybe, Table, held};

/// How a response is called in errors.
const RESPONSE: &str = "the client's response";

/// What servers of chat completions write behind the last event of a stream.
const DONE: &[u8] = b"[DONE]";

/// What an agent works with.
pub(super) struct AgentParts {
    /// What sends requests.
    pub(super) client: Zval,
    /// The executor of the tools.
    pub(super) executor: Zval,
    /// What runs calls instead of the executor.
    pub(super) run_call: Option<Zval>,
    pub(super) settings: AgentSettings,
    pub(super) interrupted: OnInterrupted,
    pub(super) shown: AnswerOptions,
}

/// One step of a program with an agent.
pub(super) struct AgentRun<'a> {
    agent: &'a AgentParts,
    host: &'a Host,
    context: Context,
    /// What is told of everything that happens.
    listener: Option<Zval>,
}

impl<'a> AgentRun<'a> {
    pub(super) fn new(
        agent: &'a AgentParts,
        context: &Maybe<Table<'_>>,
        listener: Option<Zval>,
    ) -> PhpResult<Self> {
        let context = read_context(context)?;
        let executor = held::<Executor>(&agent.executor).map(Executor::host);
        let host = executor.ok_or_else(|| exception::not_constructed(Executor::CLASS_NAME))?;
        Ok(Self { agent, host, context, listener })
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

    fn send(
        &self,
        body: &Value,
        heard: &mut dyn FnMut(&Value) -> Result<(), Stop>,
    ) -> Result<Result<Value, ModelError>, Stop> {
        let body = array(body).map_err(stopped)?;
        let given = call(&self.agent.client, vec![&body])?;
        if let Some(response) = held::<ModelResponse>(&given) {
            return Ok(response.read());
        }
        if let Some(text) = given.dereference().zend_str() {
            return Ok(read_response(200, None, text.as_bytes()));
        }
        if given.dereference().object().is_some_and(|object| object.instance_of(ce::iterator())) {
            return events(&given, heard);
        }
        Ok(Ok(option::sent(RESPONSE, &given)?))
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
        let item = match &self.agent.run_call {
            None => {
                let place = CallPlace {
                    scope: conversation.to_owned(),
                    message: message.to_string(),
                    index: u64::try_from(index).ok(),
                };
                value::object(self.execution(Action::of_call(name, arguments), &place)?)?
            }
            Some(run_call) => {
                let (place, arguments) = (format!("{message}:{index}"), arguments.to_string());
                call(run_call, vec![&name, &arguments, &conversation, &place])?
            }
        };
        let execution = held::<Execution>(&item);
        if execution.is_none() && held::<ToolOutput>(&item).is_none() {
            return Err(wrong_run(&item));
        }
        if execution.is_some_and(|run| self.agent.interrupted.leaves_open(run.state)) {
            return Ok(CallStanding::Open(item));
        }
        let run = execution.map(|execution| execution.id.clone());
        let ending = answer::ending(&item, &self.agent.shown).map_err(stopped)?;
        Ok(CallStanding::Done { run, shown: shown(ending) })
    }

    fn waits_for(&self, waiting: &Zval) -> WaitingCall {
        let of = |run: &Execution| WaitingCall {
            tool: run.tool.clone().unwrap_or_default(),
            run: run.id.clone(),
            state: run.state,
            approval_id: run.approval_id.clone(),
        };
        // A call that waits is an execution of its own making.
        let unknown = Execution::bare(String::new(), RunState::Running, None);
        held::<Execution>(waiting).map_or_else(|| of(&unknown), of)
    }

    fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    /// A page that shows what happens stops nothing: what a listener throws becomes a warning.
    fn emit(&self, event: &AgentEvent) -> Result<(), Stop> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let data = array(&event.data).map_err(stopped)?;
        match call(listener, vec![&event.kind.slug(), &data]) {
            Err(Stop::Thrown(thrown)) => warn("the agent's listener", &thrown),
            given => given.map(drop),
        }
    }
}

/// Takes the events of a streamed response, each as it comes. A response that is a `ModelResponse`
/// ends the stream: the server has refused the request, or broken off.
fn events(
    given: &Zval,
    heard: &mut dyn FnMut(&Value) -> Result<(), Stop>,
) -> Result<Result<Value, ModelError>, Stop> {
    let mut events = Vec::new();
    call_method(given, "rewind", Vec::new())?;
    while call_method(given, "valid", Vec::new())?.bool() == Some(true) {
        let event = call_method(given, "current", Vec::new())?;
        if let Some(response) = held::<ModelResponse>(&event) {
            return Ok(response.read());
        }
        let text = event.dereference().zend_str();
        if text.is_none_or(|text| text.as_bytes() != DONE) {
            let event = match text {
                Some(text) => parse_json(text.as_bytes()).map_err(|error| unreadable(&error))?,
                None => option::sent(RESPONSE, &event)?,
            };
            heard(&event)?;
            events.push(event);
        }
        call_method(given, "next", Vec::new())?;
    }
    Ok(Ok(Value::Array(events)))
}

/// What a `runCall` gave that is nothing of a call.
fn wrong_run(given: &Zval) -> Stop {
    let message = format!(
        "runCall must return a Toolwire\\Tools\\Execution or a Toolwire\\Tools\\ToolOutput, \
         got {}",
        value::type_name(given)
    );
    Error::new(ErrorKind::WrongType, message).into()
}

fn unreadable(error: &impl Display) -> AgentError {
    let message = format!("an event of the model's answer is no JSON: {error}");
    AgentError::new(AgentCode::AnswerUnreadable, message)
}

impl From<AgentError> for Stop {
    fn from(error: AgentError) -> Self {
        let (code, message) = (error.code().slug(), error.to_string());
        let Some(source) = error.into_source() else { return error::agent(code, &message) };
        match source.downcast::<StoreError>() {
            Ok(failed) => error::store(*failed),
            Err(_) => error::agent(code, &message),
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
