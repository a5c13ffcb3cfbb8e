//! A call in the form of a provider, with nothing beside it.

use serde_json::Value;

use super::outline::PlainCall;
use crate::call::RejectionCode;
use crate::error::{Error, ErrorKind};
use crate::json::Repair;
use crate::provider::dialect::form::ProviderDialect;
use crate::provider::read::arguments::read_text;

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

/// The JSON text of a call's arguments, as providers take it.
///
/// # Errors
/// Those of [`call_object`].
pub(in crate::provider) fn arguments_text(arguments: &str) -> Result<String, Error> {
    let read = read_text(arguments, RejectionCode::BadJson, Repair::Off);
    read.map(|read| read.json).map_err(|refused| {
        let message = format!("the call cannot be written: {}", refused.message);
        Error::new(ErrorKind::InvalidArguments, message)
    })
}
