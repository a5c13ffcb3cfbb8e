//! What a run gave, as the core's answer for the model.

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::lifecycle::{OutputGap, RunState};
use toolwire::provider::{
    AnswerData, AnswerOptions, AnsweredCall, Ending, Provider, Shown, ToolAnswer, parse,
};

use super::callback::Raised;
use super::error;
use super::execution::Execution;
use super::json;
use super::output::ToolOutput;
use super::resolved::ResolvedToolCall;
use super::unresolved::UnresolvedToolCall;
use crate::class::call::ToolCall;
use crate::class::provider::sent;
use crate::class::redaction::Redact;
use crate::host::exception;
use crate::host::tree::{self, Node};
use crate::host::value::{self, Maybe, Whole, held};

/// Reads the options of an answer.
pub(super) fn options(
    max_bytes: Maybe<Whole>,
    redact: Maybe<Redact<'_>>,
) -> PhpResult<AnswerOptions> {
    let read = || {
        let mut options = AnswerOptions::default();
        if let Some(Whole(most)) = max_bytes.0 {
            options = options.with_max_bytes(&Value::from(most))?;
        }
        if let Some(redact) = redact.0 {
            options.redaction = redact.core("redact")?;
        }
        Ok(options)
    };
    read().map_err(|error| exception::from_core(&error))
}

/// Makes the answer for an execution or an output.
pub(super) fn of(
    item: &Zval,
    call: Option<&Zval>,
    provider: Provider,
    options: &AnswerOptions,
) -> PhpResult<ToolAnswer> {
    let execution = held::<Execution>(item);
    let call = match (call, execution) {
        (Some(call), _) => called(call, provider)?,
        (None, Some(execution)) => {
            let tool = execution.tool.as_deref().unwrap_or_default();
            let id = execution.call_id.as_ref().unwrap_or(&execution.id);
            AnsweredCall::new(id, tool, provider)
        }
        (None, None) => {
            return Err(exception::wrong_type("call must be the call that the output answers"));
        }
    };
    Ok(ToolAnswer { call, ending: ending(item, options)? })
}

/// Returns how an execution ended, or what an output says.
pub(super) fn ending(item: &Zval, options: &AnswerOptions) -> PhpResult<Ending> {
    let execution = held::<Execution>(item);
    let output = match execution {
        Some(execution) => execution.output.as_ref().and_then(held::<ToolOutput>),
        None => held::<ToolOutput>(item),
    };
    Ok(match (execution.map(|execution| execution.state), output) {
        (Some(RunState::Waiting), _) => Ending::Waiting,
        (Some(RunState::Running | RunState::Approved), _) => Ending::Running,
        (Some(_), Some(output)) => {
            let written = execution.and_then(|execution| execution.written.as_deref());
            output.ending(written, options)
        }
        (None, Some(output)) => match json::encoded(&output.fields()?)? {
            Some(written) => output.ending(Some(&written), options),
            // No run says that it is no JSON, so as much is told as can be.
            None => output.ending_of(|data| {
                let told = |node: &Node<'_>| {
                    Ok(Shown::Text(format!("<{} object>", value::type_name(node.value()))))
                };
                AnswerData::read(&Node::new(data), options, told).map_err(tree::failed)
            })?,
        },
        // The store did not keep the output.
        (Some(RunState::Completed | RunState::Undone), None) => {
            let gap = execution.and_then(|execution| execution.gap);
            let reason = gap.map_or("it was not kept", OutputGap::reason).to_owned();
            Ending::NotShown { reason }
        }
        (_, None) => {
            let error = execution.and_then(|execution| execution.error.as_ref());
            if let Some((code, problems)) = error.and_then(error::problems_of) {
                return Ok(Ending::WrongArguments { code, problems });
            }
            let message = error.map(|error| Raised::of(error).message).unwrap_or_default();
            Ending::Failed { message, data: None }
        }
    })
}

/// Reads what an executor was given as the call that is answered; a text is the id of the call.
fn called(given: &Zval, provider: Provider) -> PhpResult<AnsweredCall> {
    let given = given.dereference();
    if let Some(call) = held::<ToolCall>(given) {
        return Ok(call.answered(provider));
    }
    if let Some(call) = held::<ResolvedToolCall>(given) {
        return resolved(&call.raw, &call.call_id, &call.name, provider);
    }
    if let Some(call) = held::<UnresolvedToolCall>(given) {
        return resolved(&call.raw, &call.call_id, &call.name, provider);
    }
    if let Some(id) = given.zend_str() {
        let id = String::from_utf8_lossy(id.as_bytes()).into_owned();
        return Ok(AnsweredCall { id: Some(id), tool: String::new() });
    }
    let Some(table) = given.array() else {
        let given = value::type_name(given);
        let message = format!("call must be a call, an action or the id of a call, got {given}");
        return Err(exception::wrong_type(message));
    };
    let text = |key: &str| {
        let found = table.get(key).map(Zval::dereference).and_then(Zval::zend_str);
        found.map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned()).unwrap_or_default()
    };
    resolved(given, &text("id"), &text("type"), provider)
}

/// The call as it was given, if a provider's object holds it; else its id and the tool.
fn resolved(raw: &Zval, id: &str, tool: &str, provider: Provider) -> PhpResult<AnsweredCall> {
    if let Some(call) = held::<ToolCall>(raw) {
        return Ok(call.answered(provider));
    }
    let is_action = raw.dereference().array().is_some_and(|table| table.get("payload").is_some());
    if raw.dereference().is_array() && !is_action {
        let found = parse(&sent("call", raw)?, None);
        if let [call] = found.calls.as_slice() {
            return Ok(AnsweredCall::of(call, provider));
        }
    }
    Ok(AnsweredCall::new(id, tool, provider))
}
