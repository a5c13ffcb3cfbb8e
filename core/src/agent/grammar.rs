//! The grammar to which a server holds the model of an agent.
//!
//! A server that gets tools makes a grammar of its own, or refuses a second one. So the request has
//! no tools: the text of the system tells the model of them, and the detector of the settings reads
//! its calls.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::detect::{
    Detector, GrammarSettings, PromptStyle, PromptTool, ToolChoice, Tools, render_prompt,
};
use crate::error::{Error, ErrorKind};
use crate::input_schema::InputSchema;
use crate::provider::{ModelRequest, Provider};

/// The grammar to which a server of chat completions is asked to hold a model.
///
/// ```
/// use serde_json::{Map, json};
/// use toolwire::agent::AgentGrammar;
/// use toolwire::provider::Provider;
///
/// let mut options = Map::new();
/// options.insert("backend".to_owned(), json!("gbnf")); // llama.cpp
/// assert!(AgentGrammar::new(Provider::OpenAi, "qwen3-8b", &options).is_ok());
/// assert!(AgentGrammar::new(Provider::Anthropic, "claude-sonnet-4", &options).is_err());
/// # Ok::<(), toolwire::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AgentGrammar {
    settings: GrammarSettings,
    detector: Detector,
}

impl AgentGrammar {
    /// Reads the options of [`GrammarSettings::set`]. Without one that says who writes, it is the
    /// model of the agent.
    ///
    /// # Errors
    /// `invalid_option` for a provider whose requests take no grammar, for `tool_choice`, which the
    /// agent sets itself, and for options that do not go together; else those of
    /// [`GrammarSettings::set`] and [`constrain`](crate::detect::constrain).
    pub fn new(
        provider: Provider,
        model: &str,
        options: &Map<String, Value>,
    ) -> Result<Self, Error> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidOption, message));
        if provider != Provider::OpenAi {
            let slug = provider.slug();
            return invalid(format!("the requests of {slug} take no grammar; those of openai do"));
        }
        let mut settings = GrammarSettings::default();
        for (name, value) in options {
            if name == "tool_choice" {
                return invalid("tool_choice is the agent's own: auto, or none at a limit".into());
            }
            settings.set(name, value)?;
        }
        if !settings.name_writer() {
            settings.set("model", &model.into())?;
        }
        let detector = Detector::new(settings.detector_options())?;
        let grammar = Self { settings, detector };
        // The request that ends a conversation shows whether the options go together.
        grammar.settings_of(false).constrain(&Tools::default())?;
        Ok(grammar)
    }

    /// What reads the calls, which such a server leaves in the text.
    pub(super) fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Writes a request that is held to the grammar.
    ///
    /// # Errors
    /// Those of [`ModelRequest::dump`], [`constrain`](crate::detect::constrain) and
    /// [`render_prompt`].
    pub(super) fn dump(
        &self,
        request: &ModelRequest<'_>,
        provider: Provider,
    ) -> Result<Value, Error> {
        let tools = Tools::from_json(&request.tools.into())?;
        let calling = self.settings_of(true).constrain(&tools)?;
        let prompt = prompt(request.tools, &self.settings.prompt_style(&calling)?)?;
        let system = match (request.system, &*prompt) {
            (system, "") => Cow::Borrowed(system),
            ("", prompt) => Cow::Borrowed(prompt),
            (system, prompt) => Cow::Owned(format!("{system}\n\n{prompt}")),
        };
        let held = ModelRequest { system: &system, tools: &[], ..*request };
        let mut body = held.dump(provider)?;
        let constraint =
            if request.may_call { calling } else { self.settings_of(false).constrain(&tools)? };
        if let (Value::Object(body), Value::Object(more)) = (&mut body, constraint.request()) {
            body.extend(more);
        }
        Ok(body)
    }

    /// The settings for a request in which the model may call tools, or may not.
    fn settings_of(&self, may_call: bool) -> GrammarSettings {
        let mut settings = self.settings.clone();
        settings.options.tool_choice = if may_call { ToolChoice::Auto } else { ToolChoice::None };
        settings
    }
}

/// What the model is told of the tools, as they stand in a request of chat completions.
fn prompt(tools: &[Value], style: &PromptStyle) -> Result<String, Error> {
    let mut read = Vec::with_capacity(tools.len());
    for tool in tools {
        let tool = tool.get("function").unwrap_or(tool);
        let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = text("name");
        let schema = tool.get("parameters").map(|schema| InputSchema::new(name, schema));
        read.push((name, text("description"), schema.transpose()?));
    }
    let told = read.iter().map(|(name, description, schema)| PromptTool {
        name,
        description,
        input_schema: schema.as_ref(),
    });
    render_prompt(&told.collect::<Vec<_>>(), style)
}
