//! `Toolwire\Provider`: reads and writes providers' objects.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::provider::{self, MessageEnding, dump_call, dump_result, message_of, parse};

use crate::class::call::ToolCall;
use crate::class::detection::Detection;
use crate::class::exchange::Exchange;
use crate::class::provider_result::ProviderResult;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::json::{self, Objects};
use crate::host::option;
use crate::host::value::{self, ADetection, AnArray, Anything, As, Flag, Maybe, Text};

/// Reads a provider's slug.
pub(super) fn named(slug: &Text<'_>) -> PhpResult<provider::Provider> {
    provider::Provider::named(&slug.lossy()).map_err(|error| exception::from_core(&error))
}

/// Reads a provider's slug, or null.
pub(super) fn known(slug: Maybe<Text<'_>>) -> PhpResult<Option<provider::Provider>> {
    slug.0.as_ref().map(named).transpose()
}

/// Reads a value that a provider sent.
pub(super) fn sent(what: &str, value: &Zval) -> PhpResult<Value> {
    option::sent(what, value).map_err(|error| exception::from_core(&error))
}

/// An object that the core wrote, as an array.
pub(crate) fn array(written: &Value) -> PhpResult<Zval> {
    let array = json::read(written.to_string().as_bytes(), Objects::Encodable);
    array.ok_or_else(|| "what was written is not JSON".into())
}

/// A class of static methods; it has no objects.
pub(crate) struct Provider;

php_class!(Provider, "Toolwire\\Provider", [], private, {});

#[php_impl]
impl Provider {
    /// Finds the calls and results in an object.
    fn parse(object: As<Anything>, provider: Maybe<Text<'_>>) -> PhpResult<Exchange> {
        let provider = known(provider)?;
        Ok(Exchange::new(parse(&sent("object", &object.0)?, provider)))
    }

    /// Writes a call or a result.
    fn dump(item: As<Anything>, provider: Text<'_>) -> PhpResult<As<AnArray>> {
        let provider = named(&provider)?;
        let written = if let Some(call) = item.0.extract::<&ToolCall>() {
            dump_call(call.as_provider_call(), provider)
        } else if let Some(result) = item.0.extract::<&ProviderResult>() {
            result.core().map(|result| dump_result(&result, provider))
        } else {
            let given = value::type_name(&item.0);
            let allowed = "a Toolwire\\ToolCall or a Toolwire\\ProviderResult";
            return Err(exception::wrong_type(format!("item must be {allowed}, not {given}")));
        };
        let written = written.map_err(|error| exception::from_core(&error))?;
        array(&written).map(As::new)
    }

    /// The id that a provider's message gives a call with this id.
    fn callId(id: Text<'_>, provider: Text<'_>) -> PhpResult<String> {
        Ok(provider::call_id(&id.lossy(), named(&provider)?))
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
        let ending = if cutOff.0 { MessageEnding::CutOff } else { MessageEnding::Stopped };
        let (calls, provider) = (found.calls()?, named(&provider)?);
        let written = message_of(found.message_parts(&calls), provider, ending);
        array(&written.map_err(|error| exception::from_core(&error))?).map(As::new)
    }
}
