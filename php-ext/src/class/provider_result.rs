//! `Toolwire\ProviderResult`: a result in a provider's object, and the call that it answers.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::provider::{self, Provider};

use crate::class::result::{ResultObject, ToolResult};
use crate::host::class::php_class;
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AnArray, As, Maybe, Text};

/// A result and the call that it answers.
pub(crate) struct ProviderResult {
    result: Zval,
    call_id: Option<String>,
    format: &'static str,
}

php_class!(ProviderResult, "Toolwire\\ProviderResult", [], public, {
    "result": DataType::object("Toolwire\\ToolResult"), false => result;
    "callId": DataType::String, true => call_id;
    "format": DataType::String, false => format;
});

impl ProviderResult {
    /// Makes a result from a result of the core.
    pub(crate) fn of(found: &provider::ProviderResult) -> PhpResult<Self> {
        let result = value::object(ToolResult::of(&found.outcome)?)?;
        Ok(Self { result, call_id: found.call_id.clone(), format: found.format })
    }

    /// The core's form of the result.
    pub(crate) fn core(&self) -> Result<provider::ProviderResult, Error> {
        let outcome = match self.result.extract::<&ToolResult>() {
            Some(result) => result.core()?,
            // The constructor accepts no other value.
            None => toolwire::ToolResult::failure("", serde_json::Value::Null, ""),
        };
        Ok(provider::ProviderResult { call_id: self.call_id.clone(), format: self.format, outcome })
    }

    fn result(&self) -> Zval {
        self.result.shallow_clone()
    }

    fn call_id(&self) -> Zval {
        value::text_or_null(self.call_id.as_ref())
    }

    fn format(&self) -> Zval {
        value::text(self.format)
    }
}

#[php_impl]
impl ProviderResult {
    /// Makes a result that answers a call.
    fn __construct(result: ResultObject, callId: Maybe<Text<'_>>) -> Self {
        let call_id = callId.0.map(|id| id.lossy().into_owned());
        Self { result: result.0, call_id, format: "" }
    }

    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for ProviderResult {
    fn write(&self) -> PhpResult<Zval> {
        let result = match self.result.extract::<&ToolResult>() {
            Some(result) => result.fields()?,
            None => Zval::null(),
        };
        let fields = [("call_id", self.call_id()), ("format", self.format()), ("result", result)];
        Ok(value::record(fields)?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        Ok(Self {
            result: fields.object::<ToolResult>("result", fields.value("result")?)?,
            call_id: fields.text_or_null("call_id")?,
            format: match value::bytes(fields.bytes("format")?) {
                // The result was constructed, not read from a provider's object.
                b"" => "",
                _ => fields.word("format", Provider::ALL, Provider::slug)?.slug(),
            },
        })
    }
}
