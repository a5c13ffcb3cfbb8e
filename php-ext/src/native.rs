//! `Toolwire\Native`: providers' objects, read and written; `Toolwire\NativeAccumulator`: streamed ones.

use std::cell::RefCell;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::native::{Accumulator, Provider, dump_call, dump_result, parse};

use crate::call::ToolCall;
use crate::class::php_class;
use crate::exception;
use crate::exchange::{NativeExchange, NativeResult};
use crate::json::{self, Objects};
use crate::option;
use crate::value::{self, AnArray, Anything, As, Maybe, Text};

/// Reads a provider's slug.
fn named(slug: &Text<'_>) -> PhpResult<Provider> {
    Provider::named(&slug.lossy()).map_err(|error| exception::from_core(&error))
}

/// Reads a provider's slug, or null.
fn known(slug: Maybe<Text<'_>>) -> PhpResult<Option<Provider>> {
    slug.0.as_ref().map(named).transpose()
}

/// Reads what a provider sent.
fn sent(what: &str, value: &Zval) -> PhpResult<Value> {
    option::sent(what, value).map_err(|error| exception::from_core(&error))
}

/// A place for two functions; it is never made.
pub(crate) struct Native;

php_class!(Native, "Toolwire\\Native", [], private, {});

#[php_impl]
impl Native {
    /// Finds the calls and results in an object.
    fn parse(object: As<Anything>, provider: Maybe<Text<'_>>) -> PhpResult<NativeExchange> {
        let provider = known(provider)?;
        Ok(NativeExchange::new(parse(&sent("object", &object.0)?, provider)))
    }

    /// Writes a call or a result.
    fn dump(item: As<Anything>, provider: Text<'_>) -> PhpResult<As<AnArray>> {
        let provider = named(&provider)?;
        let written = if let Some(call) = item.0.extract::<&ToolCall>() {
            dump_call(call.native(), provider)
        } else if let Some(result) = item.0.extract::<&NativeResult>() {
            result.core().map(|result| dump_result(&result, provider))
        } else {
            let given = value::type_name(&item.0);
            let allowed = "a Toolwire\\ToolCall or a Toolwire\\NativeResult";
            return Err(exception::wrong_type(format!("item must be {allowed}, not {given}")));
        };
        let written = written.map_err(|error| exception::from_core(&error))?;
        let array = json::read(written.to_string().as_bytes(), Objects::Encodable);
        Ok(As::new(array.ok_or("what was written is not JSON")?))
    }
}

/// Joins the events of a streamed response.
pub(crate) struct NativeAccumulator(RefCell<Accumulator>);

php_class!(NativeAccumulator, "Toolwire\\NativeAccumulator", [], public, {});

#[php_impl]
impl NativeAccumulator {
    /// Begins.
    fn __construct(provider: Maybe<Text<'_>>) -> PhpResult<Self> {
        Ok(Self(RefCell::new(Accumulator::new(known(provider)?))))
    }

    /// Takes the next event, or a list of them.
    fn feed(&self, event: As<Anything>) -> PhpResult<()> {
        let event = sent("event", &event.0)?;
        self.0.borrow_mut().feed(&event).map_err(|error| exception::from_core(&error))
    }

    /// Ends the stream.
    fn finish(&self) -> PhpResult<NativeExchange> {
        let exchange = self.0.borrow_mut().finish().map_err(|error| exception::from_core(&error))?;
        Ok(NativeExchange::new(exchange))
    }
}
