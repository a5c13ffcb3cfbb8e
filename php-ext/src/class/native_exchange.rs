//! `Toolwire\NativeExchange`: what a provider's object holds: calls, results and rejections.

use std::cell::OnceCell;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::native;

use crate::class::call::{self, Source, ToolCall};
use crate::class::native_rejection::NativeRejection;
use crate::class::native_result::NativeResult;
use crate::host::class::php_class;
use crate::host::record::{self, Fields, Record};
use crate::host::value::{self, AnArray, As};

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
        value::list_once(&self.calls, || {
            let calls = self.exchange.calls.iter();
            calls
                .map(|found| call::object(found.clone(), Source::whole(&value::text(""))))
                .collect()
        })
    }

    fn results(&self) -> PhpResult<Zval> {
        value::list_once(&self.results, || {
            let results = self.exchange.results.iter();
            results.map(|found| Ok(value::object(NativeResult::of(found)?)?)).collect()
        })
    }

    fn rejections(&self) -> PhpResult<Zval> {
        value::list_once(&self.rejections, || {
            let rejections = self.exchange.rejections.iter();
            rejections
                .map(|found| Ok(value::object(NativeRejection::new(found.clone()))?))
                .collect()
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
            value::list(objects)
                .map(OnceCell::from)
                .map_err(|error| fields.error(name, &error.to_string()))
        };
        Ok(Self {
            exchange: native::Exchange::default(),
            calls: list("calls", fields.objects::<ToolCall>("calls")?)?,
            results: list("results", fields.objects::<NativeResult>("results")?)?,
            rejections: list("rejections", fields.objects::<NativeRejection>("rejections")?)?,
        })
    }
}
