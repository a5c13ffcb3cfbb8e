//! The topic `requests`: the tools and the results that go to a provider, and the text that tells a
//! model its tools.

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::Error;
use toolwire::detect::{Format, Profile, PromptStyle};
use toolwire::provider::{
    AnswerData, AnswerOptions, AnsweredCall, Ending, Provider, Shown, ToolAnswer, ToolHints,
    ToolOptions, parse, provider_of_tools,
};
use toolwire::redact::Redaction;
use toolwire::registry::{Registry, ToolSpec};

use crate::case::Case;

/// Runs a case.
pub fn requests(case: &Case) -> Result<(), String> {
    match case.function()? {
        "to_provider" => {
            let input: ToolsInput = case.input()?;
            case.check(to_provider(&input))
        }
        "answer" => case.check(answer(&case.input()?)),
        "prompt" => case.check(prompt(&case.input()?)),
        other => Err(format!("input: an unknown function {other:?}")),
    }
}

/// A tool as a case describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offered {
    name: String,
    id: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    input_schema: Value,
    read_only: Option<bool>,
    destructive: Option<bool>,
}

/// The registry of a case's tools; the handle of a tool is its id.
pub fn registry(tools: &[Offered]) -> Result<Registry<String>, Error> {
    let mut registry = Registry::default();
    for tool in tools {
        let spec = ToolSpec {
            description: tool.description.clone(),
            hints: ToolHints { read_only: tool.read_only, destructive: tool.destructive },
            ..ToolSpec::new(&tool.name).with_id(&tool.id)
        };
        registry.register(spec.with_schema(&tool.input_schema)?, tool.id.clone());
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerInput {
    #[serde(rename = "function")]
    _function: String,
    provider: String,
    /// A provider's call, or the id of one.
    call: Value,
    success: bool,
    #[serde(default)]
    data: Value,
    error: Option<String>,
    max_bytes: Option<Value>,
    secret_keys: Option<Vec<String>>,
}

fn answer(input: &AnswerInput) -> Result<Value, Error> {
    let provider = Provider::named(&input.provider)?;
    let mut options = AnswerOptions::default();
    if let Some(keys) = &input.secret_keys {
        options.redaction = Redaction::new(keys);
    }
    if let Some(most) = &input.max_bytes {
        options = options.with_max_bytes(most)?;
    }
    let read = |data: &Value| AnswerData::read(&data, &options, |_| Ok(Shown::Text(String::new())));
    let data = (!input.data.is_null()).then(|| read(&input.data)).transpose()?;
    let ending = if input.success {
        Ending::Completed(data.unwrap_or_default())
    } else {
        Ending::Failed { message: input.error.clone().unwrap_or_default(), data }
    };
    let call = match &input.call {
        Value::String(id) => AnsweredCall { id: Some(id.clone()), tool: String::new() },
        object => AnsweredCall::of(&parse(object, None).calls[0], provider),
    };
    Ok(json!({"object": ToolAnswer { call, ending }.dump(provider, &options)}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PromptInput {
    #[serde(rename = "function")]
    _function: String,
    tools: Vec<Offered>,
    profile: Option<Value>,
    format: Option<Value>,
}

fn prompt(input: &PromptInput) -> Result<Value, Error> {
    let profile = input.profile.as_ref().map(Profile::from_json).transpose()?;
    let format = input.format.as_ref().map(Format::from_json).transpose()?;
    let style = PromptStyle::choose(profile.as_ref(), format.as_ref())?;
    Ok(json!({"text": registry(&input.tools)?.render_prompt(&style)?}))
}
