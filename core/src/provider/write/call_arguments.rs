//! The arguments of a call that is written.

use crate::call::RejectionCode;
use crate::error::{Error, ErrorKind};
use crate::json::Repair;
use crate::provider::read::arguments::read_text;

/// The JSON text of a call's arguments, as providers take it.
///
/// # Errors
/// `invalid_arguments` when they are not a JSON object, or nest deeper than 128.
pub(in crate::provider) fn arguments_text(arguments: &str) -> Result<String, Error> {
    let read = read_text(arguments, RejectionCode::BadJson, Repair::Off);
    read.map(|read| read.json).map_err(|refused| {
        let message = format!("the call cannot be written: {}", refused.message);
        Error::new(ErrorKind::InvalidArguments, message)
    })
}
