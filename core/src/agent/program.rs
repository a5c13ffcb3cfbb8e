//! The agent of a Rust program: a client of its own, and an executor.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::answer::AgentAnswer;
use super::conversation::OpenCall;
use super::drive::{AgentHost, AgentLoop, PlacedCall, milliseconds};
use super::error::{AgentCode, AgentError};
use super::event::AgentEvent;
use super::kept::Conversations;
use super::model::{Model, ModelError};
use super::run_call::{CallRunner, OnInterrupted};
use super::settings::AgentSettings;
use super::standing::{CallStanding, RanCall, WaitingCall};
use crate::executor::{Executor, clock};
use crate::provider::{AnswerOptions, Provider, ToolOptions};
use crate::store::Store;

/// How many calls run at once.
const AT_ONCE: usize = 8;

/// The handler's panic is in its run; this is one of the program's other code.
fn panicked() -> AgentError {
    AgentError::new(AgentCode::Failed, "a thread that ran a call has panicked")
}

/// What is told of everything that happens in the conversations of an agent.
pub type AgentListener = Box<dyn Fn(&AgentEvent) + Send + Sync>;

/// A model, its tools, and a store for their conversations. Its fields are its options.
pub struct Agent {
    /// Which model is asked, and how.
    pub settings: AgentSettings,
    /// What is done about a call whose process died.
    pub interrupted: OnInterrupted,
    /// How results are shown to the model.
    pub shown: AnswerOptions,
    /// The user or client whose calls they are; rate limits count by it. Empty where there is one.
    pub caller: String,
    /// Is told what happens, such as for a page that shows it: each [`AgentEvent`] as it comes.
    pub listener: Option<AgentListener>,
    model: Box<dyn Model>,
    executor: Executor,
    conversations: Conversations,
}

impl Agent {
    /// Makes an agent over this model, whose client takes and gives the objects of `provider`. The
    /// store has the conversations; it may be the executor's.
    #[must_use]
    pub fn new(
        model: impl Model + 'static,
        provider: Provider,
        name: &str,
        executor: Executor,
        store: Arc<dyn Store>,
    ) -> Self {
        Self {
            settings: AgentSettings::new(provider, name),
            interrupted: OnInterrupted::default(),
            shown: AnswerOptions::default(),
            caller: String::new(),
            listener: None,
            model: Box::new(model),
            executor,
            conversations: Conversations::new(store),
        }
    }

    /// The executor of the tools, which decides about the calls that wait.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Goes on with a conversation until the model answers, calls wait, or a limit is reached: see
    /// [`AgentLoop::run`].
    ///
    /// # Errors
    /// Those of [`AgentLoop::run`]; `invalid_agent` for tools that the provider refuses.
    pub fn run(&self, text: Option<&str>, conversation: &str) -> Result<AgentAnswer, AgentError> {
        let Self { settings, conversations, .. } = self;
        AgentLoop { settings, conversations, host: self }.run(text, conversation)
    }

    /// Has the user say a text, and asks nothing: see [`AgentLoop::say`].
    ///
    /// # Errors
    /// Those of [`AgentLoop::say`].
    pub fn say(&self, text: &str, conversation: &str) -> Result<(), AgentError> {
        let Self { settings, conversations, .. } = self;
        AgentLoop { settings, conversations, host: self }.say(text, conversation)
    }

    /// What happened in a conversation so far, the oldest first, such as for a page that shows it
    /// again; nothing if there is no such conversation.
    ///
    /// # Errors
    /// `other_model`, `newer_version`; `failed` for the store.
    pub fn events(&self, conversation: &str) -> Result<Vec<AgentEvent>, AgentError> {
        let AgentSettings { provider, model, .. } = &self.settings;
        let found = self.conversations.find(conversation, provider.slug(), model, clock::now())?;
        Ok(found.map(|found| found.events(0)).unwrap_or_default())
    }

    /// The ids of the store's conversations behind that of `after`, at most `limit`, in the order
    /// of their keys.
    ///
    /// # Errors
    /// `failed` for the store.
    pub fn list(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, AgentError> {
        Ok(self.conversations.list(after, limit, clock::now())?)
    }

    /// Deletes a conversation, and says whether there was one. The runs of its calls stay as long
    /// as any run.
    ///
    /// # Errors
    /// `failed` for the store.
    pub fn forget(&self, conversation: &str) -> Result<bool, AgentError> {
        Ok(self.conversations.forget(conversation, clock::now())?)
    }
}

impl AgentHost for Agent {
    type Waiting = WaitingCall;
    type Stop = AgentError;

    fn tools(&self) -> Result<Vec<Value>, AgentError> {
        Ok(self.executor.to_provider(self.settings.provider, ToolOptions::default())?)
    }

    fn send(
        &self,
        body: &Value,
        heard: &mut dyn FnMut(&Value) -> Result<(), AgentError>,
    ) -> Result<Result<Value, ModelError>, AgentError> {
        if !self.settings.streams {
            return Ok(self.model.ask(body));
        }
        let mut stop = None;
        let response = self.model.ask_streamed(body, &mut |event| {
            if stop.is_none() {
                stop = heard(event).err();
            }
        });
        stop.map_or(Ok(response), Err)
    }

    fn run_call(
        &self,
        conversation: &str,
        place: (usize, usize),
        call: OpenCall,
    ) -> Result<CallStanding<WaitingCall>, AgentError> {
        let Self { executor, shown, interrupted, caller, .. } = self;
        let runner = CallRunner { executor, shown, interrupted: *interrupted, caller };
        runner.run(conversation, place, call)
    }

    fn run_at_once(
        &self,
        conversation: &str,
        calls: &[PlacedCall],
    ) -> Option<Vec<RanCall<WaitingCall, AgentError>>> {
        let is_safe = calls.iter().all(|(_, call)| self.executor.only_reads(&call.name));
        if calls.len() < 2 || !is_safe {
            return None;
        }
        let run = |(place, call): &PlacedCall| {
            let began = Instant::now();
            let standing = self.run_call(conversation, *place, call.clone());
            RanCall { standing, took_ms: milliseconds(began) }
        };
        let mut all = Vec::with_capacity(calls.len());
        for some in calls.chunks(AT_ONCE) {
            std::thread::scope(|scope| {
                let threads: Vec<_> =
                    some.iter().map(|call| scope.spawn(move || run(call))).collect();
                all.extend(threads.into_iter().map(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|_| RanCall { standing: Err(panicked()), took_ms: 0 })
                }));
            });
        }
        Some(all)
    }

    fn waits_for(&self, waiting: &WaitingCall) -> WaitingCall {
        waiting.clone()
    }

    fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    fn emit(&self, event: &AgentEvent) -> Result<(), AgentError> {
        if let Some(listener) = &self.listener {
            listener(event);
        }
        Ok(())
    }
}
