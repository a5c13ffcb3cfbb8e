//! Writes the tools of a request as the provider has them.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::{Provider, ToolDefinition, ToolOptions, dump_tools};
//!
//! let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
//! let tool = ToolDefinition { description: "The weather", input_schema: Some(&schema),
//!     ..ToolDefinition::new("weather") };
//! assert_eq!(
//!     dump_tools(&[tool], Provider::Anthropic, ToolOptions::default())?,
//!     [json!({"name": "weather", "description": "The weather", "input_schema": schema})]
//! );
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::Value;

use super::definition::ToolDefinition;
use super::schema::schema_for;
use super::tool_name::NameRule;
use crate::error::{Error, ErrorKind};
use crate::provider::dialect;
use crate::provider::kind::Provider;

/// How definitions are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolOptions {
    /// Whether OpenAI shall hold the model to the schemas.
    pub strict: bool,
}

/// Finds the provider that tools are written for.
///
/// # Errors
/// `unknown_provider` for a slug that is none, and for a provider that is given no tools; the
/// message lists those that are.
pub fn provider_of_tools(slug: &str) -> Result<Provider, Error> {
    let is_given = |provider: &Provider| dialect::of(*provider).tools.is_some();
    Provider::from_slug(slug).filter(is_given).ok_or_else(|| not_given(slug))
}

/// The error for a provider that is given no tools.
fn not_given(slug: &str) -> Error {
    let given = Provider::ALL.iter().filter(|provider| dialect::of(**provider).tools.is_some());
    let known: Vec<_> = given.map(|provider| provider.slug()).collect();
    Error::unknown(ErrorKind::UnknownProvider, "provider of tools", slug, &known)
}

/// Writes definitions in their order, as the provider's list of tools.
///
/// # Errors
/// `unknown_provider` for a provider that is given no tools, `invalid_option` for `strict` with
/// another provider than OpenAI, `invalid_schema` for a schema that the provider refuses or that
/// does not qualify as strict; the message names the tool and the place.
pub fn dump_tools(
    tools: &[ToolDefinition<'_>],
    provider: Provider,
    options: ToolOptions,
) -> Result<Vec<Value>, Error> {
    let dialect = dialect::of(provider).tools.ok_or_else(|| not_given(provider.slug()))?;
    if options.strict && !dialect.can_be_strict {
        let message = format!("strict is for openai and openai_responses, not {}", provider.slug());
        return Err(Error::new(ErrorKind::InvalidOption, message));
    }
    let written = tools.iter().map(|tool| {
        let schema = schema_for(tool, dialect, provider.slug(), options.strict)?;
        Ok((dialect.tool)(tool, schema, options.strict))
    });
    Ok((dialect.list)(written.collect::<Result<_, Error>>()?))
}

impl NameRule {
    /// The rule of a provider; none for a provider that takes any name.
    pub(crate) fn of(provider: Provider) -> Option<Self> {
        dialect::of(provider).tools.map_or(Some(Self::CHAT), |tools| tools.names)
    }
}
