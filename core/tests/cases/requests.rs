//! The topic `requests`: the tools of a request, as a provider has them.

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::Error;
use toolwire::provider::{ToolOptions, provider_of_tools};
use toolwire::registry::{Registry, ToolSpec};

use crate::case::Case;

/// Runs a case.
pub fn requests(case: &Case) -> Result<(), String> {
    match case.function()? {
        "to_provider" => {
            let input: ToolsInput = case.input()?;
            case.check(to_provider(&input))
        }
        other => Err(format!("input: an unknown function {other:?}")),
    }
}

/// A tool as a case describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offered {
    name: String,
    action_type: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    input_schema: Value,
    read_only: Option<bool>,
    destructive: Option<bool>,
}

/// The registry of a case's tools; the handle of a tool is its action type.
pub fn registry(tools: &[Offered]) -> Result<Registry<String>, Error> {
    let mut registry = Registry::default();
    for tool in tools {
        let spec = ToolSpec {
            description: tool.description.clone(),
            read_only: tool.read_only,
            destructive: tool.destructive,
            ..ToolSpec::new(&tool.name, &tool.action_type)
        };
        registry.register(spec.with_schema(&tool.input_schema)?, tool.action_type.clone());
    }
    Ok(registry)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolsInput {
    #[serde(rename = "function")]
    _function: String,
    provider: String,
    tools: Vec<Offered>,
    #[serde(default)]
    strict: bool,
    /// Names by which tools are looked up.
    #[serde(default)]
    names: Vec<String>,
}

fn to_provider(input: &ToolsInput) -> Result<Value, Error> {
    let registry = registry(&input.tools)?;
    let provider = provider_of_tools(&input.provider)?;
    let written = registry.to_provider(provider, ToolOptions { strict: input.strict })?;
    let found = input
        .names
        .iter()
        .map(|name| registry.get(name).map_or(Value::Null, |tool| tool.handle().as_str().into()));
    Ok(json!({"tools": written, "found": found.collect::<Vec<_>>()}))
}
