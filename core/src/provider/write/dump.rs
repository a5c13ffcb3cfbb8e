//! Writes calls and results in the form of a provider.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::{ProviderCall, Provider, dump_call};
//!
//! let arguments = r#"{"city": "Oslo"}"#;
//! let call =
//!     ProviderCall { id: Some("call_1"), name: "weather", arguments, ..Default::default() };
//! assert_eq!(
//!     dump_call(call, Provider::Anthropic)?,
//!     json!({"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Oslo"}})
//! );
//! assert_eq!(dump_call(call, Provider::OpenAi)?["function"]["arguments"], arguments);
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Map, Value};

use super::call_object::call_object;
use super::outline::PlainCall;
use crate::call::ToolCall;
use crate::error::{Error, ErrorKind};
use crate::json::parse::parse_json;
use crate::provider::dialect;
use crate::provider::kind::Provider;
use crate::provider::read::beside;
use crate::provider::read::exchange::ProviderResult;

/// The parts of a call that a provider receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProviderCall<'a> {
    /// The id; none if the call has none and the provider does not need one.
    pub id: Option<&'a str>,
    /// The tool's name.
    pub name: &'a str,
    /// The JSON text of the arguments.
    pub arguments: &'a str,
    /// The slug of the provider that sent the call; empty for a call from elsewhere.
    pub format: &'a str,
    /// What that provider wrote beside the call and wants back: the JSON text of an object.
    pub provider_data: Option<&'a str>,
}

impl<'a> ProviderCall<'a> {
    /// The parts of a call that was found in this text.
    ///
    /// The text is empty for a call that was read from an object. The id is included even if it is
    /// new, since without it no result could name the call.
    #[must_use]
    pub fn of(call: &'a ToolCall, text: &'a [u8]) -> Self {
        // The arguments are UTF-8 in the text that holds the call; another text may not hold them.
        let arguments = std::str::from_utf8(call.arguments_raw(text)).unwrap_or_default();
        let ToolCall { id, name, format, provider_data, .. } = call;
        Self { id: Some(id), name, arguments, format, provider_data: provider_data.as_deref() }
    }

    /// What stands beside the call, if this provider sent it.
    fn beside(&self, provider: Provider) -> Result<Option<Map<String, Value>>, Error> {
        let Some(data) = self.provider_data else { return Ok(None) };
        let Ok(Value::Object(data)) = parse_json(data.as_bytes()) else {
            let message = "the call cannot be written: provider_data is not a JSON object";
            return Err(Error::new(ErrorKind::InvalidArguments, message));
        };
        let from = Provider::from_slug(self.format);
        Ok(from.is_some_and(|from| from.shares_calls_with(provider)).then_some(data))
    }
}

/// Writes a call as the provider's smallest object for one: a part, a block, an item of
/// `tool_calls`.
///
/// The provider that sent the call also gets back what it wrote beside it.
///
/// # Errors
/// `invalid_arguments` when the arguments are not a JSON object, or nest deeper than 128.
pub fn dump_call(call: ProviderCall<'_>, provider: Provider) -> Result<Value, Error> {
    let dialect = dialect::of(provider);
    let ProviderCall { id, name, arguments, .. } = call;
    let parts = PlainCall { id, name, arguments };
    let Some(beside) = call.beside(provider)? else { return call_object(parts, dialect) };
    let mut object = match (dialect.dump_free_text)(&parts, &beside) {
        Some(object) => object,
        None => call_object(parts, dialect)?,
    };
    if let Some(object) = object.as_object_mut() {
        beside::fill(object, beside);
    }
    Ok(object)
}

/// Writes a result as the provider's smallest object for one.
///
/// A provider that has no flag for failures gets `{"error": message}`. Stageflow's and Data
/// Machine's objects name no call.
#[must_use]
pub fn dump_result(result: &ProviderResult, provider: Provider) -> Value {
    (dialect::of(provider).dump_result)(result)
}
