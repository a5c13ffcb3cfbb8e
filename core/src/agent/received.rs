//! Reads a model's response into what a conversation keeps of it.

use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::error::{AgentCode, AgentError};
use super::message::{ModelTurn, TurnCall};
use super::model::without_secrets;
use crate::call::{Rejection, RejectionCode, ToolCall};
use crate::detect::{Detection, Detector};
use crate::json::parse_json;
use crate::provider::{
    Accumulator, AnsweredCall, Exchange, ItemKind, MessageEnding, ModelStop, Provider,
    ProviderRejection, RefusedAt, RefusedCall, ResponseAccount, SaidText, history, message, parse,
};
use crate::store::raw_json;

/// What the model is told of a call whose response was cut off.
const CUT_OFF: &str = "Your tool call was not run: your message was cut off at its limit of \
                       tokens, so the call may be a part only. Write it again, shorter.";

/// The members that hold the id of a call.
const CALL_IDS: [&str; 3] = ["call_id", "id", "toolUseId"];

/// Reads a whole response, or the list of its events.
///
/// A `detector` reads the text of a message: its reasoning is set apart, and if the message has no
/// calls of its own, those in its text are its calls.
///
/// # Errors
/// `answer_unreadable` for what has the shape of no known provider's response, `provider_asks` for
/// one that a person has to answer.
pub(super) fn received(
    response: &Value,
    provider: Provider,
    detector: Option<&Detector>,
) -> Result<ModelTurn, AgentError> {
    let unreadable = |error: crate::error::Error| {
        let words = response.pointer("/error/message").and_then(Value::as_str);
        let words = words.map_or_else(|| error.to_string(), without_secrets);
        AgentError::new(AgentCode::AnswerUnreadable, format!("the model's answer: {words}"))
    };
    let response = &first_choice(response);
    let added = history(response).map_err(unreadable)?;
    if added.is_empty() {
        let message =
            "the model's answer holds no message; its server may have refused the request";
        return Err(AgentError::new(AgentCode::AnswerUnreadable, message));
    }
    let account = ResponseAccount::of(response);
    let exchange = found(response, provider).map_err(unreadable)?;
    if let Some(item) = exchange.items.iter().find(|item| item.kind == ItemKind::ApprovalRequest) {
        let message = format!(
            "the provider asks a person ({}) before it runs a tool of its own; let it run those \
             without asking, or leave them out of the request",
            item.word
        );
        return Err(AgentError::new(AgentCode::ProviderAsks, message));
    }
    let said = SaidText::of(&added);
    let mut turn = ModelTurn {
        raw: raw_json(&added)?,
        text: said.text,
        reasoning: said.reasoning,
        calls: Vec::new(),
        refusals: Vec::new(),
        paused: account.stop == ModelStop::Paused,
        cut_off: account.stop == ModelStop::CutOff,
        input_tokens: account.usage.input_tokens,
        output_tokens: account.usage.output_tokens,
        took_ms: 0,
        ends_for: None,
    };
    let is_text = exchange.calls.is_empty() && exchange.rejections.is_empty();
    if let Some(detector) = detector.filter(|_| is_text) {
        let ending = MessageEnding::of(account.stop == ModelStop::CutOff, false);
        read_text(&mut turn, detector, ending)?;
    } else {
        if let Some(detector) = detector {
            set_reasoning_apart(&mut turn, detector);
        }
        take_calls(&mut turn, &exchange, response, provider);
        sort_as_written(&mut turn.calls, &added);
    }
    if account.stop == ModelStop::CutOff
        && let Some(last) = turn.calls.last_mut()
    {
        last.refusal.get_or_insert_with(|| CUT_OFF.to_owned());
    }
    Ok(turn)
}

/// A response, or its events, without all choices but the first: the others do not become a part of
/// the conversation, so none of their calls may run.
fn first_choice(response: &Value) -> Value {
    let mut first = response.clone();
    let events = match &mut first {
        Value::Array(events) => events.as_mut_slice(),
        whole => std::slice::from_mut(whole),
    };
    for event in events {
        for list in ["choices", "candidates"] {
            if let Some(choices) = event.get_mut(list).and_then(Value::as_array_mut) {
                choices.retain(|choice| choice.get("index").is_none_or(|index| *index == 0));
                choices.truncate(1);
            }
        }
    }
    first
}

/// Finds the calls of a response.
fn found(response: &Value, provider: Provider) -> Result<Exchange, crate::error::Error> {
    if !response.is_array() {
        return Ok(parse(response, Some(provider)));
    }
    let mut stream = Accumulator::new(Some(provider));
    stream.feed(response)?;
    stream.finish()
}

/// Takes the calls that the provider has read.
fn take_calls(turn: &mut ModelTurn, exchange: &Exchange, response: &Value, provider: Provider) {
    turn.calls.extend(exchange.calls.iter().map(|call| turn_call(call, b"", provider)));
    for rejection in &exchange.rejections {
        let told = RefusedCall::of_object(rejection).text();
        match refused_id(rejection, response) {
            Some((id, name)) => turn.calls.push(TurnCall {
                id: Some(id),
                name,
                arguments: None,
                refusal: Some(told),
            }),
            None => turn.refusals.push(told),
        }
    }
}

/// Sorts calls by the places of their ids in what the model wrote; those without stay behind.
fn sort_as_written(calls: &mut [TurnCall], added: &[Value]) {
    let mut ids = Vec::new();
    let mut open: Vec<&Value> = added.iter().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                let id = CALL_IDS.iter().find_map(|name| members.get(*name)?.as_str());
                ids.extend(id);
                open.extend(members.values().rev());
            }
            Value::Array(entries) => open.extend(entries.iter().rev()),
            _ => {}
        }
    }
    let mut places = HashMap::new();
    for (place, id) in ids.into_iter().enumerate() {
        places.entry(id).or_insert(place);
    }
    let place = |call: &TurnCall| call.id.as_deref().and_then(|id| places.get(id)).copied();
    calls.sort_by_key(|call| place(call).unwrap_or(usize::MAX));
}

/// Takes the reasoning out of the text of a message. Servers that read calls leave it there if they
/// were not told how the model marks it.
fn set_reasoning_apart(turn: &mut ModelTurn, detector: &Detector) {
    let text = std::mem::take(&mut turn.text);
    take_said(turn, &detector.detect(text.as_bytes()));
}

/// Takes what the detector says of a text: the text for people, and the reasoning.
fn take_said(turn: &mut ModelTurn, found: &Detection<'_>) {
    turn.text = found.text_lossy().into_owned();
    if let Some(reasoning) = found.reasoning_lossy() {
        turn.reasoning.push_str(&reasoning);
    }
}

/// Takes the calls that stand in the text of a message.
fn read_text(
    turn: &mut ModelTurn,
    detector: &Detector,
    ending: MessageEnding,
) -> Result<(), AgentError> {
    let text = std::mem::take(&mut turn.text);
    let found = detector.detect(text.as_bytes());
    take_said(turn, &found);
    turn.refusals.extend(worth_telling(&found).map(|one| RefusedCall::of(one).text()));
    if !found.calls.is_empty() {
        let mut written = message(&found, Provider::OpenAi, ending)?;
        if let Some(written) = written.as_object_mut() {
            written.remove("finish_reason");
        }
        let calls = found.calls.iter();
        turn.calls.extend(calls.map(|call| turn_call(call, text.as_bytes(), Provider::OpenAi)));
        turn.raw = raw_json(&json!([written]))?;
    }
    Ok(())
}

/// The refused calls that the model is told of. What it only thought, showed or repeated was not
/// meant to run, so that is told only where the message says nothing else.
fn worth_telling<'d>(found: &'d Detection<'_>) -> impl Iterator<Item = &'d Rejection> + use<'d> {
    let is_meant = |rejection: &&Rejection| rejection.code.is_of_meant_call();
    let says_more = !found.calls.is_empty()
        || found.rejections.iter().any(|rejection| is_meant(&rejection))
        || !found.text_lossy().trim().is_empty();
    found.rejections.iter().filter(move |rejection| !says_more || is_meant(rejection))
}

/// What is kept of a call that was found in this text; empty for a call of an object.
fn turn_call(call: &ToolCall, text: &[u8], provider: Provider) -> TurnCall {
    let (id, name) = (AnsweredCall::of(call, provider).id, call.name.clone());
    let kept = |arguments: &Value| raw_json(arguments).ok();
    let arguments = match parse_json(call.arguments_raw(text)) {
        Ok(arguments @ Value::Object(_)) => kept(&arguments),
        // PHP's empty array.
        Ok(Value::Array(empty)) if empty.is_empty() => kept(&json!({})),
        _ => None,
    };
    let refusal = arguments.is_none().then(|| {
        let (code, message) = (RejectionCode::BadJson.slug(), "they hold what no string can hold");
        RefusedCall { code, message, place: RefusedAt::Arguments(""), format: None }.text()
    });
    TurnCall { id, name, arguments, refusal }
}

/// The id and the name of a call that its provider wrote and that could not be read: the request
/// that comes next has to answer it.
fn refused_id(rejection: &ProviderRejection, response: &Value) -> Option<(String, String)> {
    let mut place = rejection.path.as_str();
    loop {
        let (before, last) = place.rsplit_once('/')?;
        if last.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        place = before;
    }
    let item = response.pointer(place).filter(|item| item.get("message").is_none())?;
    let call = ["toolUse", "functionCall"].iter().find_map(|inner| item.get(inner)).unwrap_or(item);
    let text = |name: &&str| call.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = CALL_IDS.iter().find_map(text).filter(|id| !id.is_empty())?;
    let name = call.get("function").and_then(|function| function.get("name"));
    let name = name.or_else(|| call.get("name")).and_then(Value::as_str).unwrap_or_default();
    Some((id, name.to_owned()))
}

/// The value that a kept text of JSON holds.
pub(super) fn value_of(raw: &RawValue) -> Value {
    parse_json(raw.get().as_bytes()).unwrap_or_default()
}
