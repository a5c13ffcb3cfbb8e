//! `Toolwire\Exchange`: the calls, results and rejections in a provider's object.

use std::cell::OnceCell;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::provider;

use crate::class::call::{self, ToolCall};
use crate::class::provider_item::ProviderItem;
use crate::class::provider_rejection::ProviderRejection;
use crate::class::provider_result::ProviderResult;
use crate::host::class::php_class;
use crate::host::record::{self, Fields, Record};
use crate::host::value::{self, AnArray, As};

/// Calls, results and rejections.
pub(crate) struct Exchange {
    found: provider::Exchange,
    calls: OnceCell<Zval>,
    results: OnceCell<Zval>,
    rejections: OnceCell<Zval>,
    items: OnceCell<Zval>,
}

php_class!(Exchange, "Toolwire\\Exchange", [], private, {
    "calls": DataType::Array, false => calls;
    "results": DataType::Array, false => results;
    "rejections": DataType::Array, false => rejections;
    "items": DataType::Array, false => items;
});

impl Exchange {
    /// Wraps an exchange of the core.
    pub(crate) fn new(found: provider::Exchange) -> Self {
        let (calls, results) = (OnceCell::new(), OnceCell::new());
        let (rejections, items) = (OnceCell::new(), OnceCell::new());
        Self { found, calls, results, rejections, items }
    }

    fn calls(&self) -> PhpResult<Zval> {
        value::list_once(&self.calls, || {
            let calls = self.found.calls.iter();
            value::sized_list(
                calls.map(|found| Ok(call::object(ToolCall::alone(found.clone(), b"")))),
            )
        })
    }

    fn results(&self) -> PhpResult<Zval> {
        value::list_once(&self.results, || {
            let results = self.found.results.iter();
            value::sized_list(results.map(|found| Ok(value::object(ProviderResult::of(found)?)?)))
        })
    }

    fn rejections(&self) -> PhpResult<Zval> {
        value::list_once(&self.rejections, || {
            let rejections = self.found.rejections.iter();
            value::sized_list(
                rejections.map(|found| Ok(value::object(ProviderRejection::new(found.clone()))?)),
            )
        })
    }

    fn items(&self) -> PhpResult<Zval> {
        value::list_once(&self.items, || {
            let items = self.found.items.iter();
            value::sized_list(items.map(|item| Ok(value::object(ProviderItem::new(item.clone()))?)))
        })
    }
}

#[php_impl]
impl Exchange {
    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for Exchange {
    fn write(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("calls", record::each::<ToolCall>(&self.calls()?)?),
            ("results", record::each::<ProviderResult>(&self.results()?)?),
            ("rejections", record::each::<ProviderRejection>(&self.rejections()?)?),
            ("items", record::each::<ProviderItem>(&self.items()?)?),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let list = |name: &str, objects: Vec<Zval>| {
            value::list(objects)
                .map(OnceCell::from)
                .map_err(|error| fields.error(name, &error.to_string()))
        };
        let items =
            if fields.has("items") { fields.objects::<ProviderItem>("items")? } else { vec![] };
        Ok(Self {
            items: list("items", items)?,
            found: provider::Exchange::default(),
            calls: list("calls", fields.objects::<ToolCall>("calls")?)?,
            results: list("results", fields.objects::<ProviderResult>("results")?)?,
            rejections: list("rejections", fields.objects::<ProviderRejection>("rejections")?)?,
        })
    }
}
