//! `Toolwire\Provider`: reads and writes providers' objects.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use toolwire::provider::{
    self, MessageEnding, RefusedCall, ResponseChoice, dump_call, dump_item, dump_result,
    message_of, parse_with,
};

use super::answer;
use super::execution::Execution;
use super::output::ToolOutput;
use crate::class::call::ToolCall;
use crate::class::chunks::{NO_MODEL, head, usage};
use crate::class::detection::Detection;
use crate::class::detector::Detector;
use crate::class::exchange::Exchange;
use crate::class::provider::{OFF, array, named, reading, sent};
use crate::class::provider_item::ProviderItem;
use crate::class::provider_rejection::ProviderRejection;
use crate::class::provider_result::ProviderResult;
use crate::class::redaction::Redact;
use crate::class::rejection::Rejection;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{
    self, ADetection, ADetector, AnArray, Anything, As, Flag, Maybe, Text, Whole,
};

/// The index of the argument `redact` of `dump`, from 0.
pub(super) const REDACT: usize = 4;

/// A class of static methods; it has no objects.
pub(crate) struct Provider;

php_class!(Provider, "Toolwire\\Provider", [], private, {});

#[php_impl]
impl Provider {
    /// Finds the calls and results in an object.
    #[php(defaults(repair = OFF))]
    fn parse(
        object: As<Anything>,
        provider: Maybe<Text<'_>>,
        repair: Text<'_>,
    ) -> PhpResult<Exchange> {
        let options = reading(provider, &repair)?;
        Ok(Exchange::new(parse_with(&sent("object", &object.0)?, options)))
    }

    /// Writes a call, a result, or what a run gave, or gives an item back to its provider.
    fn dump(
        item: As<Anything>,
        provider: Text<'_>,
        call: Maybe<As<Anything>>,
        maxBytes: Maybe<Whole>,
        redact: Maybe<Redact<'_>>,
    ) -> PhpResult<As<AnArray>> {
        let provider = named(&provider)?;
        if value::held::<Execution>(&item.0).is_some()
            || value::held::<ToolOutput>(&item.0).is_some()
        {
            let options = answer::options(maxBytes, redact)?;
            let call = call.0.map(|call| call.0);
            let answer = answer::of(&item.0, call.as_ref(), provider, &options)?;
            return array(&answer.dump(provider, &options)).map(As::new);
        }
        let written = if let Some(call) = item.0.extract::<&ToolCall>() {
            dump_call(call.as_provider_call(), provider)
        } else if let Some(result) = item.0.extract::<&ProviderResult>() {
            result.core().map(|result| dump_result(&result, provider))
        } else if let Some(item) = item.0.extract::<&ProviderItem>() {
            dump_item(item.core(), provider)
        } else {
            let given = value::type_name(&item.0);
            let allowed = "a Toolwire\\ToolCall, a Toolwire\\ProviderResult, a \
                Toolwire\\ProviderItem or what a run gave";
            return Err(exception::wrong_type(format!("item must be {allowed}, not {given}")));
        };
        let written = written.map_err(|error| exception::from_core(&error))?;
        array(&written).map(As::new)
    }

    /// The id that a provider's message gives a call with this id.
    fn callId(id: Text<'_>, provider: Text<'_>) -> PhpResult<String> {
        Ok(provider::call_id(&id.lossy(), named(&provider)?))
    }

    /// Writes what the model is told of a call that was refused.
    fn refusal(rejection: As<Anything>, provider: Text<'_>) -> PhpResult<As<AnArray>> {
        let refused = if let Some(rejection) = rejection.0.extract::<&Rejection>() {
            RefusedCall { format: rejection.format_slug(), ..RefusedCall::of(rejection.core()) }
        } else if let Some(rejection) = rejection.0.extract::<&ProviderRejection>() {
            RefusedCall::of_object(rejection.core())
        } else {
            let given = value::type_name(&rejection.0);
            let allowed = "a Toolwire\\Rejection or a Toolwire\\ProviderRejection";
            return Err(exception::wrong_type(format!("rejection must be {allowed}, not {given}")));
        };
        let written = refused.dump(named(&provider)?);
        array(&written.map_err(|error| exception::from_core(&error))?).map(As::new)
    }

    /// The options of the detector that reads the answer to a request, as arguments of its
    /// constructor.
    fn options(request: As<AnArray>) -> PhpResult<As<AnArray>> {
        let options = provider::option_values(&sent("request", &request.0)?);
        let options = options.map_err(|error| exception::from_core(&error))?;
        let named = options.into_iter().map(|(name, value)| match name.as_str() {
            "max_calls" => ("maxCalls".to_owned(), value),
            _ => (name, value),
        });
        array(&named.collect()).map(As::new)
    }

    /// Writes messages as a whole response.
    #[php(defaults(model = NO_MODEL))]
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in PHP")]
    fn response(
        messages: As<AnArray>,
        provider: Text<'_>,
        model: Text<'_>,
        id: Maybe<Text<'_>>,
        created: Maybe<Whole>,
        inputTokens: Maybe<Whole>,
        outputTokens: Maybe<Whole>,
        logprobs: Maybe<As<AnArray>>,
    ) -> PhpResult<As<AnArray>> {
        let provider = named(&provider)?;
        let head = head(&model, id, created)?;
        let usage = usage(inputTokens, outputTokens)?;
        let logprobs = logprobs.0.map(|given| sent("logprobs", &given.0)).transpose()?;
        let messages = sent("messages", &messages.0)?;
        let written = ResponseChoice::read(messages, logprobs.unwrap_or_default())
            .and_then(|choices| provider::response(choices, provider, head, usage));
        array(&written.map_err(|error| exception::from_core(&error))?).map(As::new)
    }

    /// Returns what a response adds to the history of the next request.
    fn history(response: As<Anything>) -> PhpResult<As<AnArray>> {
        let added = provider::history(&sent("response", &response.0)?);
        let added = added.map_err(|error| exception::from_core(&error))?;
        array(&serde_json::Value::Array(added)).map(As::new)
    }

    /// Reads the calls that a whole response has as text.
    fn withCalls(response: As<AnArray>, detector: As<ADetector>) -> PhpResult<As<AnArray>> {
        let Some(detector) = value::held::<Detector>(&detector.0) else {
            let given = value::type_name(&detector.0);
            let message = format!("detector must be a Toolwire\\Detector, not {given}");
            return Err(exception::wrong_type(message));
        };
        let read = provider::with_calls(sent("response", &response.0)?, detector.core());
        array(&read.map_err(|error| exception::from_core(&error))?).map(As::new)
    }

    /// Writes a detection as an assistant's message.
    #[php(defaults(cutOff = false))]
    fn message(
        detection: As<ADetection>,
        provider: Text<'_>,
        cutOff: Flag,
    ) -> PhpResult<As<AnArray>> {
        let Some(found) = value::held::<Detection>(&detection.0) else {
            let given = value::type_name(&detection.0);
            let message = format!("detection must be a Toolwire\\Detection, not {given}");
            return Err(exception::wrong_type(message));
        };
        let ending = MessageEnding::of(cutOff.0, found.ends_open());
        let (calls, provider) = (found.calls()?, named(&provider)?);
        let written = message_of(found.message_parts(&calls), provider, ending);
        array(&written.map_err(|error| exception::from_core(&error))?).map(As::new)
    }
}
