//! A conversation: what was said, and from it what comes next.
//!
//! Nothing else is kept, so a process that dies loses nothing but the step that it was in: the next
//! one reads the messages and does what is missing.

use serde_json::{Map, Value};

use super::error::{AgentCode, AgentError};
use super::limits::{AgentLimit, AgentLimits};
use super::message::{CallResult, KeptMessage, ModelTurn, TurnCall, UserText};
use super::received::{received, value_of};
use super::settings::AgentSettings;
use crate::provider::{ModelRequest, ProviderResult, RequestPart, Usage};
use crate::result::ToolResult;
use crate::store::raw_json;

/// What the model is told of a call for whose result nobody can vouch.
const UNKNOWN: &str = "It is not known whether this tool ran. Do not repeat the call unasked.";

/// What was said in a conversation, and from it what comes next. It does no I/O: a host asks the
/// model and runs the calls, and has [`Conversations`](super::Conversations) keep what is added
/// before it goes on.
#[derive(Clone, Debug)]
pub struct Conversation {
    pub(super) id: String,
    pub(super) messages: Vec<KeptMessage>,
    /// How many of the messages the store has.
    pub(super) stored: usize,
}

/// What a conversation needs to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Ask the model; for the last time and without calls if a limit was reached.
    Ask(Option<AgentLimit>),
    /// Run these calls, which have no result yet; each by its message and its place there.
    Run(Vec<(usize, usize)>),
    /// Nothing: the model has answered, or ended for a limit.
    End(Option<AgentLimit>),
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCall {
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

impl Conversation {
    /// The id of the conversation.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The body of the request that asks the model. With a limit, it is asked to end without calls.
    /// The tools are those of the provider's request.
    ///
    /// # Errors
    /// `invalid_agent` for a provider that is asked nothing.
    pub fn request(
        &self,
        settings: &AgentSettings,
        tools: &[Value],
        ends_for: Option<AgentLimit>,
    ) -> Result<Value, AgentError> {
        let parts = self.parts();
        let request = ModelRequest {
            model: &settings.model,
            system: &settings.system,
            parts: &parts,
            tools,
            may_call: ends_for.is_none(),
            streams: settings.streams,
            options: Some(&settings.options),
        };
        match &settings.grammar {
            Some(grammar) => Ok(grammar.dump(&request, settings.provider)?),
            None => Ok(request.dump(settings.provider)?),
        }
    }

    /// Adds the response, for which the model took so many milliseconds. At a limit, also if it
    /// was asked to end for one, none of its calls runs.
    ///
    /// # Errors
    /// `answer_unreadable` and `provider_asks`; nothing is added then.
    pub fn answered(
        &mut self,
        response: &Value,
        settings: &AgentSettings,
        took_ms: u64,
        ends_for: Option<AgentLimit>,
    ) -> Result<(), AgentError> {
        let turn = received(response, settings.provider, settings.text_detector())?;
        self.take(ModelTurn { took_ms, ends_for, ..turn }, &settings.limits);
        Ok(())
    }

    /// A call by the number of its message and its place there.
    #[must_use]
    pub fn open_call(&self, place: (usize, usize)) -> Option<OpenCall> {
        let call = self.call(place)?;
        let arguments = call.arguments.as_deref().map(value_of).unwrap_or_default();
        Some(OpenCall { name: call.name.clone(), arguments })
    }

    /// Adds what a call gave, as the model is shown it, and how many milliseconds it took.
    ///
    /// # Errors
    /// `failed` for what cannot be written.
    pub fn add_result(
        &mut self,
        (message, index): (usize, usize),
        run: Option<String>,
        shown: &ProviderResult,
        took_ms: u64,
    ) -> Result<(), AgentError> {
        let ToolResult { success, data, error_message, .. } = &shown.outcome;
        let (success, data, error) = (*success, raw_json(data)?, error_message.clone());
        let result = CallResult { message, index, run, success, data, error, took_ms };
        self.messages.push(KeptMessage::Result(result));
        Ok(())
    }

    /// A conversation in which nothing was said.
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), messages: Vec::new(), stored: 0 }
    }

    /// Adds a text of the user.
    ///
    /// # Errors
    /// `conversation_waiting` while calls have no result.
    pub fn say(&mut self, text: &str) -> Result<(), AgentError> {
        if let Some(NextStep::Run(_)) = self.next_step(&AgentLimits::default()) {
            let message = format!(
                "calls of the conversation \"{}\" have no result yet; decide on them and go on \
                 without a new text first",
                self.id
            );
            return Err(AgentError::new(AgentCode::ConversationWaiting, message));
        }
        self.messages.push(KeptMessage::User(UserText { text: text.to_owned() }));
        Ok(())
    }

    /// What comes next; nothing if nobody has said anything.
    #[must_use]
    pub fn next_step(&self, limits: &AgentLimits) -> Option<NextStep> {
        let said = |message: &KeptMessage| !matches!(message, KeptMessage::Result(_));
        let last = self.messages.iter().rposition(said)?;
        let KeptMessage::Model(turn) = self.messages.get(last)? else {
            return Some(NextStep::Ask(None));
        };
        if turn.ends_for.is_some() {
            return Some(NextStep::End(turn.ends_for));
        }
        let open: Vec<_> = self.open_calls(last, turn).map(|index| (last, index)).collect();
        Some(if !open.is_empty() {
            NextStep::Run(open)
        } else if turn.calls.is_empty() && turn.refusals.is_empty() && !turn.paused {
            NextStep::End(None)
        } else {
            NextStep::Ask(self.reached(limits))
        })
    }

    /// Adds what the model wrote. At a limit none of its calls runs.
    fn take(&mut self, turn: ModelTurn, limits: &AgentLimits) {
        let ends_for = turn.ends_for;
        self.messages.push(KeptMessage::Model(turn));
        let Some(limit) = ends_for.or_else(|| self.reached(limits)) else { return };
        if let Some(KeptMessage::Model(turn)) = self.messages.last_mut() {
            for call in &mut turn.calls {
                call.refusal.get_or_insert_with(|| limit_text(limit));
            }
        }
    }

    /// A call by its place.
    fn call(&self, (message, index): (usize, usize)) -> Option<&TurnCall> {
        match self.messages.get(message)? {
            KeptMessage::Model(turn) => turn.calls.get(index),
            _ => None,
        }
    }

    /// The last message of the model.
    pub(super) fn last_turn(&self) -> Option<&ModelTurn> {
        self.messages.iter().rev().find_map(as_turn)
    }

    /// The model's last text and reasoning, and whether they were cut off.
    #[must_use]
    pub fn last_said(&self) -> (&str, &str, bool) {
        let turn = self.last_turn();
        turn.map_or(("", "", false), |turn| (&turn.text, &turn.reasoning, turn.cut_off))
    }

    /// How many tokens the whole conversation took.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for turn in self.messages.iter().filter_map(as_turn) {
            usage.input_tokens = usage.input_tokens.saturating_add(turn.input_tokens);
            usage.output_tokens = usage.output_tokens.saturating_add(turn.output_tokens);
        }
        usage
    }

    /// What was said, as the parts of a request. Each call has one result directly behind its
    /// message, in the order of the calls, whatever the store has.
    fn parts(&self) -> Vec<RequestPart<'_>> {
        let mut parts = Vec::new();
        for (number, message) in self.messages.iter().enumerate() {
            match message {
                KeptMessage::User(said) => parts.push(RequestPart::User(&said.text)),
                KeptMessage::Model(turn) => {
                    parts.push(RequestPart::Model(match value_of(&turn.raw) {
                        Value::Array(raw) => raw,
                        _ => Vec::new(),
                    }));
                    let results: Vec<_> = turn
                        .calls
                        .iter()
                        .enumerate()
                        .map(|(index, call)| provider_result(call, self.result(number, index)))
                        .collect();
                    if !results.is_empty() {
                        parts.push(RequestPart::Results(results));
                    }
                    parts.extend(turn.refusals.iter().map(|text| RequestPart::User(text)));
                }
                KeptMessage::Result(_) => {}
            }
        }
        parts
    }

    fn open_calls<'c>(
        &'c self,
        number: usize,
        turn: &'c ModelTurn,
    ) -> impl Iterator<Item = usize> + 'c {
        let calls = turn.calls.iter().enumerate();
        let open = calls.filter(move |(index, call)| {
            call.refusal.is_none() && self.result(number, *index).is_none()
        });
        open.map(|(index, _)| index)
    }

    /// The result of a call; results stand behind the message of their call.
    fn result(&self, message: usize, index: usize) -> Option<&CallResult> {
        let behind = self.messages.get(message + 1..).unwrap_or_default();
        let results = behind.iter().map_while(as_result);
        results.filter(|result| result.message == message).find(|result| result.index == index)
    }

    /// The limit that was reached since the newest text of the user, if any.
    fn reached(&self, limits: &AgentLimits) -> Option<AgentLimit> {
        let is_user = |message: &KeptMessage| matches!(message, KeptMessage::User(_));
        let since = self.messages.iter().rposition(is_user).unwrap_or(0);
        let messages = self.messages.get(since..).unwrap_or_default();
        let turns: Vec<_> = messages.iter().filter_map(as_turn).collect();
        let sum = |count: fn(&ModelTurn) -> u64| turns.iter().map(|turn| count(turn)).sum::<u64>();
        let took: u64 = messages.iter().filter_map(as_result).map(|result| result.took_ms).sum();
        let worked = sum(|turn| turn.took_ms).saturating_add(took);
        let tokens = sum(|turn| turn.input_tokens.saturating_add(turn.output_tokens));
        let is_repair = |turn: &&&ModelTurn| {
            let runs = turn.calls.iter().any(|call| call.refusal.is_none());
            !runs && (!turn.refusals.is_empty() || !turn.calls.is_empty())
        };
        let repairs = turns.iter().rev().take_while(is_repair).count();
        [
            (AgentLimit::Turns, turns.len() >= limits.turns),
            (
                AgentLimit::Calls,
                turns.iter().map(|turn| turn.calls.len()).sum::<usize>() > limits.calls,
            ),
            (AgentLimit::Tokens, limits.tokens.is_some_and(|most| tokens >= most)),
            (AgentLimit::Seconds, worked / 1000 >= limits.seconds),
            (AgentLimit::Repairs, repairs > limits.repairs),
            (AgentLimit::SameCall, self.repeats(since) >= limits.same_call),
        ]
        .into_iter()
        .find_map(|(limit, is_reached)| is_reached.then_some(limit))
    }

    /// How often the newest call gave what it gave, with the same arguments.
    fn repeats(&self, since: usize) -> usize {
        let outcomes = || {
            let results = self.messages.iter().skip(since).filter_map(as_result);
            results.filter_map(|result| self.outcome(result))
        };
        let Some(newest) = outcomes().next_back() else { return 0 };
        outcomes().filter(|outcome| *outcome == newest).count()
    }

    /// The name and the arguments of a call, and what it gave.
    fn outcome<'c>(&'c self, result: &'c CallResult) -> Option<[&'c str; 4]> {
        let call = self.call((result.message, result.index))?;
        let arguments = call.arguments.as_ref().map_or("", |arguments| arguments.get());
        Some([&call.name, arguments, result.data.get(), result.error.as_deref().unwrap_or("")])
    }
}

fn as_turn(message: &KeptMessage) -> Option<&ModelTurn> {
    match message {
        KeptMessage::Model(turn) => Some(turn),
        _ => None,
    }
}

fn as_result(message: &KeptMessage) -> Option<&CallResult> {
    match message {
        KeptMessage::Result(result) => Some(result),
        _ => None,
    }
}

/// What the model is told of a call that a limit stopped.
fn limit_text(limit: AgentLimit) -> String {
    format!(
        "The tool was not run: the limit of this conversation ({limit}) is reached. Answer with \
         what you know."
    )
}

/// The result of a call as its provider is told.
fn provider_result(call: &TurnCall, result: Option<&CallResult>) -> ProviderResult {
    let outcome = match (&call.refusal, result) {
        (Some(refusal), _) => ToolResult::failure(&*call.name, empty(), refusal),
        (None, None) => ToolResult::failure(&*call.name, empty(), UNKNOWN),
        (None, Some(result)) if result.success => {
            ToolResult::success(&*call.name, value_of(&result.data), 0.0)
        }
        (None, Some(result)) => {
            let message = result.error.as_deref().unwrap_or_default();
            ToolResult::failure(&*call.name, value_of(&result.data), message)
        }
    };
    ProviderResult { call_id: call.id.clone(), format: "", outcome }
}

fn empty() -> Value {
    Value::Object(Map::new())
}
