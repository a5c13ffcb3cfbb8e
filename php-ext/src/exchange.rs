//! `Toolwire\NativeExchange`: what a provider's object holds, with `NativeResult` and `NativeRejection`.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::cell::OnceCell;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::native::{self, Provider};
use toolwire::{Error, RejectionCode};

use crate::call::{self, Source, ToolCall};
use crate::class::php_class;
use crate::record::{self, Fields, Record};
use crate::result::{ResultObject, ToolResult};
use crate::value::{self, AnArray, As, Maybe, Text};

/// A result, and the call that it answers.
pub(crate) struct NativeResult {
    result: Zval,
    call_id: Option<String>,
    format: &'static str,
}

php_class!(NativeResult, "Toolwire\\NativeResult", [], public, {
    "result": DataType::object("Toolwire\\ToolResult"), false => result;
    "callId": DataType::String, true => call_id;
    "format": DataType::String, false => format;
});

impl NativeResult {
    fn of(found: &native::NativeResult) -> PhpResult<Self> {
        let result = value::object(ToolResult::of(&found.outcome)?)?;
        Ok(Self { result, call_id: found.call_id.clone(), format: found.format })
    }

    /// The result as the core has it.
    pub(crate) fn core(&self) -> Result<native::NativeResult, Error> {
        let outcome = match self.result.extract::<&ToolResult>() {
            Some(result) => result.core()?,
            // The constructor takes nothing else.
            None => toolwire::ToolResult::failure("", serde_json::Value::Null, ""),
        };
        Ok(native::NativeResult { call_id: self.call_id.clone(), format: self.format, outcome })
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
impl NativeResult {
    /// Makes the answer to a call.
    fn __construct(result: ResultObject, callId: Maybe<Text<'_>>) -> Self {
        let call_id = callId.0.map(|id| id.lossy().into_owned());
        Self { result: result.0, call_id, format: "" }
    }

    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for NativeResult {
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
                // One that was made, and not read from a provider's object.
                b"" => "",
                _ => fields.word("format", Provider::ALL, Provider::slug)?.slug(),
            },
        })
    }
}

/// A rejection.
pub(crate) struct NativeRejection(native::NativeRejection);

php_class!(NativeRejection, "Toolwire\\NativeRejection", [], private, {
    "code": DataType::String, false => code;
    "message": DataType::String, false => message;
    "path": DataType::String, false => path;
    "format": DataType::String, true => format;
});

impl NativeRejection {
    fn code(&self) -> Zval {
        value::text(self.0.code.as_str())
    }

    fn message(&self) -> Zval {
        value::text(&self.0.message)
    }

    fn path(&self) -> Zval {
        value::text(&self.0.path)
    }

    fn format(&self) -> Zval {
        value::text_or_null(self.0.format)
    }
}

#[php_impl]
impl NativeRejection {
    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for NativeRejection {
    fn write(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("code", self.code()),
            ("message", self.message()),
            ("path", self.path()),
            ("format", self.format()),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let format = Some(fields.value("format")?).filter(|format| !format.is_null());
        let provider = format.map(|_| fields.word("format", Provider::ALL, Provider::slug)).transpose()?;
        Ok(Self(native::NativeRejection {
            code: fields.word("code", RejectionCode::ALL, RejectionCode::as_str)?,
            message: fields.text("message")?,
            path: fields.text("path")?,
            format: provider.map(Provider::slug),
        }))
    }
}

/// Calls, results and rejections.
pub(crate) struct NativeExchange {
    exchange: native::Exchange,
    calls: OnceCell<Zval>,
    results: OnceCell<Zval>,
    rejections: OnceCell<Zval>,
}

php_class!(NativeExchange, "Toolwire\\NativeExchange", [], private, {
    "calls": DataType::Array, false => calls;
    "results": DataType::Array, false => results;
    "rejections": DataType::Array, false => rejections;
});

impl NativeExchange {
    /// Wraps the core's.
    pub(crate) fn new(exchange: native::Exchange) -> Self {
        let (calls, results, rejections) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { exchange, calls, results, rejections }
    }

    fn calls(&self) -> PhpResult<Zval> {
        once(&self.calls, || {
            let calls = self.exchange.calls.iter();
            calls.map(|found| call::object(found.clone(), Source::whole(&value::text("")))).collect()
        })
    }

    fn results(&self) -> PhpResult<Zval> {
        once(&self.results, || {
            let results = self.exchange.results.iter();
            results.map(|found| Ok(value::object(NativeResult::of(found)?)?)).collect()
        })
    }

    fn rejections(&self) -> PhpResult<Zval> {
        once(&self.rejections, || {
            let rejections = self.exchange.rejections.iter();
            rejections.map(|found| Ok(value::object(NativeRejection(found.clone()))?)).collect()
        })
    }
}

#[php_impl]
impl NativeExchange {
    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for NativeExchange {
    fn write(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("calls", record::each::<ToolCall>(&self.calls()?)?),
            ("results", record::each::<NativeResult>(&self.results()?)?),
            ("rejections", record::each::<NativeRejection>(&self.rejections()?)?),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let list = |name: &str, objects: Vec<Zval>| {
            value::list(objects).map(OnceCell::from).map_err(|error| fields.error(name, &error.to_string()))
        };
        Ok(Self {
            exchange: native::Exchange::default(),
            calls: list("calls", fields.objects::<ToolCall>("calls")?)?,
            results: list("results", fields.objects::<NativeResult>("results")?)?,
            rejections: list("rejections", fields.objects::<NativeRejection>("rejections")?)?,
        })
    }
}

/// The list that is built when it is first asked for.
fn once(cell: &OnceCell<Zval>, build: impl FnOnce() -> PhpResult<Vec<Zval>>) -> PhpResult<Zval> {
    if let Some(list) = cell.get() {
        return Ok(list.shallow_clone());
    }
    let list = value::list(build()?)?;
    Ok(cell.get_or_init(|| list).shallow_clone())
}
