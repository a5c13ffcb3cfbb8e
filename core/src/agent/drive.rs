//! The loop that asks, runs and keeps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::answer::{AgentAnswer, AgentState, answer};
use super::conversation::{AskSettings, Conversation, NextStep};
use super::error::{AgentCode, AgentError};
use super::kept::Conversations;
use super::limits::{AgentLimit, AgentLimits};
use super::model::{Model, ModelError};
use super::run_call::{CallRunner, CallStanding, OnInterrupted, WaitingCall};
use crate::detect::Detector;
use crate::executor::{Executor, clock};
use crate::provider::{AnswerOptions, Provider, ToolOptions};
use crate::store::Store;

/// How often a request is sent again whose failure is passing.
const RETRIES: u32 = 2;
/// The longest time between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A model, its tools, and a store for their conversations. Its fields are its options.
pub struct Agent {
    /// What the model is told before all else; empty for nothing.
    pub system: String,
    /// More members of each request, such as its temperature.
    pub options: Map<String, Value>,
    /// How much is done for one text.
    pub limits: AgentLimits,
    /// What reads the calls of a model whose server of chat completions leaves them in the text;
    /// none for a server that reads all of them.
    pub detector: Option<Detector>,
    /// What is done about a call whose process died.
    pub interrupted: OnInterrupted,
    /// How results are shown to the model.
    pub shown: AnswerOptions,
    /// The user or client whose calls they are; rate limits count by it. Empty where there is one.
    pub caller: String,
    model: Box<dyn Model>,
    provider: Provider,
    name: String,
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
            system: String::new(),
            options: Map::new(),
            limits: AgentLimits::default(),
            detector: None,
            interrupted: OnInterrupted::default(),
            shown: AnswerOptions::default(),
            caller: String::new(),
            model: Box::new(model),
            provider,
            name: name.to_owned(),
            executor,
            conversations: Conversations::new(store),
        }
    }

    /// The executor of the tools, which decides about the calls that wait.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Goes on with a conversation until the model answers, calls wait, or a limit is reached. With
    /// a text, the user says it first, and the conversation begins if there is none. Without one,
    /// what is missing is done: an answer that the store has is given again without a request.
    ///
    /// # Errors
    /// `unknown_conversation` without a text; `conversation_waiting` for a text while calls wait;
    /// `other_model`, `newer_version`; `model_unreachable`, `model_refused`, `model_limited`,
    /// `answer_unreadable` and `provider_asks` of the model; `conversation_busy` when another
    /// process goes on with it; `too_long`; `invalid_agent` for tools that the provider refuses;
    /// `failed` for the store.
    pub fn run(&self, text: Option<&str>, conversation: &str) -> Result<AgentAnswer, AgentError> {
        let mut conversation = self.take_up(text, conversation)?;
        loop {
            match conversation.next_step(&self.limits) {
                Some(NextStep::Ask(ends_for)) => self.ask(&mut conversation, ends_for)?,
                Some(NextStep::Run(open)) => {
                    let waiting = self.run_calls(&mut conversation, open)?;
                    if !waiting.is_empty() {
                        return Ok(answer(&conversation, AgentState::Waiting, waiting, None));
                    }
                }
                Some(NextStep::End(reason)) => {
                    let state =
                        if reason.is_some() { AgentState::Stopped } else { AgentState::Done };
                    return Ok(answer(&conversation, state, Vec::new(), reason));
                }
                None => return Err(unknown(conversation.id())),
            }
        }
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

    /// Finds or begins a conversation, and adds a text to it.
    fn take_up(&self, text: Option<&str>, id: &str) -> Result<Conversation, AgentError> {
        let (provider, now) = (self.provider.slug(), clock::now());
        let found = self.conversations.find(id, provider, &self.name, now)?;
        let mut conversation = match (found, text) {
            (Some(conversation), _) => conversation,
            (None, Some(_)) => self.conversations.begin(id, provider, &self.name, now)?,
            (None, None) => return Err(unknown(id)),
        };
        if let Some(text) = text {
            conversation.say(text)?;
            self.conversations.save(&mut conversation, now)?;
        }
        Ok(conversation)
    }

    /// Asks the model, and keeps what it wrote before anything of it runs.
    fn ask(
        &self,
        conversation: &mut Conversation,
        ends_for: Option<AgentLimit>,
    ) -> Result<(), AgentError> {
        let tools = self.executor.to_provider(self.provider, ToolOptions::default())?;
        let settings = AskSettings {
            provider: self.provider,
            model: &self.name,
            system: &self.system,
            tools: &tools,
            options: Some(&self.options),
            detector: self.detector.as_ref(),
            ends_for,
        };
        let (began, body) = (Instant::now(), conversation.request(&settings)?);
        let response = self.send(&body)?;
        conversation.answered(&response, &settings, milliseconds(began), &self.limits)?;
        self.conversations.save(conversation, clock::now())
    }

    /// Sends a request, and again after a failure that is passing.
    fn send(&self, body: &Value) -> Result<Value, AgentError> {
        let mut tries = 0;
        loop {
            let response = self.model.ask(body);
            let pause = match &response {
                Err(ModelError::Unreachable { .. }) => Duration::from_millis(250 << tries),
                Err(ModelError::Limited { seconds, .. }) => {
                    Duration::from_secs(seconds.unwrap_or(1 << tries))
                }
                _ => return Ok(response?),
            };
            if tries == RETRIES || pause > LONGEST_PAUSE {
                return Ok(response?);
            }
            std::thread::sleep(pause);
            tries += 1;
        }
    }

    /// Runs the calls that have no result, and keeps each result; gives those that wait.
    fn run_calls(
        &self,
        conversation: &mut Conversation,
        open: Vec<(usize, usize)>,
    ) -> Result<Vec<WaitingCall>, AgentError> {
        let Self { executor, shown, interrupted, caller, .. } = self;
        let runner = CallRunner { executor, shown, interrupted: *interrupted, caller };
        let mut waiting = Vec::new();
        for place in open {
            let began = Instant::now();
            match runner.run(conversation, place)? {
                CallStanding::Done { run, shown } => {
                    conversation.add_result(place, Some(run), &shown, milliseconds(began))?;
                    self.conversations.save(conversation, clock::now())?;
                }
                CallStanding::Open(call) => waiting.push(call),
            }
        }
        Ok(waiting)
    }
}

fn unknown(id: &str) -> AgentError {
    let message = format!("the store has no conversation \"{id}\"; begin it with a text");
    AgentError::new(AgentCode::UnknownConversation, message)
}

fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
