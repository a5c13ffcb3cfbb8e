//! The loop that asks, runs and keeps, for any host whose calls do not have to be awaited.

use std::time::Instant;

use serde_json::Value;

use super::answer::{AgentAnswer, AgentState, answer};
use super::conversation::{Conversation, NextStep, OpenCall};
use super::error::{AgentCode, AgentError};
use super::event::AgentEvent;
use super::hearing::Hearing;
use super::kept::Conversations;
use super::limits::AgentLimit;
use super::model::ModelError;
use super::settings::AgentSettings;
use super::standing::{CallStanding, RanCall, WaitingCall};
use crate::executor::clock;

/// A call with the number of its message and its place there.
pub type PlacedCall = ((usize, usize), OpenCall);

/// What the loop of an agent needs of its host: a model, and tools.
pub trait AgentHost {
    /// A call that has no result yet, as the host shows it.
    type Waiting;
    /// Why the loop ends early: an error, or what the host's own code raised.
    type Stop: From<AgentError>;

    /// The tools, as a request of the provider has them.
    ///
    /// # Errors
    /// Whatever ends the loop.
    fn tools(&self) -> Result<Vec<Value>, Self::Stop>;

    /// Sends the body of a request, and gives the response, decoded, or the list of its events.
    /// Each event of a streamed response goes to `heard` as it comes.
    ///
    /// # Errors
    /// Why the model gave none, or whatever ends the loop.
    fn send(
        &self,
        body: &Value,
        heard: &mut dyn FnMut(&Value) -> Result<(), Self::Stop>,
    ) -> Result<Result<Value, ModelError>, Self::Stop>;

    /// Runs a call, or goes on with the run that it has. Its run is known by the conversation and
    /// the call's place there.
    ///
    /// # Errors
    /// Whatever ends the loop.
    fn run_call(
        &self,
        conversation: &str,
        place: (usize, usize),
        call: OpenCall,
    ) -> Result<CallStanding<Self::Waiting>, Self::Stop>;

    /// Runs several calls at once, each as [`run_call`](Self::run_call), if that is safe; gives
    /// what came of each, in their order. None if they have to run one after the other.
    fn run_at_once(
        &self,
        conversation: &str,
        calls: &[PlacedCall],
    ) -> Option<Vec<RanCall<Self::Waiting, Self::Stop>>> {
        let _ = (conversation, calls);
        None
    }

    /// What is known of a call that has no result yet.
    fn waits_for(&self, waiting: &Self::Waiting) -> WaitingCall;

    /// Whether anybody is told what happens.
    fn is_heard(&self) -> bool;

    /// Tells what happened.
    ///
    /// # Errors
    /// Whatever ends the loop.
    fn emit(&self, event: &AgentEvent) -> Result<(), Self::Stop>;
}

/// An agent's loop over a host.
pub struct AgentLoop<'a, H> {
    /// Which model is asked, and how.
    pub settings: &'a AgentSettings,
    /// Where the conversations are.
    pub conversations: &'a Conversations,
    /// What sends requests and runs calls.
    pub host: &'a H,
}

impl<H: AgentHost> AgentLoop<'_, H> {
    /// Goes on with a conversation until the model answers, calls wait, or a limit is reached. With
    /// a text, the user says it first, and the conversation begins if there is none. Without one,
    /// what is missing is done: an answer that the store has is given again without a request.
    ///
    /// # Errors
    /// What the host raises; `unknown_conversation` without a text; `conversation_waiting` for a
    /// text while calls wait; `other_model`, `newer_version`; `model_unreachable`, `model_refused`,
    /// `model_limited`, `answer_unreadable` and `provider_asks` of the model; `conversation_busy`
    /// when another process goes on with it; `too_long`; `failed` for the store.
    pub fn run(&self, text: Option<&str>, id: &str) -> Result<AgentAnswer<H::Waiting>, H::Stop> {
        let mut conversation = self.take_up(text, id)?;
        loop {
            match conversation.next_step(&self.settings.limits) {
                Some(NextStep::Ask(ends_for)) => self.ask(&mut conversation, ends_for)?,
                Some(NextStep::Run(open)) => {
                    let waiting = self.run_calls(&mut conversation, open)?;
                    if !waiting.is_empty() {
                        self.tell_waiting(&conversation, &waiting)?;
                        return Ok(answer(&conversation, AgentState::Waiting, waiting, None));
                    }
                }
                Some(NextStep::End(reason)) => {
                    let state =
                        if reason.is_some() { AgentState::Stopped } else { AgentState::Done };
                    return Ok(answer(&conversation, state, Vec::new(), reason));
                }
                None => return Err(unknown(id).into()),
            }
        }
    }

    /// Has the user say a text, and asks nothing: another process goes on, by [`run`](Self::run)
    /// without a text. The conversation begins if there is none.
    ///
    /// # Errors
    /// What the host raises; `conversation_waiting` while calls wait; `other_model`,
    /// `newer_version`; `conversation_busy` when another process goes on with it; `too_long`;
    /// `failed` for the store.
    pub fn say(&self, text: &str, id: &str) -> Result<(), H::Stop> {
        self.take_up(Some(text), id).map(drop)
    }

    /// Finds or begins a conversation, and adds a text to it.
    fn take_up(&self, text: Option<&str>, id: &str) -> Result<Conversation, H::Stop> {
        let AgentSettings { provider, model, .. } = self.settings;
        let (provider, now) = (provider.slug(), clock::now());
        let found = self.conversations.find(id, provider, model, now)?;
        let mut conversation = match (found, text) {
            (Some(conversation), _) => conversation,
            (None, Some(_)) => self.conversations.begin(id, provider, model, now)?,
            (None, None) => return Err(unknown(id).into()),
        };
        if let Some(text) = text {
            let from = conversation.message_count();
            conversation.say(text)?;
            self.conversations.save(&mut conversation, now)?;
            self.tell(conversation.events(from))?;
        }
        Ok(conversation)
    }

    /// Asks the model, and keeps what it wrote before anything of it runs.
    fn ask(
        &self,
        conversation: &mut Conversation,
        ends_for: Option<AgentLimit>,
    ) -> Result<(), H::Stop> {
        let tools = self.host.tools()?;
        let (began, from) = (Instant::now(), conversation.message_count());
        let body = conversation.request(self.settings, &tools, ends_for)?;
        let (response, mut hearing) = self.send(&body, from)?;
        let answered =
            conversation.answered(&response, self.settings, milliseconds(began), ends_for);
        if answered.is_err() {
            self.tell(hearing.take_back())?;
        }
        answered?;
        self.conversations.save(conversation, clock::now())?;
        self.tell(hearing.finish(conversation.events(from)))
    }

    /// Sends a request, and again after a failure that is passing.
    fn send(&self, body: &Value, message: usize) -> Result<(Value, Hearing), H::Stop> {
        let mut tries = 0;
        loop {
            let mut hearing = Hearing::new(self.settings, message);
            let sent = self.host.send(body, &mut |event| self.tell(hearing.hear(event)?));
            if !matches!(sent, Ok(Ok(_))) {
                self.tell(hearing.take_back())?;
            }
            let failed = match sent? {
                Ok(response) => return Ok((response, hearing)),
                Err(failed) => failed,
            };
            match failed.pause(tries) {
                Some(pause) => std::thread::sleep(pause),
                None => return Err(AgentError::from(failed).into()),
            }
            tries += 1;
        }
    }

    /// Runs the calls that have no result, and keeps each result; gives those that wait.
    fn run_calls(
        &self,
        conversation: &mut Conversation,
        open: Vec<(usize, usize)>,
    ) -> Result<Vec<H::Waiting>, H::Stop> {
        let call = |place| Some((place, conversation.open_call(place)?));
        let calls: Vec<PlacedCall> = open.into_iter().filter_map(call).collect();
        let (mut waiting, mut stop) = (Vec::new(), None);
        if let Some(all) = self.host.run_at_once(conversation.id(), &calls) {
            for ((place, _), RanCall { standing, took_ms }) in calls.iter().zip(all) {
                // What the others gave is kept before the first failure ends the loop.
                match standing {
                    Ok(standing) => {
                        waiting.extend(self.keep(conversation, *place, standing, took_ms)?);
                    }
                    Err(raised) => {
                        stop.get_or_insert(raised);
                    }
                }
            }
            return stop.map_or(Ok(waiting), Err);
        }
        for (place, call) in calls {
            let began = Instant::now();
            let standing = self.host.run_call(conversation.id(), place, call)?;
            waiting.extend(self.keep(conversation, place, standing, milliseconds(began))?);
        }
        Ok(waiting)
    }

    /// Keeps what a call gave; gives it back if it has no result yet.
    fn keep(
        &self,
        conversation: &mut Conversation,
        place: (usize, usize),
        standing: CallStanding<H::Waiting>,
        took_ms: u64,
    ) -> Result<Option<H::Waiting>, H::Stop> {
        match standing {
            CallStanding::Done { run, shown } => {
                let from = conversation.message_count();
                conversation.add_result(place, run, &shown, took_ms)?;
                self.conversations.save(conversation, clock::now())?;
                self.tell(conversation.events(from))?;
                Ok(None)
            }
            CallStanding::Open(call) => Ok(Some(call)),
        }
    }

    fn tell_waiting(
        &self,
        conversation: &Conversation,
        waiting: &[H::Waiting],
    ) -> Result<(), H::Stop> {
        let message = conversation.message_count().saturating_sub(1);
        let told = waiting.iter().map(|call| self.host.waits_for(call));
        self.tell(told.map(|call| AgentEvent::waiting(message, &call)).collect())
    }

    fn tell(&self, events: Vec<AgentEvent>) -> Result<(), H::Stop> {
        if !self.host.is_heard() {
            return Ok(());
        }
        events.into_iter().try_for_each(|event| self.host.emit(&event))
    }
}

fn unknown(id: &str) -> AgentError {
    let message = format!("the store has no conversation \"{id}\"; begin it with a text");
    AgentError::new(AgentCode::UnknownConversation, message)
}

pub(super) fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
