//! A call in the form of a provider, with nothing beside it.

use serde_json::Value;

use super::call_arguments::arguments_text;
use super::outline::PlainCall;
use crate::error::Error;
use crate::provider::dialect::form::ProviderDialect;

/// Writes a call.
///
/// # Errors
/// `invalid_arguments` when the arguments are not a JSON object, or nest deeper than 128.
pub(in crate::provider) fn call_object(
    call: PlainCall<'_>,
    dialect: &ProviderDialect,
) -> Result<Value, Error> {
    let arguments = arguments_text(call.arguments)?;
    Ok((dialect.dump_call)(&PlainCall { arguments: &arguments, ..call }))
}
