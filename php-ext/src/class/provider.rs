//! Providers' slugs, and the objects that they send and are given.

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::provider;

use crate::host::exception;
use crate::host::json::{self, Objects};
use crate::host::option;
use crate::host::value::{Maybe, Text};

/// Reads a provider's slug.
pub(crate) fn named(slug: &Text<'_>) -> PhpResult<provider::Provider> {
    provider::Provider::named(&slug.lossy()).map_err(|error| exception::from_core(&error))
}

/// The default of `repair`.
pub(crate) const OFF: &str = "off";

/// Reads a provider's slug, or null.
fn known(slug: Maybe<Text<'_>>) -> PhpResult<Option<provider::Provider>> {
    slug.0.as_ref().map(named).transpose()
}

/// Reads the options of reading.
pub(crate) fn reading(
    provider: Maybe<Text<'_>>,
    repair: &Text<'_>,
) -> PhpResult<provider::ParseOptions> {
    let options =
        provider::ParseOptions { provider: known(provider)?, ..provider::ParseOptions::default() };
    options.repairing(&repair.lossy()).map_err(|error| exception::from_core(&error))
}

/// Reads a value that a provider sent.
pub(crate) fn sent(what: &str, value: &Zval) -> PhpResult<Value> {
    option::sent(what, value).map_err(|error| exception::from_core(&error))
}

/// An object that the core wrote, as an array.
pub(crate) fn array(written: &Value) -> PhpResult<Zval> {
    let array = json::read(written.to_string().as_bytes(), Objects::Encodable);
    array.ok_or_else(|| "what was written is not JSON".into())
}
