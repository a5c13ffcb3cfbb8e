//! Writes the definitions of tools as a request to a provider has them.
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

use serde_json::{Map, Value, json};

use super::schema::schema_for;
use crate::error::{Error, ErrorKind};
use crate::provider::kind::Provider;

/// The providers that are given tools.
const PROVIDERS: [Provider; 10] = [
    Provider::OpenAi,
    Provider::OpenAiResponses,
    Provider::Anthropic,
    Provider::Gemini,
    Provider::Bedrock,
    Provider::Ollama,
    Provider::Mistral,
    Provider::Cohere,
    Provider::Mcp,
    Provider::WordPress,
];

/// What a model is told of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolDefinition<'t> {
    /// The name, which the provider must take.
    pub name: &'t str,
    /// What the tool does; empty for nothing.
    pub description: &'t str,
    /// The JSON Schema of the arguments; none for a tool that takes any object.
    pub input_schema: Option<&'t Value>,
    /// What is known of the tool's effect.
    pub hints: ToolHints,
}

/// What a program says of the effect that a tool has; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolHints {
    /// Whether the tool changes nothing.
    pub read_only: Option<bool>,
    /// Whether the tool may delete or overwrite something.
    pub destructive: Option<bool>,
}

impl ToolHints {
    /// What MCP says of a tool beside its schema; nothing if nothing is known.
    fn annotations(self) -> Value {
        let hints = [("readOnlyHint", self.read_only), ("destructiveHint", self.destructive)];
        let known =
            hints.into_iter().filter_map(|(key, hint)| Some((key.to_owned(), hint?.into())));
        let known: Map<String, Value> = known.collect();
        if known.is_empty() { json!({}) } else { entry("annotations", known.into()) }
    }
}

impl<'t> ToolDefinition<'t> {
    /// A tool of which only the name is known.
    #[must_use]
    pub fn new(name: &'t str) -> Self {
        Self { name, ..Self::default() }
    }
}

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
    let known = Provider::from_slug(slug).filter(|provider| PROVIDERS.contains(provider));
    known.ok_or_else(|| {
        let known = PROVIDERS.map(Provider::slug);
        Error::unknown(ErrorKind::UnknownProvider, "provider of tools", slug, &known)
    })
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
    provider_of_tools(provider.slug())?;
    let can_be_strict = matches!(provider, Provider::OpenAi | Provider::OpenAiResponses);
    if options.strict && !can_be_strict {
        let message = format!("strict is for openai and openai_responses, not {}", provider.slug());
        return Err(Error::new(ErrorKind::InvalidOption, message));
    }
    let written = tools.iter().map(|tool| dump_tool(tool, provider, options.strict));
    let written = written.collect::<Result<Vec<_>, _>>()?;
    Ok(match provider {
        // Gemini has one tool that declares all functions.
        Provider::Gemini if !written.is_empty() => vec![json!({"functionDeclarations": written})],
        _ => written,
    })
}

fn dump_tool(tool: &ToolDefinition<'_>, provider: Provider, strict: bool) -> Result<Value, Error> {
    let schema = schema_for(tool.name, tool.input_schema, provider, strict)?;
    Ok(match provider {
        Provider::OpenAiResponses => {
            let mut function = json!({"type": "function"});
            extend(&mut function, described(tool, "parameters", schema));
            // Without this member, the API takes a function as a strict one.
            extend(&mut function, entry("strict", strict.into()));
            function
        }
        Provider::Anthropic => described(tool, "input_schema", schema),
        Provider::Gemini if tool.input_schema.is_none() => named(tool),
        Provider::Gemini => described(tool, "parametersJsonSchema", schema),
        Provider::Bedrock => {
            json!({"toolSpec": described(tool, "inputSchema", json!({"json": schema}))})
        }
        Provider::Mcp => {
            let mut written = described(tool, "inputSchema", schema);
            extend(&mut written, tool.hints.annotations());
            written
        }
        Provider::WordPress => {
            json!({"name": tool.name, "description": tool.description, "parameters": schema})
        }
        _ => {
            let mut function = described(tool, "parameters", schema);
            if strict {
                extend(&mut function, entry("strict", true.into()));
            }
            json!({"type": "function", "function": function})
        }
    })
}

/// The name and, if there is one, the description.
fn named(tool: &ToolDefinition<'_>) -> Value {
    let mut written = json!({"name": tool.name});
    if !tool.description.is_empty() {
        extend(&mut written, entry("description", tool.description.into()));
    }
    written
}

/// The name, the description, and the schema under its key.
fn described(tool: &ToolDefinition<'_>, key: &str, schema: Value) -> Value {
    let mut written = named(tool);
    extend(&mut written, entry(key, schema));
    written
}

fn entry(key: &str, value: Value) -> Value {
    let mut object = Map::new();
    object.insert(key.to_owned(), value);
    Value::Object(object)
}

fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}
