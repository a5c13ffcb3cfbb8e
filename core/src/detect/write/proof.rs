//! Reads a text of calls back, and compares.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::call::ToolCall;
use crate::detect::engine::{Config, Engine};
use crate::detect::format::Format;
use crate::detect::format::shape::{Body, Syntax};
use crate::detect::options::{Limits, Options};
use crate::detect::rule::tools::Tools;
use crate::detect::write::json::ExactJson;
use crate::detect::write::layout::WORD;
use crate::detect::write::new_call::Call;
use crate::error::Error;

/// A detector for one format.
pub(super) struct Proof<'f> {
    config: Arc<Config>,
    format: &'f Format,
}

impl<'f> Proof<'f> {
    /// Takes the tools as the reader will know them. Without them, a schema is taken that names
    /// the types of the arguments.
    pub(super) fn new(
        calls: &[Call<'_>],
        format: &'f Format,
        tools: Option<&Tools>,
    ) -> Result<Self, Error> {
        let tools = match tools {
            Some(tools) => Some(tools.clone()),
            None if needs_types(format) => Some(Tools::from_json(&types(calls))?),
            None => None,
        };
        let options = Options {
            formats: vec![format.clone()],
            tools,
            limits: limits(),
            ..Options::default()
        };
        Ok(Self { config: Arc::new(Config::new(options)?), format })
    }

    /// Whether exactly these calls are read from the text.
    pub(super) fn holds(&self, text: &str, calls: &[Call<'_>]) -> bool {
        let mut engine = Engine::new(Arc::clone(&self.config));
        engine.run_whole(&self.config, text.as_bytes());
        let findings = engine.take_findings();
        findings.rejections.is_empty()
            && findings.calls.len() == calls.len()
            && findings
                .calls
                .iter()
                .zip(calls)
                .all(|(found, call)| same_call(found, call, text, self.format))
    }
}

/// The limits of the reading: a caller's are no concern of the writer.
pub(super) fn limits() -> Limits {
    let most = usize::MAX;
    Limits { max_input: most, max_calls: most, max_arguments: most, ..Limits::default() }
}

/// Whether a call that was found in a text is the one that was written in this format.
pub(super) fn same_call(found: &ToolCall, call: &Call<'_>, text: &str, format: &Format) -> bool {
    let arguments = match ExactJson::parse(found.arguments_raw(text.as_bytes())) {
        Ok(ExactJson::Object(arguments)) => arguments,
        Ok(ExactJson::Array(_)) => Vec::new(),
        _ => return false,
    };
    let id = call.id.filter(|_| keeps_ids(format));
    found.name == call.name
        && arguments == call.arguments
        && id.is_none_or(|id| found.id_given && found.id == id)
}

/// Whether the format has a place for an id.
fn keeps_ids(format: &Format) -> bool {
    match &format.data.syntax {
        Syntax::Element(_) => true,
        Syntax::Bare(keys) => !keys.id.is_empty(),
        Syntax::Marked(marked) => match &marked.body {
            Body::Json(keys) => !keys.id.is_empty() && !keys.name_is_key,
            _ => {
                marked.call.name.numbered
                    || marked.call.name_end.iter().any(|end| end.written().contains(WORD))
            }
        },
    }
}

/// Whether only a schema says which values are no texts.
fn needs_types(format: &Format) -> bool {
    let Syntax::Marked(marked) = &format.data.syntax else { return false };
    matches!(&marked.body, Body::Tagged(parameter) if parameter.type_attribute.is_none())
}

/// Definitions of tools whose schemas name the types of the arguments.
pub(super) fn types(calls: &[Call<'_>]) -> Value {
    let mut tools: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for call in calls {
        let properties = tools.entry(call.name).or_default();
        for (key, value) in &call.arguments {
            let kinds = properties.entry(key).or_default();
            let kind = value.kind();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    let definition = |(name, properties): (&str, BTreeMap<&str, Vec<&str>>)| {
        let typed = |(key, kinds): (&str, Vec<&str>)| (key.to_owned(), json!({"type": kinds}));
        let properties: Map<_, _> = properties.into_iter().map(typed).collect();
        json!({"name": name, "parameters": {"type": "object", "properties": properties}})
    };
    tools.into_iter().map(definition).collect()
}
