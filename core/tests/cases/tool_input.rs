//! Cases of what a tool is given: the call that is resolved, the summary of its payload.

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::compat::stageflow::{CONSTANTS, problem_message};
use toolwire::json::{Repair, parse_json};
use toolwire::lifecycle::{RateLimit, summarize_payload};
use toolwire::redact::{JsonBuild, Redaction};
use toolwire::registry::{
    CallArguments, CallFields, Registry, Resolution, ToolLimits, ToolSpec, resolve_call,
};

use crate::tools::said;

/// A tool as a case describes it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    name: String,
    id: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    allowed_modes: Vec<String>,
    #[serde(default)]
    requires_approval: bool,
    approval_message: Option<String>,
    #[serde(default)]
    undoable: bool,
    capability: Option<String>,
    rate_limit: Option<(u32, i64)>,
    input_schema: Option<Value>,
}

impl Tool {
    pub fn spec(self) -> ToolSpec {
        let limit = self
            .rate_limit
            .map(|(count, seconds)| RateLimit::new(count, seconds * 1_000_000).unwrap());
        let spec = ToolSpec {
            aliases: self.aliases,
            allowed_modes: self.allowed_modes,
            requires_approval: self.requires_approval,
            approval_message: self.approval_message,
            undoable: self.undoable,
            capability: self.capability,
            limits: ToolLimits { rate: limit, ..ToolLimits::default() },
            ..ToolSpec::new(self.name).with_id(self.id)
        };
        spec.with_schema(&self.input_schema.unwrap_or_default()).unwrap()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolveInput {
    #[serde(rename = "function")]
    _function: String,
    tools: Vec<Tool>,
    calls: Vec<Value>,
    #[serde(default = "id")]
    id_field: String,
    #[serde(default = "name")]
    name_field: String,
    #[serde(default = "arguments")]
    arguments_field: String,
    #[serde(default = "function")]
    function_wrapper: Option<String>,
    #[serde(default)]
    repair: String,
}

fn id() -> String {
    CallFields::default().id.to_owned()
}

fn name() -> String {
    CallFields::default().name.to_owned()
}

fn arguments() -> String {
    CallFields::default().arguments.to_owned()
}

#[allow(clippy::unnecessary_wraps, reason = "the default of an optional field")]
fn function() -> Option<String> {
    CallFields::default().wrapper.map(str::to_owned)
}

pub fn resolve(input: ResolveInput) -> Value {
    let mut registry = Registry::default();
    for tool in input.tools {
        registry.register(tool.spec(), ());
    }
    let fields = CallFields {
        id: &input.id_field,
        name: &input.name_field,
        arguments: &input.arguments_field,
        wrapper: input.function_wrapper.as_deref(),
        constants: CONSTANTS,
        repair: Repair::from_slug(&input.repair).unwrap_or_default(),
    };
    let given = |arguments: CallArguments<&Value, Value>| match arguments {
        CallArguments::Empty => json!({}),
        CallArguments::Host(value) => value.clone(),
        CallArguments::Built(value) => value,
    };
    let build = |text: &[u8]| parse_json(text).ok();
    let (mut resolved, mut unresolved) = (Vec::new(), Vec::new());
    for call in &input.calls {
        let look_up = |name: &str| registry.get(name).map(|tool| tool.spec().id.clone());
        match resolve_call(&call, &fields, look_up, build).unwrap() {
            Resolution::Resolved { tool, call_id, name, arguments } => {
                let (call_id, name) = (call_id.text(), name.text());
                resolved.push(
                    json!({"tool": tool, "call_id": call_id, "name": name, "arguments": given(arguments)}),
                );
            }
            Resolution::Unresolved { call_id, name, arguments, problem } => {
                let (call_id, name) = (call_id.text(), name.text());
                let error = said(&problem.message(&name), &problem_message(&problem, &name));
                unresolved.push(
                    json!({"call_id": call_id, "name": name, "arguments": given(arguments), "error": error}),
                );
            }
        }
    }
    json!({"resolved": resolved, "unresolved": unresolved})
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryInput {
    #[serde(rename = "function")]
    _function: String,
    payload: Value,
    redact: Option<Vec<String>>,
}

pub fn summary(input: &SummaryInput) -> Value {
    json!({"summary": summed(&input.payload, input.redact.as_deref())})
}

pub fn summed(payload: &Value, redact: Option<&[String]>) -> Value {
    let redaction = redact.map_or_else(Redaction::default, Redaction::new);
    summarize_payload(&payload, &redaction, &mut JsonBuild).unwrap()
}
